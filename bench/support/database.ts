/** The database of a bench: the embedded engine with a table, and TLS in front of it, each in its own process. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOST } from "../../scripts/cli/ports.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { createTable } from "../../scripts/local/table.ts";
import { makeCertificate } from "../../tests/support/certificate.ts";
import { CURSOR_KEY, VAPID } from "../../tests/support/constants.ts";
import type { Place } from "./hunts.ts";
import { type Ends, request, startHelper } from "./processes.ts";
import { Calls, Started } from "./tls.ts";

const TABLE = "zombie-game-bench";

export interface BenchDatabase {
  /** Without TLS. */
  place: Place;
  /** The environment of a function that uses it over TLS. */
  env: NodeJS.ProcessEnv;
  /** The number of calls over TLS since the last time, by name. */
  calls: () => Promise<Record<string, number>>;
}

/** A folder that is removed at the end. */
export const openScratch = async (ends: Ends): Promise<string> => {
  const scratch = await makeTempDir();
  ends.push(() => rm(scratch, { recursive: true, force: true }));
  return scratch;
};

/** Starts it on the core of this process. */
export const startDatabase = async (ends: Ends, scratch: string): Promise<BenchDatabase> => {
  const { endpoint, stop } = await startEngine();
  ends.push(stop);
  await createTable(endpoint, TABLE);

  const certificate = makeCertificate();
  const file = join(scratch, "certificate.pem");
  await writeFile(file, certificate.cert);
  const tls = startHelper("tls", { side: "driver" });
  ends.push(() => tls.kill());
  const { port } = await request(tls, { start: { ...certificate, engine: endpoint } }, Started);

  return {
    place: { endpoint, table: TABLE },
    // Nothing of this process's environment: only what a function has on Lambda, and its database.
    env: {
      PATH: process.env.PATH,
      TZ: ":UTC",
      AWS_REGION: "eu-central-1",
      AWS_LAMBDA_FUNCTION_NAME: "bench",
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: "512",
      NODE_EXTRA_CA_CERTS: file,
      DYNAMODB_ENDPOINT: `https://${HOST}:${port}`,
      TABLE_NAME: TABLE,
      CURSOR_KEY,
      ...VAPID,
    },
    calls: async () => (await request(tls, { calls: true }, Calls)).calls,
  };
};
