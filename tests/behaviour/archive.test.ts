/** Export and import: an imported game is the same game, and a broken file changes nothing. */
import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { sweep } from "../../lib/app/workers/sweep.ts";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { keys } from "../../lib/store/keys.ts";
import { openStore } from "../../lib/store/store.ts";
import { importGame } from "../../scripts/archive/import.ts";
import { readGame } from "../../scripts/archive/read.ts";
import type { Target } from "../../scripts/archive/target.ts";
import { exportGame } from "../../scripts/archive/write.ts";
import { recount } from "../../scripts/recount/recount.ts";
import { archives, killedAt } from "../support/archives.ts";
import { playGame } from "../support/playedGame.ts";
import { testEnvironment } from "../support/service.ts";
import { scan } from "../support/table.ts";

let passed = 0;
const s = testEnvironment({ services: (usual) => ({ clock: () => usual.clock() + passed }) });
beforeEach(() => {
  passed = 0;
});

const { folder, newFile, at, emptyTable, everything } = archives(s);
const AT = "2026-11-21T12:00:00.000Z";
const exporting = async (options: { withSessions?: boolean; file?: string; force?: boolean } = {}) => {
  const { withSessions = false, file = newFile(), force = false } = options;
  const told = await exportGame(at(), { file, withSessions, force, at: AT });
  return { file, ...told };
};

const importing = (target: Target, file: string, resume = false) =>
  importGame(target, { file, resume, at: AT });

/** Items that are exported on request only, and items that never are. */
const isSession = ({ sk }: StoredItem): boolean => sk === "SESSIONS" || sk === "RECOVERY";
const PASSING = ["SECRET#ONCE#", "SECRET#NOBODY#", "SECRET#BROADCAST#", "SECRET#THROTTLE#", "JOB#"];
const isPassing = ({ pk }: StoredItem): boolean => PASSING.some((prefix) => pk.startsWith(prefix));

describe("a game that was exported and imported", () => {
  it("is the same game, without sessions and without items that expire", async () => {
    const { gm } = await playGame(s);
    await s.store.db.put({ ...keys.throttle("FAILURES", "192.0.2.1"), full_at: 1, expires: 1 });
    await s.must("POST /admin/settings/{url_id}", {
      as: gm,
      body: { unique_email: true, join_codes: [{ code: "spring" }] },
    });
    await s.must("POST /admin/ban/{url_id}", { as: gm, body: { alias: "Eve", reason: "Cheating." } });
    const before = await everything(at());
    const starts = new Set(before.map(({ pk, sk }) => `${pk.replace(/[^#]*$/, "")} ${sk}`));
    for (const start of ["ONCE#", "NOBODY#", "THROTTLE#", "TOMBSTONES#"])
      expect(
        [...starts].some((one) => one.startsWith(`SECRET#${start}`)),
        start,
      ).toBe(true);
    for (const sk of ["SESSIONS", "PICTURE"]) expect(before.some((item) => item.sk === sk)).toBe(true);
    const { file, items } = await exporting();
    const there = await emptyTable();
    const { trailer } = await importing(there, file);
    const wanted = before.filter((item) => !isSession(item) && !isPassing(item));
    expect(await everything(there)).toEqual(wanted);
    expect([trailer.items, items]).toEqual([wanted.length, wanted.length]);
    expect(await recount(there)).toEqual({ items: wanted.length, differences: [], moving: [] });
    // With its sessions on request, and still without stored responses.
    const complete = await emptyTable();
    await importing(complete, (await exporting({ withSessions: true })).file);
    expect(await everything(complete)).toEqual(before.filter((item) => !isPassing(item)));
  });

  it("keeps numbers and bytes that JavaScript does not tell apart", async () => {
    await playGame(s);
    const odd = {
      pk: { S: "LOGS#9" },
      sk: { S: "odd \u2028 \r \u0000" },
      large: { N: "12345678901234567890123456789012345678" },
      small: { N: "0.00000000000000000000000000001" },
      bytes: { B: Uint8Array.from([0, 255, 10, 13]) },
      set: { SS: ["a", "b"] },
      numbers: { NS: ["1", "2.5"] },
      byteSet: { BS: [Uint8Array.from([10])] },
      deep: { M: { list: { L: [{ NULL: true }, { BOOL: false }, { B: Uint8Array.from([]) }] } } },
    };
    const { client, table } = at();
    await client.send(new PutItemCommand({ TableName: table, Item: odd }));
    const { file } = await exporting();
    let read: unknown;
    await readGame(file, (item) => {
      if (item.pk?.S === "LOGS#9") read = item;
    });
    expect(read).toEqual({
      ...odd,
      bytes: { B: Buffer.from([0, 255, 10, 13]) },
      byteSet: { BS: [Buffer.from([10])] },
      deep: { M: { list: { L: [{ NULL: true }, { BOOL: false }, { B: Buffer.from([]) }] } } },
    });
  });
});

