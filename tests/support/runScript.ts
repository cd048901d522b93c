/** Runs commands, each in its own process as users do, or in the process of the test. */
import { spawn } from "node:child_process";
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

let runs = 0;

/**
 * Runs a command of this project in the process of the test, without input. Its start is most of what it costs in a
 * process of its own. It must not exit by itself, and only one may run at a time.
 */
export const runHere = async (
  [script = "", ...args]: readonly string[],
  settings: Record<string, string>,
): Promise<ScriptResult> => {
  const chunks: string[] = [];
  const line = (...values: unknown[]): void => void chunks.push(`${format(...values)}\n`);
  const spies = (["log", "error", "warn"] as const).map((name) =>
    vi.spyOn(console, name).mockImplementation(line),
  );
  const { argv } = process;
  const environment = { ...process.env };
  process.argv = [process.execPath, resolve(ROOT, script), ...args];
  Object.assign(process.env, settings);
  try {
    // Each query makes it a module of its own, which runs when it is imported.
    runs += 1;
    await import(/* @vite-ignore */ `${resolve(ROOT, script)}?run=${runs}`);
    return { code: Number(process.exitCode), output: chunks.join("").trim() };
  } finally {
    process.exitCode = undefined;
    process.argv = argv;
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
    for (const spy of spies) spy.mockRestore();
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
