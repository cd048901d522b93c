/** The cost estimate: its figures from the benches, its arithmetic, and its command. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ASSUMED } from "../../scripts/cost/assumptions.ts";
import { type Bill, billOf, type Plan } from "../../scripts/cost/bill.ts";
import { readFigures } from "../../scripts/cost/figures.ts";
import { MAX_DAYS, MAX_PLAYERS, parseCostOptions } from "../../scripts/cost/options.ts";
import { PRICES, REGIONS } from "../../scripts/cost/prices.ts";
import { formatBill } from "../../scripts/cost/report.ts";
import { PAGE_OPERATIONS, PREFLIGHT_HOURS, preflightsOf, trafficOf } from "../../scripts/cost/traffic.ts";
import { functionFiles, memoryByName } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";

const DOCUMENT = readFileSync(join(ROOT, "docs/performance.md"), "utf8");
const figures = await readFigures();
const memory = memoryByName();
const planOf = (more: Partial<Plan> = {}): Plan => ({
  ...{ players: 2_000, days: 7, stages: 1, region: "eu-central-1", shards: 1, figures, memory },
  ...more,
});
const billWith = (more: Partial<Plan> = {}): Bill => billOf(planOf(more));
const amountOf = ({ lines }: Bill, what: string): number =>
  lines.find((line) => line.what === what)?.amount ?? 0;

it("the figures are those of docs/performance.md", () => {
  const [, read, write] = /\| 1 \| hunt \| \d+ \| ([\d.]+) \| ([\d.]+) \|/.exec(DOCUMENT) ?? [];
  expect(figures.units("hunt", 1)).toEqual({ read: Number(read), write: Number(write) });
  const [, cpu] = /\| ours \| (\d+) \([^)]*\) \| \d+ \([^)]*\) \|$/m.exec(DOCUMENT) ?? [];
  expect(figures.cpu.player).toBe(Number(cpu) / 1_000);
  // The scale benchmark has no run with 7 shards, so these units are of the capacity benchmark. Both must agree.
  expect(figures.units("login", 1)).toEqual(figures.units("login", 7));
});

describe("a bill", () => {
  it("adds up in every region, with any number of shards that was measured", () => {
    for (const [at, region] of REGIONS.entries()) {
      const bill = billWith({ region, shards: figures.shards.at(-1 - at) ?? 1 });
      const sum = (what: "list" | "toPay") => bill.lines.reduce((all, line) => all + line[what], 0);
      expect(bill.list).toBeCloseTo(sum("list"), 9);
      expect(bill.toPay).toBeCloseTo(sum("toPay"), 9);
      expect(bill.toPay).toBeCloseTo(bill.list - bill.free, 9);
      for (const line of bill.lines) {
        expect(line.list, line.what).toBeCloseTo(line.amount * PRICES[line.priced].usd[region], 9);
        expect(line.free, line.what).toBeLessThanOrEqual(line.list);
        expect(line.toPay, line.what).toBeGreaterThanOrEqual(0);
        expect(line.toPay, line.what).toBeLessThanOrEqual(bill.largest.toPay);
      }
    }
  });

  it("charges each operation its measured units for any number of players", () => {
    const operationsOf = (players: number) =>
      new Map(billWith({ players }).operations.map((one) => [one.operation, one]));
    const [few, many] = [operationsOf(3_000), operationsOf(300_000)];
    expect(few.get("hunt")?.times).toBeCloseTo(trafficOf(3_000, 7).hunts * 0.95, 6);
    for (const [operation, { times, read, write }] of many) {
      if (PAGE_OPERATIONS.some((page) => page === operation)) continue;
      const units = figures.units(operation, 1);
      // 37,500 hungry zombies, counted by one request in ten.
      const more = operation === "page of 100 starving" ? (37_500 * 0.1) / 30 : 0;
      expect(read / times, operation).toBeCloseTo(units.read + more, 6);
      expect(write / times, operation).toBeCloseTo(units.write, 6);
    }
  });

  it("applies the free tier once a month, shared by all stages", () => {
    const [one, two, idle] = [billWith({ days: 30 }), billWith({ days: 30, stages: 2 }), billWith(IDLE)];
    expect(two.list).toBeCloseTo(one.list + idle.list, 9);
    expect(two.free).toBeLessThan(one.free + idle.free);
    const freeOf = (days: number) =>
      billWith({ players: 5_000_000, days }).lines.find(({ what }) => what === "requests")?.free;
    const month = PRICES.invocations.usd["eu-central-1"];
    expect([freeOf(30), freeOf(31)]).toEqual([expect.closeTo(month, 9), expect.closeTo(2 * month, 9)]);
  });

  it("counts at most one preflight per URL in each period for which browsers cache the response", () => {
    const most = 24 / PREFLIGHT_HOURS;
    expect(preflightsOf(0.01)).toBeCloseTo(0.01, 4);
    expect(preflightsOf(1e6)).toBeCloseTo(most, 6);
    for (const times of [0.2, 4, 1_000]) expect(preflightsOf(times)).toBeLessThan(Math.min(times, most));
    const serverless = readFileSync(join(ROOT, "serverless.yml"), "utf8");
    expect(serverless).toContain(`maxAge: ${PREFLIGHT_HOURS * 3_600}\n`);
    const bill = billWith();
    expect(amountOf(bill, "preflights") * 1e6).toBeCloseTo(bill.preflights, 6);
  });

  it("assumes the right number of functions that read keys", () => {
    const all = JSON.stringify(functionFiles().map(({ functions }) => functions));
    expect(all.match(/"(cursor|vapid)_keys":\["GetParameter"\]/g)).toHaveLength(ASSUMED.keyReaders);
  });

  const IDLE = { players: 0, days: 30 };

  it("of an idle stage has sweeps, polls and alarms; it names the largest line, how to lower it, and what was assumed", () => {
    const idle = billWith(IDLE);
    expect(idle).toMatchObject({ requests: 0, preflights: 0, hunts: 0 });
    expect(idle.operations).toMatchObject([{ operation: "sweep, nobody due", times: 30 * 1_440 }]);
    expect(amountOf(idle, "messages and polls") * 1e6).toBeCloseTo(30 * 1_440 * 15, 6);
    expect(amountOf(idle, "alarms")).toBe(ASSUMED.alarms);
    expect(idle.toPay).toBeGreaterThan(0);
    const report =
      /^An idle stage, for 30 days in eu-central-1\.\n.*The largest line is .*To lower it: .*Assumed:/s;
    expect(formatBill(idle, planOf(IDLE))).toMatch(report);
  });
});

describe("npm run cost", () => {
  it("prints JSON", () => {
    const args = "scripts/commands/cost.ts --players 2000 --days 7 --region us-east-1 --json".split(" ");
    const { stdout } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: "utf8" });
    expect(JSON.parse(stdout)).toMatchObject({ players: 2_000, region: "us-east-1", currency: "USD" });
  });

  const TEXTS = { players: String(MAX_PLAYERS), days: String(MAX_DAYS), stages: "100", shards: "16" };

  it("rejects what is out of range or was not measured, and has a default region", () => {
    const rejected: [Record<string, string | undefined>, string][] = [
      [{ players: undefined }, "--players is missing: it takes a whole number from 0 to 10,000,000"],
      [{ days: "0" }, "--days 0 is invalid: use a whole number from 1 to 366."],
      [{ region: "mars" }, "There are no prices for mars. Give --region eu-central-1 or us-east-1."],
      [{ shards: "3" }, "--shards 3 was not measured: use 1, 4, 16."],
    ];
    for (const [more, message] of rejected)
      expect(() => parseCostOptions({ ...TEXTS, ...more }, "eu-central-1", figures)).toThrow(message);
    const expected = { players: MAX_PLAYERS, days: MAX_DAYS, stages: 100, region: "us-east-1" };
    expect(parseCostOptions(TEXTS, "us-east-1", figures)).toMatchObject(expected);
  });
});
