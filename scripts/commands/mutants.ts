/** `npm run test:mutants`: plants bugs, by hand and by Stryker, and counts those that the tests do not find. */
import { appendFile } from "node:fs/promises";
import { parseArgs } from "node:util";
import type { Bug } from "../../tests/mutants/bug.ts";
import { rotten } from "../../tests/mutants/equivalent.ts";
import { type Planted, plant, requireGreen, requirePlaces } from "../../tests/mutants/plant.ts";
import { PLANTED } from "../../tests/mutants/planted.ts";
import { GROUPS, type Mutant, mutate, requireStryker, scoreOf } from "../../tests/mutants/stryker.ts";
import { endTests } from "../../tests/mutants/tests.ts";
import { copyTree, type Tree } from "../../tests/mutants/tree.ts";
import { runCommand, UserError } from "../cli/userError.ts";

const HELP = `Plants bugs in copies of the working tree, and runs the tests that have to find them.

  npm run test:mutants                        both parts below
  npm run test:mutants -- planted             bugs thought of by people, each with what a club would suffer from it
  npm run test:mutants -- stryker             every small change that Stryker can think of, in lib/domain and lib/auth
  npm run test:mutants -- planted --only a-corpse-can-be-cured
  npm run test:mutants -- stryker --only rules
  npm run test:mutants -- planted --list      what there is, and by which tests each is to be found

  --only NAME      one of them; may be given again
  --list           names them, and runs nothing
  --workers N      so many at a time; 2 unless said
  --incremental    Stryker tries again only what has changed since its last run, and what it knows of that

A planted bug counts as killed when one of its own tests fails; a test that cannot be loaded, or runs out of time, has
found nothing. Stryker's survivors that change nothing anybody could see are in tests/mutants/equivalent.ts.
Exits with 1 when a bug survives. Stryker comes from npm on first use, into tests/mutants/node_modules.
`;

const PARTS = ["planted", "stryker"] as const;
type Part = (typeof PARTS)[number];

interface Options {
  only: readonly string[];
  workers: number;
  incremental: boolean;
}

const trees = new Set<Tree>();

const withTree = async <T>(work: (tree: Tree) => Promise<T>): Promise<T> => {
  const tree = await copyTree();
  trees.add(tree);
  try {
    return await work(tree);
  } finally {
    await tree.remove();
    trees.delete(tree);
  }
};

/** Those of these names, or all. @throws UserError for a name that nobody has */
const chosen = <T extends { name: string }>(all: readonly T[], only: readonly string[]): readonly T[] => {
  const unknown = only.find((name) => !all.some((one) => one.name === name));
  if (unknown !== undefined) throw new UserError(`There is no ${unknown} here: --list names them.`);
  return only.length === 0 ? all : all.filter(({ name }) => only.includes(name));
};

/** For the battery's document, where that asks for it. */
const record = async (
  name: string,
  cases: number,
  of: string,
  began: number,
  more: string,
): Promise<void> => {
  const file = process.env.BATTERY_RECORD;
  const seconds = Math.round((Date.now() - began) / 1_000);
  if (file !== undefined) {
    await appendFile(file, `${JSON.stringify({ name, cases, of, seed: 0, seconds, more })}\n`);
  }
};

const percent = (part: number, all: number): string => `${((100 * part) / Math.max(1, all)).toFixed(1)} %`;

const list = (title: string, lines: readonly string[]): void => {
  if (lines.length > 0) console.log([`\n${title}:`, ...lines.map((line) => `  ${line}`)].join("\n"));
};

/** @returns whether every bug was found */
const runPlanted = async ({ only, workers }: Options): Promise<boolean> => {
  const bugs = chosen(PLANTED, only);
  const began = Date.now();
  const results: Planted[] = [];
  const waiting = bugs.values();
  const worker = (tree: Tree): Promise<void> =>
    (async () => {
      for (const bug of waiting) {
        const planted = await plant(tree, bug);
        results.push(planted);
        const { fate, seconds, why } = planted;
        const place = `${results.length}/${bugs.length}`.padStart(7);
        console.log(`${place}  ${fate.padEnd(8)} ${seconds.toFixed(1).padStart(5)} s  ${bug.name}`);
        console.log(`${" ".repeat(29)}${why.split("\n", 1)[0]?.slice(0, 160)}`);
      }
    })();
  const first = await withTree(async (tree) => {
    await requirePlaces(tree, bugs);
    const green = await requireGreen(tree, bugs);
    console.log(`${bugs.length} planted bugs; their ${green} tests are green without them.`);
    const more = Array.from({ length: Math.min(workers, bugs.length) - 1 }, () => withTree(worker));
    return Promise.all([worker(tree), ...more]);
  });
  void first;
  const killed = results.filter(({ fate }) => fate === "killed");
  const rooms = Map.groupBy(results, ({ bug }) => bug.file.split("/").slice(0, 2).join("/"));
  console.log("");
  for (const [room, all] of [...rooms].sort()) {
    const dead = all.filter(({ fate }) => fate === "killed").length;
    console.log(
      `  ${room.padEnd(12)} ${String(dead).padStart(3)} of ${String(all.length).padStart(3)} killed`,
    );
  }
  const told = ({ bug, why }: Planted): string => `${bug.name} (${bug.file}): ${bug.harm}\n    ${why}`;
  list("Survived", results.filter(({ fate }) => fate === "survived").map(told));
  list("Show nothing", results.filter(({ fate }) => fate === "broken").map(told));
  const score = percent(killed.length, results.length);
  console.log(`\nPlanted by hand: ${killed.length} of ${results.length} killed, ${score}.`);
  await record("planted by hand", killed.length, "bugs killed", began, `of ${results.length}, ${score}`);
  return killed.length === results.length;
};

