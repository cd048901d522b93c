/** The database of a bench: the embedded engine with the table, and TLS before it; in processes of their own. */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { HOST } from "../../scripts/cli/ports.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { createTable } from "../../scripts/local/table.ts";
import { makeCertificate } from "../../tests/support/certificate.ts";
import { CURSOR_KEY, VAPID } from "../../tests/support/constants.ts";
import { ask, type Ends, startPart } from "./processes.ts";
import { Calls, Serving } from "./tls.ts";

const TABLE = "zombie-game-bench";

export interface BenchDatabase {
  /** Without TLS, for whoever prepares and looks. */
  place: { endpoint: string; table: string };
  /** The environment of a function that uses it over TLS. */
  env: NodeJS.ProcessEnv;
  /** How often which call came over TLS since this was last asked. */
  calls: () => Promise<Record<string, number>>;
}

/** A folder for what is not to be kept. */
export const openScratch = async (ends: Ends): Promise<string> => {
  const scratch = await makeTempDir();
  ends.push(() => rm(scratch, { recursive: true, force: true }));
  return scratch;
};

/** Starts it, on the core that this process is on. */
export const startDatabase = async (ends: Ends, scratch: string): Promise<BenchDatabase> => {
  const engine = await startEngine();
  ends.push(() => engine.stop());
  await createTable(engine.endpoint, TABLE);

  const certificate = makeCertificate();
  const file = join(scratch, "certificate.pem");
  await writeFile(file, certificate.cert);
  const tls = startPart("tls", { side: "driver" });
  ends.push(() => tls.kill());
  const start = { ...certificate, engine: engine.endpoint };
  const { port } = await ask(tls, { start }, Serving);

  return {
    place: { endpoint: engine.endpoint, table: TABLE },
    // Nothing of whoever runs the bench: what a function has on Lambda, and where its database is.
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
    calls: async () => (await ask(tls, { calls: true }, Calls)).calls,
  };
};
