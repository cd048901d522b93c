/** Commands as they are typed: each a process of its own. */
import { spawn } from "node:child_process";
import { ROOT } from "./endpoints.ts";

/** How a command ended, and what it said. */
export interface Ended {
  code: number | null;
  said: string;
}

/** Runs a script of this project to its end; what it is given on standard input ends there. */
export const runScript = (command: string[], settings: Record<string, string>, input = ""): Promise<Ended> =>
  new Promise((resolve) => {
    const child = spawn(process.execPath, command, { cwd: ROOT, env: { ...process.env, ...settings } });
    let said = "";
    for (const stream of [child.stdout, child.stderr]) {
      stream.on("data", (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    child.on("close", (code) => resolve({ code, said: said.trim() }));
    child.stdin.end(input);
  });
