/** Web Push and app installation on this device. Both are offered only after the player's first success. */
import { signal } from "@preact/signals";
import { api } from "./api.ts";

/** Whether this device is subscribed to push notifications. On iOS only an installed app can be. */
export type PushState = "unknown" | "unsupported" | "install first" | "denied" | "off" | "on";
export const pushState = signal<PushState>("unknown");

export const isIos = /iPhone|iPad|iPod/.test(navigator.userAgent);
export const isInstalled = matchMedia("(display-mode: standalone)").matches;

const currentSubscription = async (): Promise<PushSubscription | null> => {
  const registration = await navigator.serviceWorker?.getRegistration("/app/");
  return (await registration?.pushManager?.getSubscription()) ?? null;
};

/** Updates `pushState`. */
export const readPushState = async (): Promise<void> => {
  if (!("PushManager" in window) || !("Notification" in window)) {
    pushState.value = isIos && !isInstalled ? "install first" : "unsupported";
  } else if (Notification.permission === "denied") pushState.value = "denied";
  else pushState.value = (await currentSubscription()) === null ? "off" : "on";
};

/** Registers a push subscription for the logged-in player. */
const register = async ({ endpoint, keys }: PushSubscriptionJSON): Promise<void> => {
  if (endpoint === undefined || keys?.p256dh === undefined || keys.auth === undefined) return;
  const { p256dh, auth } = keys;
  await api.post("/notifications/subscribe/{url_id}", { body: { endpoint, p256dh, auth } });
};

/** Asks for permission and subscribes this device. @throws GameError, DOMException */
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

/** Unsubscribes this device. */
export const turnPushOff = async (): Promise<void> => {
  const subscription = await currentSubscription();
  if (subscription !== null) {
    await api.delete("/subscriptions/unsubscribe/{url_id}", { query: { endpoint: subscription.endpoint } });
    await subscription.unsubscribe();
  }
  await readPushState();
};

/** Unsubscribes all devices of the player. */
export const turnPushOffEverywhere = async (): Promise<void> => {
  await api.delete("/subscriptions/unsubscribe/{url_id}");
  await (await currentSubscription())?.unsubscribe();
  await readPushState();
};

/** Reassigns this device's push subscription to the player who has just logged in. */
export const claimPush = async (): Promise<void> => {
  const subscription = await currentSubscription();
  if (subscription !== null) await register(subscription.toJSON());
};

/** Unsubscribes this device before a logout, so that it gets no notifications without a session. Ignores errors. */
export const unsubscribeDevice = (): Promise<void> => turnPushOff().catch(() => {});

interface InstallEvent extends Event {
  prompt: () => Promise<unknown>;
}

/** Opens the browser's install prompt; `null` if the app is installed or the browser has no such prompt. */
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

/** Whether to offer push and installation: the player has joined or tagged somebody here and has not chosen "Not now". */
export const mayOffer = signal(
  localStorage.getItem(SUCCEEDED) !== null && localStorage.getItem(DECLINED) === null,
);

/** Records that the player has joined or tagged somebody. */
export const recordSuccess = (): void => {
  localStorage.setItem(SUCCEEDED, "yes");
  mayOffer.value = localStorage.getItem(DECLINED) === null;
};

/** Stops the offers on this device. */
export const declineOffers = (): void => {
  localStorage.setItem(DECLINED, "yes");
  mayOffer.value = false;
};
