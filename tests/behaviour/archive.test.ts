import { createHash } from "node:crypto";
import { open, readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type AttributeValue, GetItemCommand, PutItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { seedJoinCode } from "../../lib/app/game/seedJoinCode.ts";
import { sweep } from "../../lib/app/workers/sweep.ts";
import { DAY } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { readJoinCodes } from "../../lib/store/accounts/joinCodes.ts";
import { keys } from "../../lib/store/keys.ts";
import { openStore } from "../../lib/store/store.ts";
import { importGame } from "../../scripts/archive/import.ts";
import { readGame } from "../../scripts/archive/read.ts";
import type { Target } from "../../scripts/archive/target.ts";
import { exportGame } from "../../scripts/archive/write.ts";
import { UserError } from "../../scripts/cli/userError.ts";
import { recount } from "../../scripts/recount/recount.ts";
import { archives, killedAt } from "../support/archives.ts";
import { missionAt } from "../support/constants.ts";
import { blackPng } from "../support/pictures.ts";
import { playGame } from "../support/playedGame.ts";
import { testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment();
const { done } = shortRequests(s);
const { folder, newFile, openTable, emptyTable, everything } = archives(s);

/** The table into which games are imported. */
let importTable: Target;
beforeEach(async () => {
  importTable = await emptyTable();
});

const AT = "2026-11-21T12:00:00.000Z";
const runExport = async (options: { withSessions?: boolean; file?: string; force?: boolean } = {}) => {
  const { withSessions = false, file = newFile(), force = false } = options;
  const exportedGame = await exportGame(openTable(), { file, withSessions, force, at: AT });
  return { file, ...exportedGame };
};
const playAndExport = async () => {
  await playGame(s);
  return runExport();
};
const runImport = (target: Target, file: string, resume = false) =>
  importGame(target, { file, resume, at: AT });

/** Items that are exported only on request, and key prefixes of items that are never exported. */
const isSession = ({ sk }: StoredItem): boolean => sk === "SESSIONS" || sk === "RECOVERY";
const EXPIRING = [
  ...["SECRET#ONCE#", "SECRET#NOBODY#", "SECRET#BROADCAST#", "SECRET#THROTTLE#"],
  ...[keys.publicPage.pk, "EVENT#"],
];
/** Whether an item is in no export: it expires, or is the password of a player who has left. */
const isLeftOut = ({ pk, sk }: StoredItem): boolean =>
  EXPIRING.some((prefix) => pk.startsWith(prefix)) ||
  (pk.startsWith("JOB#") && pk !== "JOB#j1") ||
  (pk.startsWith("SECRET#TOMBSTONES#") && sk === "CREDENTIAL");

it("an imported game is the same game without sessions and expiring items, and keeps the logs and rate limits of a service that ran there", async () => {
  const { gm } = await playGame(s);
  const as = await s.join("Mia");
  await s.store.db.put({ ...keys.throttle("FAILURES", "192.0.2.1"), full_at: 1, expires: 1 });
  const body = { unique_email: true, join_codes: [{ code: "spring" }] };
  await s.must("POST /admin/settings/{url_id}", { as: gm, body });
  await s.must("POST /admin/ban/{url_id}", { as: gm, body: { alias: "Eve", reason: "Cheating." } });
  // A mission that was closed, and somebody who attended it and has left since.
  const mission = missionAt(Date.now(), { rewards: [{ audience: "all", effect: { points: 2 } }] });
  const { mission_id } = await done(gm, "set_mission", mission);
  await done(gm, "mission_picture", { mission_id, image: blackPng(2, 2).toString("base64") });
  await done(gm, "mission_attendance", { mission_id, aliases: ["Mia", "Ada"] });
  await done(gm, "close_mission", { mission_id, result: "both" });
  await s.must("DELETE /delete_player/{url_id}", { as });
  // Of the jobs, only j1 is exported, because the game item refers to it.
  await s.store.db.put({ ...(await s.store.db.get(keys.game)), ...keys.game, enforcing: "j1" });
  for (const job_id of ["j1", "j2"]) await s.store.db.put({ ...keys.job(job_id), job_id, rev: 1 });
  await s.must("GET /public", {});
  const before = await everything(openTable());
  const partitions = before.map(({ pk }) => pk).join();
  for (const start of ["ONCE", "NOBODY", "THROTTLE", "TOMBSTONES"])
    expect(partitions).toContain(`SECRET#${start}#`);
  for (const sk of ["SESSIONS", "PICTURE"]) expect(before.some((item) => item.sk === sk)).toBe(true);
  // What a service writes before anybody plays: log entries, failed logins with unknown aliases, rate limits, and the page.
  const isTrace = ({ pk }: StoredItem): boolean =>
    /^((LOGS|SECRET#THROTTLE|SECRET#NOBODY)#|PUBLIC$)/.test(pk);
  const traces = before.filter(isTrace).map((item) => ({ ...item, sk: `${item.sk} of another` }));
  expect(new Set(traces.map(({ pk }) => pk.replace(/#[^#]*$/, ""))).size).toBe(6);
  const continuation = { ...keys.continuation, at: 1 };
  for (const item of [...traces, continuation, { ...keys.sweepClock, at: 1 }]) await importTable.db.put(item);
  const { file, items } = await runExport();
  const { trailer } = await runImport(importTable, file);
  const wanted = before.filter((item) => !isSession(item) && !isLeftOut(item));
  const isKept = ({ sk }: StoredItem): boolean => sk.endsWith("of another") || sk === continuation.sk;
  const after = await everything(importTable);
  expect(after.filter((item) => !isKept(item))).toEqual(wanted);
  expect(after.filter(isKept)).toEqual([continuation, ...traces]);
  expect([trailer.items, items]).toEqual([wanted.length, wanted.length]);
  expect(await recount(importTable)).toMatchObject({ differences: [], unstable: [] });
  // On request, sessions are exported too, but still no expiring items.
  const complete = await emptyTable();
  await runImport(complete, (await runExport({ withSessions: true })).file);
  expect(await everything(complete)).toEqual(before.filter((item) => !isLeftOut(item)));
});

it("an imported game has its own join codes alone, also in a table into which JOIN_CODE was written", async () => {
  const gm = await s.admin();
  const codesIn = async (target: Target) => (await readJoinCodes(target.db)).map(({ code }) => code);
  const { file: before } = await runExport();
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { join_codes: [{ code: "spring" }] } });
  const { file: after } = await runExport();
  for (const [file, needs, codes] of [
    [before, null, []],
    [after, true, ["spring"]],
  ] as const) {
    const target = await emptyTable();
    const store = openStore(target.db);
    expect(await seedJoinCode(store, "brains", s.now)).toBe("written");
    await runImport(target, file);
    expect((await store.game()).settings.needs_join_code).toBe(needs);
    expect(await codesIn(target)).toEqual(codes);
    await expect(runImport(target, file)).rejects.toThrow("already contains items");
  }
});

const nested = (levels: number): AttributeValue =>
  levels === 0 ? { NULL: true } : { L: [nested(levels - 1)] };

/** Attributes at DynamoDB's limits. */
const LIMITS: Record<string, AttributeValue>[] = [
  { x: { S: `${"é".repeat((409_600 - 8) / 2)}y` } },
  { pk: { S: "é".repeat(1_024) } },
  { sk: { S: "x".repeat(1_024) } },
  { gsi1pk: { S: "x".repeat(2_048) } },
  { gsi3sk: { S: "é".repeat(512) } },
  { n: { N: "0.000" } },
  { n: { N: `-${"1".repeat(38)}` } },
  { n: { N: "9.9e125" } },
  { n: { N: "1e-130" } },
  { s: { SS: ["", "a"] } },
  { s: { NS: ["1", "2.5"] } },
  { s: { BS: [Buffer.of(0, 255, 10, 13), Buffer.of(1)] } },
  { deep: { M: { a: nested(30) } } },
  { m: { M: {} } },
  { odd: { S: "\u2028 \r \u0000 😀" } },
  { b: { B: Buffer.of() } },
  { sk: { S: "odd \u2028 \r \u0000" } },
  { no: { BOOL: false } },
];

/** Attributes of which no item can be read. */
const UNREADABLE = ['{"b":{"B":"A"}}', '{"__proto__":{"S":"x"}}', '{"n":{"N":"1","S":"x"}}', '{"\\u001b":1}'];

it("items at DynamoDB's limits, numbers and bytes are imported as they were", async () => {
  await s.admin();
  const items = LIMITS.map((more, n) => ({ pk: { S: "A" }, sk: { S: String(n) }, ...more }));
  const own = openTable();
  for (const Item of items) await own.client.send(new PutItemCommand({ TableName: own.table, Item }));
  await runImport(importTable, (await runExport()).file);
  for (const { pk, sk } of items) {
    const read = async ({ client, table }: Target) =>
      (await client.send(new GetItemCommand({ TableName: table, Key: { pk, sk } }))).Item;
    const item = await read(importTable);
    expect(item).toMatchObject({ pk, sk });
    expect(item).toEqual(await read(own));
  }
});

it("an export is readable by its owner alone, is overwritten only with --force, and has no session, token or recovery code", async () => {
  const { ada, gm } = await playGame(s);
  const request = { as: gm, body: { player_id: ada.id } };
  const recovery = await s.must("POST /admin/recover_password/{url_id}", request);
  const { file } = await runExport();
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  const text = await readFile(file, "utf8");
  const secrets = (await scan(s)).filter(isSession).flatMap(({ hash, sessions }) => {
    const all: { hash: string }[] = Array.isArray(sessions) ? sessions : [];
    return [...(typeof hash === "string" ? [hash] : []), ...all.map((one) => one.hash)];
  });
  expect(secrets.length).toBeGreaterThan(3);
  for (const secret of [...secrets, ada.token.split(".")[2], recovery.body.recovery_code, '"RECOVERY"'])
    expect(text).not.toContain(secret);
  // As its help says, it does contain password hashes.
  expect(text).toContain("$argon2id$");
  await expect(runExport({ file })).rejects.toThrow(/exists.*--force/);
  expect(await readFile(file, "utf8")).toBe(text);
  await runExport({ file, force: true });
  const probe = await open(file);
  onTestFinished(() => probe.close());
  vi.spyOn(Object.getPrototypeOf(probe), "appendFile").mockRejectedValueOnce(new Error("ENOSPC: disk full"));
  for (const bad of [newFile(), folder(), join(folder(), "nowhere", "x"), join(file, "x")]) {
    const failed = await runExport({ file: bad, force: true }).catch((error: unknown) => error);
    expect(failed).toBeInstanceOf(UserError);
    expect(String(failed)).toContain(`${bad} cannot be written: E`);
  }
});

it("of two exports to one file at the same time, the one that began last writes it, and the other one says so", async () => {
  await playGame(s);
  const file = newFile();
  /** An export that waits once it has opened its file. */
  const begin = async () => {
    const [opened, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { db, ...target } = openTable();
    const get: typeof db.get = async (...call) => {
      opened.resolve();
      await go.promise;
      return db.get(...call);
    };
    const done = exportGame(
      { ...target, db: { ...db, get } },
      { file, withSessions: false, force: true, at: AT },
    );
    done.catch(() => {});
    await opened.promise;
    return { done, go: go.resolve };
  };
  const [first, second] = [await begin(), await begin()];
  first.go();
  await expect(first.done).rejects.toThrow("Another export");
  await expect(stat(file)).rejects.toThrow("ENOENT");
  second.go();
  const { items } = await second.done;
  expect((await readGame(file)).trailer.items).toBe(items);
});

it("an export during which a reset begins is an error, because a part of it may be of the new season", async () => {
  await playGame(s);
  const file = newFile();
  const target = openTable();
  const { client, db } = target;
  const send = client.send.bind(client);
  Object.assign(client, {
    send: async (command: Parameters<typeof send>[0]) => {
      await db.put({ ...keys.resetting, at: AT, file, sha256: "", shards: 1 });
      return send(command);
    },
  });
  const options = { file, withSessions: false, force: false, at: AT };
  await expect(exportGame(target, options)).rejects.toThrow("A reset of the local game is unfinished");
  await expect(stat(file)).rejects.toThrow("ENOENT");
});

/** Ways to damage a file, and the import's error for each. */
const BROKEN: [make: (lines: string[], text: string) => string | Buffer, message: RegExp][] = [
  [() => "", /is empty/],
  [() => '{"hello":"world"}\n', /not an export file/],
  [() => Buffer.alloc(5_000_000, 1), /not an export file/],
  [(_, text) => text.replace('"version":1', '"version":2'), /version 2, but this service reads version 1/],
  [(lines) => `${lines.slice(0, -2).join("\n")}\n`, /incomplete/],
  [(_, text) => text.slice(0, -1), /incomplete/],
  [(lines) => lines.toSpliced(3, 1).join("\n"), /invalid.*items/],
  [(lines) => lines.toSpliced(3, 0, lines[3] ?? "").join("\n"), /invalid.*items/],
  [(lines) => lines.toSpliced(2, 2, lines[3] ?? "", lines[2] ?? "").join("\n"), /checksum/],
  [(lines) => lines.with(4, "{}").join("\n"), /line 5/],
  [(_, text) => text + text, /invalid/],
];

it("a broken file is rejected with an error without control characters, and nothing is written", async () => {
  const { file } = await playAndExport();
  const text = await readFile(file, "utf8");
  const unreadable = UNREADABLE.map((attributes): (typeof BROKEN)[number] => {
    const item = attributes.replace("{", '{"pk":{"S":"A"},"sk":{"S":"B"},');
    return [(lines) => lines.with(4, item).join("\n"), /line 5 is not an item/];
  });
  for (const [make, message] of [...BROKEN, ...unreadable]) {
    const broken = newFile();
    await writeFile(broken, make(text.split("\n"), text));
    const reason = await runImport(importTable, broken).then(() => "it was imported", String);
    expect(reason, String(make)).toMatch(message);
    expect(reason).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  }
  expect(await everything(importTable)).toEqual([]);
  await expect(runImport(importTable, join(folder(), "missing"))).rejects.toThrow("cannot be read");
  // A valid file is rejected too if the table has items of another program.
  await importTable.db.put({ pk: "ORDERS#1", sk: "1" });
  await expect(runImport(importTable, file)).rejects.toThrow("already contains items");
});

it("an item that the database refuses is an error that says so", async () => {
  const { file } = await playAndExport();
  const lines = (await readFile(file, "utf8")).split("\n").slice(0, -2);
  const item = { pk: { S: "A" }, sk: { S: "B" }, "\u001b": { S: "x".repeat(410_000) } };
  const body = [...lines, JSON.stringify(item), ""].join("\n");
  const sha256 = createHash("sha256").update(body).digest("hex");
  const forged = newFile();
  await writeFile(forged, `${body}${JSON.stringify({ items: lines.length, sha256 })}\n`);
  const reason = await runImport(importTable, forged).then(() => "it was imported", String);
  expect(reason).toMatch(/is invalid: the database refuses an item: "Item size .*\. Empty the table\.$/);
});

it("a sweep records no starvation while an import is in progress or interrupted", async () => {
  const [gm, ada] = await s.game("Ada");
  // Without these two days Ada would have starved.
  for (let n = 0; n < 2; n += 1) await s.must("POST /admin/zombies_add_day/{url_id}", { as: gm });
  s.now += 3 * DAY;
  await s.sweep();
  const { file } = await runExport();
  const services = { ...s.services, store: openStore(importTable.db) };
  const run = () => sweep({ services, requestId: "x", timeLeft: () => 50_000 });
  expect(await run()).toEqual({ starved: 0, warned: 0, complete: true });
  killedAt(importTable, 1, ["TransactWriteItemsCommand"]);
  await expect(runImport(importTable, file)).rejects.toThrow("killed");
  expect(await run()).toEqual({ starved: 0, warned: 0, complete: true });
  await runImport(openTable(importTable.table), file, true);
  expect(await run()).toEqual({ starved: 0, warned: 0, complete: true });
  expect((await services.store.player(ada.id))?.state).toBe("zombie");
});

describe("a table that is in use", () => {
  it("is left unchanged; only an interrupted import can be resumed, with the same file, and is not exported until then", async () => {
    const { file, items } = await playAndExport();
    const before = await everything(openTable());
    for (const resume of [false, true])
      await expect(runImport(openTable(), file, resume)).rejects.toThrow("needs an empty table");
    expect(await everything(openTable())).toEqual(before);
    // The process dies at the third batch.
    killedAt(importTable, 3, ["BatchWriteItemCommand"]);
    await expect(runImport(importTable, file)).rejects.toThrow("killed");
    const again = openTable(importTable.table);
    const half = await everything(again);
    expect(half.length).toBeGreaterThan(1);
    expect(half.length).toBeLessThan(items);
    expect(half.some(({ sk }) => sk === keys.game.sk)).toBe(false);
    await expect(runImport(again, file)).rejects.toThrow(/interrupted.*--resume/);
    const other = (await runExport({ withSessions: true })).file;
    await expect(runImport(again, other, true)).rejects.toThrow("another file");
    const options = { file: newFile(), withSessions: false, force: false, at: AT };
    await expect(exportGame(again, options)).rejects.toThrow("is unfinished");
    await runImport(again, file, true);
    const whole = await everything(again);
    expect(whole).toHaveLength(items);
    expect(whole.some(({ sk }) => sk === keys.importing.sk)).toBe(false);
    expect((await recount(again)).differences).toEqual([]);
  });

  it("keeps a game that a service began there meanwhile", async () => {
    const { file } = await playAndExport();
    const put = importTable.db.put.bind(importTable.db);
    importTable.db.put = async (item, expectation) => {
      await put(item, expectation);
      await put({ ...keys.game, rev: 1 });
    };
    await expect(runImport(importTable, file)).rejects.toThrow("started its own game");
    expect((await everything(importTable)).find(({ sk }) => sk === keys.game.sk)).toMatchObject({ rev: 1 });
  });
});
