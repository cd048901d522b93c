/** How large the bundle of every handler is, as the bench shows it. */
import { type HandlerSize, kilobytes } from "../../scripts/bundle/sizes.ts";
import type { Row } from "../support/report.ts";

const SHOWN = 10;

/** The largest of them. */
export const shownSizes = (sizes: readonly HandlerSize[]): Row[] =>
  sizes.slice(0, SHOWN).map(({ handler, minified, gzip, whole, budget, isOver }) => ({
    handler,
    "KB loaded at the start": kilobytes(minified),
    "of these gzip": kilobytes(gzip),
    "KB gzip in all": kilobytes(whole),
    budget: kilobytes(budget),
    "over it": isOver ? "OVER" : "",
  }));
