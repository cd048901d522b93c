/** Types into every control of a page, as people type: key by key, by pasting, and clearing again. */
import type { ElementHandle, Page } from "puppeteer-core";
import { visit } from "./webPages.ts";

const KEYED = ["ab c", "-12.5e", "[(\\", "🧟‍♀️", "שלום", "02/30/2026"];
const PASTED = `Zoë\t李 O'Neil "x"; ${"very long ".repeat(300)}`;
/** The 31st of February, then an hour that a clock change skips. */
const DATES = ["02312026\t0230AM", "03282027\t0230AM"];

interface Found {
  kind: "control" | "button";
  /** What is the same for the controls of every row of a list. */
  signature: string;
  tag: string;
  type: string;
  name: string;
  /** Whether it takes pictures. */
  isPicture: boolean;
}

/** The paths of files for the fields that take some. */
export interface Files {
  picture: string;
  list: string;
}

/** Finds the first control, or else the first button, that is not among `done`, in the open dialog or the page. */
const FIND = `(done) => {
  const known = new Set(done);
  document.querySelector("[data-typing]")?.removeAttribute("data-typing");
  const dialog = [...document.querySelectorAll("dialog[open]")].at(-1);
  const root = dialog ?? document.querySelector("main") ?? document.body;
  const named = (element) => (element.name || element.ariaLabel || element.labels?.[0]?.textContent ||
    element.textContent || "").trim().replaceAll(/\\d+/g, "#").slice(0, 80);
  const place = dialog === undefined ? "" : (dialog.querySelector("h2")?.textContent ?? "dialog");
  const describe = (element, kind) => ({
    kind, tag: element.localName, type: element.type ?? "", name: element.name ?? "",
    isPicture: /image/.test(element.accept ?? ""),
    signature: [place, element.localName, element.type ?? "", named(element)].join(" | "),
  });
  const fields = [...root.querySelectorAll("input, textarea, select, [contenteditable]")]
    .filter(({ type }) => type !== "hidden")
    // A list may hide what was shown with its first choice.
    .sort((one, other) => (one.localName === "select") - (other.localName === "select"));
  const buttons = [...root.querySelectorAll("button:not([type=submit]), summary" + (dialog ? "" : ", button[type=submit]"))];
  const isUsable = (element) => (element.checkVisibility() || element.type === "file") && !element.disabled;
  for (const [kind, all] of [["control", fields], ["button", buttons]])
    for (const element of all.filter(isUsable)) {
      const found = describe(element, kind);
      if (known.has(found.signature)) continue;
      element.setAttribute("data-typing", "");
      return { found };
    }
  return {
    found: null, inDialog: dialog !== undefined,
    unreached: fields.filter((one) => !one.disabled).map((one) => describe(one, "control").signature)
      .filter((signature) => !known.has(signature)),
  };
}`;

type Next = { found: Found } | { found: null; inDialog: boolean; unreached: string[] };

const SETTLED = "new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 5)))";

/** Types texts key by key as the browser's own edits, clears the field after each, and lets the page draw in between. */
const TYPE = `async (texts, pasted) => {
  const drawn = () => new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = resolve;
    port2.postMessage(null);
  });
  const edit = async (command, text) => {
    document.execCommand(command, false, text);
    await drawn();
  };
  for (const keys of [...texts.map((text) => [...text]), [pasted]]) {
    for (const key of keys) await edit("insertText", key);
    await edit("selectAll");
    await edit("delete");
  }
  await new Promise(requestAnimationFrame);
}`;

/** Types texts of all kinds into the field that has the focus, and clears it after each. The last one has real keys. */
export const typeText = async (page: Page): Promise<void> => {
  await page.evaluate(`(${TYPE})(${JSON.stringify(KEYED)}, ${JSON.stringify(PASTED)})`);
  await page.keyboard.type("x1");
};

