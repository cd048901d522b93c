/** The processes of a bench: started beside it, told what to do, and ended with it. */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import type * as z from "zod/mini";
import { ROOT } from "../../scripts/project/root.ts";
import { commandOn, type Side } from "./machine.ts";

/** Tells the process that started this one. */
export const tell = (what: unknown): void => {
  process.send?.(what);
};

/** Runs until the process that started this one lets go of it. */
export const untilLetGo = (): Promise<void> => new Promise((resolve) => process.once("disconnect", resolve));

interface Starting {
  /** On a core of its own; on any unless said. */
  side?: Side;
  env?: NodeJS.ProcessEnv;
  /** Whether what it prints goes nowhere. */
  silent?: boolean;
}

/** Runs a script of Node.js beside the bench; it can be told things, and ends with it. */
export const startScript = (
  script: readonly string[],
  { side, env, silent }: Starting = {},
): ChildProcess => {
  const command = [process.execPath, ...script];
  const [program = "", ...rest] = side === undefined ? command : commandOn(side, command);
  const output = silent === true ? "ignore" : "inherit";
  return spawn(program, rest, {
    cwd: ROOT,
    env: env ?? process.env,
    stdio: ["ignore", output, "inherit", "ipc"],
  });
};

/** Runs a part of the bench in a process of its own: what `bench/main.ts` has under that name. */
export const startPart = (name: string, starting?: Starting): ChildProcess =>
  startScript([join(ROOT, "bench/main.ts"), name], starting);

/** Tells a process something, and hears its answer. @throws Error when it ends instead */
export const ask = <T>(child: ChildProcess, what: object, schema: z.ZodMiniType<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    const gone = (code: number | null): void => reject(new Error(`a process of the bench ended: ${code}`));
    child.once("exit", gone);
    child.once("message", (raw) => {
      child.off("exit", gone);
      const parsed = schema.safeParse(raw);
      if (parsed.success) resolve(parsed.data);
      else reject(new Error(`a process of the bench said ${JSON.stringify(raw).slice(0, 500)}`));
    });
    child.send(what);
  });

/** Processes, and whatever else must be ended with a bench. */
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
