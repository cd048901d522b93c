/** Runs commands as users do, each in its own process. */
import { spawn } from "node:child_process";
import { expect } from "vitest";
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