const typeDate = async (page: Page, field: ElementHandle): Promise<void> => {
  const refocus = () =>
    field.evaluate((one) => {
      const { blur, focus } = Object(one);
      blur.call(one);
      focus.call(one);
    });
  for (const keys of DATES) {
    await refocus();
    for (const key of keys) await page.keyboard.type(key);
    await page.keyboard.press("ArrowUp");
  }
  // Part by part, so that the date is half typed.
  await refocus();
  for (let n = 0; n < 3; n += 1) {
    await page.keyboard.press("Backspace");
    await page.keyboard.press("ArrowRight");
  }
  await field.evaluate((one) => {
    Object(one).value = "";
    one.dispatchEvent(new Event("input", { bubbles: true }));
    one.dispatchEvent(new Event("change", { bubbles: true }));
  });
};

/** Every choice of a list, from the first to the last. */
const chooseAll = (field: ElementHandle): Promise<void> =>
  field.evaluate(async (one) => {
    const select = Object(one);
    for (let at = 0; at < select.options.length && select.isConnected; at += 1) {
      select.selectedIndex = at;
      select.dispatchEvent(new Event("input", { bubbles: true }));
      select.dispatchEvent(new Event("change", { bubbles: true }));
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  });

const use = async (
  page: Page,
  field: ElementHandle,
  { tag, type, name, isPicture }: Found,
  files: Files,
): Promise<void> => {
  if (type === "file") return Object(field).uploadFile(isPicture ? files.picture : files.list);
  if (tag === "select") return chooseAll(field);
  if (type === "checkbox" || type === "radio") {
    // What appears with the tick is typed into next.
    const wasChecked = await field.evaluate((one) => Object(one).checked === true);
    await field.evaluate((one) => Object(one).click());
    if (!wasChecked || name === "") return;
    // The page may have drawn another one in its place.
    await page.evaluate(SETTLED);
    await (await page.$(`[name="${name}"]`))?.evaluate((one) => Object(one).click());
    return;
  }
  await field.evaluate((one) => Object(one).focus());
  if (type === "range")
    for (const key of ["Home", "ArrowRight", "End"] as const) await page.keyboard.press(key);
  else if (["date", "time", "datetime-local"].includes(type)) await typeDate(page, field);
  else await typeText(page);
};

/** The most steps on a page. */
const MAX_STEPS = 400;

/**
 * Types into each control of a page, and presses each button so that what it opens is typed into as well.
 * @param settled waits until the page has the responses that it waits for
 * @param done the controls and buttons that the same page had for somebody else; those of this one are added
 * @returns the names of the controls, and the controls that it could not reach
 */
export const typeEverywhere = async (
  page: Page,
  settled: () => Promise<void>,
  files: Files,
  done: string[],
) => {
  const names = new Set<string>();
  const unreached = new Set<string>();
  const url = page.url();
  const comeBack = async (): Promise<void> => {
    if (page.url() === url) return;
    await visit(page, url);
    await settled();
  };
  for (let step = 0; step < MAX_STEPS; step += 1) {
    const next = (await page.evaluate(`(${FIND})(${JSON.stringify(done)})`)) as Next;
    if (next.found === null) {
      for (const signature of next.unreached) unreached.add(signature);
      if (!next.inDialog) return { names, unreached: [...unreached].filter((one) => !done.includes(one)) };
      await page.keyboard.press("Escape");
      // A result that must be read is closed by its button.
      await page.evaluate("document.querySelector('dialog[open]')?.dispatchEvent(new Event('cancel'))");
    } else {
      const { found } = next;
      done.push(found.signature);
      const element = await page.$("[data-typing]");
      if (element !== null) {
        if (found.kind === "control") {
          names.add(found.name);
          await use(page, element, found, files);
        } else await element.evaluate((one) => Object(one).click());
        await element.dispose();
      }
    }
    await page.evaluate(SETTLED);
    await settled();
    await comeBack();
  }
  throw new Error(`${url} has no end of controls: ${done.slice(-5).join(", ")}`);
};
