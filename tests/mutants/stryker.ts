/** Stryker: every small change that it can think of, group by group, and which of them the tests did not find. */
import { access, mkdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import * as z from "zod/mini";
import { UserError } from "../../scripts/cli/userError.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { isEquivalent } from "./equivalent.ts";
import { runIn } from "./tests.ts";
import type { Tree } from "./tree.ts";

/** Sources that the same tests are about. */
export interface Group {
  name: string;
  mutate: readonly string[];
  /** In the order in which they run: the quickest first. */
  tests: readonly string[];
}

const of = (name: string, ...tests: string[]): Group => ({
  name,
  mutate: [`lib/domain/${name}.ts`],
  tests: tests.map((test) => `tests/unit/${test}.test.ts`),
});

const auth = (files: readonly string[], ...tests: string[]): Group => ({
  name: `auth-${files[0]}`,
  mutate: files.map((file) => `lib/auth/${file}.ts`),
  tests: tests.map((test) => `tests/${test}.test.ts`),
});

/** All but the list of common passwords, which has no rules in it. */
export const GROUPS: readonly Group[] = [
  of("alias", "alias"),
  of("ancestry", "record"),
  of("announcement", "announcement", "shapes"),
  of("batches", "refusal"),
  of("checkpoint", "checkpoint"),
  of("clock", "cuts", "shapes", "clock"),
  of("hunt", "transitions", "hunt"),
  of("interaction", "shapes"),
  of("kills", "players", "hunt", "void"),
  of("leaderboard", "record"),
  of("meals", "players", "hunt", "void", "proposed"),
  of("player", "players", "cuts", "shapes"),
  of("push", "refusal", "shapes"),
  of("refusal", "refusal"),
  of("rotation", "deploymentKeys"),
  of("season", "season"),
  of("tagCode", "record"),
  of("throttle", "shapes", "throttle"),
  of("time", "cuts", "record"),
  of("transitions", "transitions", "players", "cuts", "hunt", "proposed", "void"),
  of("void", "void"),
  auth(["token", "sessions"], "unit/secrets", "unit/accounts", "behaviour/accounts"),
  auth(
    ["password", "recovery"],
    "unit/secrets",
    "unit/recovery",
    "unit/accounts",
    "behaviour/administration",
  ),
  auth(
    ["accounts"],
    ...["unit/accounts", "behaviour/inside/administrators", "behaviour/inside/admission"],
    ...["behaviour/accounts", "behaviour/administration"],
  ),
  auth(["admit"], "behaviour/inside/admission", "contract/access"),
  auth(
    ["attempts", "addresses", "passwordChange"],
    ...["unit/throttle", "behaviour/inside/attempts", "behaviour/inside/throttles"],
    ...["behaviour/throttles", "behaviour/accounts", "behaviour/administration"],
  ),
];

/** `timedOut` has been found as well; `invalid` does not even load. */
export type MutantFate = "killed" | "timedOut" | "survived" | "equivalent" | "invalid";

export interface Mutant {
  file: string;
  line: number;
  /** That line, without its indentation. */
  at: string;
  mutator: string;
  /** What stood there. */
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
      const mutant = {
        ...{ file: name, line: start.line, at: (source.split("\n")[start.line - 1] ?? "").trim() },
        ...{ mutator, text: textBetween(source, start, end), replacement },
      };
      return { ...mutant, fate: fate === "survived" && isEquivalent(mutant) ? "equivalent" : fate };
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

/** How many of which fate. */
export const scoreOf = (mutants: readonly Mutant[]): Record<MutantFate, number> => {
  const counts = { killed: 0, timedOut: 0, survived: 0, equivalent: 0, invalid: 0 };
  for (const { fate } of mutants) counts[fate] += 1;
  return counts;
};
