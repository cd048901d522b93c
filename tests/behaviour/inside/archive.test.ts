/** Export and import: a game that has been through a file is the same game, and no broken file is let in. */
import { createHash } from "node:crypto";
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, it } from "vitest";
import { sweep } from "../../../lib/app/workers/sweep.ts";
import { DAY, HOUR } from "../../../lib/domain/time.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { keys } from "../../../lib/store/keys.ts";
import { openStore } from "../../../lib/store/store.ts";
import { importGame } from "../../../scripts/archive/import.ts";
import { readGame } from "../../../scripts/archive/read.ts";
import type { Target } from "../../../scripts/archive/target.ts";
import { exportGame } from "../../../scripts/archive/write.ts";
import { recount } from "../../../scripts/recount/recount.ts";
import { archives, killedAt } from "../../support/archives.ts";
import { playGame } from "../../support/playedGame.ts";
import { stage } from "../../support/service.ts";
import { scan } from "../../support/table.ts";

let passed = 0;
const s = stage({ services: (usual) => ({ clock: () => usual.clock() + passed }) });
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

/** What never goes into a file, and what does so only when asked. */
const isSession = ({ sk }: StoredItem): boolean => sk === "SESSIONS" || sk === "RECOVERY";
const PASSING = ["SECRET#ONCE#", "SECRET#NOBODY#", "SECRET#BROADCAST#", "SECRET#THROTTLE#", "JOB#"];
const isPassing = ({ pk }: StoredItem): boolean => PASSING.some((prefix) => pk.startsWith(prefix));

describe("a game that was exported and imported", () => {
  it("is the same game, without sessions and what passes by itself", async () => {
    await playGame(s);
    await s.store.db.put({ ...keys.throttle("FAILURES", "192.0.2.1"), full_at: 1, expires: 1 });
    const before = await everything(at());
    expect(before.some(isSession)).toBe(true);
    for (const passing of ["SECRET#ONCE#", "SECRET#NOBODY#", "SECRET#THROTTLE#"]) {
      expect(
        before.some(({ pk }) => pk.startsWith(passing)),
        passing,
      ).toBe(true);
    }
    expect(before.some(({ sk }) => sk === "PICTURE")).toBe(true);
    const { file, items } = await exporting();
    const there = await emptyTable();
    const { trailer } = await importing(there, file);
    const wanted = before.filter((item) => !isSession(item) && !isPassing(item));
    expect(await everything(there)).toEqual(wanted);
    expect(trailer.items).toBe(wanted.length);
    expect(items).toBe(wanted.length);
    expect(await recount(there)).toEqual({ items: wanted.length, differences: [], moving: [] });
    // Nothing has moved here.
    expect(await everything(at())).toEqual(before);
  });

  it("has its sessions where they were asked for, and still no stored answer", async () => {
    await playGame(s);
    const before = await everything(at());
    const { file } = await exporting({ withSessions: true });
    const there = await emptyTable();
    await importing(there, file);
    expect(await everything(there)).toEqual(before.filter((item) => !isPassing(item)));
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
    const found: unknown[] = [];
    await readGame(file, (item) => {
      if (item.pk?.S === "LOGS#9") found.push(item);
    });
    const [read] = found;
    expect(JSON.stringify(read)).toContain("12345678901234567890123456789012345678");
    expect(read).toEqual({
      ...odd,
      bytes: { B: Buffer.from([0, 255, 10, 13]) },
      byteSet: { BS: [Buffer.from([10])] },
      deep: { M: { list: { L: [{ NULL: true }, { BOOL: false }, { B: Buffer.from([]) }] } } },
    });
  });
});

