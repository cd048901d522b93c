/** A race: the variants of one pair, in many orders of their calls. Each outcome is compared with both serial ones. */
import type { Random } from "../../support/battery.ts";
import { GAME_MASTERS } from "../game.ts";
import { ALLOWED, findBusy, killedIn, ofPlayers, withoutOperation } from "./allowedDifferences.ts";
import { areSame, differences, type Facts } from "./outcomes.ts";
import type { RaceEnvironment } from "./play.ts";
import { newSchedules, type Schedules } from "./schedules.ts";
import { type Choose, inWords, letterOf, type Waiting } from "./turns.ts";
import type { Variant } from "./variants.ts";

/** A variant, and the outcomes that are permitted. */
interface Trial {
  variant: Variant;
  schedules: Schedules;
  /** The outcomes of A and then B, and of B and then A. */
  serial: Facts[];
  /** Further outcomes that were played for comparison, by name. */
  played: Map<string, Facts>;
}

const describeRun = ({ operations, state }: Variant, steps: readonly Waiting[]): string[] => [
  ...operations.map(({ name }, at) => `${letterOf(at)}: ${name}`),
  `the game is ${state}; call by call:`,
  ...steps.map((step) => `    ${inWords(step)}`),
];

/** The callers of both operations. */
const callersIn = ({ operations }: Variant): string[] =>
  GAME_MASTERS.map((master, at) => operations[at]?.by ?? master);

/** The allowed differences between two outcomes; `null` if there are others too. */
const allowedFor = ({ variant }: Trial, facts: Facts, expected: Facts): string[] | null => {
  const taken: string[] = [];
  const callers = callersIn(variant);
  let [is, should] = [facts, expected];
  for (const { name, concerns, apply } of ALLOWED) {
    if (!concerns(...variant.operations)) continue;
    const [less, lessExpected] = [apply(is, callers), apply(should, callers)];
    // A difference without an effect is not counted.
    if (differences(less, lessExpected).length < differences(is, should).length) taken.push(name);
    [is, should] = [less, lessExpected];
  }
  return areSame(is, should) ? taken : null;
};

/** The calls that authenticate: sessions, player and game, read together. */
const AUTHENTICATING_CALLS = 3;
/** Operations that end sessions. A request that was authenticated before continues. */
const SESSION_ENDING: readonly string[] = [
  "change_password",
  "set_by_link",
  "accept",
  "delete_player",
  "ban",
];
const BULK_KINDS: readonly string[] = ["kill_all_not_at_checkpoint", "enforce_missions"];

/** One operation is authenticated, then the other one runs, then the first one continues. */
const authenticateFirst =
  (which: number): Choose =>
  (waiting) => {
    const own = waiting.filter(({ operation }) => operation === which);
    const authenticating = own.filter(({ name }) => Number(name.slice(1)) <= AUTHENTICATING_CALLS);
    const [next] = [...authenticating, ...waiting.filter(({ operation }) => operation !== which), ...own];
    if (next === undefined) throw new Error("nothing waits");
    return next;
  };

/**
 * Runs a race.
 * @param maxRuns the maximum number of schedules
 * @param maxFurther the maximum number after every relevant one. They test that the others make no difference
 */
