/**
 * Starts complete services for the tests over HTTP, each with an engine and a queue of its own. A test file claims one
 * for itself. A service that is free again is used by the next file, because a start takes seconds.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { freePort } from "../../scripts/cli/ports.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { gameOf } from "../../scripts/local/gameLock.ts";
import { startQueue } from "../../scripts/local/queue.ts";
import { REGION } from "../../scripts/local/settings.ts";
import { openStreamRecords } from "../../scripts/local/streamRecords.ts";
import { makeCertificate } from "./certificate.ts";
import { type Claimable, serveClaims } from "./claims.ts";
import { CURSOR_KEY, VAPID } from "./constants.ts";
import { npmStart } from "./npmStart.ts";

const CHEAP_HASHES = join(import.meta.dirname, "cheapHashes.cjs");

const TABLE_NAME = "zombie-game-http-tests";

const start = async (): Promise<Claimable> => {
  const folder = await makeTempDir();
  const certificate = makeCertificate();
  const trusted = join(folder, "push.pem");
  await writeFile(trusted, certificate.cert);
  const port = await freePort();
  const file = join(folder, "game.db");
  const engine = await startEngine({ file });
  // With the stream's index, so that writes do not become slower with each test.
  const records = openStreamRecords(file, TABLE_NAME);
  const queue = await startQueue({ table: TABLE_NAME, region: REGION });
  const service = await npmStart({
    ...{ DYNAMODB_ENDPOINT: engine.endpoint, QUEUE_URL: queue.url, QUEUE_ENDPOINT: queue.endpoint },
    ...{ TABLE_NAME, CURSOR_KEY, INJECT_SQL_WRITES: "true", ...VAPID },
    ...{ PUSH_ALLOWED_HOSTS: `127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: trusted },
    // A setting of deployments, which a local service ignores.
    PROXY_SECRET: "0".repeat(32),
    NODE_OPTIONS: `--require=${JSON.stringify(CHEAP_HASHES)}`,
  });
  const place = { kind: "endpoint", endpoint: engine.endpoint } as const;
  const read = gameOf({ place, port: service.port }).stream ?? "";
  return {
    running: {
      ...{ base: service.base, engine: engine.endpoint, table: TABLE_NAME, read },
      queue: { url: queue.url, endpoint: queue.endpoint },
      push: { port, ...certificate },
    },
    stop: async () => {
      await service.stop();
      await queue.stop();
      records.close();
      await engine.stop();
      await rm(read, { force: true });
      await rm(folder, { recursive: true });
    },
  };
};

export default (project: TestProject): Promise<() => Promise<void>> => serveClaims(project, start);