describe("the file", () => {
  it("is its owner's alone, is never replaced unasked, and has no session, token or code in it", async () => {
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
    const said = [
      ...secrets,
      ada.token.split(".")[2],
      recovery.body.recovery_code,
      '"SESSIONS"',
      '"RECOVERY"',
    ];
    for (const secret of said) expect(text).not.toContain(secret);
    // It does hold what its help says.
    expect(text).toContain("$argon2id$");
    await expect(exporting({ file })).rejects.toThrow(/exists.*--force/);
    expect(await readFile(file, "utf8")).toBe(text);
    await exporting({ file, force: true });
    await expect(exporting({ file: join(folder(), "nowhere", "x") })).rejects.toThrow("cannot be written");
  });

  it("has the job with it that a game waits for", async () => {
    const { gm } = await playGame(s);
    const { db } = s.store;
    const game = await db.get(keys.game);
    if (game === undefined) throw new Error("no game");
    await db.put({ ...game, enforcing: "j1" });
    await db.put({ ...keys.job("j1"), job_id: "j1", rev: 1 });
    await db.put({ ...keys.job("j2"), job_id: "j2", rev: 1 });
    const there = await emptyTable();
    await importing(there, (await exporting()).file);
    const jobs = (await everything(there)).filter(({ pk }) => pk.startsWith("JOB#"));
    expect(jobs).toEqual([{ ...keys.job("j1"), job_id: "j1", rev: 1 }]);
    expect(gm.id).not.toBe("");
  });
});

/** A file that is not as it was written, and what is said of it. */
interface Broken {
  name: string;
  make: (lines: string[], text: string) => string | Buffer;
  says: RegExp;
}

const swapped = (lines: string[], one: number, other: number): string[] =>
  lines.map((line, n) => (n === one ? (lines[other] ?? "") : n === other ? (lines[one] ?? "") : line));

const flipped = (text: string, bit: number): Buffer => {
  const bytes = Buffer.from(text);
  const place = Math.floor(bit / 8);
  bytes[place] = (bytes[place] ?? 0) ^ (1 << (bit % 8));
  return bytes;
};