export const race = async (
  { concurrently, inOrder }: RaceEnvironment,
  variants: readonly Variant[],
  { maxRuns, maxFurther }: { maxRuns: number; maxFurther: number },
  random: Random,
) => {
  const trials = variants.map(
    (variant): Trial => ({ variant, schedules: newSchedules(random), serial: [], played: new Map() }),
  );
  const allowances: string[] = [];
  const failures: string[] = [];
  let ran = 0;

  const playOnce = async (
    { played }: Trial,
    name: string,
    how: () => Promise<{ facts: Facts }>,
  ): Promise<Facts> => {
    const facts = played.get(name) ?? (await how()).facts;
    played.set(name, facts);
    return facts;
  };

  /** The permitted outcomes: of a serial order, or with one operation authenticated before the other one ran. */
  const expectedIn = async (trial: Trial): Promise<Facts[]> => {
    const { variant, serial } = trial;
    const endsSessions = variant.operations.some(({ kind }) => SESSION_ENDING.includes(kind));
    const authenticated = (which: number) =>
      playOnce(trial, `${letterOf(which)} authenticated first`, () =>
        concurrently(variant, authenticateFirst(which)),
      );
    return endsSessions ? [...serial, await authenticated(0), await authenticated(1)] : serial;
  };

  /** Whether bulk work came before the other operation and again after it. */
  const isBeforeAndAfter = async (trial: Trial, facts: Facts): Promise<boolean> => {
    const { variant } = trial;
    const bulk = variant.operations.findIndex(({ kind }) => BULK_KINDS.includes(kind));
    if (bulk < 0) return false;
    const again = await playOnce(trial, "bulk, other, bulk", () => inOrder(variant, [bulk, 1 - bulk, bulk]));
    const { reported, recorded } = killedIn(facts, bulk);
    const allowed = allowedFor(trial, ofPlayers(facts, bulk), ofPlayers(again, bulk));
    if (reported !== recorded || allowed === null) return false;
    allowances.push("a revived player killed again", ...allowed);
    return true;
  };

  /** The errors of an outcome; none if it is permitted. */
  const errorsOf = async (trial: Trial, facts: Facts): Promise<string[]> => {
    const { variant, serial } = trial;
    const busy = findBusy(facts);
    if (busy >= 0) {
      const alone = await playOnce(trial, `${letterOf(1 - busy)} alone`, () => inOrder(variant, [1 - busy]));
      const rest = withoutOperation(facts, busy);
      return areSame(rest, alone) ? [] : ["compared with the other alone:", ...differences(rest, alone)];
    }
    for (const [at, one] of (await expectedIn(trial)).entries()) {
      const allowed = allowedFor(trial, facts, one);
      if (allowed === null) continue;
      allowances.push(...(at >= serial.length ? ["authenticated requests that continue"] : []), ...allowed);
      return [];
    }
    if (await isBeforeAndAfter(trial, facts)) return [];
    const [first = {}, second = {}] = serial;
    const others = [["A and then B", first] as const, ["B and then A", second] as const, ...trial.played];
    return others.flatMap(([name, one]) => [
      `compared with ${name}:`,
      ...differences(facts, one).map((line) => `    ${line}`),
    ]);
  };

  const run = async (trial: Trial, first?: number): Promise<void> => {
    const { variant, schedules, serial } = trial;
    const walk = schedules.walk(first);
    const { facts, faults } = await concurrently(variant, walk.choose).catch((error: unknown) => {
      throw new Error([String(error), ...describeRun(variant, walk.steps)].join("\n"), { cause: error });
    });
    walk.end();
    // The table of an outcome that is like a serial one is as consistent as that one's.
    const isSerial = serial.some((one) => areSame(one, facts));
    const wrong = isSerial ? [] : faults();
    if (first !== undefined) serial.push(facts);
    else if (!isSerial) wrong.push(...(await errorsOf(trial, facts)));
    if (wrong.length > 0) failures.push([...describeRun(variant, walk.steps), ...wrong].join("\n"));
    ran += 1;
  };

  for (const trial of trials) {
    await run(trial, 0);
    await run(trial, 1);
  }
  const left = () => trials.filter(({ schedules }) => !schedules.isDone());
  const isDecided = () => trials.every(({ schedules }) => !schedules.isOpen());
  let further = 0;
  for (let nth = 0; ran < maxRuns && further < maxFurther && left().length > 0; nth += 1) {
    if (isDecided()) further += 1;
    const open = left().filter(({ schedules }) => schedules.isOpen());
    const some = open.length > 0 ? open : left();
    const trial = some[nth % some.length];
    if (trial !== undefined) await run(trial);
  }
  return {
    ran,
    /** Whether these were all schedules. */
    isAll: left().length === 0,
    /** Whether every relevant schedule has run. */
    isDecided: isDecided(),
    /** The name of each difference that was allowed, as often as it was. */
    allowances,
    failures,
  };
};
