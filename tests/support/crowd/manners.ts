/** How the push services of the load test respond; the services and the test share it. */
import * as z from "zod/mini";

/** The counts of a service. */
export const Report = z.object({
  /** Paths whose message it accepted. */
  paths: z.int(),
  digest: z.string(),
  /** Paths whose messages would show more than once. */
  twiceUnderOtherTopics: z.int(),
});
export type Report = z.infer<typeof Report>;

/** A number from 0 to 1 that is the same for the same text (FNV-1a). */
const chanceOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0;
  // Its lowest bits are the best mixed.
  return (hash & 0xffff) / 0x1_0000;
};

/** Whether the response to the n-th call of a path is 429: half of all first calls, and never three in a row. */
export const isBusy = (path: string, calls: number): boolean =>
  calls % 3 !== 0 && chanceOf(`${path} ${calls}`) < 0.5;

/** Whether a path's response is 410: a tenth of them. */
export const isGone = (path: string): boolean => path.endsWith("7");
