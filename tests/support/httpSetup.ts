/**
 * Starts complete services for the tests over HTTP, each with an engine and a queue of its own. A test file claims one
 * for itself. A service that is free again is used by the next file, because a start takes seconds.
 */
import { rm, writeFile } from "node:fs/promises";
import { createServer, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { freePort } from "../../scripts/cli/ports.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { messageOf } from "../../scripts/cli/userError.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { gameOf } from "../../scripts/local/gameLock.ts";
import { startQueue } from "../../scripts/local/queue.ts";
import { REGION } from "../../scripts/local/settings.ts";
import { openStreamRecords } from "../../scripts/local/streamRecords.ts";
import { makeCertificate } from "./certificate.ts";
import { CURSOR_KEY, VAPID } from "./constants.ts";
import { listen } from "./listen.ts";
import { npmStart } from "./npmStart.ts";
import type { Running } from "./running.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL at which a test file claims a service (POST) and releases it (DELETE). */
    claims: string;
  }
}

const CHEAP_HASHES = join(import.meta.dirname, "cheapHashes.cjs");

const TABLE_NAME = "zombie-game-http-tests";

const start = async (): Promise<{ running: Running; stop: () => Promise<void> }> => {
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

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const services: Awaited<ReturnType<typeof start>>[] = [];
  const free: Running[] = [];
  const claim = async (): Promise<Running> => {
    const known = free.pop();
    if (known !== undefined) return known;
    const started = await start();
    services.push(started);
    return started.running;
  };
  const respondTo = async (request: IncomingMessage): Promise<string> => {
    if (request.method === "POST") return JSON.stringify(await claim());
    const released = await text(request);
    free.push(...services.map(({ running }) => running).filter(({ base }) => base === released));
    return "";
  };
  const server = createServer((request, response) => {
    respondTo(request).then(
      (body) => response.end(body),
      (error: unknown) => response.writeHead(500).end(messageOf(error)),
    );
  });
  project.provide("claims", `http://127.0.0.1:${await listen(server)}`);
  return async () => {
    server.close();
    await Promise.all(services.map(({ stop }) => stop()));
  };
};
