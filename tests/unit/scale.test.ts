/** docs/scale.md agrees with the recorded results of the scale bench, the traffic model and the default throttle of a stage. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  burstRates,
  GAME_MASTER_RATES,
  MISSION_HOUR,
  MISSIONS,
  ordinaryRates,
  PLAYERS,
  STARVING_SHARE,
} from "../../scripts/cost/trafficModel.ts";
import { numberIn, readResult, tableOf } from "../../scripts/figures/results.ts";
import { readDeploymentSettings } from "../../scripts/plugins/deploymentSettings.cjs";
import { ROOT } from "../../scripts/project/root.ts";

const SCALE = readFileSync(join(ROOT, "docs/scale.md"), "utf8");
const RESULT = await readResult("scale");

const SHARDS = [1, 4, 16];
const PLAYERS_PER_HUNT = PLAYERS / MISSIONS.hunts;

const sum = (rates: Readonly<Record<string, number>>): number =>
  Object.values(rates).reduce((all, one) => all + one, 0);
/** The requests per second of a million players after a mission in the evening; game masters have theirs but once. */
const REQUESTS = sum(burstRates(MISSIONS.hunts)) + sum(ordinaryRates(MISSION_HOUR)) - sum(GAME_MASTER_RATES);

/** Players in thousands, rounded down. */
const thousands = (players: number): string => (Math.floor(players / 1_000) * 1_000).toLocaleString("en");

const rows = (columns: readonly string[]) => tableOf("scale", RESULT, columns);

/** The number of players for which a partition of this kind is full. */
const fullAt =
  (partition: string) =>
  (shards: number): number => {
    const column = "full at hunts a second";
    const found = rows(["partition", column]).find(
      (row) => Number(row.shards) === shards && row.partition === partition,
    );
    return numberIn("scale", found, column) * PLAYERS_PER_HUNT;
  };

/** The number of players who need this many units per second of the table or an index. */
const needed = (place: string, direction: "reads" | "writes", units: number) => (shards: number) => {
  const column = `${direction} a second`;
  const found = rows(["place", column]).find((row) => Number(row.shards) === shards && row.place === place);
  return (PLAYERS * units) / numberIn("scale", found, column);
};

/** How many of a million players starve in a minute, 48 hours after a mission. */
const STARVED_IN_A_MINUTE = MISSIONS.hunts * 60 * STARVING_SHARE;

/** The number of players of whom so many starve in a minute that reading them fills a partition. */
const starved = (column: string) => (shards: number) => {
  const found = rows([column]).find((row) => Number(row.shards) === shards);
  // The number that starve and the rate of the requests both grow with the players.
  return PLAYERS * Math.sqrt(numberIn("scale", found, column) / STARVED_IN_A_MINUTE);
};

const { requestsPerSecond, requestsBurst } = readDeploymentSettings({}, "eu-central-1").settings;
const requests = (perSecond: number) => () => (PLAYERS * perSecond) / REQUESTS;

const STARVED = starved("starved, not swept, that fill ZOMBIES#% by GET /game");
const STARVED_DURING_MISSION = starved("also by GET /live, during hunts");
/** The limits that follow from performance.md and the traffic model, as the table of docs/scale.md names them. */
const LIMITS: [name: string, players: (shards: number) => number][] = [
  ["requests of a stage", requests(requestsPerSecond)],
  ["starved zombies, during a mission", STARVED_DURING_MISSION],
  ["starved zombies", STARVED],
  ["reads of a new table", needed("table", "reads", 12_000)],
  ["writes of a new table", needed("table", "writes", 4_000)],
  ["writes of a new index", needed("gsi2", "writes", 4_000)],
  ["reads of a new index", needed("gsi2", "reads", 12_000)],
  ["reads of any table", needed("table", "reads", 40_000)],
  ["writes of any table", needed("table", "writes", 40_000)],
  ["writes of `ZOMBIES#`", fullAt("writes of gsi2 ZOMBIES#%")],
  // With fewer shards these are full at the same number, but later than others.
  ["reads of `COUNT#`", () => fullAt("reads of COUNT#%")(16)],
  ["reads of `GAME`", () => fullAt("reads of GAME")(16)],
  ["requests of a region", requests(10_000)],
];

describe("docs/scale.md", () => {
  it.each(LIMITS)("gives the number of players for %s", (name, players) => {
    const row = SHARDS.map((shards) => thousands(players(shards)));
    expect(SCALE).toContain(`| ${[name, ...row].join(" | ")} |`);
  });

  it("gives the number of players for whom settings are enough", () => {
    const [one, four, sixteen] = SHARDS.map((shards) => thousands(STARVED_DURING_MISSION(shards)));
    const text = SCALE.replaceAll(/\s+/g, " ");
    expect(text).toContain(`enough for ${one} players with one shard, ${four} with 4 and ${sixteen} with 16`);
    const [first, second, third] = SHARDS.map((shards) => thousands(STARVED(shards)));
    expect(text).toContain(`starve, for ${first}, ${second} and ${third}.`);
  });

  it("gives the throttle of a stage", () => {
    const limits = `lets ${requestsPerSecond} requests a second of a stage through, ${requestsBurst} at once`;
    expect(SCALE).toContain(limits);
  });
});
