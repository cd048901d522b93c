/** How large every handler's bundle is, and how large it may be. */
import { listedFunctions } from "../project/functions.ts";
import { makeBundles, type Size, sizeOf } from "./bundle.ts";

const KB = 1024;

/** Bytes, compressed, that a function may load at its start: a little over what the largest does, so that growth is noticed. */
export const BUDGET_BYTES = 105 * KB;

/**
 * The same for those that are given nothing to validate: neither a request nor a message. The SDK's client of the
 * database is most of it: docs/decisions/0022-bundles.md has the sum.
 */
export const BUDGET_WITHOUT_INPUT_BYTES = 95 * KB;

export interface HandlerSize extends Size {
  handler: string;
  budget: number;
  isOver: boolean;
}

/** Every handler's, the largest first. */
export const handlerSizes = async (): Promise<HandlerSize[]> => {
  const listed = listedFunctions();
  const bundles = await makeBundles(
    listed.map(({ file }) => file),
    { sourceMaps: false },
  );
  const unasked = new Set(
    listed.filter(({ route, isQueued }) => route === undefined && !isQueued).map(({ file }) => file),
  );
  return bundles
    .map((bundle) => {
      const size = sizeOf(bundle);
      const budget = unasked.has(bundle.entry) ? BUDGET_WITHOUT_INPUT_BYTES : BUDGET_BYTES;
      return { handler: bundle.entry, ...size, budget, isOver: size.gzip > budget };
    })
    .toSorted((one, other) => other.gzip - one.gzip);
};

/** Bytes in kilobytes, as they are shown. */
export const kilobytes = (bytes: number): string => (bytes / KB).toFixed(1);
