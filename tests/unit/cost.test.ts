/** What a game costs: the arithmetic of the bill, and the figures that it is made from. */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { ASSUMED } from "../../scripts/cost/assumptions.ts";
import { type Bill, billOf, type Plan } from "../../scripts/cost/bill.ts";
import { figuresIn, readFigures } from "../../scripts/cost/figures.ts";
import { askedFor, MOST_DAYS, MOST_PLAYERS } from "../../scripts/cost/options.ts";
import { PRICES, REGIONS } from "../../scripts/cost/prices.ts";
import { billInWords } from "../../scripts/cost/report.ts";
import { PREFLIGHT_HOURS, preflightsOf, trafficOf } from "../../scripts/cost/traffic.ts";
import { functionFiles, memoryByName } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";

const DOCUMENT = readFileSync(join(ROOT, "docs/performance.md"), "utf8");
const figures = await readFigures();
const memory = memoryByName();
const planOf = (changed: Partial<Plan> = {}): Plan => ({
  ...{ players: 2_000, days: 7, stages: 1, region: "eu-central-1", shards: 1, figures, memory },
  ...changed,
});
const amount = ({ lines }: Bill, what: string): number =>
  lines.find((line) => line.what === what)?.amount ?? 0;

describe("the figures of a bill", () => {
  it("are measured for every operation of the traffic, at every number of shards", () => {
    for (const shards of figures.shards) {
      for (const operation of trafficOf(10, 7).requests.keys()) {
        const { read, write } = figures.units(operation, shards);
        expect(read + write, `${operation} of ${shards}`).toBeGreaterThan(0);
      }
    }
  });

  it("are the same in both benches that count them", () => {
    const rows = { login: "login", "GET /player": "check token and load player (GET /player)" };
    for (const [recorded, counted] of Object.entries(rows)) {
      expect(figures.units(recorded, 1), recorded).toEqual(figures.units(counted, 7));
    }
  });

  it("are those that the document shows", () => {
    const row = /\| 1 \| hunt \| \d+ \| ([\d.]+) \| ([\d.]+) \|/.exec(DOCUMENT);
    expect(figures.units("hunt", 1)).toEqual({ read: Number(row?.[1]), write: Number(row?.[2]) });
    const [, cpu] = /\| ours \| (\d+) \([^)]*\) \| \d+ \([^)]*\) \|$/m.exec(DOCUMENT) ?? [];
    expect(figures.cpu.player).toBe(Number(cpu) / 1_000);
  });

  it.each([
    ["a part", "<!-- warm -->", /no part warm.*bench/],
    ["a column", "| shards | operation |", /no table of shards, operation/],
    ["a date", /, Node\.js v/g, /does not say when/],
  ])("are refused without %s", (_, removed, why) => {
    const without = DOCUMENT.replace(removed, "");
    expect(without).not.toBe(DOCUMENT);
    expect(() => figuresIn(without)).toThrow(why);
  });

  it("do not hide an operation that was never measured", () => {
    expect(() => figures.units("sleep", 1)).toThrow(/no figure for sleep/);
  });
});

