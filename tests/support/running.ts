/** The running service of a worker over HTTP. No other worker uses it. */
import { inject } from "vitest";
import * as z from "zod/mini";

/** How requests reach the service. */
export const TRANSPORT = process.env.TRANSPORT === "http" ? "http" : "in process";

/** A service, and what belongs to it alone. */
export const Running = z.object({
  /** The service's base URL. */
  base: z.string(),
  /** The endpoint of its database. */
  engine: z.string(),
  table: z.string(),
  /** The file of its queue and of the position in its table's stream. */
  backlog: z.string(),
  /** The port for the tests' push service, and its trusted certificate. */
  push: z.object({ port: z.int(), key: z.string(), cert: z.string() }),
});
export type Running = z.infer<typeof Running>;

const claim = async (): Promise<Running> => {
  const response = await fetch(inject("claims"), { method: "POST", body: process.env.VITEST_POOL_ID ?? "" });
  if (!response.ok) throw new Error(await response.text());
  return Running.parse(await response.json());
};

const claimed = TRANSPORT === "http" ? await claim() : undefined;

/** The service that this worker has claimed. */
export const running = (): Running => {
  if (claimed === undefined) throw new Error("tests in process have no running service");
  return claimed;
};
