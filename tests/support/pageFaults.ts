/** The faults of pages that puppeteer controls, each of which fails its test unless the test expects it. */
import type { Page } from "puppeteer-core";
import { expect } from "vitest";

/** What browsers say of a file that did not arrive. That is checked by what the page then shows. */
const OF_FILES = /^(Error: )?(Failed to load resource|downloadable font: download failed)/;

/** Tells each uncaught exception of a page, and each error on its console. */
export const tellFaults = (page: Page, fault: (text: string) => void): void => {
  const tell = (text: string): void => {
    if (!OF_FILES.test(text)) fault(text);
  };
  page.on("pageerror", (error) => tell(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") tell(message.text());
  });
};

/** Fails for a fault that was not expected, and for one that was expected and did not occur. */
export const expectOnly = (expected: readonly RegExp[], faults: readonly string[]): void => {
  expect(faults.filter((text) => !expected.some((one) => one.test(text)))).toEqual([]);
  expect(expected.filter((one) => !faults.some((text) => one.test(text)))).toEqual([]);
};
