/** A race: the meetings of one pair, in one order of their calls after the other, each held against both serial ones. */
import type { Random } from "../../support/battery.ts";
import { EXCUSES, turnedAway, withoutCall } from "./excuses.ts";
import type { Meeting } from "./meetings.ts";
import { areSame, differences, type Facts } from "./outcomes.ts";
import type { Ring } from "./play.ts";
import { newSchedules, type Schedules, type Walk } from "./schedules.ts";

interface Course {
  meeting: Meeting;
  schedules: Schedules;
  /** What comes of A and then B, and of B and then A. */
  serial: Facts[];
  /** What comes of A alone, and of B alone, where somebody has asked. */
  alone: (Facts | undefined)[];
}

/** What came of a race. */
export interface Raced {
  ran: number;
  meetings: number;
  /** Meetings of which every schedule has been that may make a difference. */
  decided: number;
  /** How often each excuse was needed. */
  excused: Map<string, number>;
  /** What must not be, each in words. */
  failures: string[];
}

const told = ({ deeds, ground }: Meeting, walk: Walk): string[] => [
  `A: ${deeds[0].name}`,
  `B: ${deeds[1].name}`,
  `the game is ${ground}; call by call:`,
  ...walk.steps.map(({ name, what }) => `    ${name} ${what}`),
];

/** Which excuses it takes for an outcome to be that of one order; `null` when none suffice. */
const excusesFor = ({ meeting, serial }: Course, facts: Facts): string[] | null => {
  const concerned = EXCUSES.filter(({ concerns }) => concerns(...meeting.deeds));
  for (const one of serial) {
    const taken: string[] = [];
    let [is, should] = [facts, one];
    for (const { name, apply } of concerned) {
      const [barer, barest] = [apply(is), apply(should)];
      // An excuse that makes no difference is none.
      if (differences(barer, barest).length < differences(is, should).length) taken.push(name);
      [is, should] = [barer, barest];
    }
    if (areSame(is, should)) return taken;
  }
  return null;
};

/**
 * Runs a race.
 * @param most so many schedules; fewer where there are no more
 */
export const race = async (
  ring: Ring,
  meetings: readonly Meeting[],
  most: number,
  random: Random,
): Promise<Raced> => {
  const courses = meetings.map(
    (meeting): Course => ({ meeting, schedules: newSchedules(random), serial: [], alone: [] }),
  );
  const raced: Raced = { ran: 0, meetings: meetings.length, decided: 0, excused: new Map(), failures: [] };

  const aloneIn = async ({ meeting, alone }: Course, which: number): Promise<Facts> => {
    const choose: Walk["choose"] = (waiting) => {
      const [first] = waiting;
      if (first === undefined) throw new Error("nothing waits");
      return first;
    };
    alone[which] ??= (await ring.play(meeting, { choose, end: () => {} }, which)).facts;
    return alone[which];
  };

  /** What is wrong with an outcome; nothing when it is that of one order. */
  const wrongWith = async (course: Course, facts: Facts): Promise<string[]> => {
    if (course.serial.some((one) => areSame(one, facts))) return [];
    const away = turnedAway(facts);
    if (away >= 0) {
      const alone = withoutCall(await aloneIn(course, 1 - away), -1);
      const rest = withoutCall(facts, away);
      return areSame(rest, alone) ? [] : ["held against the other call alone:", ...differences(rest, alone)];
    }
    const excuses = excusesFor(course, facts);
    for (const name of excuses ?? []) raced.excused.set(name, (raced.excused.get(name) ?? 0) + 1);
    if (excuses !== null) return [];
    return course.serial.flatMap((one, at) => [
      `held against ${at === 0 ? "A and then B" : "B and then A"}:`,
      ...differences(facts, one).map((line) => `    ${line}`),
    ]);
  };

  const run = async (course: Course, first?: number): Promise<void> => {
    const walk = course.schedules.walk(first);
    const { facts, faults } = await ring.play(course.meeting, walk).catch((error: unknown) => {
      throw new Error([String(error), ...told(course.meeting, walk)].join("\n"), { cause: error });
    });
    if (first !== undefined) course.serial.push(facts);
    const wrong = [...faults, ...(await wrongWith(course, facts))];
    if (wrong.length > 0) raced.failures.push([...told(course.meeting, walk), ...wrong].join("\n"));
    raced.ran += 1;
  };

  for (const course of courses) {
    await run(course, 0);
    await run(course, 1);
  }
  for (let nth = 0; raced.ran < most; nth += 1) {
    const open = courses.filter(({ schedules }) => schedules.isOpen());
    const left = open.length > 0 ? open : courses.filter(({ schedules }) => !schedules.isDone());
    const course = left[nth % left.length];
    if (course === undefined) break;
    await run(course);
  }
  raced.decided = courses.filter(({ schedules }) => !schedules.isOpen()).length;
  return raced;
};
