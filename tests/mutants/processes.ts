/** Child processes of a mutation run. */
import { type Child, spawnChild } from "../../scripts/cli/childProcess.ts";

const running = new Set<Child>();

/** Ends whatever runs. */
export const endTests = (): void => {
  for (const one of running) one.kill();
};

/** Runs a command in a folder. @returns how it ended, and what it said last */
export const runIn = async (
  folder: string,
  command: readonly string[],
  env: NodeJS.ProcessEnv,
  onLine: (line: string) => void = () => {},
): Promise<{ end: string; said: string }> => {
  const said: string[] = [];
  const child = await spawnChild(["/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, ...command], {
    env,
    onLine: (line) => {
      said.push(line);
      if (said.length > 60) said.shift();
      onLine(line);
    },
  });
  running.add(child);
  const end = await child.ended;
  running.delete(child);
  return { end, said: said.join("\n") };
};
