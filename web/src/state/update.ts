/** Installs the service worker, and reloads open pages after a deployment. */
import { APP, paths } from "../paths.ts";
import { fetchPatiently, sleep } from "./fetching.ts";

/** How often an open page checks for a new build. */
const UPDATE_INTERVAL_MS = 15 * 60_000;
/** A page without input for this long may be reloaded. It exceeds the delay of destructive game-master commands. */
const IDLE_MS = 60_000;
const TICK_MS = 5_000;

/** Whether a reload would lose input, close a dialog or stop the camera. */
const hasUnsavedInput = (): boolean =>
  document.querySelector("dialog[open], video") !== null ||
  [...document.querySelectorAll<HTMLInputElement | HTMLTextAreaElement>("input, textarea")].some(
    ({ type, value, defaultValue, checked, defaultChecked }: Partial<HTMLInputElement>) =>
      type === "checkbox" || type === "radio" ? checked !== defaultChecked : value !== defaultValue,
  );

const reloadWhenIdle = (): void => {
  let lastInputAt = performance.now();
  const recordInput = (): void => {
    lastInputAt = performance.now();
  };
  for (const kind of ["pointerdown", "keydown"])
    addEventListener(kind, recordInput, { capture: true, passive: true });
  const mayReload = (): boolean => performance.now() - lastInputAt > IDLE_MS && !hasUnsavedInput();
  let isReloading = false;
  const reloadIfIdle = async (): Promise<void> => {
    if (isReloading || !mayReload()) return;
    isReloading = true;
    // A page without a service worker would be replaced by the gateway's message if it was turned away.
    const { ok } = await fetchPatiently(location.pathname, { network: true }).catch(() => Response.error());
    if (ok && mayReload()) location.reload();
    isReloading = false;
  };
  setInterval(() => void reloadIfIdle(), TICK_MS);
  document.addEventListener("visibilitychange", () => void reloadIfIdle());
};

/** Whether this page belongs to the installed build: compares its scripts and styles with those of the cached page. */
const isCurrentBuild = async (): Promise<boolean> => {
  const response = await fetchPatiently(paths.me);
  if (!response.ok) return true;
  const html = await response.text();
  const assets = html.match(/\/app\/assets\/[\w.-]+/g) ?? [];
  return assets.every(
    (path) =>
      document.querySelector(`[src="${path}"], [href="${path}"]`) !== null ||
      // A script that was turned away at first has no element: src/files.ts imports it from the cache.
      import.meta.url.endsWith(path),
  );
};

/** The wait after a failed installation, in milliseconds. */
const INSTALL_RETRY_MS = 30_000;
/** The waits between attempts to register the service worker, in milliseconds; the last one is repeated. */
const REGISTER_WAITS_MS = [2_000, 10_000, 60_000, UPDATE_INTERVAL_MS];

/** Registers the service worker. Its script may be turned away too. */
const register = async (): Promise<ServiceWorkerRegistration> => {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await navigator.serviceWorker.register(`${APP}sw.js`);
    } catch {
      const wait = REGISTER_WAITS_MS[Math.min(attempt, REGISTER_WAITS_MS.length - 1)] ?? 0;
      await sleep(wait * (0.5 + Math.random()));
    }
  }
};

/**
 * Registers the service worker, checks for new builds, and reloads the idle page when one is installed.
 * @param quiet when the service worker may be registered, which downloads the whole app
 */
export const keepUpToDate = async (quiet: Promise<void>): Promise<void> => {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) return;
  let isWaiting = false;
  const checkBuild = async (): Promise<void> => {
    if (isWaiting || (await isCurrentBuild())) return;
    isWaiting = true;
    reloadWhenIdle();
  };
  let registration: ServiceWorkerRegistration | undefined;
  // `controllerchange` is not enough, because a page outside of /app/ has no controller.
  const watch = (worker: ServiceWorker | null): void =>
    worker?.addEventListener("statechange", () => {
      if (worker.state === "activated") void checkBuild().catch(() => {});
      // The first installation has failed, and the browser has removed the registration.
      if (worker.state === "redundant" && registration?.active === null) setTimeout(start, INSTALL_RETRY_MS);
    });
  const observe = (observed: ServiceWorkerRegistration): void => {
    watch(observed.installing);
    observed.addEventListener("updatefound", () => watch(observed.installing));
  };
  // The browser itself looks for a new build after it has opened a page.
  const known = await serviceWorker.getRegistration(APP);
  if (known !== undefined) observe(known);
  await quiet;
  const start = async (): Promise<void> => {
    registration = await register();
    if (registration !== known) observe(registration);
  };
  await start();
  let checkedAt = performance.now();
  const check = (): void => {
    if (document.visibilityState !== "visible" || performance.now() - checkedAt < UPDATE_INTERVAL_MS) return;
    checkedAt = performance.now();
    // Offline, the next check tries again.
    void registration?.update().catch(() => {});
  };
  setInterval(check, TICK_MS);
  document.addEventListener("visibilitychange", check);
};
