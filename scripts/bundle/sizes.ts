/** The bundle size of each handler, and its budget. */
import { type ListedFunction, listedFunctions } from "../project/functions.ts";
import { makeBundles, type Size, sizeOf } from "./bundle.ts";

const KB = 1024;

/**
 * The limit for compressed code that is loaded at start-up, slightly above the largest bundle so that growth is
 * noticed.
 */
export const BUDGET_BYTES = 120 * KB;

/**
 * The same limit for functions that validate neither a request nor a message. Most of it is the SDK's DynamoDB client
 * (docs/decisions/0022-bundles.md).
 */
export const BUDGET_WITHOUT_INPUT_BYTES = 107 * KB;

/** The limit for a function's compressed code that is loaded at start-up, in bytes. */
export const budgetOf = ({ route, isQueued }: ListedFunction): number =>
  route === undefined && !isQueued ? BUDGET_WITHOUT_INPUT_BYTES : BUDGET_BYTES;

export interface HandlerSize extends Size {
  handler: string;
  budget: number;
  isOver: boolean;
}

/** Returns the size of every handler, largest first. */
export const handlerSizes = async (): Promise<HandlerSize[]> => {
  const listed = listedFunctions();
  const bundles = await makeBundles(
    listed.map(({ file }) => file),
    { sourceMaps: false },
  );
  const budgets = new Map(listed.map((one) => [one.file, budgetOf(one)]));
  return bundles
    .map((bundle) => {
      const size = sizeOf(bundle);
      const budget = budgets.get(bundle.entry) ?? BUDGET_BYTES;
      return { handler: bundle.entry, ...size, budget, isOver: size.gzip > budget };
    })
    .toSorted((one, other) => other.gzip - one.gzip);
};

/** Formats bytes as kilobytes. */
export const kilobytes = (bytes: number): string => (bytes / KB).toFixed(1);
