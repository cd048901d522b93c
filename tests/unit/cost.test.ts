/** The cost estimate: its figures from the benches, its arithmetic, and its command. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ASSUMED, DAY_MINUTES } from "../../scripts/cost/assumptions.ts";
import { type Bill, billOf, type Plan } from "../../scripts/cost/bill.ts";
import { readFigures } from "../../scripts/cost/figures.ts";
import { MAX_DAYS, MAX_PLAYERS, parseCostOptions } from "../../scripts/cost/options.ts";
import { PRICED_AT, PRICES, REGIONS } from "../../scripts/cost/prices.ts";
import { formatBill } from "../../scripts/cost/report.ts";
import { PREFLIGHT_HOURS, preflightsOf } from "../../scripts/cost/traffic.ts";
import { OPEN_MINUTES, openPageRate } from "../../scripts/cost/trafficModel.ts";
import { numberIn, readResult } from "../../scripts/figures/results.ts";
import { functionFiles, memoryByName } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";

const figures = await readFigures();
const memory = memoryByName();
const planOf = (more: Partial<Plan> = {}): Plan => ({
  ...{ players: 2_000, days: 7, stages: 1, region: "eu-central-1", shards: 1, minutesOpen: OPEN_MINUTES },
  mails: 0,
  ...{ figures, memory },
  ...more,
});
const billWith = (more: Partial<Plan> = {}): Bill => billOf(planOf(more));
const amountOf = ({ lines }: Bill, what: string): number =>
  lines.find((line) => line.what === what)?.amount ?? 0;

it("the figures are those of the recorded benchmarks", async () => {
  const [scale, warm] = await Promise.all(["scale", "warm"].map((name) => readResult(name)));
  const hunt = scale?.tables[0]?.find(({ shards, operation }) => shards === 1 && operation === "hunt");
  const [read, write] = ["read", "write"].map((column) => numberIn("scale", hunt, column));
  expect(figures.units("hunt", 1)).toEqual({ read, write });
  const ours = warm?.tables[0]?.find(({ subject }) => subject === "ours");
  expect(figures.cpu.player).toBe(numberIn("warm", ours, "GET /player, CPU µs") / 1_000);
  expect(figures.at.scale).toMatch(/^\d{4}-\d\d-\d\d$/);
  expect(() => figures.units("juggling", 1)).toThrow(/has no units/);
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

  it("grows with the minutes for which players have the web app open", () => {
    const [none = 0, longer] = [0, 60].map((minutesOpen) => billWith({ minutesOpen }).requests);
    expect(longer).toBeCloseTo(none + 2_000 * 7 * openPageRate(60), 6);
  });

  it("counts mails: their price, units, invocations, queue requests and bytes, and the alarms of mail", () => {
    const [none, mailed] = [billWith(), billWith({ mails: 5 })];
    const more = (what: string) => amountOf(mailed, what) - amountOf(none, what);
    const mails = 5 * 2_000;
    expect(none.lines.map(({ service }) => service)).not.toContain("SES");
    expect(mailed.lines.find(({ service }) => service === "SES")).toMatchObject({
      ...{ amount: mails / 1_000, free: 0 },
      toPay: expect.closeTo((mails / 1_000) * PRICES.mails.usd["eu-central-1"], 9),
    });
    expect(more("reads") * 1e6).toBeCloseTo(mails * ASSUMED.mail.read, 3);
    expect(more("writes") * 1e6).toBeCloseTo(mails * ASSUMED.mail.write, 3);
    expect(more("requests") * 1e6).toBeCloseTo(mails * ASSUMED.mail.invocations, 3);
    expect(more("messages and polls") * 1e6).toBeCloseTo(mails * 3, 3);
    expect(more("to the internet") * 1e9).toBeCloseTo(mails * ASSUMED.mailBytes, 0);
    expect(more("alarms")).toBeCloseTo((ASSUMED.mailAlarms * 7) / 30, 9);
    expect(more("metrics")).toBeCloseTo((ASSUMED.mailMetrics * 7) / 30, 9);
    expect(mailed.requests).toBe(none.requests);
    // Stages that are idle send none.
    expect(billWith({ mails: 5, stages: 2 }).lines.find(({ what }) => what === "mails")?.amount).toBe(10);
    expect(formatBill(mailed, planOf({ mails: 5 }))).toContain("every player gets 5 mails by Amazon SES");
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
  it("prints JSON, in which each price names its region, its day and its page", () => {
    const options = "--players 2000 --days 7 --region us-east-1 --minutes-open 60 --json";
    const command = ["scripts/commands/cost.ts", ...options.split(" ")];
    const bill = JSON.parse(spawnSync(process.execPath, command, { cwd: ROOT, encoding: "utf8" }).stdout);
    expect(bill).toMatchObject({ players: 2_000, region: "us-east-1", minutes_open: 60, currency: "USD" });
    expect(bill.priced_at).toBe(PRICED_AT);
    for (const { read_on, source } of bill.lines) {
      expect(read_on >= PRICED_AT).toBe(true);
      expect(source).toMatch(/^https:\/\/aws\.amazon\.com\//);
    }
    const text = formatBill(billWith({ region: "us-east-1" }), planOf({ region: "us-east-1" }));
    expect(text).toContain(`at the prices of us-east-1 of ${PRICED_AT}.`);
  });

  const TEXTS = {
    ...{ players: String(MAX_PLAYERS), days: String(MAX_DAYS), stages: "100", shards: "16", mails: "0" },
    "minutes-open": String(DAY_MINUTES),
  };

  it("rejects what is out of range or was not measured, and has a default region", () => {
    const rejected: [Record<string, string | undefined>, string][] = [
      [{ players: undefined }, "--players is missing: it takes a whole number from 0 to 10,000,000"],
      [{ days: "0" }, "--days 0 is invalid: use a whole number from 1 to 366."],
      [{ region: "mars" }, "There are no prices for mars. Give --region eu-central-1 or us-east-1."],
      [{ mails: "1001" }, "--mails 1001 is invalid: use a whole number from 0 to 1,000."],
      [{ shards: "3" }, "--shards 3 was not measured: use 1, 4, 16."],
      [{ "minutes-open": "1441" }, "--minutes-open 1441 is invalid: use a whole number from 0 to 1,440."],
    ];
    for (const [more, message] of rejected)
      expect(() => parseCostOptions({ ...TEXTS, ...more }, "eu-central-1", figures)).toThrow(message);
    const expected = { players: MAX_PLAYERS, days: MAX_DAYS, stages: 100, region: "us-east-1" };
    const accepted = parseCostOptions(TEXTS, "us-east-1", figures);
    expect(accepted).toMatchObject({ ...expected, minutesOpen: DAY_MINUTES });
    // Nobody has the web app open if all play with another client.
    expect(parseCostOptions({ ...TEXTS, "minutes-open": "0" }, "us-east-1", figures).minutesOpen).toBe(0);
  });
});
