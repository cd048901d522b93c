/** Export and import: a game that has been through a file is the same game, and no broken file is let in. */
import { readFile, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PutItemCommand } from "@aws-sdk/client-dynamodb";
import { describe, expect, it } from "vitest";
import type { StoredItem } from "../../../lib/store/database.ts";
import { keys } from "../../../lib/store/keys.ts";
import { importGame } from "../../../scripts/archive/import.ts";
import { readGame } from "../../../scripts/archive/read.ts";
import type { Target } from "../../../scripts/archive/target.ts";
import { exportGame } from "../../../scripts/archive/write.ts";
import { recount } from "../../../scripts/recount/recount.ts";
import { archives, killedAt } from "../../support/archives.ts";
import { playGame } from "../../support/playedGame.ts";
import { stage } from "../../support/service.ts";
import { scan } from "../../support/table.ts";

const s = stage();

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
  { name: "of another kind", make: () => '{"hello":"world"}\n', says: /no file of a game/ },
  { name: "no text at all", make: () => Buffer.alloc(5_000_000, 1), says: /no file of a game/ },
  {
    name: "of a later version",
    make: (lines) => lines.join("\n").replace('"version":1', '"version":2'),
    says: /of version 2, and this service reads version 1/,
  },
  { name: "without its header", make: (lines) => lines.slice(1).join("\n"), says: /no file of a game/ },
  { name: "a header alone", make: (lines) => `${lines[0]}\n`, says: /cut off/ },
  { name: "without its trailer", make: (lines) => `${lines.slice(0, -2).join("\n")}\n`, says: /cut off/ },
  { name: "without its last byte", make: (_, text) => text.slice(0, -1), says: /cut off/ },
  { name: "cut in a line", make: (_, text) => text.slice(0, text.length / 2), says: /cut off|broken/ },
  { name: "without an item", make: (lines) => lines.toSpliced(3, 1).join("\n"), says: /broken.*items/ },
  {
    name: "with an item twice",
    make: (lines) => lines.toSpliced(3, 0, lines[3] ?? "").join("\n"),
    says: /broken.*items/,
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
  { name: "two files in one", make: (_, text) => text + text, says: /broken/ },
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
        /broken|cut off|no file of a game|version|empty/,
      );
      cases += 1;
    }
    expect(cases).toBe(200);
    expect(await everything(there)).toEqual([]);
  });
});

describe("a table that is not empty", () => {
  it("is left alone, whatever is in it", async () => {
    await playGame(s);
    const { file } = await exporting();
    const own = at();
    const before = await everything(own);
    for (const resume of [false, true]) {
      await expect(importing(own, file, resume)).rejects.toThrow("empty table only");
    }
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
    await expect(importing(again, file)).rejects.toThrow(/cut off.*--resume/);
    const other = (await exporting({ withSessions: true })).file;
    await expect(importing(again, other, true)).rejects.toThrow("another file");
    await expect(
      exportGame(again, { file: newFile(), withSessions: false, force: false, at: AT }),
    ).rejects.toThrow("has not ended");
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
    await expect(importing(there, file)).rejects.toThrow("began a game of its own");
    expect((await everything(there)).find(({ sk }) => sk === keys.game.sk)).toMatchObject({ rev: 1 });
  });
});
