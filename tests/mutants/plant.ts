/** Plants bugs, one at a time, and sees whether the tests notice. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { UserError } from "../../scripts/cli/userError.ts";
import { type Bug, editFault, editsOf, type Killer } from "./bug.ts";
import { type Ran, runTests } from "./tests.ts";
import type { Tree } from "./tree.ts";

/** `broken`: red for another reason than a test that found the bug, which shows nothing. */
export type Fate = "killed" | "survived" | "broken";

export interface Planted {
  bug: Bug;
  fate: Fate;
  /** The test that found it, or what was wrong. */
  why: string;
  seconds: number;
}

/** The list must fit the code as it is. @throws UserError naming every bug that does not */
export const requirePlaces = async (tree: Tree, bugs: readonly Bug[]): Promise<void> => {
  const faults: string[] = [];
  const names = new Set<string>();
  for (const bug of bugs) {
    if (names.has(bug.name)) faults.push(`${bug.name}: there are two of this name`);
    names.add(bug.name);
    if (bug.by.length === 0) faults.push(`${bug.name}: no test is named`);
    const source = await readFile(join(tree.folder, bug.file), "utf8").catch(() => "");
    for (const edit of editsOf(bug)) {
      const fault = editFault(source, edit);
      if (fault !== null) faults.push(`${bug.name}: ${bug.file}: ${fault}`);
    }
  }
  if (faults.length > 0) throw new UserError(`The code has moved on:\n${faults.join("\n")}`);
};

/** What is wrong with the tests that are to find bugs, while there is none; and how many are green. */
const look = async (tree: Tree, killers: readonly Killer[]) => {
  const { passed, failed, fault } = await runTests(tree, killers, true);
  const missing = killers.filter(([, name]) => !passed.some((test) => test.includes(name)));
  const faults = [
    ...failed.map(({ test, message }) => `is red without any bug: ${test}: ${firstLine(message)}`),
    ...missing.map(([file, name]) => `is not there, or was not run: ${file}: ${name}`),
    // A file that counts its tests misses those that were left out.
    ...(missing.length === 0 || fault === null ? [] : [fault]),
  ];
  const red = killers.filter(([, name]) => failed.some(({ test }) => test.includes(name)));
  return { green: passed.length, faults, again: [...missing, ...red] };
};

/** Every test that is to find a bug is there, and green without one. @throws UserError otherwise */
export const requireGreen = async (tree: Tree, bugs: readonly Bug[]): Promise<number> => {
  const killers = new Map(bugs.flatMap(({ by }) => by.map((one): [string, Killer] => [one.join(" "), one])));
  const { green, faults, again } = await look(tree, [...killers.values()]);
  // A machine with much else to do may have kept one waiting too long: such a one is green by itself.
  const left = again.length === 0 ? faults : (await look(tree, again)).faults;
  if (left.length > 0) throw new UserError(`The tests are not as they should be:\n${left.join("\n")}`);
  return green;
};

const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";

/** A bug that cannot even be loaded is none, and time that ran out has found nothing. */
const NO_TEST =
  /^(SyntaxError|ReferenceError|RolldownError|TransformError)\b|Cannot find (module|package)|timed out in/;

const judge = ({ passed, failed, fault }: Ran): Pick<Planted, "fate" | "why"> => {
  const found = failed.find(({ message }) => !NO_TEST.test(firstLine(message)));
  if (found !== undefined) return { fate: "killed", why: `${found.test}: ${firstLine(found.message)}` };
  const [odd] = failed;
  if (odd !== undefined) return { fate: "broken", why: `${odd.test}: ${firstLine(odd.message)}` };
  return passed.length > 0
    ? { fate: "survived", why: `${passed.length} tests are green` }
    : { fate: "broken", why: fault ?? "no test was run" };
};

/** Plants a bug, runs its tests, and takes it out again. */
export const plant = async (tree: Tree, bug: Bug): Promise<Planted> => {
  const path = join(tree.folder, bug.file);
  const before = await readFile(path, "utf8");
  const after = editsOf(bug).reduce((text, { find, replace }) => text.replace(find, () => replace), before);
  const began = Date.now();
  await writeFile(path, after);
  try {
    const ran = await runTests(tree, bug.by);
    return { bug, ...judge(ran), seconds: (Date.now() - began) / 1_000 };
  } finally {
    await writeFile(path, before);
  }
};
