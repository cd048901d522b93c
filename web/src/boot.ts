/**
 * Loads the app, and shows a notice while the service turns requests away. The build inserts it into index.html, because a
 * script in a file of its own could be turned away itself.
 */
import { importPatiently, NeedsReload, reloadOnce } from "./files.ts";

/** The app's script and its style sheet, inserted by web/vite.config.ts. */
declare const FILES: readonly string[];

/** A page that takes longer shows the notice. */
const NOTICE_MS = 1_500;
/** About a minute and a half. */
const ATTEMPTS = 25;

const STYLE = "margin:30vh auto;max-width:20rem;padding:1rem;font:1.1rem/1.5 system-ui;text-align:center";
let notice: HTMLElement | null = null;

/** Shows a notice of index.html in place of another. The style sheet may not be there yet. */
const show = (id: "waiting" | "failed" | null): void => {
  notice?.remove();
  const template = id === null ? null : document.querySelector<HTMLTemplateElement>(`template#${id}`);
  const content = template?.content.cloneNode(true);
  notice = content instanceof DocumentFragment ? content.querySelector("p") : null;
  if (notice === null) return;
  notice.style.cssText = STYLE;
  notice.querySelector("button")?.addEventListener("click", () => location.reload());
  document.body.append(notice);
};

/** Resolves when the whole page is there. */
const parsed = new Promise<void>((resolve) => {
  addEventListener("DOMContentLoaded", () => resolve(), { once: true });
});

const start = async (): Promise<void> => {
  const timer = setTimeout(show, NOTICE_MS, "waiting");
  const importApp = async (): Promise<void> => {
    await parsed;
    await import(FILES[0] ?? "");
  };
  try {
    await importPatiently(importApp, FILES, { attempts: ATTEMPTS, network: true });
    clearTimeout(timer);
    show(null);
  } catch (error) {
    clearTimeout(timer);
    show("failed");
    if (error instanceof NeedsReload) reloadOnce();
  }
};

void start();
