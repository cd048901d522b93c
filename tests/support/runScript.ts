/** Runs commands, each in its own process as users do, or in the process of the test. */
import childProcess, { type SpawnOptions, spawn } from "node:child_process";
import { syncBuiltinESMExports } from "node:module";
import { resolve } from "node:path";
import { format } from "node:util";
import { expect, vi } from "vitest";
import { ROOT } from "../../scripts/project/root.ts";

export interface ScriptResult {
  code: number | null;
  /** Standard output and standard error. */
  output: string;
}

/** Starts a script in a process. */
export const startScript = (command: readonly string[], env: NodeJS.ProcessEnv, cwd = ROOT) => {
  const child = spawn(process.execPath, command, { cwd, env });
  const chunks: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => chunks.push(chunk.toString()));
  }
  const ended = new Promise<number | null>((resolve) => child.once("close", resolve));
  return { child, ended, output: () => chunks.join("") };
};

/** Runs a script of this project to its end. */
export const runScript = async (
  command: readonly string[],
  settings: Record<string, string>,
  input = "",
): Promise<ScriptResult> => {
  const { child, ended, output } = startScript(command, { ...process.env, ...settings });
  child.stdin.end(input);
  return { code: await ended, output: output().trim() };
};

/** Replaces `spawn`, also for modules that have imported it. */
export const replaceSpawn = (spawn: unknown): void => {
  Object.assign(childProcess, { spawn });
  syncBuiltinESMExports();
};

/** Adds the output of processes that a command starts to its own. @returns a function that ends this */
const captureChildren = (lines: string[]): (() => void) => {
  const real = childProcess.spawn;
  const capturing = (command: string, args: string[], options: SpawnOptions) => {
    if (options.stdio !== "inherit") return real(command, args, options);
    const child = real(command, args, { ...options, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (chunk: Buffer) => lines.push(chunk.toString().replace(/\n$/, "")));
    return child;
  };
  replaceSpawn(capturing);
  return () => replaceSpawn(real);
};

let runs = 0;

/** Runs a command in the process of the test, at a tenth of the cost. It gets no input, and must not call `exit`. */
export const runHere = async (
  [script = "", ...args]: readonly string[],
  settings: Record<string, string>,
): Promise<ScriptResult> => {
  const lines: string[] = [];
  const spies = (["log", "error", "warn"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation((...values) => void lines.push(format(...values))),
  );
  const release = captureChildren(lines);
  const { argv, env } = process;
  const interrupts = process.listeners("SIGINT");
  const path = resolve(ROOT, script);
  Object.assign(process, { argv: [process.execPath, path, ...args], env: { ...env, ...settings } });
  try {
    // A module runs when it is imported, and with another query it is another module.
    runs += 1;
    await import(/* @vite-ignore */ `${path}?run=${runs}`);
    return { code: Number(process.exitCode), output: lines.join("\n").trim() };
  } finally {
    Object.assign(process, { argv, env, exitCode: undefined });
    // A command listens until its process ends.
    for (const listener of process.listeners("SIGINT"))
      if (!interrupts.includes(listener)) process.off("SIGINT", listener);
    for (const spy of spies) spy.mockRestore();
    release();
  }
};

/** Expects exit code 0 and output that contains a text or matches a pattern. @returns the output */
export const expectSuccess = ({ code, output }: ScriptResult, text: string | RegExp = ""): string => {
  expect(code, output).toBe(0);
  expect(output).toMatch(text);
  return output;
};

/** Expects exit code 1 and a message in one line. */
export const expectError = ({ code, output }: ScriptResult, message: string | RegExp): void => {
  expect(code, output).toBe(1);
  expect(output).toMatch(message);
  expect(output.split("\n"), output).toHaveLength(1);
};
