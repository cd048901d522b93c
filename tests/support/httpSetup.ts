/** Starts the whole service once for the stories that come in over HTTP: `npm start` itself, on an engine of its own. */
import { spawn } from "node:child_process";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEngine } from "../../scripts/local/engine.ts";
import { freePort } from "../../scripts/local/ports.ts";
import { CURSOR_KEY } from "./constants.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the service answers. */
    base: string;
    /** Where its database does, to look behind the answers. */
    engine: string;
    table: string;
  }
}

const ROOT = join(import.meta.dirname, "../..");
const TABLE_NAME = "zombie-game-http-tests";
const READY_MS = 30_000;

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const [engine, port] = await Promise.all([startEngine(), freePort()]);
  const base = `http://127.0.0.1:${port}`;
  const service = spawn(process.execPath, [join(ROOT, "scripts/start.ts")], {
    env: {
      ...process.env,
      PORT: String(port),
      DYNAMODB_ENDPOINT: engine.endpoint,
      TABLE_NAME,
      CURSOR_KEY,
      LOG_LEVEL: "INFO",
    },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const said: string[] = [];
  service.stdout.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  service.stderr.on("data", (chunk: Buffer) => said.push(chunk.toString()));
  const ended = new Promise<void>((resolve) => {
    service.once("exit", () => resolve());
  });
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const ok = await fetch(`${base}/health`).then(
      (reply) => reply.ok,
      () => false,
    );
    if (ok) break;
    if (Date.now() > deadline || service.exitCode !== null) {
      throw new Error(`the service did not start:\n${said.join("")}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  project.provide("base", base);
  project.provide("engine", engine.endpoint);
  project.provide("table", TABLE_NAME);
  return async () => {
    service.kill("SIGINT");
    await ended;
    await engine.stop();
  };
};
