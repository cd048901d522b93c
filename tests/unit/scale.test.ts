/** docs/scale.md: what it takes from the bench is what docs/performance.md shows, and its arithmetic is right. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ASSUMED, durationOf, grownBy } from "../../scripts/cost/assumptions.ts";
import { readFigures, rowsIn } from "../../scripts/cost/figures.ts";
import { burst, EVENING, ordinary, PLAYERS } from "../../scripts/cost/trafficModel.ts";
import { readDeploymentSettings } from "../../scripts/plugins/deploymentSettings.cjs";
import { memoryByName } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";

const read = (name: string): string => readFileSync(join(ROOT, "docs", name), "utf8");
const SCALE = read("scale.md");
const PERFORMANCE = read("performance.md");
const figures = await readFigures();
const memory = memoryByName();

const words = (count: number): string => Math.round(count).toLocaleString("en");
const numberOf = (text = ""): number => Number(text.replaceAll(",", ""));
const sum = (rates: Readonly<Record<string, number>>): number =>
  Object.values(rates).reduce((all, one) => all + one, 0);

/** Hunts a second after a mission, and all requests then, by players. */
const HUNTS_EACH = 2_000 / PLAYERS;
const huntsOf = (players: number): number => players * HUNTS_EACH;
const evening = (players: number) => {
  const masters = sum(burst(0));
  return ((sum(ordinary(EVENING)) - masters) * players) / PLAYERS;
};
const requestsOf = (players: number): number =>
  sum(burst(huntsOf(players))) - sum(burst(0)) + evening(players);

const SIZES = [1_000, 100_000, 1_000_000, 10_000_000];

describe("docs/scale.md", () => {
  it.each(SIZES)("says what the traffic of %i players comes to", (players) => {
    expect(SCALE).toContain(
      `| ${words(players)} | ${words(huntsOf(players))} | ${words(requestsOf(players))} |`,
    );
  });

  it("says how many players the throttle of a stage is enough for", () => {
    const { requestsPerSecond, requestsBurst } = readDeploymentSettings({}, "eu-central-1").settings;
    const players = Math.floor(requestsPerSecond / requestsOf(1) / 1_000) * 1_000;
    expect(SCALE).toContain(
      `lets ${requestsPerSecond} requests a second of a stage through, ${requestsBurst} at once`,
    );
    expect(SCALE).toContain(`full at ${words(players)} players`);
  });

  it("says what the bench says of partitions, and at how many players that is", () => {
    const rows = rowsIn(PERFORMANCE, "scale", ["shards", "full first", "at hunts a second"]);
    expect(rows.length).toBeGreaterThan(1);
    for (const row of rows) {
      const hunts = Number(row["at hunts a second"]);
      const unswept = row["starved, not swept, that fill ZOMBIES#% by GET /game"];
      const place = row["full first"]?.replace(/(gsi\d )?(\w+)#?%?$/, "$2") ?? "";
      const line = SCALE.split("\n").find(
        (one) => one.startsWith(`| ${row.shards} | `) && one.includes(words(hunts)),
      );
      expect(line, `${row.shards} shards`).toContain(
        `| ${words(hunts)} | ${words(hunts / HUNTS_EACH)} | ${unswept} |`,
      );
      expect(line).toContain(place.split(" ").at(-1));
    }
  });

  it("says what the simulation says of table and indexes, and when a new one is full", () => {
    const rows = rowsIn(PERFORMANCE, "scale", ["scenario", "place", "read / write in a second"]);
    const alone = rows.filter(({ scenario }) => scenario === "hunts alone");
    expect(alone.map(({ place }) => place).toSorted()).toEqual(["gsi1", "gsi2", "gsi3", "table"]);
    for (const { place, "read / write in a second": units } of alone) {
      const browsers = rows.find((row) => row.scenario !== "hunts alone" && row.place === place);
      const [reads = ""] = browsers?.["read / write in a second"]?.split(" / ") ?? [];
      const writes = units?.split(" / ").at(1) ?? "";
      const full = Math.round((4_000 / numberOf(writes)) * PLAYERS * 0.001) * 1_000;
      const line = SCALE.split("\n").find((one) => one.startsWith(`| ${place} | `));
      expect(line, place).toContain(`| ${reads} | ${writes} | ${words(full)}`);
    }
  });

  it("says what a hunt and the lists take", () => {
    const { read: reads, write } = figures.units("hunt", 1);
    const shared = figures.units("hunt, shared by three", 1).write;
    expect(SCALE).toContain(
      `One hunt reads ${reads} units and writes ${write}, one that feeds three ${shared};`,
    );
    const [one, many] = [1, 16].map((shards) => figures.units("GET /game", shards).read);
    expect(SCALE).toContain(`\`GET /game\` takes ${many} units instead of ${one}`);
    const [page, pages] = [1, 16].map((shards) =>
      Math.round(figures.units("page of 100 interactions", shards).read),
    );
    expect(SCALE.replaceAll("\n", " ")).toContain(`a page of interactions ${pages} instead of ${page}`);
    expect(SCALE).toContain(
      `4 in a game of a thousand, ${words(grownBy("page of 100 starving", PLAYERS))} in one of`,
    );
  });

  it("says how long requests take, and how many are under way at once", () => {
    const [player, hunt, login] = (["player", "hunt", "login"] as const).map((kind) =>
      durationOf(figures.cpu[kind], memory.get(kind) ?? 0),
    );
    expect(SCALE.replaceAll("\n", " ")).toContain(
      `${ASSUMED.trips * ASSUMED.tripMs} ms for three round trips to the database, make ${words(player ?? 0)} ms for`,
    );
    expect(SCALE).toContain(`${words(hunt ?? 0)} for a hunt and a list, ${words(login ?? 0)} for a login`);
    const took: Record<string, number | undefined> = { "GET /player": player, "GET /game": player, login };
    const atOnce = (players: number): number => {
      const rates = { ...burst(huntsOf(players)) };
      for (const [name, rate] of Object.entries(ordinary(EVENING))) {
        rates[name] = (rates[name] ?? 0) + (rate * players) / PLAYERS;
      }
      return Object.entries(rates)
        .filter(([name]) => !name.endsWith("for game masters"))
        .reduce((all, [name, rate]) => all + (rate * (took[name] ?? hunt ?? 0)) / 1_000, 0);
    };
    for (const players of SIZES.slice(1)) {
      expect(SCALE).toContain(`| ${words(players)} | ${words(atOnce(players))} |`);
    }
  });

  it("says at how many players what grows with the square is full", () => {
    const oncePer = (ordinary(EVENING)["page of 100 starving"] ?? 0) / PLAYERS;
    const starving = Math.sqrt(
      3_000 / ((oncePer * ASSUMED.hungry * ASSUMED.counting) / ASSUMED.hungryPerUnit),
    );
    expect(SCALE).toContain(`so *n* = ${words(Math.round(starving / 1_000) * 1_000)} √*s*`);
  });
});
