/** How large the bundle of every handler is. */
import { join } from "node:path";
import { listedFunctions } from "../../tests/support/endpoints.ts";
import { bundle } from "../support/bundle.ts";
import type { Row } from "../support/report.ts";

/** Bytes, compressed, that a function loads at its start. */
export const BUDGET = 120 * 1024;
const SHOWN = 10;

export interface Size {
  handler: string;
  minified: number;
  gzip: number;
  whole: number;
  isOver: boolean;
}

/** Every handler's, the largest first. */
export const sizesOf = async (scratch: string): Promise<Size[]> => {
  const files = [...new Set(listedFunctions().map(({ file }) => file))];
  const made = await Promise.all(files.map((file) => bundle(file, join(scratch, "sizes", file))));
  return made
    .map(({ entry, minified, gzip, whole }) => ({
      handler: entry,
      ...{ minified, gzip, whole },
      isOver: gzip > BUDGET,
    }))
    .toSorted((one, other) => other.gzip - one.gzip);
};

const kilobytes = (bytes: number): string => (bytes / 1024).toFixed(1);

/** The largest of them. */
export const shownSizes = (sizes: readonly Size[]): Row[] =>
  sizes.slice(0, SHOWN).map(({ handler, minified, gzip, whole, isOver }) => ({
    handler,
    "KB loaded at the start": kilobytes(minified),
    "of these gzip": kilobytes(gzip),
    "KB gzip in all": kilobytes(whole),
    [`over ${kilobytes(BUDGET)}`]: isOver ? "OVER" : "",
  }));
