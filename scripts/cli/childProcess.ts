/** Child processes that cannot outlive the process which started them, not even its `kill -9`. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { ROOT } from "../project/root.ts";

const TETHER = join(ROOT, "scripts/local/dieWithParent.sh");
const GRACE_MS = 3_000;

export interface Child {
  readonly pid: number;
  /** The command line, as the system shows it. */
  readonly command: readonly string[];
  /** How the process ended, in words: "exit code 1", "SIGKILL". Resolves once, never rejects. */
  readonly ended: Promise<string>;
  /** Ends it: asks, and after three seconds insists. Resolves when it is gone; harmless twice. */
  stop(): Promise<void>;
  /** Ends it at once. */
  kill(): void;
  /** Lets the starting process end although this one is still running, and end it thereby. */
  unref(): void;
}

export interface ChildOptions {
  env?: NodeJS.ProcessEnv;
  /** Each line that it prints. */
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
 * Starts a command in a process group of its own, so that Ctrl-C at the terminal reaches only the starting
 * process, which ends its children in their order.
 * @throws Error when it cannot be started at all
 */
export const spawnChild = async (
  command: readonly string[],
  { env = process.env, onLine = () => {} }: ChildOptions = {},
): Promise<Child> => {
  const child = spawn("/bin/sh", [TETHER, ...command], { cwd: ROOT, detached: true, env, stdio: "pipe" });
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      child.stdin.destroy();
      resolve(signal ?? `exit code ${code}`);
    });
  });
  // It may end between a write and the close of its pipe.
  child.stdin.on("error", () => {});
  readLines(child.stdout, (line) => onLine(line, "stdout"));
  readLines(child.stderr, (line) => onLine(line, "stderr"));
  const pid = await started(child, command);

  const kill = (): void => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch {
      // It has just ended by itself.
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
