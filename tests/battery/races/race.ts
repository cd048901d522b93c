/** A race: the meetings of one pair, in many orders of their calls. Each outcome is compared with both serial ones. */
import type { Random } from "../../support/battery.ts";
import { GAME_MASTERS } from "../game.ts";
import { EXCUSES, killedIn, ofPlayers, turnedAway, withoutCall } from "./excuses.ts";
import type { Meeting } from "./meetings.ts";
import type { Kind } from "./operations.ts";
import { areSame, differences, type Facts } from "./outcomes.ts";
import type { RaceEnvironment } from "./play.ts";
import { newSchedules, type Schedules, type Walk } from "./schedules.ts";
import { type Choose, letterOf } from "./turns.ts";

/** A meeting, and the outcomes that are permitted. */
interface Course {
  meeting: Meeting;
  schedules: Schedules;
  /** The outcomes of A and then B, and of B and then A. */
  serial: Facts[];
  /** Further outcomes that were played for comparison, by name. */
  found: Map<string, Facts>;
}

/** The result of a race. */
export interface Raced {
  ran: number;
  /** Whether these were all schedules. */
  isAll: boolean;
  meetings: number;
  /** Meetings of which every relevant schedule has run. */
  decided: number;
  /** How often each excuse was needed. */
  excused: Map<string, number>;
  /** Descriptions of the failures. */
  failures: string[];
}

const describeRun = ({ operations, state }: Meeting, walk: Walk): string[] => [
  `A: ${operations[0].name}`,
  `B: ${operations[1].name}`,
  `the game is ${state}; call by call:`,
  ...walk.steps.map(({ name, what }) => `    ${name} ${what}`),
];

/** The callers of both operations. */
const callersIn = ({ operations }: Meeting): string[] =>
  GAME_MASTERS.map((master, at) => operations[at]?.by ?? master);

/** The excuses with which two outcomes are equal; `null` if they are not. */
const excusesFor = ({ meeting }: Course, facts: Facts, expected: Facts): string[] | null => {
  const taken: string[] = [];
  const callers = callersIn(meeting);
  let [is, should] = [facts, expected];
  for (const { name, concerns, apply } of EXCUSES) {
    if (!concerns(...meeting.operations)) continue;
    const [barer, barest] = [apply(is, callers), apply(should, callers)];
    // An excuse without an effect is not counted.
    if (differences(barer, barest).length < differences(is, should).length) taken.push(name);
    [is, should] = [barer, barest];
  }
  return areSame(is, should) ? taken : null;
};

/** The calls that authenticate: sessions, player and game, read together. */
const DOOR = 3;
/** Operations that end sessions. A request that was authenticated before continues. */
const ENDING: readonly Kind[] = ["change_password", "delete_player", "ban"];
const BULK: Kind = "kill_all_not_at_checkpoint";

/** The first operation is authenticated, then the other one runs, then the first one continues. */
const letIn =
  (which: number): Choose =>
  (waiting) => {
    const own = waiting.filter(({ who }) => who === which);
    const atDoor = own.filter(({ name }) => Number(name.slice(1)) <= DOOR);
    const [next] = [...atDoor, ...waiting.filter(({ who }) => who !== which), ...own];
    if (next === undefined) throw new Error("nothing waits");
    return next;
  };

/**
 * Runs a race.
 * @param most the maximum number of schedules
 */