const BROKEN: readonly Broken[] = [
  { name: "empty", make: () => "", says: /is empty/ },
  { name: "of another kind", make: () => '{"hello":"world"}\n', says: /not an export file/ },
  { name: "no text at all", make: () => Buffer.alloc(5_000_000, 1), says: /not an export file/ },
  {
    name: "of a later version",
    make: (lines) => lines.join("\n").replace('"version":1', '"version":2'),
    says: /has version 2, but this service reads version 1/,
  },
  { name: "without its header", make: (lines) => lines.slice(1).join("\n"), says: /not an export file/ },
  { name: "a header alone", make: (lines) => `${lines[0]}\n`, says: /incomplete/ },
  { name: "without its trailer", make: (lines) => `${lines.slice(0, -2).join("\n")}\n`, says: /incomplete/ },
  { name: "without its last byte", make: (_, text) => text.slice(0, -1), says: /incomplete/ },
  { name: "cut in a line", make: (_, text) => text.slice(0, text.length / 2), says: /incomplete|invalid/ },
  { name: "without an item", make: (lines) => lines.toSpliced(3, 1).join("\n"), says: /invalid.*items/ },
  {
    name: "with an item twice",
    make: (lines) => lines.toSpliced(3, 0, lines[3] ?? "").join("\n"),
    says: /line 5: an earlier line has the same key/,
  },
  { name: "in another order", make: (lines) => swapped(lines, 2, 5).join("\n"), says: /checksum/ },
  {
    name: "changed by hand",
    make: (_, text) => text.replace('"is_admin":{"BOOL":false}', '"is_admin":{"BOOL":true}'),
    says: /checksum/,
  },
  {
    name: "with another checksum",
    make: (_, text) => text.replace(/"sha256":"../, '"sha256":"zz'),
    says: /checksum/,
  },
  { name: "with a line that is no item", make: (lines) => lines.with(4, "{}").join("\n"), says: /line 5/ },
  {
    name: "with a value of no type",
    make: (lines) => lines.with(4, '{"pk":{"S":"a"},"sk":{"S":"b"},"x":{"Q":1}}').join("\n"),
    says: /line 5/,
  },
  { name: "two files in one", make: (_, text) => text + text, says: /invalid/ },
];

describe("a file that is not whole", () => {
  it("is refused with a reason, and nothing is written", async () => {
    await playGame(s);
    const { file } = await exporting();
    const text = await readFile(file, "utf8");
    const there = await emptyTable();
    let cases = 0;
    for (const { name, make, says } of BROKEN) {
      const broken = newFile();
      await writeFile(broken, make(text.split("\n"), text));
      await expect(importing(there, broken), name).rejects.toThrow(says);
      expect(await everything(there), name).toEqual([]);
      cases += 1;
    }
    expect(cases).toBe(BROKEN.length);
    await expect(importing(there, join(folder(), "missing"))).rejects.toThrow("cannot be read");
  });

  it("is refused whichever bit is flipped and wherever it is cut", async () => {
    await s.admin();
    const { file } = await exporting();
    const text = await readFile(file, "utf8");
    const there = await emptyTable();
    const broken = newFile();
    const seed = Math.floor(Math.random() * 1_000_000);
    let cases = 0;
    for (let n = 0; n < 200; n += 1) {
      // Spread over the file, from a place of its own each run.
      const bit = (seed + n * 7_919) % (Buffer.byteLength(text) * 8);
      await writeFile(broken, n % 2 === 0 ? flipped(text, bit) : text.slice(0, bit / 8));
      await expect(importing(there, broken), `bit ${bit} of seed ${seed}`).rejects.toThrow(
        /invalid|incomplete|not an export file|version|empty/,
      );
      cases += 1;
    }
    expect(cases).toBe(200);
    expect(await everything(there)).toEqual([]);
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

const withAttributes = (more: object, key: object = { pk: { S: "A" }, sk: { S: "B" } }): string =>
  JSON.stringify({ ...key, ...more });

const nested = (levels: number): object =>
  levels === 0
    ? { NULL: true }
    : levels % 2 === 0
      ? { M: { a: nested(levels - 1) } }
      : { L: [nested(levels - 1)] };

/** An attribute that brings the item to so many bytes: its keys have two, their names four, its own name one. */
const filledTo = (bytes: number): object => ({
  x: { S: "é".repeat((bytes - 7) / 2) + "y".repeat((bytes - 7) % 2) },
});

describe("an import", () => {
  const SECRETIVE = "\u001b[2J\u202eevil\u2028";
  const REFUSED: [string, RegExp][] = [
    [withAttributes(filledTo(409_601)), /the item has 409,601 bytes, and the limit is 409,600/],
    [withAttributes({}, { pk: { S: "" }, sk: { S: "B" } }), /the key pk must be a text of 1 to 2,048 bytes/],
    [withAttributes({}, { pk: { S: "é".repeat(1_025) }, sk: { S: "B" } }), /the key pk must be/],
    [
      withAttributes({}, { pk: { S: "A" }, sk: { S: "x".repeat(1_025) } }),
      /the key sk must be a text of 1 to 1,024/,
    ],
    [withAttributes({ gsi1pk: { S: "" } }), /the key gsi1pk must be/],
    [withAttributes({ gsi3sk: { N: "1" } }), /the key gsi3sk must be/],
    [withAttributes({ gsi2sk: { S: "x".repeat(1_025) } }), /the key gsi2sk must be/],
    [withAttributes({ n: { N: "12x" } }), /the attribute "n" holds "12x", which is not a number/],
    [withAttributes({ n: { N: "" } }), /holds "", which is not a number/],
    [withAttributes({ n: { N: `${"1".repeat(38)}2` } }), /a number of more than 38 digits/],
    [withAttributes({ n: { N: "1e126" } }), /"1e126", which is too large or too small/],
    [withAttributes({ n: { L: [{ N: "-0.01e-129" }] } }), /too large or too small/],
    [withAttributes({ s: { SS: [] } }), /the attribute "s" holds an empty set/],
    [withAttributes({ s: { SS: ["a", "a"] } }), /a set with a duplicate element/],
    [withAttributes({ s: { NS: ["10", "1e1"] } }), /a set with a duplicate element/],
    [withAttributes({ s: { BS: ["AA==", "AA=="] } }), /a set with a duplicate element/],
    [withAttributes({ deep: nested(32) }), /nested deeper than 32 levels/],
    [withAttributes({ "": { S: "x" } }), /the item has an attribute without a name/],
    [withAttributes({ m: { M: { "": { S: "x" } } } }), /the attribute "m" has an attribute without a name/],
    [withAttributes({ half: { S: "\ud800" } }), /the attribute "half" holds text that is not valid Unicode/],
    [withAttributes({ b: { B: "A" } }), /line 3 is not an item/],
    [`{"pk":{"S":"A"},"sk":{"S":"B"},"__proto__":{"S":"x"}}`, /line 3 is not an item/],
    [withAttributes({}, { pk: { S: "FIRST" }, sk: { S: "1" } }), /an earlier line has the same key/],
    [
      withAttributes({ [SECRETIVE]: { N: "x" } }),
      /the attribute "\\u\{1b\}\[2J\\u\{202e\}evil\\u\{2028\}" holds/,
    ],
  ];

  it("names the line of an item that DynamoDB would refuse, prints nothing of it raw, and writes nothing", async () => {
    const there = await emptyTable();
    for (const [line, why] of REFUSED) {
      const file = await writeGame([withAttributes({}, { pk: { S: "FIRST" }, sk: { S: "1" } }), line]);
      const said = await importing(there, file).then(
        () => "it was imported",
        (error: unknown) => String(error),
      );
      expect(said).toMatch(why);
      expect(said).toContain("is invalid: line 3");
      expect(said).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
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
      { deep: nested(31), empty: { L: [] }, none: { M: {} } },
      { gsi1pk: { S: "x".repeat(2_048) }, gsi1sk: { S: "é".repeat(512) } },
      { s: { SS: ["", "a"] }, t: { NS: ["1", "-1"] }, b: { BS: ["AA==", "AQ=="] }, e: { S: "" } },
    ];
    const items = largest.map((more, n) => withAttributes(more, { pk: { S: "A" }, sk: { S: String(n) } }));
    await importing(
      there,
      await writeGame([
        ...items,
        withAttributes({}, { pk: { S: "é".repeat(1_024) }, sk: { S: "x".repeat(1_024) } }),
      ]),
    );
    expect(await everything(there)).toHaveLength(items.length + 1);
  });
});

describe("a table that nobody has played in", () => {
  it("takes a game beside the log entries, failed logins and marks that a service has left in it, which stay", async () => {
    await playGame(s);
    await s.store.db.put({ ...keys.throttle("FAILURES", "192.0.2.1"), full_at: 1, expires: 1 });
    const before = await everything(at());
    const { file } = await exporting();
    const there = await emptyTable();
    const isTrace = ({ pk }: StoredItem): boolean => /^(LOGS|SECRET#THROTTLE|SECRET#NOBODY)#/.test(pk);
    const traces = before.filter(isTrace).map((item) => ({ ...item, sk: `${item.sk} of another` }));
    // Log entries, failures of nobody, and rate limits of addresses and of players who set pictures.
    expect(new Set(traces.map(({ pk }) => pk.replace(/#[^#]*$/, ""))).size).toBe(4);
    const sweeps = [keys.swept, keys.goingOn].map((key) => ({ ...key, at: 1 }));
    for (const item of [...traces, ...sweeps]) await there.db.put(item);
    await importing(there, file);
    const after = await everything(there);
    expect(after.filter(({ sk }) => sk.endsWith("of another"))).toEqual(traces);
    expect(after.filter(({ sk }) => sk === keys.swept.sk)).toEqual(
      before.filter(({ sk }) => sk === keys.swept.sk),
    );
    expect((await recount(there)).differences).toEqual([]);
  });

  it("records no starvation while a game is imported, whose clock comes last", async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada");
    await s.outbreak(gm, ada);
    // By the clock of a new game Ada would be dead.
    await s.call("POST /admin/zombies_add_day/{url_id}", { as: gm });
    await s.call("POST /admin/zombies_add_day/{url_id}", { as: gm });
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
  it("is left alone, whatever is in it", async () => {
    await playGame(s);
    const { file } = await exporting();
    const own = at();
    const before = await everything(own);
    for (const resume of [false, true]) {
      await expect(importing(own, file, resume)).rejects.toThrow("needs an empty table");
    }
    // Nor is one taken in which there is something of another program's.
    const there = await emptyTable();
    await there.db.put({ pk: "ORDERS#1", sk: "1" });
    await expect(importing(there, file)).rejects.toThrow("already a game");
    expect(await everything(own)).toEqual(before);
  });

  it("is filled further where the same import was cut off, and is known for half a game until then", async () => {
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

  it("keeps the game that a service began there meanwhile", async () => {
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