describe("a bill", () => {
  it("adds up", () => {
    for (const region of REGIONS) {
      const bill = billOf(planOf({ region }));
      const sum = (what: "list" | "free" | "toPay") => bill.lines.reduce((all, line) => all + line[what], 0);
      expect(bill.list).toBeCloseTo(sum("list"), 9);
      expect(bill.toPay).toBeCloseTo(bill.list - bill.free, 9);
      for (const line of bill.lines) {
        expect(line.list, line.what).toBeCloseTo(line.amount * PRICES[line.priced].usd[region], 9);
        expect(line.free, line.what).toBeLessThanOrEqual(line.list);
        expect(line.toPay, line.what).toBeGreaterThanOrEqual(0);
        expect(line.toPay, line.what).toBeLessThanOrEqual(bill.largest.toPay);
      }
    }
  });

  it("charges a hunt with what it was measured to take", () => {
    const { operations } = billOf(planOf());
    const hunt = operations.find(({ operation }) => operation === "hunt");
    const { read, write } = figures.units("hunt", 1);
    expect(hunt?.times).toBeCloseTo(trafficOf(2_000, 7).hunts * 0.95, 6);
    expect(hunt?.read).toBeCloseTo((hunt?.times ?? 0) * read, 6);
    expect(hunt?.write).toBeCloseTo((hunt?.times ?? 0) * write, 6);
  });

  it("grows with players, days and shards, and is dearer in Frankfurt", () => {
    const usual = billOf(planOf());
    for (const more of [{ players: 4_000 }, { days: 14 }, { shards: 16 }]) {
      expect(billOf(planOf(more)).list).toBeGreaterThan(usual.list);
    }
    expect(billOf(planOf({ region: "us-east-1" })).list).toBeLessThan(usual.list);
    const [many, twice] = [400_000, 800_000].map((players) => billOf(planOf({ players })));
    if (many === undefined || twice === undefined) throw new Error("no bills");
    expect(amount(twice, "writes") / amount(many, "writes")).toBeCloseTo(2, 2);
  });

  it("has the counts of the starving grow with the game, and nothing else", () => {
    const unitsOf = (players: number) =>
      new Map(
        billOf(planOf({ players })).operations.map(({ operation, read, times }) => [operation, read / times]),
      );
    const [few, many] = [unitsOf(3_000), unitsOf(300_000)];
    for (const [operation, units] of few) {
      // Of 37,500 hungry zombies who are counted by one request in ten, and of 375 who are counted by each.
      const grown = operation === "page of 100 starving" ? (37_500 * 0.1 - 375) / 30 : 0;
      expect(many.get(operation), operation).toBeCloseTo(units + grown, 6);
    }
  });

  it("has nobody tagged twice, however long the game is", () => {
    expect(trafficOf(1_000, 7).hunts).toBeCloseTo(930, 6);
    expect(trafficOf(1_000, 90).hunts).toBe(1_000);
  });

  it("gives each month its free part once", () => {
    const free = (days: number) =>
      billOf(planOf({ players: 5_000_000, days })).lines.find((l) => l.what === "requests")?.free;
    expect(free(30)).toBeCloseTo(PRICES.invocations.usd["eu-central-1"], 9);
    expect(free(31)).toBeCloseTo(2 * PRICES.invocations.usd["eu-central-1"], 9);
  });

  it("follows the memory that the functions are given", () => {
    const half = new Map([...memory].map(([name, megabytes]) => [name, megabytes / 2]));
    expect(amount(billOf(planOf({ memory: half })), "time")).not.toBeCloseTo(
      amount(billOf(planOf()), "time"),
      6,
    );
    expect(memory.get("deliver")).toBeGreaterThan(memory.get("hunt") ?? Number.POSITIVE_INFINITY);
  });

  it("counts a preflight for each address that a browser calls within the time that it keeps the answer", () => {
    const stretches = 24 / PREFLIGHT_HOURS;
    expect(preflightsOf(0)).toBe(0);
    expect(preflightsOf(0.01)).toBeCloseTo(0.01, 4);
    for (const times of [0.2, 1, 4, 20, 1_000]) {
      expect(preflightsOf(times)).toBeLessThan(Math.min(times, stretches));
    }
    expect(preflightsOf(1e6)).toBeCloseTo(stretches, 6);
    const serverless = readFileSync(join(ROOT, "serverless.yml"), "utf8");
    expect(serverless).toContain(`maxAge: ${PREFLIGHT_HOURS * 3_600}\n`);
    const bill = billOf(planOf());
    expect(amount(bill, "preflights") * 1e6).toBeCloseTo(bill.preflights, 6);
    expect(bill.preflights).toBeGreaterThan(bill.requests / 4);
    expect(bill.preflights).toBeLessThan(bill.requests);
  });

  it("has KMS decrypt for the functions that read keys", () => {
    const reads = functionFiles().flatMap(
      ({ functions }) => JSON.stringify(functions).match(/"(cursor|vapid)_keys":\["GetParameter"\]/g) ?? [],
    );
    expect(reads).toHaveLength(ASSUMED.keyReaders);
  });

  it("of a stage that is idle has its sweeps, its polls and its alarms", () => {
    const idle = billOf(planOf({ players: 0, days: 30 }));
    expect(idle).toMatchObject({ requests: 0, preflights: 0, hunts: 0 });
    expect(idle.operations.map(({ operation, times }) => [operation, times])).toEqual([
      ["sweep, nobody due", 30 * 1_440],
    ]);
    expect(amount(idle, "messages and polls") * 1e6).toBeCloseTo(30 * 1_440 * 15, 6);
    expect(amount(idle, "alarms")).toBe(ASSUMED.alarms);
    const told = billInWords(idle, planOf({ players: 0, days: 30 }));
    expect(told).toMatch(/^A stage that is idle, for 30 days in eu-central-1\.\n/);
    expect(idle.toPay).toBeGreaterThan(0);
  });

  it("has every stage of the account share what is free", () => {
    const [one, two] = [1, 2].map((stages) => billOf(planOf({ days: 30, stages })));
    const idle = billOf(planOf({ players: 0, days: 30 }));
    if (one === undefined || two === undefined) throw new Error("no bills");
    expect(two.list).toBeCloseTo(one.list + idle.list, 9);
    expect(two.free).toBeLessThan(one.free + idle.free);
    expect(amount(two, "messages and polls")).toBeCloseTo(
      amount(one, "messages and polls") + amount(idle, "messages and polls"),
      9,
    );
    expect(two.requests).toBe(one.requests);
  });

  it("says what is largest, what lowers it and what was not verified", () => {
    const plan = planOf({ players: 1_000_000, shards: 16 });
    const told = billInWords(billOf(plan), plan);
    expect(told).toMatch(
      /^1,000,000 players for 7 days in eu-central-1, 16 shards: .* preflights, .* hunts\.\n/,
    );
    expect(told).toMatch(
      /The largest is DynamoDB, reads: [\d,.]+, \d+ % of what is to pay\.\nWhat lowers it: clients that/,
    );
    expect(told).toMatch(/point-in-time recovery \*/);
    expect(told).toContain("Assumed:");
  });

  it("says so when all of it is free", () => {
    const plan = planOf({ players: 1, days: 1 });
    const nothing = billOf(plan);
    const lines = nothing.lines.map((line) => ({ ...line, free: line.list, toPay: 0 }));
    const told = billInWords(
      { ...nothing, lines, toPay: 0, largest: { ...nothing.largest, toPay: 0 } },
      plan,
    );
    expect(told).toMatch(/All of it is free\. The largest is/);
  });
});