describe("the file", () => {
  it("is readable by its owner alone, is not overwritten, and has no session, token or code in it", async () => {
    const { ada, gm } = await playGame(s);
    const recovery = await s.call("POST /admin/recover_password/{url_id}", {
      as: gm,
      body: { player_id: ada.id },
    });
    const { file } = await exporting();
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
    await expect(exporting({ file })).rejects.toThrow(/exists.*--force/);
    expect(await readFile(file, "utf8")).toBe(text);
    await exporting({ file, force: true });
    await expect(exporting({ file: join(folder(), "nowhere", "x") })).rejects.toThrow("cannot be written");
  });

  it("includes the job that a game waits for", async () => {
    await playGame(s);
    const { db } = s.store;
    await db.put({ ...(await db.get(keys.game)), ...keys.game, enforcing: "j1" });
    for (const job_id of ["j1", "j2"]) await db.put({ ...keys.job(job_id), job_id, rev: 1 });
    const there = await emptyTable();
    await importing(there, (await exporting()).file);
    const jobs = (await everything(there)).filter(({ pk }) => pk.startsWith("JOB#"));
    expect(jobs).toEqual([{ ...keys.job("j1"), job_id: "j1", rev: 1 }]);
  });
});

/** What is done to a file, and what the import reports of it. */
const BROKEN: [make: (lines: string[], text: string) => string | Buffer, message: RegExp][] = [
  [() => "", /is empty/],
  [() => '{"hello":"world"}\n', /not an export file/],
  [() => Buffer.alloc(5_000_000, 1), /not an export file/],
  [
    (_, text) => text.replace('"version":1', '"version":2'),
    /has version 2, but this service reads version 1/,
  ],
  [(lines) => `${lines[0]}\n`, /incomplete/],
  [(lines) => `${lines.slice(0, -2).join("\n")}\n`, /incomplete/],
  [(_, text) => text.slice(0, -1), /incomplete/],
  [(_, text) => text.slice(0, text.length / 2), /incomplete|invalid/],
  [(lines) => lines.toSpliced(3, 1).join("\n"), /invalid.*items/],
  [(lines) => lines.toSpliced(3, 0, lines[3] ?? "").join("\n"), /line 5: an earlier line has the same key/],
  [(lines) => lines.toSpliced(2, 2, lines[3] ?? "", lines[2] ?? "").join("\n"), /checksum/],
  [(_, text) => text.replace(/"sha256":"../, '"sha256":"zz'), /checksum/],
  [(lines) => lines.with(4, "{}").join("\n"), /line 5/],
  [(lines) => lines.with(4, '{"pk":{"S":"a"},"sk":{"S":"b"},"x":{"Q":1}}').join("\n"), /line 5/],
  [(_, text) => text + text, /invalid/],
];

describe("a broken file", () => {
  it("is rejected with a reason, and nothing is written", async () => {
    await playGame(s);
    const { file } = await exporting();
    const text = await readFile(file, "utf8");
    const there = await emptyTable();
    for (const [make, message] of BROKEN) {
      const broken = newFile();
      await writeFile(broken, make(text.split("\n"), text));
      await expect(importing(there, broken), String(make)).rejects.toThrow(message);
      expect(await everything(there), String(make)).toEqual([]);
    }
    await expect(importing(there, join(folder(), "missing"))).rejects.toThrow("cannot be read");
  });
});

/** A file of these items, as an export would have written it. */
const writeGame = async (items: readonly string[]): Promise<string> => {
  const file = newFile();
  const header = JSON.stringify({ format: "zombie-game", version: 1, at: AT, table: "x" });
  const text = [header, ...items].map((line) => `${line}\n`).join("");
  const sha256 = createHash("sha256").update(text).digest("hex");
  await writeFile(file, `${text}${JSON.stringify({ items: items.length, sha256 })}\n`);
  return file;
};

const withAttributes = (more: object, pk = "A", sk = "B"): string =>
  JSON.stringify({ pk: { S: pk }, sk: { S: sk }, ...more });

const nested = (levels: number): object => (levels === 0 ? { NULL: true } : { L: [nested(levels - 1)] });

/** An attribute that fills the item to this size; its keys have two bytes, their names four, its own name one. */
const filledTo = (bytes: number): object => ({
  x: { S: "é".repeat((bytes - 7) / 2) + "y".repeat((bytes - 7) % 2) },
});

describe("an import", () => {
  const SECRETIVE = "\u001b[2J\u202eevil\u2028";
  const REFUSED: [string, RegExp][] = [
    [withAttributes(filledTo(409_601)), /the item has 409,601 bytes, and the limit is 409,600/],
    [withAttributes({}, ""), /the key pk must be a text of 1 to 2,048 bytes/],
    [withAttributes({}, "é".repeat(1_025)), /the key pk must be/],
    [withAttributes({}, "A", "x".repeat(1_025)), /the key sk must be a text of 1 to 1,024/],
    [withAttributes({ gsi1pk: { S: "" } }), /the key gsi1pk must be/],
    [withAttributes({ gsi3sk: { N: "1" } }), /the key gsi3sk must be/],
    [withAttributes({ n: { N: "12x" } }), /the attribute "n" holds "12x", which is not a number/],
    [withAttributes({ n: { N: "" } }), /holds "", which is not a number/],
    [withAttributes({ n: { N: `${"1".repeat(38)}2` } }), /a number of more than 38 digits/],
    [withAttributes({ n: { N: "1e126" } }), /"1e126", which is too large or too small/],
    [withAttributes({ n: { L: [{ N: "-0.01e-129" }] } }), /too large or too small/],
    [withAttributes({ s: { SS: [] } }), /the attribute "s" holds an empty set/],
    [withAttributes({ s: { NS: ["10", "1e1"] } }), /a set with a duplicate element/],
    [withAttributes({ s: { BS: ["AA==", "AA=="] } }), /a set with a duplicate element/],
    [withAttributes({ deep: { M: { a: nested(31) } } }), /nested deeper than 32 levels/],
    [withAttributes({ m: { M: { "": { S: "x" } } } }), /the attribute "m" has an attribute without a name/],
    [withAttributes({ half: { S: "\ud800" } }), /the attribute "half" holds text that is not valid Unicode/],
    [withAttributes({ b: { B: "A" } }), /line 3 is not an item/],
    [`{"pk":{"S":"A"},"sk":{"S":"B"},"__proto__":{"S":"x"}}`, /line 3 is not an item/],
    [withAttributes({ [SECRETIVE]: { N: "x" } }), /"\\u\{1b\}\[2J\\u\{202e\}evil\\u\{2028\}" holds/],
  ];

  it("names the line of an item that DynamoDB would reject, prints nothing of it raw, and writes nothing", async () => {
    const there = await emptyTable();
    for (const [line, why] of REFUSED) {
      const file = await writeGame([withAttributes({}, "FIRST"), line]);
      const reason = await importing(there, file).then(
        () => "it was imported",
        (error: unknown) => String(error),
      );
      expect(reason).toMatch(why);
      expect(reason).toContain("is invalid: line 3");
      expect(reason).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
    }
    expect(await everything(there)).toEqual([]);
  });

  it("accepts items at DynamoDB's limits, as the table does", async () => {
    const there = await emptyTable();
    const largest = [
      filledTo(409_600),
      {
        n: { N: `-${"1".repeat(38)}` },
        large: { N: "9.9e125" },
        small: { N: "1e-130" },
        zero: { N: "0.000" },
      },
      { deep: { M: { a: nested(30) } }, empty: { L: [] }, none: { M: {} } },
      { gsi1pk: { S: "x".repeat(2_048) }, gsi1sk: { S: "é".repeat(512) } },
      { s: { SS: ["", "a"] }, t: { NS: ["1", "-1"] }, b: { BS: ["AA==", "AQ=="] }, e: { S: "" } },
    ];
    const items = largest.map((more, n) => withAttributes(more, "A", String(n)));
    items.push(withAttributes({}, "é".repeat(1_024), "x".repeat(1_024)));
    await importing(there, await writeGame(items));
    expect(await everything(there)).toHaveLength(items.length);
  });
});

describe("a table that nobody has played in", () => {
  it("accepts a game next to the log entries, failed logins and marks that a service has left in it", async () => {
    await playGame(s);
    await s.store.db.put({ ...keys.throttle("FAILURES", "192.0.2.1"), full_at: 1, expires: 1 });
    const before = await everything(at());
    const { file } = await exporting();
    const there = await emptyTable();
    const isTrace = ({ pk }: StoredItem): boolean => /^(LOGS|SECRET#THROTTLE|SECRET#NOBODY)#/.test(pk);
    const traces = before.filter(isTrace).map((item) => ({ ...item, sk: `${item.sk} of another` }));
    // Log entries, failures of nobody, and rate limits of addresses and of players who set pictures.
    expect(new Set(traces.map(({ pk }) => pk.replace(/#[^#]*$/, ""))).size).toBe(4);
    const sweeps = [keys.sweepClock, keys.continuation].map((key) => ({ ...key, at: 1 }));
    for (const item of [...traces, ...sweeps]) await there.db.put(item);
    await importing(there, file);
    const after = await everything(there);
    expect(after.filter(({ sk }) => sk.endsWith("of another"))).toEqual(traces);
    const isSweep = ({ sk }: StoredItem): boolean => sk === keys.sweepClock.sk;
    expect(after.filter(isSweep)).toEqual(before.filter(isSweep));
    expect((await recount(there)).differences).toEqual([]);
  });

  it("records no starvation while a game is imported", async () => {
    const [gm, ada] = await s.game("Ada");
    // By the clock of a new game Ada would be dead.
    for (let n = 0; n < 2; n += 1) await s.must("POST /admin/zombies_add_day/{url_id}", { as: gm });
    passed = 3 * DAY;
    await s.sweep();
    const { file } = await exporting();
    const there = await emptyTable();
    const services = { ...s.services, store: openStore(there.db) };
    const run = () => sweep({ services, requestId: "x", timeLeft: () => 50_000 });
    expect(await run()).toEqual({ starved: 0, warned: 0, complete: true });
    killedAt(there, 1, ["TransactWriteItemsCommand"]);
    await expect(importing(there, file)).rejects.toThrow("killed");
    expect(await run()).toEqual({ starved: 0, warned: 0, complete: true });
    await importing(at(there.table), file, true);
    expect(await run()).toEqual({ starved: 0, warned: 0, complete: true });
    expect((await services.store.player(ada.id))?.state).toBe("zombie");
    passed += DAY + HOUR;
    expect(await run()).toMatchObject({ held: true });
  });
});

describe("a table that is not empty", () => {
  it("is left unchanged, whatever is in it", async () => {
    await playGame(s);
    const { file } = await exporting();
    const own = at();
    const before = await everything(own);
    for (const resume of [false, true]) {
      await expect(importing(own, file, resume)).rejects.toThrow("needs an empty table");
    }
    // A table with another program's items is rejected too.
    const there = await emptyTable();
    await there.db.put({ pk: "ORDERS#1", sk: "1" });
    await expect(importing(there, file)).rejects.toThrow("already a game");
    expect(await everything(own)).toEqual(before);
  });

  it("can be filled further by the same import on --resume, and is not exported until then", async () => {
    await playGame(s);
    const { file, items } = await exporting();
    const there = await emptyTable();
    // The third batch is the end of the process.
    killedAt(there, 3, ["BatchWriteItemCommand"]);
    await expect(importing(there, file)).rejects.toThrow("killed");
    const again = at(there.table);
    const half = await everything(again);
    expect(half.length).toBeGreaterThan(1);
    expect(half.length).toBeLessThan(items);
    expect(half.some(({ sk }) => sk === keys.game.sk)).toBe(false);
    await expect(importing(again, file)).rejects.toThrow(/interrupted.*--resume/);
    const other = (await exporting({ withSessions: true })).file;
    await expect(importing(again, other, true)).rejects.toThrow("another file");
    await expect(
      exportGame(again, { file: newFile(), withSessions: false, force: false, at: AT }),
    ).rejects.toThrow("is unfinished");
    await importing(again, file, true);
    const whole = await everything(again);
    expect(whole).toHaveLength(items);
    expect(whole.some(({ sk }) => sk === keys.importing.sk)).toBe(false);
    expect((await recount(again)).differences).toEqual([]);
  });

  it("keeps a game that a service began there meanwhile", async () => {
    await playGame(s);
    const { file } = await exporting();
    const there = await emptyTable();
    const put = there.db.put.bind(there.db);
    there.db.put = async (item, expectation) => {
      await put(item, expectation);
      await put({ ...keys.game, rev: 1 });
    };
    await expect(importing(there, file)).rejects.toThrow("started its own game");
    expect((await everything(there)).find(({ sk }) => sk === keys.game.sk)).toMatchObject({ rev: 1 });
  });
});