/** @returns whether no mutant that anybody could see survived */
const runStryker = async ({ only, workers, incremental }: Options): Promise<boolean> => {
  await requireStryker();
  const began = Date.now();
  const groups = chosen(GROUPS, only);
  const all: Mutant[] = [];
  for (const group of groups) {
    console.log(`Stryker: ${group.name}`);
    all.push(...(await withTree((tree) => mutate(tree, group, { workers, incremental }))));
  }
  const files = Map.groupBy(all, ({ file }) => file);
  console.log("\n  killed  timed out  survived  equivalent  invalid  score");
  const row = (name: string, mutants: readonly Mutant[]): void => {
    const { killed, timedOut, survived, equivalent, invalid } = scoreOf(mutants);
    const dead = killed + timedOut;
    const cells = [killed, timedOut, survived, equivalent, invalid].map((count, at) =>
      String(count).padStart([8, 11, 10, 12, 9][at] ?? 9),
    );
    console.log(`${cells.join("")}  ${percent(dead, dead + survived).padStart(7)}  ${name}`);
  };
  for (const [file, mutants] of [...files].sort()) row(file, mutants);
  row("all", all);
  const survivors = all.filter(({ fate }) => fate === "survived");
  list(
    "Survived",
    survivors.map(({ file, line, mutator, text, replacement }) => {
      return `${file}:${line} ${mutator}: ${JSON.stringify(text)} -> ${JSON.stringify(replacement)}`;
    }),
  );
  const odd = rotten(all);
  list("On the list of those that change nothing, and wrongly", odd);
  const { killed, timedOut, survived, equivalent } = scoreOf(all);
  const dead = killed + timedOut;
  const score = percent(dead, dead + survived);
  console.log(`\nStryker: ${dead} of ${dead + survived} killed, ${score}; ${equivalent} change nothing.`);
  await record("Stryker", dead, "mutants killed", began, `of ${dead + survived}, ${score}`);
  return survived === 0 && odd.length === 0;
};

const RUN: Record<Part, (options: Options) => Promise<boolean>> = {
  planted: runPlanted,
  stryker: runStryker,
};

const listPart = (part: Part, only: readonly string[]): void => {
  if (part === "stryker") {
    for (const { name, mutate: files, tests } of chosen(GROUPS, only)) {
      console.log(`${name}: ${files.join(" ")}\n    by ${tests.join(", ")}`);
    }
    return;
  }
  for (const { name, file, by, harm } of chosen<Bug>(PLANTED, only)) {
    const tests = by.map(([test, words]) => `${test}: ${words}`);
    console.log(`${name} (${file})\n    ${harm}\n    by ${tests.join("\n       ")}`);
  }
};

const isPart = (text: string): text is Part => PARTS.some((part) => part === text);

const main = async (): Promise<number> => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: "boolean", default: false },
      list: { type: "boolean", default: false },
      only: { type: "string", multiple: true, default: [] },
      workers: { type: "string", default: "2" },
      incremental: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const wanted = positionals.map((text) => {
    if (isPart(text)) return text;
    throw new UserError(`There is no part ${text}: say ${PARTS.join(" or ")}.`);
  });
  if (values.only.length > 0 && wanted.length !== 1) throw new UserError("--only is of one part: say which.");
  if (!/^[1-9]\d?$/.test(values.workers)) throw new UserError("--workers is a number from 1 on.");
  const parts = wanted.length > 0 ? wanted : PARTS;
  const { only, incremental } = values;
  if (values.list) {
    for (const part of parts) listPart(part, only);
    return 0;
  }
  let isClean = true;
  for (const part of parts) {
    const isPartClean = await RUN[part]({ only, incremental, workers: Number(values.workers) });
    isClean = isClean && isPartClean;
  }
  return isClean ? 0 : 1;
};

process.once("SIGINT", () => {
  endTests();
  void Promise.all([...trees].map(({ remove }) => remove())).finally(() => process.exit(130));
});
await runCommand(main);
