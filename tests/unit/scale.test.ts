/** docs/scale.md agrees with docs/performance.md, and its arithmetic is right. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ASSUMED, durationOf, extraReadUnits } from "../../scripts/cost/assumptions.ts";
import { readFigures, rowsIn } from "../../scripts/cost/figures.ts";
import { burstRates, MISSION_HOUR, ordinaryRates, PLAYERS } from "../../scripts/cost/trafficModel.ts";
import { readDeploymentSettings } from "../../scripts/plugins/deploymentSettings.cjs";
import { memoryByName } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";

const read = (name: string): string => readFileSync(join(ROOT, "docs", name), "utf8");
const SCALE = read("scale.md");
const TEXT = SCALE.replaceAll("\n", " ");
const PERFORMANCE = read("performance.md");
const figures = await readFigures();
const memory = memoryByName();

const format = (count: number): string => Math.round(count).toLocaleString("en");
const numberOf = (text = ""): number => Number(text.replaceAll(",", ""));
const sum = (rates: Readonly<Record<string, number>>): number =>
  Object.values(rates).reduce((all, one) => all + one, 0);

const HUNTS_EACH = 2_000 / PLAYERS;
const huntsOf = (players: number): number => players * HUNTS_EACH;
const evening = (players: number) => {
  const masters = sum(burstRates(0));
  return ((sum(ordinaryRates(MISSION_HOUR)) - masters) * players) / PLAYERS;
};
const requestsOf = (players: number): number =>
  sum(burstRates(huntsOf(players))) - sum(burstRates(0)) + evening(players);

const SIZES = [1_000, 100_000, 1_000_000, 10_000_000];

describe("docs/scale.md", () => {
  it.each(SIZES)("gives the traffic of %i players", (players) => {
    expect(SCALE).toContain(
      `| ${format(players)} | ${format(huntsOf(players))} | ${format(requestsOf(players))} |`,
    );
  });

  it("gives the number of players that a stage's throttle admits", () => {
    const { requestsPerSecond, requestsBurst } = readDeploymentSettings({}, "eu-central-1").settings;
    const players = Math.floor(requestsPerSecond / requestsOf(1) / 1_000) * 1_000;
    const limits = `lets ${requestsPerSecond} requests a second of a stage through, ${requestsBurst} at once`;
    for (const sentence of [limits, `full at ${format(players)} players`]) expect(SCALE).toContain(sentence);
  });

  it("gives the bench's limits of partitions, in players", () => {
    const rows = rowsIn(PERFORMANCE, "scale", ["shards", "full first", "at hunts a second"]);
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) {
      const hunts = Number(row["at hunts a second"]);
      const unswept = row["starved, not swept, that fill ZOMBIES#% by GET /game"];
      const place = row["full first"]?.replace(/(gsi\d )?(\w+)#?%?$/, "$2") ?? "";
      const line = SCALE.split("\n").find(
        (one) => one.startsWith(`| ${row.shards} | `) && one.includes(format(hunts)),
      );
      expect(line, `${row.shards} shards`).toContain(
        `| ${format(hunts)} | ${format(hunts / HUNTS_EACH)} | ${unswept} |`,
      );
      expect(line).toContain(place.split(" ").at(-1));
    }
  });

  it("gives the simulated load of table and indexes, and when a new one is full", () => {
    const rows = rowsIn(PERFORMANCE, "scale", ["scenario", "place", "read / write in a second"]);
    const unitsOf = (row: (typeof rows)[number] | undefined): string[] =>
      row?.["read / write in a second"]?.split(" / ") ?? [];
    const alone = rows.filter(({ scenario }) => scenario === "hunts alone");
    expect(alone.map(({ place }) => place).toSorted()).toEqual(["gsi1", "gsi2", "gsi3", "table"]);
    for (const row of alone) {
      const browsers = rows.find((one) => one.scenario !== "hunts alone" && one.place === row.place);
      const writes = unitsOf(row)[1];
      const full = Math.round((4_000 / numberOf(writes)) * PLAYERS * 0.001) * 1_000;
      expect(SCALE).toContain(`| ${row.place} | ${unitsOf(browsers)[0]} | ${writes} | ${format(full)}`);
    }
  });

  it("gives the units of a hunt and of the lists", () => {
    const { read: reads, write } = figures.units("hunt", 1);
    const shared = figures.units("hunt, shared by three", 1).write;
    const readsOf = (operation: string, shards: number) => figures.units(operation, shards).read;
    const page = (shards: number) => Math.round(readsOf("page of 100 interactions", shards));
    const starving = format(extraReadUnits("page of 100 starving", PLAYERS));
    for (const sentence of [
      `One hunt reads ${reads} units and writes ${write}, one that feeds three ${shared};`,
      `\`GET /game\` takes ${readsOf("GET /game", 16)} units instead of ${readsOf("GET /game", 1)}`,
      `a page of interactions ${page(16)} instead of ${page(1)}`,
      `4 in a game of a thousand, ${starving} in one of`,
    ]) {
      expect(TEXT).toContain(sentence);
    }
  });

  it("gives the duration of requests, and how many run concurrently", () => {
    const [player, hunt, login] = (["player", "hunt", "login"] as const).map((kind) =>
      durationOf(figures.cpu[kind], memory.get(kind) ?? 0),
    );
    const trips = `${ASSUMED.trips * ASSUMED.tripMs} ms for three round trips to the database`;
    expect(TEXT).toContain(`${trips}, make ${format(player ?? 0)} ms for`);
    expect(TEXT).toContain(`${format(hunt ?? 0)} for a hunt and a list, ${format(login ?? 0)} for a login`);
    const took: Record<string, number | undefined> = { "GET /player": player, "GET /game": player, login };
    const concurrent = (players: number): number => {
      const rates = { ...burstRates(huntsOf(players)) };
      for (const [name, rate] of Object.entries(ordinaryRates(MISSION_HOUR))) {
        rates[name] = (rates[name] ?? 0) + (rate * players) / PLAYERS;
      }
      return Object.entries(rates)
        .filter(([name]) => !name.endsWith("for game masters"))
        .reduce((all, [name, rate]) => all + (rate * (took[name] ?? hunt ?? 0)) / 1_000, 0);
    };
    for (const players of SIZES.slice(1)) {
      expect(SCALE).toContain(`| ${format(players)} | ${format(concurrent(players))} |`);
    }
  });

  it("gives the limit of what grows with the square of the players", () => {
    const oncePer = (ordinaryRates(MISSION_HOUR)["page of 100 starving"] ?? 0) / PLAYERS;
    const starving = Math.sqrt(
      3_000 / ((oncePer * ASSUMED.hungry * ASSUMED.counting) / ASSUMED.hungryPerUnit),
    );
    expect(SCALE).toContain(`so *n* = ${format(Math.round(starving / 1_000) * 1_000)} √*s*`);
  });
});
