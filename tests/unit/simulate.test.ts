/** `npm run simulate`: seasons keep the rules of the game, and repeat with their seed. */
import { describe, expect, it } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { randomOf } from "../../scripts/simulate/crowd.ts";
import { parseRules, parseVariants } from "../../scripts/simulate/options.ts";
import { svgPlot, terminalPlot } from "../../scripts/simulate/plot.ts";
import { playSeason, type Rules } from "../../scripts/simulate/season.ts";
import { summarize } from "../../scripts/simulate/summary.ts";

const OPTIONS = { players: "60", originals: "2", days: "4", feeding: "24h", sharers: "1", rate: "1.5" };
const rules: Rules = parseRules(OPTIONS);

const season = (more: Partial<Rules> = {}, seed = 1) => playSeason({ ...rules, ...more }, randomOf(seed));

describe("a season", () => {
  it("has every player in one state, never gains humans, and is the same for the same seed", () => {
    const { hours, starved } = season();
    expect(hours).toHaveLength(4 * 24 + 1);
    expect(hours[0]).toEqual({ humans: 58, zombies: 2, corpses: 0 });
    for (const [at, { humans, zombies, corpses }] of hours.entries()) {
      expect(humans + zombies + corpses).toBe(60);
      expect(humans).toBeLessThanOrEqual(hours[at - 1]?.humans ?? 60);
    }
    expect(starved).toBe(hours.at(-1)?.corpses);
    expect(season()).toEqual(season());
  });

  it("starves original zombies without a tag after exactly one feeding period of play time", () => {
    const alone = { originals: 2, rate: 1e-9, feeding: 20 * HOUR };
    const hourOfDeath = ({ hours }: ReturnType<typeof season>) => hours.findIndex((one) => one.corpses === 2);
    expect(hourOfDeath(season(alone))).toBe(20);
    const { playHours } = parseRules({ ...OPTIONS, "play-hours": "08:00-18:00" });
    // Two days of ten hours, of which the first ends at hour 18 and the second at hour 42.
    expect(hourOfDeath(season({ ...alone, playHours }))).toBe(42);
  });

  it("has missions that put the players who come at risk, feed zombies and make some human, but no originals", () => {
    const missions = { count: 4, attendance: 1, food: 0, antidotes: 0 };
    const many = (more: Partial<Rules>) => Array.from({ length: 30 }, (_, seed) => season(more, seed));
    const sum = (of: ReturnType<typeof many>, what: (one: (typeof of)[number]) => number): number =>
      of.reduce((total, one) => total + what(one), 0);
    const plain = many({ rate: 0.5 });
    const risky = many({ rate: 0.5, missions });
    expect(sum(risky, ({ tags }) => tags.length)).toBeGreaterThan(sum(plain, ({ tags }) => tags.length));
    const fed = many({ rate: 0.5, missions: { ...missions, food: 24 * HOUR } });
    expect(sum(fed, ({ starved }) => starved)).toBeLessThan(sum(risky, ({ starved }) => starved));
    // Nobody is tagged, so the zombies are the two originals, whom no antidote cures.
    const cures = { ...missions, antidotes: 2 };
    expect(season({ rate: 1e-9, missions: cures })).toMatchObject({ cured: 0, starved: 2 });
    const { cured, hours, starved } = season({ missions: cures });
    expect(cured).toBeGreaterThan(0);
    for (const { humans, zombies, corpses } of hours) expect(humans + zombies + corpses).toBe(60);
    expect(starved).toBe(hours.at(-1)?.corpses);
    for (let seed = 0; seed < 8; seed += 1) {
      // An antidote that does nothing to an original is there for the next zombie.
      const curedBy = (antidotes: number) =>
        season({ days: 1, originals: 30, missions: { ...missions, count: 1, antidotes } }, seed).cured;
      expect(curedBy(1)).toBe(Math.min(1, curedBy(60)));
      // A cure after the last tag leaves somebody to be tagged.
      const played = season({ rate: 8, missions: { ...missions, antidotes: 5 } }, seed);
      expect(played.lastTagAt === null).toBe((played.hours.at(-1)?.humans ?? 0) > 0);
    }
  });
});

it("shows medians and bands of many seasons", () => {
  const seasons = Array.from({ length: 20 }, (_, seed) => season({}, seed));
  const summary = summarize("", rules, seasons);
  const { low90, median, high90 } = summary.survivors;
  const survivors = seasons.map(({ hours }) => hours.at(-1)?.humans ?? 0).toSorted((a, b) => a - b);
  expect([low90, median, high90]).toEqual([survivors[1], survivors[10], survivors[18]]);
  expect(terminalPlot(summary).split("\n")).toHaveLength(19);
  expect(svgPlot([summary]).match(/<polygon/g)).toHaveLength(6);
});

it("varies one option with the others unchanged, and names what is wrong", () => {
  expect(parseVariants(OPTIONS, "feeding=24h,2d")).toMatchObject([
    { name: "feeding 24h", rules: { feeding: DAY, sharers: 1 } },
    { name: "feeding 2d", rules: { feeding: 2 * DAY, sharers: 1 } },
  ]);
  const night = { ...OPTIONS, "play-hours": "22:00-08:00" };
  expect(() => parseVariants(night, undefined)).toThrow("--play-hours 22:00-08:00 is invalid");
  expect(() => parseVariants(OPTIONS, "colour=red,blue")).toThrow("name an option and its values");
  const staged = { ...OPTIONS, missions: "4", attendance: "50", antidotes: "1" };
  expect(parseVariants(staged, undefined)).toMatchObject([
    { name: "without missions", rules: { missions: null } },
    { name: "missions 4", rules: { missions: { count: 4, attendance: 0.5, food: 0, antidotes: 1 } } },
  ]);
  expect(() => parseVariants({ ...staged, missions: "5" }, undefined)).toThrow("from 0 to 4");
  expect(() => parseVariants({ ...staged, missions: undefined }, undefined)).toThrow("give --missions too");
  const short = { ...staged, "play-hours": "08:00-19:00" };
  expect(() => parseVariants(short, undefined)).toThrow("missions are from 18:00 to 20:00");
});
