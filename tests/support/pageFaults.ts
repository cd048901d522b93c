/** The faults of pages that puppeteer controls, each of which fails its test unless the test expects it. */
import type { Page } from "puppeteer-core";
import { expect } from "vitest";

/** Tells each uncaught exception of a page, and each error on its console. */
export const tellFaults = (page: Page, fault: (text: string) => void): void => {
  page.on("pageerror", (error) => fault(String(error)));
  page.on("console", (message) => {
    // The status of a response is checked by what the page then shows.
    if (message.type() === "error" && !/^Failed to load resource/.test(message.text())) fault(message.text());
  });
};

/** Fails for a fault that was not expected, and for one that was expected and did not occur. */
export const expectOnly = (expected: readonly RegExp[], faults: readonly string[]): void => {
  expect(faults.filter((text) => !expected.some((one) => one.test(text)))).toEqual([]);
  expect(expected.filter((one) => !faults.some((text) => one.test(text)))).toEqual([]);
};
