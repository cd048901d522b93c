/** The service worker: makes the app work offline, sends queued tags and shows push notifications. */
import { isTurnedAway } from "../../../client/src/retry.ts";
import { fetchPatiently, limited } from "../fetching.ts";
import { SYNC, sendQueuedTags } from "../queue.ts";

declare const self: ServiceWorkerGlobalScope;
/** The files and the name of the build, inserted by web/vite.config.ts. */
declare const SHELL: readonly string[];
declare const BUILD: string;

const SCOPE = "/app/";
/** All pages are the same HTML file, cached under this path. */
const PAGE = `${SCOPE}me`;
const ASSETS = /\/app\/assets\/[\w.-]+/g;

/** Fails the installation if the page is of another build, as during a deployment. The browser tries again later. */
const requireMatchingPage = async (cache: Cache): Promise<void> => {
  const html = (await (await cache.match(PAGE))?.text()) ?? "";
  if (!(html.match(ASSETS) ?? []).every((path) => SHELL.includes(path))) {
    await caches.delete(BUILD);
    throw new Error("The page is of another build.");
  }
};

/** How many files the installation fetches at once. It leaves room for the requests of pages. */
const inTurn = limited(2);

// Responses may have `Vary: Origin`. Pages send `Origin` when they load scripts; the installation does not.
const ANY_ORIGIN = { ignoreVary: true };

/** Adds a file to the cache of this build, unless an earlier attempt or another build has it. @throws TypeError */
const addFile = async (cache: Cache, path: string): Promise<void> => {
  // Names of assets contain a hash.
  if ((await cache.match(path)) !== undefined) return;
  const known = await caches.match(path, ANY_ORIGIN);
  await cache.put(path, known ?? (await fetchOk(path)));
};

/** Fetches a file, again after network errors and while the gateway turns it away. @throws TypeError */
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
    (await cache.match(request, ANY_ORIGIN)) ??
    (path.match(ASSETS) ? await caches.match(request, ANY_ORIGIN) : undefined);
  if (cached !== undefined) return cached;
  const response = await fetchPatiently(request);
  if (response.ok) await cache.put(request, response.clone());
  return response;
};

/** The timeout of a navigation before the cached page is used. */
const NAVIGATION_TIMEOUT_MS = 3_000;

/**
 * Serves pages from the network, so that a new build is used at once. Offline, on a slow network and if the gateway turns the
 * request away, it serves the cached page.
 */
const networkFirst = async (request: Request): Promise<Response> => {
  try {
    const response = await fetch(request, { signal: AbortSignal.timeout(NAVIGATION_TIMEOUT_MS) });
    if (!isTurnedAway(response, 0)) return response;
  } catch {
    // The cached page follows.
  }
  return cacheFirst(PAGE);
};

self.addEventListener("fetch", (event) => {
  const { request } = event;
  const { origin, pathname } = new URL(request.url);
  if (origin !== self.location.origin || !pathname.startsWith(SCOPE)) return;
  event.respondWith(request.mode === "navigate" ? networkFirst(request) : cacheFirst(request));
});

interface SyncEvent extends ExtendableEvent {
  tag: string;
}

interface Me {
  player_id: string;
}

const sendTags = async (): Promise<void> => {
  const response = await fetchPatiently("/session/me");
  // The browser repeats a sync that has failed.
  if (response.status >= 429) throw new TypeError(`${response.status} for the session`);
  // Without a session the tags stay queued until the next login.
  if (!response.ok) return;
  const { player_id }: Me = await response.json();
  await sendQueuedTags(player_id);
};

self.addEventListener("sync", (event) => {
  const { tag, waitUntil } = event as SyncEvent;
  if (tag === SYNC) waitUntil.call(event, sendTags());
});

interface Message {
  notification: { title: string; body?: string; navigate?: string; tag?: string };
}

const showPush = async (message: Message): Promise<void> => {
  const { title, body = "", navigate = PAGE, tag = "" } = message.notification;
  await self.registration.showNotification(title, { body, tag, icon: `${SCOPE}icon.svg`, data: navigate });
  for (const client of await self.clients.matchAll({ type: "window" })) client.postMessage("refresh");
};

self.addEventListener("push", (event) => {
  if (event.data !== null) event.waitUntil(showPush(event.data.json()));
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
