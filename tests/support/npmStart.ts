/** Runs `npm start` as a child process. */
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../../scripts/cli/ports.ts";
import { readRecord } from "../../scripts/local/runFile.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { startScript } from "./runScript.ts";

/** Long enough for a start on a busy machine, so that only a service that hangs exceeds it. */
const START_TIMEOUT_MS = 180_000;

export type RunningService = Awaited<ReturnType<typeof npmStart>>;

/**
 * Starts the service on a free port and waits until it responds.
 * @param options.root the root of a copy of this project
 * @param options.command another command that runs the service
 * @param options.args its options
 * @throws Error with its output if it ends, or does not respond within START_TIMEOUT_MS
 */
export const npmStart = async (
  settings: Record<string, string>,
  { root = ROOT, command = "start", args = [] }: { root?: string; command?: string; args?: string[] } = {},
) => {
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const { child, output } = startScript(
    [join(root, `scripts/commands/${command}.ts`), ...args],
    { ...process.env, PORT: String(port), LOG_LEVEL: "INFO", ...settings },
    root,
  );
  child.stdin.end();
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const deadline = Date.now() + START_TIMEOUT_MS;
  // The service answers before its pages are built: until then they are missing, or those of earlier sources.
  const isReady = async (): Promise<boolean> =>
    (command !== "start" || output().includes("The service is ready on")) &&
    (await fetch(`${base}/health`).catch(() => null))?.ok === true;
  while (!(await isReady())) {
    if (Date.now() > deadline || child.exitCode !== null) {
      child.kill("SIGINT");
      throw new Error(`the service did not start:\n${output()}`);
    }
    await sleep(50);
  }
  return {
    base,
    port,
    process: child,
    /** All output so far. */
    output,
    /** Sends JSON to an endpoint. */
    post: (path: string, body: unknown, token = ""): Promise<Response> => {
      const headers = {
        "content-type": "application/json",
        ...(token && { authorization: `Bearer ${token}` }),
      };
      return fetch(`${base}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    },
    /** Reads the run file of the game at this path; adds all process ids. @throws Error without one */
    runRecord: async (game: string) => {
      const record = await readRecord(`${game}.run.json`);
      if (record === null) throw new Error("the service has no run file");
      const pids = [child.pid ?? 0, ...record.children.map(({ pid }) => pid)];
      return { ...record, pids };
    },
    /** Stops it as Ctrl-C does; resolves to its exit code. */
    stop: (): Promise<number | null> => {
      child.kill("SIGINT");
      return ended;
    },
  };
};
