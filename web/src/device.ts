/** What this device can do: show notifications, and install the app. Players are asked after a first success, never before. */
import { signal } from "@preact/signals";
import { api } from "./api.ts";

/** Whether notifications reach this device. On iOS only an installed app can have them. */
export type PushState = "unknown" | "unsupported" | "install first" | "denied" | "off" | "on";
export const pushState = signal<PushState>("unknown");

export const isIos = /iPhone|iPad|iPod/.test(navigator.userAgent);
export const isInstalled = matchMedia("(display-mode: standalone)").matches;

const currentSubscription = async (): Promise<PushSubscription | null> => {
  const registration = await navigator.serviceWorker?.getRegistration("/app/");
  return (await registration?.pushManager?.getSubscription()) ?? null;
};

/** Finds out whether notifications reach this device. */
export const readPushState = async (): Promise<void> => {
  if (!("PushManager" in window) || !("Notification" in window)) {
    pushState.value = isIos && !isInstalled ? "install first" : "unsupported";
  } else if (Notification.permission === "denied") pushState.value = "denied";
  else pushState.value = (await currentSubscription()) === null ? "off" : "on";
};

/** Registers a subscription for the player who is logged in. */
const register = async ({ endpoint, keys }: PushSubscriptionJSON): Promise<void> => {
  if (endpoint === undefined || keys?.p256dh === undefined || keys.auth === undefined) return;
  const { p256dh, auth } = keys;
  await api.post("/notifications/subscribe/{url_id}", { body: { endpoint, p256dh, auth } });
};

/** Asks the player for the permission, and subscribes. @throws GameError, DOMException */
export const turnPushOn = async (): Promise<void> => {
  try {
    if ((await Notification.requestPermission()) !== "granted") return;
    const { public_key } = await api.get("/notifications/vapid_public_key");
    const { pushManager } = await navigator.serviceWorker.ready;
    const subscription = await pushManager.subscribe({
      userVisibleOnly: true,
      applicationServerKey: public_key,
    });
    await register(subscription.toJSON());
  } finally {
    await readPushState();
  }
};

/** Ends the notifications of this device. */
export const turnPushOff = async (): Promise<void> => {
  const subscription = await currentSubscription();
  if (subscription !== null) {
    await api.delete("/subscriptions/unsubscribe/{url_id}", { query: { endpoint: subscription.endpoint } });
    await subscription.unsubscribe();
  }
  await readPushState();
};

/** Ends the notifications of all devices of the player. */
export const turnPushOffEverywhere = async (): Promise<void> => {
  await api.delete("/subscriptions/unsubscribe/{url_id}");
  await (await currentSubscription())?.unsubscribe();
  await readPushState();
};

/** After a login, the notifications of this device are those of the player who logged in. */
export const claimPush = async (): Promise<void> => {
  const subscription = await currentSubscription();
  if (subscription !== null) await register(subscription.toJSON());
};

/** Before a logout: a device without a session gets no notifications. They can be turned on again. */
export const unsubscribeDevice = (): Promise<void> => turnPushOff().catch(() => {});

interface InstallEvent extends Event {
  prompt: () => Promise<unknown>;
}

/** Shows the browser's own dialog; `null` if the app is installed or the browser has no dialog. */
export const install = signal<(() => Promise<void>) | null>(null);

addEventListener("beforeinstallprompt", (event) => {
  event.preventDefault();
  install.value = async () => {
    install.value = null;
    await (event as InstallEvent).prompt();
  };
});

const SUCCEEDED = "succeeded";
const DECLINED = "declined";

/** Whether the player has joined or tagged somebody here, and has not said "not now". */
export const mayOffer = signal(
  localStorage.getItem(SUCCEEDED) !== null && localStorage.getItem(DECLINED) === null,
);

/** Notes a first success. */
export const recordSuccess = (): void => {
  localStorage.setItem(SUCCEEDED, "yes");
  mayOffer.value = localStorage.getItem(DECLINED) === null;
};

/** The player does not want to be asked again. */
export const declineOffers = (): void => {
  localStorage.setItem(DECLINED, "yes");
  mayOffer.value = false;
};
