/** Starts the complete service once for all tests over HTTP, on an engine and a queue of its own. */
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
import { CURSOR_KEY, VAPID } from "./constants.ts";
import { npmStart } from "./npmStart.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The service's base URL. */
    base: string;
    /** The endpoint of its database. */
    engine: string;
    table: string;
    /** Its queue. */
    queue: { url: string; endpoint: string };
    /** The file that stores how far its table's stream has been read. */
    read: string;
    /** The port for the tests' push service, and its trusted certificate. */
    push: { port: number; key: string; cert: string };
  }
}

const CHEAP_HASHES = join(import.meta.dirname, "cheapHashes.cjs");

const TABLE_NAME = "zombie-game-http-tests";

export default async (project: TestProject): Promise<() => Promise<void>> => {
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
    DYNAMODB_ENDPOINT: engine.endpoint,
    QUEUE_URL: queue.url,
    QUEUE_ENDPOINT: queue.endpoint,
    TABLE_NAME,
    CURSOR_KEY,
    INJECT_SQL_WRITES: "true",
    ...VAPID,
    PUSH_ALLOWED_HOSTS: `127.0.0.1:${port}`,
    NODE_EXTRA_CA_CERTS: trusted,
    NODE_OPTIONS: `--require=${JSON.stringify(CHEAP_HASHES)}`,
  });
  project.provide("base", service.base);
  project.provide("engine", engine.endpoint);
  project.provide("table", TABLE_NAME);
  const place = { kind: "endpoint", endpoint: engine.endpoint } as const;
  const read = gameOf({ place, port: service.port }).stream ?? "";
  project.provide("queue", { url: queue.url, endpoint: queue.endpoint });
  project.provide("read", read);
  project.provide("push", { port, ...certificate });
  return async () => {
    await service.stop();
    await queue.stop();
    records.close();
    await engine.stop();
    await rm(read, { force: true });
    await rm(folder, { recursive: true });
  };
};
