/** Observability: one log line for each request, and metrics. */
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { DynamoDBRecord } from "aws-lambda";
import { beforeEach, describe, expect, it } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { handler as sweepHandler } from "../../functions/zombie/sweep.ts";
import { DAY, HOUR, SECOND } from "../../lib/domain/time.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { keys } from "../../lib/store/keys.ts";
import { rowsIn } from "../../scripts/cost/figures.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { asFunction, asWorker } from "../support/calls.ts";
import { filterOf, refusalPattern } from "../support/logFilter.ts";
import { logLines } from "../support/logLines.ts";
import { queueWhile } from "../support/queueAway.ts";
import { recordMetrics, sumByName } from "../support/recordedMetrics.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { insertRecord, streamRecords } from "../support/streamRecords.ts";

let passed = 0;
let hasQueue = true;
let isBusy = false;
let isBroken = false;
const s = testEnvironment({
  services: (usual) => ({
    clock: () => usual.clock() + passed,
    queue: queueWhile(usual.queue, () => hasQueue),
  }),
  database: (usual) => ({
    ...usual,
    get: async (key, how) => {
      if (isBroken && key.pk === keys.game.pk) throw new Error("broken");
      if (isBusy && key.pk === keys.game.pk) {
        throw new DatabaseBusy("ThrottlingException", { cause: new Error("the table takes no more") });
      }
      return usual.get(key, how);
    },
  }),
});

beforeEach(() => {
  [passed, hasQueue, isBusy, isBroken] = [0, true, false, false];
});

const lines = logLines();
const counted = recordMetrics();

// biome-ignore lint/suspicious/noExplicitAny: tests assert what they read
type Line = Record<string, any>;

const linesOf = (message: string): Line[] =>
  lines
    .flatMap((line) => (line.startsWith("{") ? [JSON.parse(line)] : []))
    .filter((one) => one.message === message);

/** The log line of the one request that is made meanwhile. */
const lineAfter = async (work: () => Promise<unknown>): Promise<Line> => {
  const before = linesOf("request").length;
  await work();
  const [line, ...more] = linesOf("request").slice(before);
  expect(more).toEqual([]);
  return line ?? {};
};

const shown = ({ id }: TestPlayer): string =>
  createHash("sha256").update(id).digest("base64url").slice(0, 12);

const CAPACITY = rowsIn(readFileSync(join(ROOT, "docs/performance.md"), "utf8"), "capacity", ["at 1,000"]);

/** The benchmarked consumption of an operation, as a log line reports it. */
const benched = (operation: string) => {
  const row = CAPACITY.find((one) => one.operation === operation);
  const [read_units, write_units] = (row?.["at 1,000"] ?? "").split(" / ").map(Number);
  return { read_units, write_units };
};

/** Whether CloudWatch counts a line as an error response. */
const isRefusal = filterOf(refusalPattern());

const announce = asWorker("announce", announceHandler);

