/** Observability: one log line for each request, and metrics. */
import { createHash, randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { handler as announceHandler } from "../../functions/notifications/announce.ts";
import { handler as sweepHandler } from "../../functions/zombie/sweep.ts";
import { DAY, HOUR, SECOND } from "../../lib/domain/time.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import { keys } from "../../lib/store/keys.ts";
import { readResult, tableOf, unitsIn } from "../../scripts/figures/results.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { ROOT } from "../../scripts/project/root.ts";
import type { BeforeCall } from "../support/beforeCalls.ts";
import { asFunction, asWorker } from "../support/calls.ts";
import { SHARED_ENGINE } from "../support/engine.ts";
import { logLines } from "../support/logLines.ts";
import { recordMetrics, sumByName } from "../support/recordedMetrics.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { insertRecord, streamRecords } from "../support/streamRecords.ts";

const s = testEnvironment();
const BUSY = new DatabaseBusy("ThrottlingException", { cause: new Error("the table takes no more") });

/** Makes each read of the game fail. */
const failGame =
  (reason: Error): BeforeCall =>
  (_, [key]) => {
    if (key?.pk === keys.game.pk) throw reason;
  };

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

const CAPACITY = tableOf("capacity", await readResult("capacity"), ["at 1,000"]);

/** The benchmarked consumption of an operation, less so many read units, as a log line reports it. */
const benched = (operation: string, saved = 0) => {
  const row = CAPACITY.find((one) => one.operation === operation);
  const { read, write: write_units } = unitsIn("capacity", row, "at 1,000");
  // AWS's emulator rounds the size of a batch, not that of each item.
  return SHARED_ENGINE === undefined ? { read_units: read - saved, write_units } : {};
};

/** The lines that the dashboard counts by their error code (resources/dashboard.cjs); `refusals` finds the same. */
const REFUSALS = 'filter message = "request" and ispresent(code) and code != "internal" | stats';
const refusals = () =>
  linesOf("request").flatMap(({ code }) => (code === undefined || code === "internal" ? [] : [code]));

const announce = asWorker("announce", announceHandler);

describe("the log line of a request", () => {
  it("has the route, a hash of the player, the status, the duration, and the capacity of this request alone, as benched", async () => {
    const [, ada, ben] = await s.game("Ada", "Ben");
    const requests = [ada, ben].flatMap((as) => [
      s.call("GET /player/{url_id}", { as }),
      s.call("GET /users/{url_id}", { as }),
      s.call("POST /login", { body: { alias: as.alias, password: as.password } }),
    ]);
    const found = (await Promise.all(requests)).map(({ headers }) =>
      linesOf("request").find(({ request_id }) => request_id === headers["x-request-id"]),
    );
    for (const [n, as] of [ada, ben].entries()) {
      const [look, , login] = found.slice(3 * n);
      expect(look).toMatchObject({
        ...{ route: "GET /player/{url_id}", status: 200, player: shown(as), cold_start: false },
        // Ben's request shows the game that Ada's has read.
        ...benched("check token and load player (GET /player)", as === ben ? 0.5 : 0),
        duration_ms: expect.toSatisfy((duration) => duration > 0),
      });
      expect(login).toMatchObject(benched("login"));
    }
    const body = { tag_code: ben.code };
    const hunt = () => s.call("POST /zombie/hunt/{url_id}", { as: ada, body, key: randomUUID() });
    expect(await lineAfter(hunt)).toMatchObject(benched("hunt"));
  });

  it("has the reason why the database failed, which the response has not", async () => {
    const ada = await s.join("Ada");
    s.beforeCall = failGame(BUSY);
    const line = await lineAfter(async () => {
      const response = await s.call("GET /player/{url_id}", { as: ada });
      expect(response.text).not.toContain("the table takes no more");
    });
    expect(line).toMatchObject({ code: "unavailable", database: "Error: the table takes no more" });
  });

  it("has no player unless the request was authorised, and nobody's id, alias, token or code", async () => {
    const [gm, ada, ben] = await s.game("Ada Lovelace", "Benedict");
    await s.hunt(ada, ben);
    await s.call("POST /admin/get_logs/{url_id}", { as: gm });
    const publicOnes = linesOf("request").filter(({ route }) => /\/(new|login)$/.test(route));
    expect(publicOnes.length).toBeGreaterThanOrEqual(3);
    const as = { ...ada, token: `${ada.token.slice(0, -3)}AAA` };
    const stranger = await lineAfter(() => s.call("GET /player/{url_id}", { as }));
    expect(stranger).toMatchObject({ status: 403, code: "token_rejected" });
    const rejected = await lineAfter(() => s.call("GET /admin/player_count/{url_id}", { as: ada }));
    expect(rejected).toMatchObject({ status: 401, code: "not_administrator" });
    for (const line of [...publicOnes, stranger, rejected]) expect(line).not.toHaveProperty("player");
    const wrong = await lineAfter(() => s.hunt(ada, "ZZZZZZZZ"));
    expect(wrong).toMatchObject({ status: 404, code: "unknown_tag_code", player: shown(ada) });
    const told = lines.join("");
    const secrets = [gm, ada, ben].flatMap(({ id, alias, token, code }) => [id, alias, token, code]);
    secrets.push(...[gm, ada, ben].map(({ token }) => token.split(".")[2] ?? null));
    for (const secret of secrets) if (secret !== null) expect(told).not.toContain(secret);
  });
});

it("the log line of a worker has the consumed capacity", async () => {
  await s.join("Ada");
  await asFunction("sweep", () => sweepHandler.on(s.services)({}, lambdaContext()));
  const [swept] = linesOf("scheduled");
  expect(swept).toMatchObject({ name: "sweep", cold_start: false, write_units: 1, starved: 0 });
  expect(swept?.read_units).toBeGreaterThan(0);
  await announce.on(s.services)({ Records: await streamRecords(s) }, lambdaContext());
  expect(linesOf("worker")[0]).toMatchObject({ name: "announce", read_units: 0, write_units: 0 });
});

describe("the metrics", () => {
  it("count each error response by its code, and nothing else of a request", async () => {
    const ada = await s.join("Ada");
    await s.call("GET /player/{url_id}", { as: ada });
    expect(readFileSync(join(ROOT, "resources/dashboard.cjs"), "utf8")).toContain(REFUSALS);
    expect(refusals()).toEqual([]);
    await s.hunt(ada, "ZZZZZZZZ");
    await s.call("POST /login", { body: { alias: "Ada" } });
    for (const [reason, status] of [
      [BUSY, 503],
      [new Error("broken"), 500],
    ] as const) {
      s.beforeCall = failGame(reason);
      // By then the process does not show the game that it has read before.
      s.now += SECOND;
      expect((await s.call("GET /game/{url_id}", { as: ada })).status).toBe(status);
    }
    expect(refusals()).toEqual(["wrong_state", "invalid_request", "unavailable"]);
    expect(linesOf("request").at(-1)).toMatchObject({ status: 500, code: "internal" });
    expect(counted).toEqual([]);
  });

  it("count each hunt and each death from the stream, once it is queued", async () => {
    const [gm, ada, ben] = await s.game("Ada", "Ben", "Cid", "Dan");
    await s.hunt(ada, ben);
    await s.hunt(ada, ben);
    await s.must("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Cid" } });
    await s.must("POST /admin/make_spectator/{url_id}", { as: gm, body: { alias: "Dan" } });
    s.now += 3 * DAY;
    await s.sweep();
    const records = await streamRecords(s);
    const broken = [
      insertRecord({ pk: "INTERACTIONS#0", sk: "0", kind: 7 }),
      insertRecord({ ...keys.event("0"), cause: "of a later version" }),
    ];
    const before = counted.length;
    s.hasQueue = false;
    await expect(announce.on(s.services)({ Records: records }, lambdaContext())).rejects.toThrow();
    expect(counted.slice(before)).toEqual([]);
    s.hasQueue = true;
    await announce.on(s.services)({ Records: [...records, ...broken] }, lambdaContext());
    // Ada at the outbreak, Cid by a game master, then Ada and Ben of hunger.
    expect(sumByName(counted.slice(before))).toEqual({ Hunts: 1, Deaths: 4, StreamRecordUnreadable: 2 });
  });

  it("have the age of the oldest starvation that a sweep records, zero when there is none", async () => {
    await s.game("Ada");
    await s.sweep();
    expect(counted.at(-1)).toEqual({ name: "SweepLag", unit: "Seconds", value: 0 });
    s.now += 2 * DAY + 2 * HOUR;
    expect(await s.sweep()).toMatchObject({ starved: 1 });
    const value = expect.closeTo((2 * HOUR) / SECOND, -2);
    expect(counted.at(-1)).toMatchObject({ name: "SweepLag", value });
  });
});
