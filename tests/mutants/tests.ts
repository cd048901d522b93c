/** Runs tests in a copy of the tree, and says what became of each. */
import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { spawnTethered, type Tethered } from "../../scripts/cli/childProcess.ts";
import type { Killer } from "./bug.ts";
import type { Tree } from "./tree.ts";

/** What vitest writes of a run, as far as it is read here. */
const Report = z.object({
  testResults: z.array(
    z.object({
      name: z.string(),
      status: z.string(),
      message: z._default(z.string(), ""),
      assertionResults: z.array(
        z.object({
          fullName: z.string(),
          status: z.string(),
          failureMessages: z._default(z.nullable(z.array(z.string())), null),
        }),
      ),
    }),
  ),
});

export interface Ran {
  passed: string[];
  /** With what each says. */
  failed: { test: string; message: string }[];
  /** What went wrong beside the tests: a file that cannot be loaded, no report at all. */
  fault: string | null;
}

/** Slowness is no result. */
const PATIENCE = ["--testTimeout=300000", "--hookTimeout=300000"];

const pathOf = (file: string): string => `tests/${file}.test.ts`;
const projectOf = (file: string): string => file.split("/")[0] ?? file;
const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&");

const running = new Set<Tethered>();

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
  const child = await spawnTethered(["/bin/sh", "-c", 'cd "$0" && exec "$@"', folder, ...command], {
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

/** Runs the tests that killers name, up to the first that fails unless all are wanted. */
export const runTests = async (tree: Tree, killers: readonly Killer[], all = false): Promise<Ran> => {
  const output = join(tree.folder, "mutant-report.json");
  await rm(output, { force: true });
  const files = [...new Set(killers.map(([file]) => file))];
  const { end, said } = await runIn(
    tree.folder,
    [
      ...[process.execPath, "node_modules/vitest/vitest.mjs", "run", ...PATIENCE],
      ...[...new Set(files.map(projectOf))].flatMap((project) => ["--project", project]),
      ...["--testNamePattern", killers.map(([, name]) => escaped(name)).join("|")],
      ...(all ? [] : ["--bail=1"]),
      ...["--reporter=json", `--outputFile=${output}`],
      ...files.map(pathOf),
    ],
    // Crowds and all: what runs in a minute's hurry may not be the one that kills.
    { ...process.env, TEST_SCALE: "", CI: "true" },
  );
  const text = await readFile(output, "utf8").catch(() => null);
  if (text === null) return { passed: [], failed: [], fault: `no report: ${end}\n${said}` };
  const { testResults } = Report.parse(JSON.parse(text));
  const results = testResults.flatMap(({ assertionResults }) => assertionResults);
  const broken = testResults.find(
    ({ status, assertionResults }) =>
      status === "failed" && !assertionResults.some((one) => one.status === "failed"),
  );
  return {
    passed: results.filter(({ status }) => status === "passed").map(({ fullName }) => fullName),
    failed: results
      .filter(({ status }) => status === "failed")
      .map(({ fullName, failureMessages }) => ({
        test: fullName,
        message: failureMessages?.[0] ?? "",
      })),
    fault: broken === undefined ? null : `${broken.name}: ${broken.message}`,
  };
};
