/** Web Push and app installation on this device. Both are offered only after the player's first success. */
import { signal } from "@preact/signals";
import { APP } from "../paths.ts";
import { api } from "./api.ts";
import { type Agreed, agreeOnPush } from "./push.ts";
import { instant, optional, shape, text } from "./shapes.ts";
import { readStored, readText, removeStored, writeStored, writeText } from "./stored.ts";

/**
 * Whether this device is subscribed to push notifications. On iOS only an installed app can be. `lost`: the player has turned
 * them on, and the browser no longer permits them.
 */
export type PushState = "unknown" | "unsupported" | "install first" | "denied" | "off" | "on" | "lost";
export const pushState = signal<PushState>("unknown");

const { userAgent, maxTouchPoints } = navigator;
/** Whether this is an iPhone or an iPad, which says that it is a Macintosh. Those have no touch screen. */
export const isIos =
  /iPhone|iPad|iPod/.test(userAgent) || (userAgent.includes("Macintosh") && maxTouchPoints > 1);
export const isInstalled = matchMedia("(display-mode: standalone)").matches;

const currentSubscription = async (): Promise<PushSubscription | null> => {
  const registration = await navigator.serviceWorker?.getRegistration(APP);
  return (await registration?.pushManager?.getSubscription()) ?? null;
};

const hasPush = (): boolean => "PushManager" in window && "Notification" in window;

/** That push is turned on here, also if the browser or the service drops the subscription. */
interface Wanted extends Partial<Agreed> {
  /** Since when, in milliseconds since 1970 by the service's clock. */
  since: number;
}

const WANTED = "push";
const isWanted = shape<Wanted>({ since: instant, endpoint: optional(text), subscription_id: optional(text) });
const readWanted = (): Wanted | null => readStored(WANTED, isWanted);

/** Updates `pushState`. */
export const readPushState = async (): Promise<void> => {
  if (!hasPush()) pushState.value = isIos && !isInstalled ? "install first" : "unsupported";
  else if (Notification.permission !== "granted" && readWanted() !== null) pushState.value = "lost";
  else if (Notification.permission === "denied") pushState.value = "denied";
  else pushState.value = (await currentSubscription()) === null ? "off" : "on";
};

/** Asks for permission and subscribes this device. @param at the service's time @throws GameError, DOMException */
export const turnPushOn = async (at: number): Promise<void> => {
  try {
    if ((await Notification.requestPermission()) !== "granted") return;
    const { pushManager } = await navigator.serviceWorker.ready;
    writeStored(WANTED, { since: at, ...(await agreeOnPush(pushManager)) });
  } finally {
    await readPushState();
  }
};

/**
 * Compares the subscription of this device with the service, and renews it if the browser or the service has dropped it or the
 * service's key has changed. It then belongs to the player who is logged in.
 * @param at the service's time, in milliseconds since 1970
 * @param offAt when the player last turned push off on all devices
 * @throws GameError, DOMException
 */
export const keepPush = async (at: number, offAt: string | undefined): Promise<void> => {
  if (!hasPush()) return;
  const subscription = await currentSubscription();
  // An earlier version of the app did not remember the choice.
  const wanted = readWanted() ?? (subscription === null ? null : { since: at });
  if (wanted === null) return;
  try {
    if (offAt !== undefined && Date.parse(offAt) > wanted.since) {
      removeStored(WANTED);
      await subscription?.unsubscribe();
      return;
    }
    writeStored(WANTED, wanted);
    if (Notification.permission !== "granted") return;
    const { pushManager } = await navigator.serviceWorker.ready;
    writeStored(WANTED, { ...wanted, ...(await agreeOnPush(pushManager, wanted)) });
  } finally {
    await readPushState();
  }
};

/** Forgets that push was turned on here, after the browser has withdrawn the permission. */
export const forgetPush = async (): Promise<void> => {
  removeStored(WANTED);
  await readPushState();
};

/** Unsubscribes this device. */
export const turnPushOff = async (): Promise<void> => {
  const subscription = await currentSubscription();
  if (subscription !== null) {
    await api.delete("/subscriptions/unsubscribe/{url_id}", { query: { endpoint: subscription.endpoint } });
    await subscription.unsubscribe();
  }
  await forgetPush();
};

/** Unsubscribes all devices of the player. */
export const turnPushOffEverywhere = async (): Promise<void> => {
  await api.delete("/subscriptions/unsubscribe/{url_id}");
  await (await currentSubscription())?.unsubscribe();
  await forgetPush();
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
export const mayOffer = signal(readText(SUCCEEDED) !== null && readText(DECLINED) === null);

/** Records that the player has joined or tagged somebody. */
export const recordSuccess = (): void => {
  writeText(SUCCEEDED, "yes");
  mayOffer.value = readText(DECLINED) === null;
};

/** Stops the offers on this device. */
export const declineOffers = (): void => {
  writeText(DECLINED, "yes");
  mayOffer.value = false;
};