export const race = async (
  ring: RaceEnvironment,
  meetings: readonly Meeting[],
  most: number,
  random: Random,
): Promise<Raced> => {
  const courses = meetings.map(
    (meeting): Course => ({ meeting, schedules: newSchedules(random), serial: [], found: new Map() }),
  );
  const excused = new Map<string, number>();
  const failures: string[] = [];
  let ran = 0;

  const count = (name: string): void => {
    excused.set(name, (excused.get(name) ?? 0) + 1);
  };

  const find = async (
    { found }: Course,
    name: string,
    how: () => Promise<{ facts: Facts }>,
  ): Promise<Facts> => {
    const facts = found.get(name) ?? (await how()).facts;
    found.set(name, facts);
    return facts;
  };

  /** The permitted outcomes: of a serial order, or with one operation authenticated before the other one ran. */
  const expectedIn = async (course: Course): Promise<Facts[]> => {
    const { meeting, serial } = course;
    const isEnding = meeting.operations.some(({ kind }) => ENDING.includes(kind));
    const sideBySide = (which: number) =>
      find(course, `${letterOf(which)} let in`, () => ring.sideBySide(meeting, letIn(which)));
    return isEnding ? [...serial, await sideBySide(0), await sideBySide(1)] : serial;
  };

  /** Whether bulk work came before the other operation and again after it. */
  const isBeforeAndAfter = async (course: Course, facts: Facts): Promise<boolean> => {
    const { meeting } = course;
    const bulk = meeting.operations.findIndex(({ kind }) => kind === BULK);
    if (bulk < 0) return false;
    const again = await find(course, "again", () => ring.inTurn(meeting, [bulk, 1 - bulk, bulk]));
    const { reported, recorded } = killedIn(facts, bulk);
    const excuses = excusesFor(course, ofPlayers(facts, bulk), ofPlayers(again, bulk));
    if (reported !== recorded || excuses === null) return false;
    for (const name of ["players who are revived in between are killed again", ...excuses]) count(name);
    return true;
  };

  /** The errors of an outcome; none if it is permitted. */
  const wrongWith = async (course: Course, facts: Facts): Promise<string[]> => {
    const { meeting, serial } = course;
    const away = turnedAway(facts);
    if (away >= 0) {
      const alone = await find(course, `${letterOf(1 - away)} alone`, () => ring.inTurn(meeting, [1 - away]));
      const rest = withoutCall(facts, away);
      return areSame(rest, alone) ? [] : ["held against the other alone:", ...differences(rest, alone)];
    }
    for (const [at, one] of (await expectedIn(course)).entries()) {
      const excuses = excusesFor(course, facts, one);
      if (excuses === null) continue;
      if (at >= serial.length) count("a caller who was authenticated before");
      for (const name of excuses) count(name);
      return [];
    }
    if (await isBeforeAndAfter(course, facts)) return [];
    const held = [...serial.entries()].map(([at, one]): [string, Facts] => [
      at === 0 ? "A and then B" : "B and then A",
      one,
    ]);
    return [...held, ...course.found].flatMap(([name, one]) => [
      `held against ${name}:`,
      ...differences(facts, one).map((line) => `    ${line}`),
    ]);
  };

  const run = async (course: Course, first?: number): Promise<void> => {
    const { meeting, schedules, serial } = course;
    const walk = schedules.walk(first);
    const { facts, faults } = await ring.sideBySide(meeting, walk.choose).catch((error: unknown) => {
      throw new Error([String(error), ...describeRun(meeting, walk)].join("\n"), { cause: error });
    });
    walk.end();
    // The table of an outcome that is like a serial one is as consistent as that one's.
    const isSerial = serial.some((one) => areSame(one, facts));
    const wrong = isSerial ? [] : faults();
    if (first !== undefined) serial.push(facts);
    else if (!isSerial) wrong.push(...(await wrongWith(course, facts)));
    if (wrong.length > 0) failures.push([...describeRun(meeting, walk), ...wrong].join("\n"));
    ran += 1;
  };

  for (const course of courses) {
    await run(course, 0);
    await run(course, 1);
  }
  const left = () => courses.filter(({ schedules }) => !schedules.isDone());
  for (let nth = 0; ran < most && left().length > 0; nth += 1) {
    const open = left().filter(({ schedules }) => schedules.isOpen());
    const some = open.length > 0 ? open : left();
    const course = some[nth % some.length];
    if (course !== undefined) await run(course);
  }
  return {
    ran,
    isAll: left().length === 0,
    meetings: courses.length,
    decided: courses.filter(({ schedules }) => !schedules.isOpen()).length,
    excused,
    failures,
  };
};
