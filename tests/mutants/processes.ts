/** Child processes of a mutation run. */
import { type Child, spawnChild } from "../../scripts/cli/childProcess.ts";

const running = new Set<Child>();

/** Ends every running child process. */
export const endTests = (): void => {
  for (const one of running) one.kill();
};

/** Runs a command in a folder. @returns how it ended, and its last 60 lines of output */
export const runIn = async (
  folder: string,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void = () => {},
): Promise<{ end: string; output: string }> => {
  const lines: string[] = [];
  const child = await spawnChild(["/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, ...command], {
    env,
    onLine: (line) => {
      lines.push(line);
      if (lines.length > 60) lines.shift();
      onLine(line);
    },
  });
  running.add(child);
  const end = await child.ended;
  running.delete(child);
  return { end, output: lines.join("\n") };
};
