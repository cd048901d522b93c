/**
 * Races: every pair of operations that touch one player or the game, side by side, their calls of the database in one
 * order after the other. What comes of it is what would have come of doing one and then the other.
 */
import { describe, expect, it } from "vitest";
import { part, randomFrom, share } from "../support/battery.ts";
import { meetingsOf, PAIRS } from "./races/meetings.ts";
import { ring } from "./races/play.ts";
import { race } from "./races/race.ts";

/** Schedules of each pair. */
const EACH = share(500);

describe("races", () => {
  const told = { pairs: 0, decided: 0, meetings: 0, excused: new Map<string, number>() };
  const races = part("races", {
    full: PAIRS.length * 500,
    of: "interleavings",
    also: () => {
      const excuses = [...told.excused].map(([name, times]) => `${name} ${times}`).join(", ");
      const { pairs, decided, meetings } = told;
      return `${pairs} pairs in ${meetings} meetings, ${decided} pairs in every order that makes a difference; excused: ${excuses}`;
    },
  });
  const here = ring();

  it.each(PAIRS)("%s beside %s", async (x, y) => {
    const place = PAIRS.findIndex((pair) => pair[0] === x && pair[1] === y);
    const raced = await race(here, meetingsOf(x, y), EACH, randomFrom(races.seed, place));
    const [failure] = raced.failures;
    if (failure !== undefined) {
      throw new Error(
        `${raced.failures.length} of ${raced.ran} interleavings, the first:\n${failure}\nseed ${races.seed}`,
      );
    }
    expect(await here.astray(), "where the table is not as it was left").toEqual([]);
    expect(raced.ran, "interleavings, unless there are no more").toBe(raced.isAll ? raced.ran : EACH);
    races.ran(raced.ran);
    if (raced.isAll) races.lacks(Math.max(0, EACH - raced.ran));
    told.pairs += 1;
    told.meetings += raced.meetings;
    if (raced.decided === raced.meetings) told.decided += 1;
    for (const [name, times] of raced.excused) told.excused.set(name, (told.excused.get(name) ?? 0) + times);
  });
});
