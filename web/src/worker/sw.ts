/** The service worker: makes the app work offline, sends queued codes and shows push notifications. */

import { isOurs } from "../../../client/src/retry.ts";
import { APP, PAGES } from "../../../lib/domain/notifications/pages.ts";
import { api, GameError, isUnreachable } from "../state/api.ts";
import { fetchPatiently, isOwnFile, limited } from "../state/fetching.ts";
import { agreeOnPush } from "../state/push.ts";
import { SYNC, sendQueuedCodes } from "../state/queue.ts";
import { optional, shape, text } from "../state/shapes.ts";
import { unknownPush } from "../text/en.ts";

declare const self: ServiceWorkerGlobalScope;
/** The files and the name of the build, inserted by web/vite.config.ts. */
declare const SHELL: readonly string[];
declare const BUILD: string;

/** All pages are the same HTML file, cached under this path. */
const PAGE = PAGES.me;
const ASSETS = new RegExp(`${APP}assets/[\\w.-]+`, "g");

/** Fails the installation if the page is of another build, as during a deployment. The browser tries again later. */
const requireMatchingPage = async (cache: Cache): Promise<void> => {
  const html = (await (await cache.match(PAGE))?.text()) ?? "";
  const assets = html.match(ASSETS) ?? [];
  if (assets.length === 0 || !assets.every((path) => SHELL.includes(path))) {
    await caches.delete(BUILD);
    throw new Error("The page is of another build.");
  }
};

/** How many files the installation fetches at once. It leaves room for the requests of pages. */
const inTurn = limited(2);

// Responses may have `Vary: Origin`. Pages send `Origin` when they load scripts; the installation does not.
const ANY_ORIGIN = { ignoreVary: true };

/** Finds a file in a cache. An earlier version has cached what a portal or a proxy had sent in its place. */
const findOurs = async (
  cache: Pick<Cache, "match">,
  request: Request | string,
): Promise<Response | undefined> => {
  const found = await cache.match(request, ANY_ORIGIN);
  return found !== undefined && isOwnFile(request, found) ? found : undefined;
};

/** Adds a file to the cache of this build, unless an earlier attempt or another build has it. @throws TypeError */
const addFile = async (cache: Cache, path: string): Promise<void> => {
  // Names of assets contain a hash.
  if ((await findOurs(cache, path)) !== undefined) return;
  const known = await findOurs(caches, path);
  await cache.put(path, known ?? (await fetchOk(path)));
};

/** Fetches a file, again after network errors and while the gateway or a portal answers. @throws TypeError */
const fetchOk = async (request: string | Request): Promise<Response> => {
  const response = await fetchPatiently(request, { network: true });
  if (!response.ok) throw new TypeError(`${response.status} for ${response.url}`);
  return response;
};

self.addEventListener("install", (event) => {
  const install = async (): Promise<void> => {
    const cache = await caches.open(BUILD);
    const addPage = async (): Promise<void> =>
      cache.put(PAGE, await fetchOk(new Request(PAGE, { cache: "reload" })));
    const added = [addPage, ...SHELL.map((path) => () => addFile(cache, path))].map((task) => inTurn(task));
    // What was added stays in the cache for the next attempt.
    const failed = (await Promise.allSettled(added)).find(({ status }) => status === "rejected");
    if (failed?.status === "rejected") throw failed.reason;
    await requireMatchingPage(cache);
    await self.skipWaiting();
  };
  event.waitUntil(install());
});

self.addEventListener("activate", (event) => {
  const removeOldCaches = async (): Promise<void> => {
    const others = (await caches.keys()).filter((name) => name !== BUILD);
    // Open pages of the previous build may still lazy-load their scripts offline.
    for (const name of others.slice(0, -1)) await caches.delete(name);
    await self.clients.claim();
  };
  event.waitUntil(removeOldCaches());
});

