/** Runs `npm start` as a child process. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../scripts/cli/ports.ts";
import { ROOT } from "./endpoints.ts";

/** Only a hang is an error: the start-up of a busy machine has no other limit. */
const START_TIMEOUT_MS = 180_000;

export interface RunningService {
  base: string;
  port: number;
  process: ChildProcess;
  /** All output so far. */
  output: () => string;
  /** Sends JSON to an endpoint. */
  post: (path: string, body: unknown, token?: string) => Promise<Response>;
  /** Stops it as Ctrl-C does; resolves to its exit code. */
  stop: () => Promise<number | null>;
}

/**
 * Starts the service on a free port and waits until it responds.
 * @param options.root the root of a copy of this project
 * @param options.args options of `npm start`
 * @throws Error with its output if it ends instead
 */
export const npmStart = async (
  settings: Record<string, string>,
  { root = ROOT, args = [] }: { root?: string; args?: string[] } = {},
): Promise<RunningService> => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const service = spawn(process.execPath, [join(root, "scripts/commands/start.ts"), ...args], {
    cwd: root,
    env: { ...process.env, PORT: String(port), LOG_LEVEL: "INFO", ...settings },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const chunks: string[] = [];
  for (const stream of [service.stdout, service.stderr]) {
    stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  }
  const ended = new Promise<number | null>((resolve) => {
    service.once("exit", (code) => resolve(code));
  });
  const output = () => chunks.join("");
  const isReady = () =>
    fetch(`${base}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  const deadline = Date.now() + START_TIMEOUT_MS;
  while (!(await isReady())) {
    if (Date.now() > deadline || service.exitCode !== null) {
      service.kill("SIGINT");
      throw new Error(`the service did not start:\n${output()}`);
    }
    await sleep(50);
  }
  return {
    base,
    port,
    process: service,
    output,
    post: (path, body, token) =>
      fetch(`${base}${path}`, {
        method: "POST",
        headers: {
          "content-type": "application/json",
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(body),
      }),
    stop: () => {
      service.kill("SIGINT");
      return ended;
    },
  };
};