const cost = (...args: string[]) => {
  const env = { ...process.env, AWS_REGION: "" };
  const { status, stdout, stderr } = spawnSync(process.execPath, ["scripts/commands/cost.ts", ...args], {
    ...{ cwd: ROOT, encoding: "utf8", env },
  });
  return { status, said: stdout.trim(), refused: stderr.trim() };
};

describe("npm run cost", () => {
  it("answers in JSON", () => {
    const { status, said } = cost("--players", "2000", "--days", "7", "--region", "us-east-1", "--json");
    expect(status).toBe(0);
    const told: unknown = JSON.parse(said);
    expect(told).toMatchObject({ players: 2_000, days: 7, region: "us-east-1", currency: "USD" });
    expect(told).toHaveProperty("lines.0.source", expect.stringMatching(/^https:\/\/aws\.amazon\.com/));
  });

  it("refuses in one line", () => {
    const { status, said, refused } = cost("--players", "many", "--days", "7");
    expect({ status, said }).toEqual({ status: 1, said: "" });
    expect(refused).toMatch(/^--players many: it must be a whole number from 0 to 10,000,000\.$/);
  });

  const WHOLE = { players: "5", days: "7", stages: "1", shards: "1" };

  it.each([
    [
      { ...WHOLE, players: undefined },
      /^How many players\? --players takes a whole number from 0 to 10,000,000\.$/,
    ],
    [{ ...WHOLE, players: "-5" }, /^--players -5: it must be/],
    [{ ...WHOLE, days: "0" }, /^--days 0: it must be a whole number from 1 to 366\.$/],
    [{ ...WHOLE, stages: "0" }, /^--stages 0: it must be a whole number from 1 to 100\.$/],
    [{ ...WHOLE, players: "" }, /^--players : it must be/],
    [{ ...WHOLE, players: "1.5" }, /^--players 1.5: it must be/],
    [{ ...WHOLE, players: "1e3" }, /^--players 1e3: it must be/],
    [{ ...WHOLE, players: "10000001" }, /^--players 10000001: it must be/],
    [{ ...WHOLE, days: undefined }, /^How many days\?/],
    [{ ...WHOLE, days: "367" }, /^--days 367: it must be/],
    [
      { ...WHOLE, region: "mars" },
      /^There are no prices for mars: say --region eu-central-1 or us-east-1\.$/,
    ],
    [{ ...WHOLE, shards: "3" }, /^--shards 3: measured are 1, 4, 16\.$/],
  ])("refuses %j", (asked, why) => {
    expect(() => askedFor(asked, "eu-central-1", figures)).toThrow(why);
  });

  it("takes the most that it names, and the usual region", () => {
    const most = { players: String(MOST_PLAYERS), days: String(MOST_DAYS), stages: "100", shards: "16" };
    const asked = askedFor(most, "us-east-1", figures);
    expect(asked).toEqual({
      ...{ players: MOST_PLAYERS, days: MOST_DAYS, region: "us-east-1", stages: 100, shards: 16 },
    });
  });
});
