/** Reloads open pages after a deployment. */

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
  const reloadIfIdle = (): void => {
    if (performance.now() - lastInputAt > IDLE_MS && !hasUnsavedInput()) location.reload();
  };
  setInterval(reloadIfIdle, TICK_MS);
  document.addEventListener("visibilitychange", reloadIfIdle);
};

/** Whether this page belongs to the installed build: compares its scripts and styles with those of the cached page. */
const isCurrentBuild = async (): Promise<boolean> => {
  const html = await (await fetch("/app/me")).text();
  const assets = html.match(/\/app\/assets\/[\w.-]+/g) ?? [];
  return assets.every((path) => document.querySelector(`[src="${path}"], [href="${path}"]`) !== null);
};

const RELOADED = "reloaded_at";

/** Reloads after a script failed to load: after a rollback the service may no longer have it. At most once a minute. */
const reloadOnce = (): void => {
  if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < IDLE_MS) return;
  sessionStorage.setItem(RELOADED, `${Date.now()}`);
  location.reload();
};

addEventListener("vite:preloadError", reloadOnce);

/** Registers the service worker, checks for new builds, and reloads the idle page when one is installed. */
export const keepUpToDate = async (): Promise<void> => {
  const { serviceWorker } = navigator;
  if (serviceWorker === undefined) return;
  let isWaiting = false;
  const checkBuild = async (): Promise<void> => {
    if (isWaiting || (await isCurrentBuild())) return;
    isWaiting = true;
    reloadWhenIdle();
  };
  // `controllerchange` is not enough, because a page outside of /app/ has no controller.
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
    // Offline, the next check tries again.
    void registration.update().catch(() => {});
  };
  setInterval(check, TICK_MS);
  document.addEventListener("visibilitychange", check);
};
