/** Loads scripts and style sheets, again if the gateway turns them away; the browser itself would ask only once. */
import type { Patience } from "../../client/src/retry.ts";
import { fetchPatiently } from "./state/fetching.ts";

/** How often a module or a style sheet is tried again whose file has been fetched. */
const MAX_ROUNDS = 5;

/**
 * Only another load of the page can help: the service answers that it does not have a file, as after a rollback, or the browser
 * remembers that an import has failed, as after a portal's page in place of a script.
 */
export class NeedsReload extends Error {}

const isStyle = (path: string): boolean => path.endsWith(".css");

/** Adds a style sheet, or downloads a script as its import will ask for it. Rejects after an error. */
const addLink = (path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    const link = document.createElement("link");
    if (isStyle(path)) link.rel = "stylesheet";
    else [link.rel, link.as] = ["preload", "script"];
    link.crossOrigin = "";
    link.onload = () => resolve();
    link.onerror = () => {
      link.remove();
      reject(new TypeError(`${path} cannot be loaded`));
    };
    link.href = path;
    document.head.append(link);
  });

const isThere = (path: string): boolean => document.querySelector(`link[href="${path}"]`) !== null;

/** Fetches a file into the browser's cache. @throws NeedsReload, TypeError */
const fetchFile = async (path: string, patience: Patience): Promise<void> => {
  const response = await fetchPatiently(path, patience);
  if (!response.ok) throw new (response.status < 429 ? NeedsReload : TypeError)(path);
  await response.arrayBuffer();
};

const loadFile = async (path: string, patience: Patience): Promise<void> => {
  for (let round = 1; !isThere(path); round += 1) {
    try {
      return await addLink(path);
    } catch (error) {
      // A browser does not repeat a preload that has failed, so a script is then imported from the cache.
      await fetchFile(path, patience);
      if (!isStyle(path)) return;
      if (round === MAX_ROUNDS) throw error;
    }
  }
};

/** A new account of AWS runs ten functions at once, and each file is a request. */
const MAX_AT_ONCE = 3;

const loadFiles = async (paths: readonly string[], patience: Patience): Promise<void> => {
  const waiting = paths.values();
  const loadSome = async (): Promise<void> => {
    for (const path of waiting) await loadFile(path, patience);
  };
  await Promise.all(Array.from({ length: MAX_AT_ONCE }, loadSome));
};

/**
 * Imports a module. All its files are downloaded before, because browsers remember that an import has failed
 * (https://github.com/whatwg/html/issues/6768).
 * @param paths its script, and the scripts and style sheets that it needs
 * @throws NeedsReload, or TypeError if a file cannot be loaded
 */
export const importPatiently = async <T>(
  importModule: () => Promise<T>,
  paths: readonly string[],
  patience: Patience,
): Promise<T> => {
  await loadFiles(paths, patience);
  for (let round = 1; ; round += 1) {
    try {
      return await importModule();
    } catch (error) {
      if (round === MAX_ROUNDS) throw new NeedsReload("The import fails.", { cause: error });
      const scripts = paths.filter((path) => !isStyle(path));
      await Promise.all(scripts.map((path) => fetchFile(path, patience)));
    }
  }
};

const RELOADED = "reloaded_at";
const RELOAD_INTERVAL_MS = 60_000;

/** Reloads the page, which nothing else can help. At most once a minute, as far as that is kept. */
export const reloadOnce = (): void => {
  try {
    if (Date.now() - Number(sessionStorage.getItem(RELOADED)) < RELOAD_INTERVAL_MS) return;
    sessionStorage.setItem(RELOADED, `${Date.now()}`);
  } catch {
    // A browser that keeps nothing would reload for ever.
    return;
  }
  location.reload();
};
