/** Child processes that end with their parent, even if it is killed with `kill -9`. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ROOT } from "../project/root.ts";

const DIE_WITH_PARENT = join(ROOT, "scripts/local/dieWithParent.sh");
const GRACE_MS = 3_000;

export interface Child {
  readonly pid: number;
  /** The command line, as the system lists it. */
  readonly command: readonly string[];
  /** How the process ended: "exit code 1" or "SIGKILL". Never rejects. */
  readonly ended: Promise<string>;
  /** Sends SIGTERM, and SIGKILL after three seconds. Resolves when the process has ended. Idempotent. */
  stop(): Promise<void>;
  /** Sends SIGKILL immediately. */
  kill(): void;
  /** Lets the parent exit while this process is running; the process then ends too. */
  unref(): void;
}

export interface ChildOptions {
  /** The working directory; default the project. */
  cwd?: string;
  env?: NodeJS.ProcessEnv;
  /** Called with each line of output. */
  onLine?: (line: string, from: "stdout" | "stderr") => void;
}

const readLines = (stream: Readable, onLine: (line: string) => void): void => {
  createInterface({ input: stream, crlfDelay: Number.POSITIVE_INFINITY }).on("line", onLine);
};

const started = (child: ChildProcess, command: readonly string[]): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once("error", reject);
    child.once("spawn", () => {
      if (child.pid === undefined) reject(new Error(`${command[0]} has no process id`));
      else resolve(child.pid);
    });
  });

/**
 * Starts a command in its own process group, so that Ctrl-C reaches only the parent, which stops its children in
 * order.
 * @throws Error if the command cannot be started
 */
export const spawnChild = async (
  command: readonly string[],
  { cwd = ROOT, env = process.env, onLine = () => {} }: ChildOptions = {},
): Promise<Child> => {
  const child = spawn("/bin/sh", [DIE_WITH_PARENT, ...command], {
    cwd,
    detached: true,
    env,
    stdio: "pipe",
  });
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      child.stdin.destroy();
      resolve(signal ?? `exit code ${code}`);
    });
  });
  // The process may end before its pipe is closed.
  child.stdin.on("error", () => {});
  readLines(child.stdout, (line) => onLine(line, "stdout"));
  readLines(child.stderr, (line) => onLine(line, "stderr"));
  const pid = await started(child, command);

  const kill = (): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // The process has already ended.
    }
  };

  return {
    pid,
    command,
    ended,
    kill,
    async stop() {
      child.kill("SIGTERM");
      const insist = setTimeout(kill, GRACE_MS);
      await ended;
      clearTimeout(insist);
    },
    unref() {
      child.unref();
      for (const stream of [child.stdin, child.stdout, child.stderr]) {
        if ("unref" in stream && typeof stream.unref === "function") stream.unref();
      }
    },
  };
};
