/** The database of a bench: the embedded engine with a table, and TLS in front of it, each in its own process. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOST } from "../../scripts/cli/ports.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { createTable } from "../../scripts/local/table.ts";
import { makeCertificate } from "../../tests/support/certificate.ts";
import { CURSOR_KEY, VAPID } from "../../tests/support/constants.ts";
import type { Game } from "./game.ts";
import { request, startHelper } from "./processes.ts";
import { Calls, Started } from "./tls.ts";

const TABLE = "zombie-game-bench";

export interface BenchDatabase {
  /** The engine itself, without TLS. */
  place: Game["place"];
  /** The environment of a function that uses it over TLS. */
  env: NodeJS.ProcessEnv;
  /** Returns the number of calls over TLS by name, since it was last called. */
  calls: () => Promise<Record<string, number>>;
}

/** Creates a folder that is removed after the bench. */
export const openScratch = async (cleanups: AsyncDisposableStack): Promise<string> => {
  const scratch = await makeTempDir();
  cleanups.defer(() => rm(scratch, { recursive: true, force: true }));
  return scratch;
};

/** Starts the database on the same core as this process. */
export const startDatabase = async (
  cleanups: AsyncDisposableStack,
  scratch: string,
): Promise<BenchDatabase> => {
  const { endpoint, stop } = await startEngine();
  cleanups.defer(stop);
  await createTable(endpoint, TABLE);

  const certificate = makeCertificate();
  const file = join(scratch, "certificate.pem");
  await writeFile(file, certificate.cert);
  const tls = cleanups.use(startHelper("tls", { side: "driver" }));
  const { port } = await request(tls, { start: { ...certificate, engine: endpoint } }, Started);

  return {
    place: { endpoint, table: TABLE },
    // Like the environment on Lambda: nothing else of this process's environment is passed on.
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
