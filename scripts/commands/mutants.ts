/** `npm run test:mutants`: mutation tests by Stryker, with a score for each group. */
import { randomInt } from "node:crypto";
import { appendFile } from "node:fs/promises";
import {
  copyTree,
  GROUPS,
  type Group,
  MIN_SCORE,
  mutate,
  type Options,
  requireStryker,
  scoreOf,
  TESTS,
  type Tree,
} from "../../tests/mutants/stryker.ts";
import { runCommand } from "../cli/command.ts";
import { UserError } from "../cli/userError.ts";

const HELP = `Runs Stryker's mutation tests in a copy of the working tree.

  npm run test:mutants                   all groups
  npm run test:mutants -- domain push    only these groups
  npm run test:mutants -- --list         lists the groups with their sources, and the tests

  --sample N       tests N mutants of each group, chosen at random: all of them take hours
  --seed N         repeats the choice of the run that printed N
  --workers N      number of mutants that are tested in parallel; default 2
  --incremental    tests only mutants of code or tests that changed since the last run

Groups: ${GROUPS.map(({ name }) => name).join(", ")}.
Surviving mutants are listed. The exit code is 1 if the tests kill less than ${MIN_SCORE * 100} % of a group's mutants.
The first run installs Stryker from npm into tests/mutants/node_modules.
`;

let tree: Tree | undefined;

const percent = (part: number, all: number): string => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;

/** Appends the result to the file that `npm run test:battery` reads. */
const record = async (
  name: string,
  killed: number,
  all: number,
  seed: number,
  startedAt: number,
): Promise<void> => {
  const file = process.env.BATTERY_RECORD;
  if (file === undefined) return;
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  const more = `of ${all}, ${percent(killed, all)}`;
  await appendFile(
    file,
    `${JSON.stringify({ name: `mutants, ${name}`, cases: killed, of: "mutants killed", seed, seconds, more })}\n`,
  );
};

/** Runs groups and prints the score and survivors of each. @returns whether all reach the required score */
const run = async (groups: readonly Group[], options: Options): Promise<boolean> => {
  const startedAt = Date.now();
  tree = await copyTree();
  try {
    const mutants = await mutate(tree, groups, options);
    let hasPassed = true;
    for (const { name } of groups) {
      const own = mutants.filter(({ file }) => file.startsWith(`lib/${name}/`));
      const { killed, timedOut, survived, invalid } = scoreOf(own);
      const [detected, all] = [killed + timedOut, killed + timedOut + survived];
      console.log(
        `${name}: ${detected} of ${all} killed, ${percent(detected, all)}; ${timedOut} by a timeout, ${invalid} invalid`,
      );
      for (const { file, line, mutator, text, replacement, status } of own) {
        if (status !== "survived") continue;
        console.log(
          `  ${file}:${line} ${mutator}: ${JSON.stringify(text)} -> ${JSON.stringify(replacement)}`,
        );
      }
      await record(name, detected, all, options.seed, startedAt);
      hasPassed &&= detected >= all * MIN_SCORE;
    }
    return hasPassed;
  } finally {
    await tree.remove();
    tree = undefined;
  }
};

process.once("SIGINT", () => {
  void Promise.resolve(tree?.remove()).finally(() => process.exit(130));
});

const USAGE = {
  help: HELP,
  options: {
    list: { type: "boolean", default: false },
    workers: { type: "string", default: "2" },
    sample: { type: "string" },
    seed: { type: "string" },
    incremental: { type: "boolean", default: false },
  },
  takesNames: true,
} as const;

await runCommand(USAGE, async (values, positionals) => {
  const unknown = positionals.find((name) => !GROUPS.some((group) => group.name === name));
  if (unknown !== undefined)
    throw new UserError(
      `There is no group ${unknown}. The groups are ${GROUPS.map(({ name }) => name).join(", ")}.`,
    );
  if (!/^[1-9]\d?$/.test(values.workers)) throw new UserError("--workers is a number from 1 to 99.");
  const groups = positionals.length === 0 ? GROUPS : GROUPS.filter(({ name }) => positionals.includes(name));
  if (values.list) {
    for (const { name, mutate: globs } of groups) console.log(`${name}: ${globs.join(" ")}`);
    console.log(`tests: ${TESTS.join(", ")}`);
    return 0;
  }
  const { sample } = values;
  if (sample !== undefined && !/^[1-9]\d{0,5}$/.test(sample))
    throw new UserError("--sample is a number from 1 to 999999.");
  const seed = values.seed ?? String(randomInt(1_000_000_000));
  if (!/^\d{1,9}$/.test(seed)) throw new UserError("--seed is a number of up to 9 digits.");
  const options: Options = {
    workers: Number(values.workers),
    incremental: values.incremental,
    sample: sample === undefined ? undefined : Number(sample),
    seed: Number(seed),
  };
  if (sample !== undefined) console.log(`--sample ${sample} --seed ${seed}`);
  await requireStryker();
  return (await run(groups, options)) ? 0 : 1;
});
