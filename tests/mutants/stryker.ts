/** Mutation tests by Stryker, group by group. */
import { access, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { UserError } from "../../scripts/cli/userError.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { runIn } from "./processes.ts";
import type { Tree } from "./tree.ts";

/** Source files with the tests that must fail for a mutant of them. */
export interface Group {
  name: string;
  mutate: readonly string[];
  /** In the order in which they run: the quickest first. */
  tests: readonly string[];
}

const group = (name: string, mutate: readonly string[], tests: readonly string[]): Group => ({
  name,
  mutate: mutate.map((file) => `lib/${file}.ts`),
  tests: tests.map((file) => `tests/${file}.test.ts`),
});

/** The share of its mutants that each group must kill. */
export const LEAST_SCORE = 0.9;

const DOMAIN_TESTS = ["alias", "announcement", "checkpoint", "clock", "cuts", "hunt", "players", "proposed"]
  .concat(["record", "refusal", "season", "shapes", "sweepClock", "throttle", "transitions", "void"])
  .map((name) => `unit/${name}`);

/** One group for each folder of `lib` that holds rules. */
export const GROUPS: readonly Group[] = [
  group("domain", ["domain/!(schemas)"], DOMAIN_TESTS),
  group(
    "auth",
    ["auth/!(commonPasswords)"],
    [
      ...["unit/accounts", "unit/recovery", "unit/secrets", "unit/throttle"],
      ...["behaviour/inside/administrators", "behaviour/inside/admission"],
      ...["behaviour/inside/throttles", "behaviour/accounts", "behaviour/administration"],
    ],
  ),
  group(
    "store",
    ["store/*"],
    [
      ...["unit/changes", "unit/record", "unit/throttle"],
      ...["behaviour/inside/database", "behaviour/inside/edges", "behaviour/inside/stream"],
      ...["behaviour/accounts", "behaviour/notifications", "behaviour/races"],
    ],
  ),
  group(
    "app",
    ["app/**/*"],
    [
      ...["behaviour/accounts", "behaviour/administration", "behaviour/checkpoint"],
      ...["behaviour/notifications", "behaviour/tree", "behaviour/void", "behaviour/inside/bulk"],
      ...["behaviour/inside/sweepHeld", "behaviour/inside/announcements", "behaviour/inside/delivery"],
    ],
  ),
  group(
    "http",
    ["http/*"],
    [
      "unit/border",
      "unit/views",
      "unit/replies",
      "unit/compress",
      "contract/input",
      "contract/answers",
      "contract/access",
    ],
  ),
  group(
    "push",
    ["push/*"],
    ["unit/push", "unit/pushAddress", "unit/pushDelivery", "behaviour/inside/hostilePush"],
  ),
];

/** `timedOut` counts as killed; an `invalid` mutant does not load. */
export type MutantFate = "killed" | "timedOut" | "survived" | "invalid";

export interface Mutant {
  file: string;
  line: number;
  mutator: string;
  /** The source that was replaced. */
  text: string;
  replacement: string;
  fate: MutantFate;
}

const FOLDER = join(ROOT, "tests/mutants");
const PROGRAM = "tests/mutants/node_modules/@stryker-mutator/core/bin/stryker.js";

/** Has npm install Stryker where it is not. @throws UserError when npm cannot */
export const requireStryker = async (): Promise<void> => {
  const isThere = (): Promise<boolean> =>
    access(join(ROOT, PROGRAM)).then(
      () => true,
      () => false,
    );
  if (await isThere()) return;
  console.log("Installing Stryker into tests/mutants/node_modules.");
  const { end, said } = await runIn(FOLDER, ["npm", "ci", "--ignore-scripts"], process.env);
  if (end !== "exit code 0" || !(await isThere())) throw new UserError(`npm ci: ${end}\n${said}`);
};

const Place = z.object({ line: z.int(), column: z.int() });

/** What Stryker writes of a run, as far as it is read here (mutation-testing-report-schema). */
const Report = z.object({
  files: z.record(
    z.string(),
    z.object({
      source: z.string(),
      mutants: z.array(
        z.object({
          mutatorName: z.string(),
          replacement: z._default(z.string(), ""),
          status: z.string(),
          location: z.object({ start: Place, end: Place }),
        }),
      ),
    }),
  ),
});
type Place = z.infer<typeof Place>;

/** The text between two places of a source, which are counted from one. */
const textBetween = (source: string, start: Place, end: Place): string => {
  const lines = source.split("\n").slice(start.line - 1, end.line);
  const last = lines.length - 1;
  return lines
    .map((line, at) =>
      line.slice(at === 0 ? start.column - 1 : 0, at === last ? end.column - 1 : line.length),
    )
    .join("\n");
};

const FATES: Readonly<Record<string, MutantFate>> = {
  Killed: "killed",
  Timeout: "timedOut",
  Survived: "survived",
  NoCoverage: "survived",
  CompileError: "invalid",
  RuntimeError: "invalid",
};

const readReport = async (file: string): Promise<Mutant[]> => {
  const { files } = Report.parse(JSON.parse(await readFile(file, "utf8")));
  return Object.entries(files).flatMap(([name, { source, mutants }]) =>
    mutants.map(({ mutatorName: mutator, replacement, status, location: { start, end } }): Mutant => {
      const fate = FATES[status];
      if (fate === undefined) throw new UserError(`Stryker says of a mutant that it is ${status}.`);
      return {
        file: name,
        line: start.line,
        mutator,
        text: textBetween(source, start, end),
        replacement,
        fate,
      };
    }),
  );
};

/** Has Stryker try every mutant of a group. @throws UserError when it does not come to its end */
export const mutate = async (
  tree: Tree,
  group: Group,
  { workers, incremental }: { workers: number; incremental: boolean },
): Promise<Mutant[]> => {
  const kept = join(FOLDER, ".stryker");
  await mkdir(kept, { recursive: true });
  const report = join(tree.folder, "stryker-report.json");
  await rm(report, { force: true });
  const { end, said } = await runIn(
    tree.folder,
    [
      ...[process.execPath, PROGRAM, "run", "tests/mutants/stryker.config.json"],
      ...["--mutate", group.mutate.join(",")],
      ...["--concurrency", String(workers)],
      ...["--incremental", "--incrementalFile", join(kept, `${group.name}.json`)],
      ...(incremental ? [] : ["--force"]),
    ],
    { ...process.env, MUTANT_TESTS: group.tests.join(","), TEST_SCALE: "" },
    (line) => {
      if (line.startsWith("Mutation testing")) process.stderr.write(`\r\x1b[K${line}`);
    },
  );
  process.stderr.write("\r\x1b[K");
  const mutants = await readReport(report).catch(() => null);
  if (mutants === null) throw new UserError(`Stryker did not come to its end: ${end}\n${said}`);
  return mutants;
};

/** Counts mutants by fate. */
export const scoreOf = (mutants: readonly Mutant[]): Record<MutantFate, number> => {
  const counts = { killed: 0, timedOut: 0, survived: 0, invalid: 0 };
  for (const { fate } of mutants) counts[fate] += 1;
  return counts;
};
