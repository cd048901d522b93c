/** Requests that have to succeed. */
import type { RequestOptions, Result, TestEnvironment } from "../support/service.ts";

/** Sends a request. @throws Error when it does not succeed */
export const must = async (
  s: Pick<TestEnvironment, "call">,
  route: string,
  asking: RequestOptions,
): Promise<Result> => {
  const result = await s.call(route, asking);
  if (result.status >= 300) throw new Error(`${route}: ${result.status} ${result.text}`);
  return result;
};