describe("the log line of a request", () => {
  it("has the route, a hash of the player, the status, the duration, and the capacity that the benches measured", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    const line = await lineAfter(() => s.call("GET /player/{url_id}", { as: ada }));
    expect(line).toMatchObject({
      ...{ route: "GET /player/{url_id}", status: 200, player: shown(ada), cold_start: false },
      ...benched("check token and load player (GET /player)"),
      request_id: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(line.duration_ms).toBeGreaterThan(0);
    const body = { tag_code: ben.code };
    const hunt = () => s.call("POST /zombie/hunt/{url_id}", { as: ada, body, key: randomUUID() });
    expect(await lineAfter(hunt)).toMatchObject(benched("hunt"));
    expect(await lineAfter(() => s.login("Ben", ben.password))).toMatchObject(benched("login"));
  });

  it("has the reason why the database failed, which the response has not", async () => {
    const ada = await s.join("Ada");
    isBusy = true;
    const line = await lineAfter(async () => {
      const response = await s.call("GET /player/{url_id}", { as: ada });
      expect(response.text).not.toContain("the table takes no more");
    });
    expect(line).toMatchObject({ code: "unavailable", database: "Error: the table takes no more" });
  });

  it("counts its own capacity alone, however many requests run concurrently", async () => {
    const people = await Promise.all(["Ada", "Ben", "Cid"].map((alias) => s.join(alias)));
    const unitsOf = async (one: TestPlayer): Promise<unknown[]> => {
      const body = { alias: one.alias, password: one.password };
      const results = await Promise.all([
        s.call("GET /player/{url_id}", { as: one }),
        s.call("GET /users/{url_id}", { as: one }),
        s.call("POST /login", { body }),
      ]);
      return results.map(({ headers }) => {
        const [line] = linesOf("request").filter(({ request_id }) => request_id === headers["x-request-id"]);
        return [line?.read_units, line?.write_units];
      });
    };
    const all = await Promise.all(people.map(unitsOf));
    expect(new Set(all.map((units) => JSON.stringify(units))).size).toBe(1);
    expect(all[0]?.[0]).toEqual(Object.values(benched("check token and load player (GET /player)")));
    expect(all[0]?.[2]).toEqual(Object.values(benched("login")));
  });

  it("names no player who was not authenticated, and nobody by id, alias, token or code", async () => {
    const [gm, ada, ben] = await s.game("Ada Lovelace", "Benedict");
    await s.hunt(ada, ben);
    await s.call("POST /admin/get_logs/{url_id}", { as: gm });
    const publicOnes = linesOf("request").filter(({ route }) => /\/(new|login)$/.test(route));
    expect(publicOnes.length).toBeGreaterThanOrEqual(5);
    const forged = { ...ada, token: `${ada.token.slice(0, -3)}AAA` };
    const stranger = await lineAfter(() => s.call("GET /player/{url_id}", { as: forged }));
    expect(stranger).toMatchObject({ status: 403, code: "token_rejected" });
    const rejected = await lineAfter(() => s.call("GET /admin/player_count/{url_id}", { as: ada }));
    expect(rejected).toMatchObject({ status: 401, code: "not_administrator" });
    for (const line of [...publicOnes, stranger, rejected]) expect(line).not.toHaveProperty("player");
    const wrong = await lineAfter(() => s.hunt(ada, "ZZZZZZZZ"));
    expect(wrong).toMatchObject({ status: 404, code: "unknown_tag_code", player: shown(ada) });
    const told = lines.join("");
    for (const { id, alias, token, code } of [gm, ada, ben]) {
      for (const secret of [id, alias, token, token.split(".")[2], ...(code === null ? [] : [code])]) {
        expect(told).not.toContain(secret);
      }
    }
  });
});

describe("the log line of a worker", () => {
  it("has the consumed capacity", async () => {
    await s.join("Ada");
    await asFunction("sweep", () => sweepHandler.on(s.services)({}, lambdaContext()));
    const [swept] = linesOf("scheduled");
    expect(swept).toMatchObject({ name: "sweep", cold_start: false, write_units: 1, starved: 0 });
    expect(swept?.read_units).toBeGreaterThan(0);
    await announce.on(s.services)({ Records: await streamRecords(s) }, lambdaContext());
    expect(linesOf("worker")[0]).toMatchObject({ name: "announce", read_units: 0, write_units: 0 });
    expect(swept).not.toHaveProperty("player");
  });
});

describe("the metrics", () => {
  it("count each error response by its code, and nothing else of a request", async () => {
    const ada = await s.join("Ada");
    await s.call("GET /player/{url_id}", { as: ada });
    const refusals = () => lines.filter(isRefusal).map((line) => JSON.parse(line).code);
    expect(refusals()).toEqual([]);
    await s.hunt(ada, "ZZZZZZZZ");
    await s.call("POST /login", { body: { alias: "Ada" } });
    isBusy = true;
    expect((await s.call("GET /game/{url_id}", { as: ada })).status).toBe(503);
    isBroken = true;
    expect((await s.call("GET /game/{url_id}", { as: ada })).status).toBe(500);
    expect(refusals()).toEqual(["wrong_state", "invalid_request", "unavailable"]);
    expect(linesOf("request").at(-1)).toMatchObject({ status: 500, code: "internal" });
    expect(counted).toEqual([]);
  });

  it("count each hunt and each death from the stream, once it is queued", async () => {
    const [gm, ada, ben] = [await s.admin(), await s.join("Ada"), await s.join("Ben")];
    await s.join("Cid");
    await s.outbreak(gm, ada);
    await s.hunt(ada, ben);
    await s.hunt(ada, ben);
    await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Cid" } });
    await s.call("POST /admin/revive_h/{url_id}", { as: gm, body: { alias: "Cid" } });
    passed = 3 * DAY;
    await s.sweep();
    const records = await streamRecords(s);
    const broken = insertRecord({ pk: "INTERACTIONS#0", sk: "0", kind: 7 });
    const before = counted.length;
    hasQueue = false;
    await expect(announce.on(s.services)({ Records: records }, lambdaContext())).rejects.toThrow();
    expect(counted.slice(before)).toEqual([]);
    hasQueue = true;
    await announce.on(s.services)({ Records: [...records, broken] }, lambdaContext());
    // Ada at the outbreak, Cid by a game master, then Ada and Ben of hunger.
    expect(sumByName(counted.slice(before))).toEqual({ Hunts: 1, Deaths: 4, StreamRecordUnreadable: 1 });
    const after = counted.length;
    const isKill = ({ dynamodb }: DynamoDBRecord) => dynamodb?.NewImage?.kind?.S === "corpsify";
    await announce.on(s.services)({ Records: records.filter(isKill) }, lambdaContext());
    expect(counted.slice(after)).toEqual([{ name: "Deaths", unit: "Count", value: 2 }]);
  });

  it("have the age of the oldest starvation that a sweep records, zero when there is none", async () => {
    await s.game("Ada");
    await s.sweep();
    expect(counted.at(-1)).toEqual({ name: "SweepLag", unit: "Seconds", value: 0 });
    passed = 2 * DAY + 2 * HOUR;
    expect(await s.sweep()).toMatchObject({ starved: 1 });
    const { name, value = 0 } = counted.at(-1) ?? {};
    expect(name).toBe("SweepLag");
    expect(Math.abs(value - (2 * HOUR) / SECOND)).toBeLessThan(60);
  });
});
