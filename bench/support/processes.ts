/** The processes of a bench. They receive requests as messages, and end with the bench. */
import { type ChildProcess, spawn } from "node:child_process";
import type { Server } from "node:net";
import { join } from "node:path";
import type * as z from "zod/mini";
import { HOST } from "../../scripts/cli/ports.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { commandOn, type Side } from "./machine.ts";

interface Options {
  /** The core to run on; any by default. */
  side?: Side;
  env?: NodeJS.ProcessEnv;
  /** Whether to drop its output. */
  silent?: boolean;
}

/** Starts a script of Node.js. */
export const startScript = (
  script: readonly string[],
  { side, env = process.env, silent = false }: Options = {},
): ChildProcess => {
  const command = [process.execPath, ...script];
  const [program = "", ...rest] = side === undefined ? command : commandOn(side, command);
  const output = silent ? "ignore" : "inherit";
  return spawn(program, rest, { cwd: ROOT, env, stdio: ["ignore", output, "inherit", "ipc"] });
};

/** Starts one of the helpers of `bench/main.ts`, by its name. */
export const startHelper = (name: string, options?: Options): ChildProcess =>
  startScript([join(ROOT, "bench/main.ts"), name], options);

/** Sends a message to a process. @returns its reply; @throws Error if it ends instead */
export const request = <T>(child: ChildProcess, message: object, schema: z.ZodMiniType<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const ended = (code: number | null): void => reject(new Error(`a process of the bench ended: ${code}`));
    child.once("exit", ended);
    child.once("message", (reply) => {
      child.off("exit", ended);
      const parsed = schema.safeParse(reply);
      if (parsed.success) resolve(parsed.data);
      else reject(new Error(`a process of the bench sent ${JSON.stringify(reply).slice(0, 500)}`));
    });
    child.send(message);
  });

/** In a helper: replies to each message until the bench disconnects. */
export const replyTo = async <T>(
  schema: z.ZodMiniType<T>,
  reply: (message: T) => Promise<object>,
): Promise<void> => {
  process.on("message", async (message) => {
    process.send?.(await reply(schema.parse(message)));
  });
  await new Promise((resolve) => process.once("disconnect", resolve));
};

/** What must be ended with a bench. */
export interface Ends {
  push(...ends: (() => unknown)[]): void;
}

/** Runs a bench, and then ends what it has started, the last first. */
export const withEnds = async <T>(work: (ends: Ends) => Promise<T>): Promise<T> => {
  const ends: (() => unknown)[] = [];
  try {
    return await work(ends);
  } finally {
    for (const end of ends.toReversed()) await end();
  }
};

/** Lets a server listen on any free port. @returns the port */
export const listen = async (server: Server): Promise<number> => {
  await new Promise<void>((resolve) => server.listen(0, HOST, 1_024, resolve));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("the server has no port");
  return address.port;
};