/** Serves from the cache, or fetches and caches. Game masters' pages, for example, are cached on first use. */
const cacheFirst = async (request: Request | string): Promise<Response> => {
  const cache = await caches.open(BUILD);
  const path = typeof request === "string" ? request : new URL(request.url).pathname;
  // Only assets have a hash in their name; other files of earlier builds are out of date.
  const cached =
    (await findOurs(cache, request)) ?? (path.match(ASSETS) ? await findOurs(caches, request) : undefined);
  if (cached !== undefined) return cached;
  const response = await fetchPatiently(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
};

/** The timeout of a navigation before the cached page is used. */
const NAVIGATION_TIMEOUT_MS = 3_000;

/**
 * Serves pages from the network, so that a new build is used at once. Offline, on a slow network, after an error of the
 * service and if something else answers, it serves the cached page.
 */
const networkFirst = async (request: Request): Promise<Response> => {
  const response = await fetch(request, { signal: AbortSignal.timeout(NAVIGATION_TIMEOUT_MS) }).catch(() =>
    Response.error(),
  );
  if (isOurs(response) && response.status < 500) return response;
  // Without a cached page the player sees what there is, such as the login of a portal.
  return cacheFirst(PAGE).catch(() => response);
};

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin || !pathname.startsWith(APP)) return;
  // Browsers keep icons themselves, and the service writes the name of the game into the manifest.
  if (request.destination === "image" || request.destination === "manifest") return;
  event.respondWith(request.mode === "navigate" ? networkFirst(request) : cacheFirst(request));
});

interface SyncEvent extends ExtendableEvent {
  tag: string;
}

const sendCodes = async (): Promise<void> => {
  try {
    const { player_id } = await api.get("/session/me");
    await sendQueuedCodes(player_id);
  } catch (error) {
    const isTemporary = !(error instanceof GameError) || isUnreachable(error) || error.status >= 429;
    // The browser repeats a sync that has failed. Without a session the codes stay queued until the next login.
    if (isTemporary) throw error;
  }
};

self.addEventListener("sync", (event) => {
  const { tag, waitUntil } = event as SyncEvent;
  if (tag === SYNC) waitUntil.call(event, sendCodes());
});

interface Shown {
  title: string;
  body?: string;
  navigate?: string;
  tag?: string;
}

const isMessage = shape<{ notification: Shown }>({
  notification: shape<Shown>({
    title: text,
    ...{ body: optional(text), navigate: optional(text), tag: optional(text) },
  }),
});

/** The name of the game, as the phone shows the app. */
const gameName = async (): Promise<string> => {
  const { name } = await fetch(`${APP}manifest.webmanifest`).then((response) => response.json());
  return typeof name === "string" ? name : unknownPush.title;
};

/** What a message is about. A browser wants every message to be shown, also one that this build does not understand. */
const shownOf = async (data: PushMessageData | null): Promise<Shown> => {
  try {
    const message = data?.json();
    if (isMessage(message)) return message.notification;
  } catch {}
  const title = await gameName().catch(() => unknownPush.title);
  return { ...unknownPush, title, navigate: PAGES.inbox };
};

const showPush = async (data: PushMessageData | null): Promise<void> => {
  const { title, body = "", navigate = PAGE, tag = "" } = await shownOf(data);
  // An open page shows the news, also where the browser refuses to.
  for (const client of await self.clients.matchAll({ type: "window" })) client.postMessage(navigate);
  const pictures = { icon: `${APP}icon-192.png`, badge: `${APP}badge-96.png` };
  await self.registration.showNotification(title, { body, tag, ...pictures, data: navigate });
};

self.addEventListener("push", (event) => {
  event.waitUntil(showPush(event.data));
});

// The browser has dropped or replaced the subscription. If this fails, the next start of the app repeats it.
self.addEventListener("pushsubscriptionchange", (event) => {
  const renewal = agreeOnPush(self.registration.pushManager).catch(() => {});
  // The libraries of types do not know this event.
  (event as ExtendableEvent).waitUntil(renewal);
});

self.addEventListener("notificationclick", (event) => {
  event.notification.close();
  const open = async (): Promise<void> => {
    const url = String(event.notification.data);
    const [first] = await self.clients.matchAll({ type: "window" });
    const focused = await first?.focus().catch(() => first);
    const navigated = await focused?.navigate(url).catch(() => null);
    if (navigated == null) await self.clients.openWindow(url);
  };
  event.waitUntil(open());
});
