/** The push subscription of this browser, and that of the service. Pages and the service worker use it. */
import { api } from "./api.ts";

/** Whether a subscription was made for a public key; a browser that does not tell is believed. */
const isForKey = ({ options }: PushSubscription, publicKey: string): boolean => {
  const key = options?.applicationServerKey;
  if (key == null) return true;
  const base64 = btoa(String.fromCharCode(...new Uint8Array(key)));
  return base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "") === publicKey;
};

/** A subscription that both have. */
export interface Agreed {
  endpoint: string;
  subscription_id: string;
}

/** Tells the service of a subscription. It stores one that it does not have, and returns the one that it has. */
const register = (subscription: PushSubscription): Promise<Agreed> => {
  const { endpoint = "", keys: { p256dh = "", auth = "" } = {} } = subscription.toJSON();
  return api.post("/notifications/subscribe/{url_id}", { body: { endpoint, p256dh, auth } });
};

/**
 * Has the browser and the service agree: a subscription that only one of them has, or that was made for another key, is
 * replaced. The browser must permit notifications.
 * @param last what they agreed on the last time
 * @throws GameError, DOMException
 */
export const agreeOnPush = async (pushManager: PushManager, last: Partial<Agreed> = {}): Promise<Agreed> => {
  const { public_key } = await api.get("/notifications/vapid_public_key");
  const subscribe = () => pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: public_key });
  // A browser has one subscription at a time.
  const replace = async (old: PushSubscription): Promise<Agreed> => {
    await old.unsubscribe();
    const agreed = await register(await subscribe());
    const query = { endpoint: old.endpoint };
    if (agreed.endpoint !== old.endpoint)
      await api.delete("/subscriptions/unsubscribe/{url_id}", { query }).catch(() => {});
    return agreed;
  };
  const found = await pushManager.getSubscription();
  if (found !== null && !isForKey(found, public_key)) return replace(found);
  const current = found ?? (await subscribe());
  const agreed = await register(current);
  // The service had removed it, most likely because the push service no longer accepts messages for it.
  const wasForgotten = last.endpoint === agreed.endpoint && last.subscription_id !== agreed.subscription_id;
  return wasForgotten ? replace(current) : agreed;
};
