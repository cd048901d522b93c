/** `npm start` as a child: what users start, started by tests. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { freePort } from "../../scripts/cli/ports.ts";
import { ROOT } from "./endpoints.ts";

const READY_MS = 30_000;

export interface RunningService {
  base: string;
  port: number;
  process: ChildProcess;
  /** All that it has said. */
  said: () => string;
  /** Ends it as Ctrl-C does; resolves to its exit code. */
  stop: () => Promise<number | null>;
}

/**
 * Starts the service on a free port and waits until it answers.
 * @param options.root of a copy of this project, and options that `npm start` is given
 * @throws Error with what it said when it does not
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
  const said = () => chunks.join("");
  const deadline = Date.now() + READY_MS;
  for (;;) {
    const answers = await fetch(`${base}/health`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (answers) break;
    if (Date.now() > deadline || service.exitCode !== null) {
      service.kill("SIGINT");
      throw new Error(`the service did not start:\n${said()}`);
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return {
    base,
    port,
    process: service,
    said,
    stop: () => {
      service.kill("SIGINT");
      return ended;
    },
  };
};
