/** docs/scale.md agrees with the default throttle of a stage, and with the limits of partitions in docs/performance.md. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { rowsIn } from "../../scripts/cost/figures.ts";
import { burstRates, MISSION_HOUR, ordinaryRates, PLAYERS } from "../../scripts/cost/trafficModel.ts";
import { readDeploymentSettings } from "../../scripts/plugins/deploymentSettings.cjs";
import { ROOT } from "../../scripts/project/root.ts";

const read = (name: string): string => readFileSync(join(ROOT, "docs", name), "utf8");
const SCALE = read("scale.md");
const PERFORMANCE = read("performance.md");

const format = (count: number): string => Math.round(count).toLocaleString("en");
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

describe("docs/scale.md", () => {
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
});
