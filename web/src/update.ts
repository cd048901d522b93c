/** Brings an open page up to date after a deployment. */

/** How often an open page asks for a new build. */
const UPDATE_INTERVAL_MS = 15 * 60_000;
/**
 * A page that nobody has touched for this long may be reloaded. It is longer than a game master's command waits before it
 * is sent.
 */
const IDLE_MS = 60_000;
const TICK_MS = 5_000;

/** Whether somebody would lose something: a text that is entered, an open dialog, or the camera. */
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
  const reloadIfIdle = (): void => {
    if (performance.now() - lastInputAt > IDLE_MS && !hasUnsavedInput()) location.reload();
  };
  setInterval(reloadIfIdle, TICK_MS);
  document.addEventListener("visibilitychange", reloadIfIdle);
};

/** Whether this page is of the build that is installed. It was loaded from the service, so it may be before or after it. */
const isCurrentBuild = async (): Promise<boolean> => {
  const html = await (await fetch("/app/me")).text();
  const assets = html.match(/\/app\/assets\/[\w.-]+/g) ?? [];
  return assets.every((path) => document.querySelector(`[src="${path}"], [href="${path}"]`) !== null);
};

const RELOADED = "reloaded_at";

/** The script of a page could not be loaded. After a rollback the service may not have it, and a reload gets another. */
const reloadOnce = (): void => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < IDLE_MS) return;
  sessionStorage.setItem(RELOADED, `${Date.now()}`);
  location.reload();
};

addEventListener("vite:preloadError", reloadOnce);

/** Installs the service worker, asks for new builds, and reloads the page when one is installed and nobody is using it. */
export const keepUpToDate = async (): Promise<void> => {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) return;
  let isWaiting = false;
  const checkBuild = async (): Promise<void> => {
    if (isWaiting || (await isCurrentBuild())) return;
    isWaiting = true;
    reloadWhenIdle();
  };
  // Not when the controller changes: a page outside of /app/ has none.
  const watch = (worker: ServiceWorker | null): void =>
    worker?.addEventListener("statechange", () => {
      if (worker.state === "activated") void checkBuild().catch(() => {});
    });
  const registration = await serviceWorker.register("/app/sw.js");
  watch(registration.installing);
  registration.addEventListener("updatefound", () => watch(registration.installing));
  let checkedAt = performance.now();
  const check = (): void => {
    if (document.visibilityState !== "visible" || performance.now() - checkedAt < UPDATE_INTERVAL_MS) return;
    checkedAt = performance.now();
    // Without a network the next check does it.
    void registration.update().catch(() => {});
  };
  setInterval(check, TICK_MS);
  document.addEventListener("visibilitychange", check);
};
