/** Mutation tests by Stryker, group by group. */
import { existsSync, globSync } from "node:fs";
import { mkdir, readFile, rm, symlink } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { spawnChild } from "../../scripts/cli/childProcess.ts";
import { UserError } from "../../scripts/cli/userError.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { copyTree as copyProject } from "../support/copiedTree.ts";
import { sampleOf } from "./sample.ts";

/** A folder of `lib` that holds rules. */
export interface Group {
  /** The name of the folder. */
  name: string;
  /** Globs of its source files. */
  mutate: readonly string[];
}

const group = (name: string, files = "**/*"): Group => ({ name, mutate: [`lib/${name}/${files}.ts`] });

export const GROUPS: readonly Group[] = [
  group("domain", "!(schemas)"),
  group("auth", "!(commonPasswords)"),
  group("store"),
  group("app"),
  group("http"),
  group("push"),
];

/** The share of its mutants that each group must kill. */
export const MIN_SCORE = 0.9;

/** Unit tests of scripts, processes and pages. */
const OTHERS = /(architecture|cloud|cost|deploy|doctor|Files|platforms|Source|scale|simulate|watch|web)/;
const testsIn = (folder: string): string[] => globSync(`tests/${folder}/*.test.ts`, { cwd: ROOT }).sort();

/** The tests of which one must fail for each mutant, in their order. Stryker runs only those that reach its line. */
export const TESTS: readonly string[] = [
  ...testsIn("unit").filter((name) => !OTHERS.test(name)),
  ...["input", "responses", "access", "record"].map((name) => `tests/contract/${name}.test.ts`),
  ...testsIn("behaviour"),
  ...["time", "visibility", "previews", "model", "faults", "races"].map((n) => `tests/battery/${n}.test.ts`),
];

/** `timedOut` counts as killed; an `invalid` mutant does not load. */
export type MutantStatus = "killed" | "timedOut" | "survived" | "invalid";

export interface Mutant {
  file: string;
  line: number;
  mutator: string;
  /** The line of which a part was replaced. */
  text: string;
  replacement: string;
  status: MutantStatus;
}

const FOLDER = join(ROOT, "tests/mutants");
const PROGRAM = "tests/mutants/node_modules/@stryker-mutator/core/bin/stryker.js";

/** Runs a command in a folder, with its output on this terminal. @throws UserError when it fails */
const run = async (cwd: string, [program = "", ...args]: readonly string[], env = process.env) => {
  const child = await spawnChild([program, ...args], { cwd, env, onLine: (line) => console.log(line) });
  const how = await child.ended;
  if (how !== "exit code 0") throw new UserError(`${program} ${args[0]} ended with ${how}.`);
};

/** Installs Stryker from npm unless it is installed. @throws UserError when npm fails */
export const requireStryker = async (): Promise<void> => {
  if (existsSync(join(ROOT, PROGRAM))) return;
  console.log("Installing Stryker into tests/mutants/node_modules.");
  await run(FOLDER, ["npm", "ci", "--ignore-scripts"]);
};

/** The fields of Stryker's report that are read here (mutation-testing-report-schema). */
const ReportedMutant = z.object({
  mutatorName: z.string(),
  replacement: z._default(z.string(), ""),
  status: z.string(),
  location: z.object({ start: z.object({ line: z.int() }) }),
});
const ReportedFile = z.object({ source: z.string(), mutants: z.array(ReportedMutant) });
const Report = z.object({ files: z.record(z.string(), ReportedFile) });

const STATUSES: Readonly<Record<string, MutantStatus>> = {
  Killed: "killed",
  Timeout: "timedOut",
  Survived: "survived",
  NoCoverage: "survived",
  CompileError: "invalid",
  RuntimeError: "invalid",
};

const readReport = async (path: string): Promise<Mutant[]> => {
  const { files } = Report.parse(JSON.parse(await readFile(path, "utf8")));
  return Object.entries(files).flatMap(([file, { source, mutants }]) => {
    const lines = source.split("\n");
    return mutants.map(({ mutatorName: mutator, replacement, status: reported, location }): Mutant => {
      const { line } = location.start;
      const status = STATUSES[reported];
      if (status === undefined) throw new UserError(`Stryker reports an unknown status: ${reported}.`);
      return { file, line, mutator, text: lines[line - 1]?.trim() ?? "", replacement, status };
    });
  });
};

/** Copies the working tree, uncommitted changes included, for Stryker to change; the caller removes it. */
export const copyTree = async () => {
  const { root: folder, remove } = await copyProject();
  await symlink(join(FOLDER, "node_modules"), join(folder, "tests/mutants/node_modules"));
  return { folder, remove };
};
export type Tree = Awaited<ReturnType<typeof copyTree>>;

/** How groups are run. */
export interface Options {
  /** How many mutants are tested in parallel. */
  workers: number;
  /** Whether only mutants of code or tests that changed since the last run are tested. */
  incremental: boolean;
  /** How many mutants of each group are tested, chosen at random; all without it. */
  sample?: number | undefined;
  /** The seed of the choice. */
  seed: number;
}

/** Runs Stryker once on some groups. @returns every mutant with its status @throws UserError when Stryker fails */
export const mutate = async (
  tree: Tree,
  groups: readonly Group[],
  { workers, incremental, sample, seed }: Options,
): Promise<Mutant[]> => {
  const cache = join(FOLDER, ".stryker");
  await mkdir(cache, { recursive: true });
  const earlier = join(cache, "incremental.json");
  // Stryker adds the results of earlier runs to its report.
  if (!incremental) await rm(earlier, { force: true });
  const report = join(tree.folder, "stryker-report.json");
  await rm(report, { force: true });
  const chosen = groups.map(({ mutate: globs }) =>
    sample === undefined ? globs : sampleOf(tree.folder, globs, sample, seed),
  );
  const sources = (await Promise.all(chosen)).flat();
  await run(
    tree.folder,
    [
      ...[process.execPath, PROGRAM, "run", "tests/mutants/stryker.config.json"],
      ...["--mutate", sources.join(",")],
      ...["--concurrency", String(workers)],
      ...["--incremental", "--incrementalFile", earlier],
    ],
    // In Stryker's worker threads a test cannot set its time zone, and the model needs one with daylight saving time.
    { ...process.env, MUTANT_TESTS: TESTS.join(","), TEST_SCALE: "", TZ: "Europe/Berlin" },
  );
  return readReport(report);
};

/** Counts mutants by status. */
export const scoreOf = (mutants: readonly Mutant[]): Record<MutantStatus, number> => {
  const counts = { killed: 0, timedOut: 0, survived: 0, invalid: 0 };
  for (const { status } of mutants) counts[status] += 1;
  return counts;
};
