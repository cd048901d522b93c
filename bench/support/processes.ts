/** The child processes of a bench. They receive requests as messages, and end when the bench ends. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type * as z from "zod/mini";
import { ROOT } from "../../scripts/project/root.ts";
import { commandOn, type Side } from "./machine.ts";

interface Options {
  /** The side on whose core the process runs; any core by default. */
  side?: Side;
  env?: NodeJS.ProcessEnv;
  /** Whether to discard the standard output. */
  silent?: boolean;
}

/** Runs a script with Node.js in a child process. */
export const startScript = (
  script: readonly string[],
  { side, env = process.env, silent = false }: Options = {},
): ChildProcess => {
  const command = [process.execPath, ...script];
  const [program = "", ...rest] = side === undefined ? command : commandOn(side, command);
  const output = silent ? "ignore" : "inherit";
  return spawn(program, rest, { cwd: ROOT, env, stdio: ["ignore", output, "inherit", "ipc"] });
};

/** Starts one of the helper processes that `bench/main.ts` defines. */
export const startHelper = (name: string, options?: Options): ChildProcess =>
  startScript([join(ROOT, "bench/main.ts"), name], options);

/** Sends a process one request at a time. @returns its reply; @throws Error if it ends or its reply does not fit */
export const request = <T>(child: ChildProcess, message: object, schema: z.ZodMiniType<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null, signal: NodeJS.Signals | null): void =>
      reject(new Error(`a bench process ended with ${signal ?? `exit code ${code}`}`));
    child.once("exit", ended);
    child.once("message", (reply) => {
      child.off("exit", ended);
      const parsed = schema.safeParse(reply);
      if (parsed.success) resolve(parsed.data);
      else reject(new Error(`unexpected reply of a bench process: ${JSON.stringify(reply).slice(0, 500)}`));
    });
    child.send(message);
  });

/** Replies to each message, in a helper process, until the bench disconnects. */
export const serveRequests = async <T>(
  schema: z.ZodMiniType<T>,
  handle: (message: T) => Promise<object>,
): Promise<void> => {
  process.on("message", async (message) => {
    process.send?.(await handle(schema.parse(message)));
  });
  await new Promise((resolve) => process.once("disconnect", resolve));
};
