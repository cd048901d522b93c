/**
 * Starts complete services for the tests over HTTP. A worker claims one for its test files, because a start takes seconds.
 */
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { freePort } from "../../scripts/cli/ports.ts";
import { makeTempDir } from "../../scripts/cli/tempDir.ts";
import { makeCertificate } from "./certificate.ts";
import { type Claimable, serveClaims } from "./claims.ts";
import { CURSOR_KEY, MAIL_KEY, VAPID } from "./constants.ts";
import { npmStart } from "./npmStart.ts";

const CHEAP_HASHES = join(import.meta.dirname, "cheapHashes.cjs");

const TABLE_NAME = "zombie-game-http-tests";

const start = async (): Promise<Claimable> => {
  const folder = await makeTempDir();
  const certificate = makeCertificate();
  const trusted = join(folder, "push.pem");
  await writeFile(trusted, certificate.cert);
  const port = await freePort();
  const GAME_FILE = join(folder, "game.db");
  const service = await npmStart({
    ...{ GAME_FILE, TABLE_NAME, CURSOR_KEY, MAIL_KEY, INJECT_SQL_WRITES: "true", ...VAPID },
    // Nobody reads a line for each request.
    LOG_LEVEL: "WARN",
    ...{ PUSH_ALLOWED_HOSTS: `127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: trusted },
    // A setting of deployments, which a local service ignores.
    PROXY_SECRET: "0".repeat(32),
    NODE_OPTIONS: `--require=${JSON.stringify(CHEAP_HASHES)}`,
  });
  const { settings } = await service.runRecord(GAME_FILE);
  return {
    running: {
      ...{ base: service.base, engine: settings.DYNAMODB_ENDPOINT ?? "", table: TABLE_NAME },
      backlog: `${GAME_FILE}.backlog`,
      push: { port, ...certificate },
    },
    stop: async () => {
      await service.stop();
      await rm(folder, { recursive: true });
    },
  };
};

export default (project: TestProject): Promise<() => Promise<void>> => serveClaims(project, start);
