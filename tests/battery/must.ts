/** Requests that have to succeed. */
import type { Asking, Result, Stage } from "../support/service.ts";

/** Sends a request. @throws Error when it does not succeed */
export const must = async (s: Pick<Stage, "call">, route: string, asking: Asking): Promise<Result> => {
  const result = await s.call(route, asking);
  if (result.status >= 300) throw new Error(`${route}: ${result.status} ${result.text}`);
  return result;
};
