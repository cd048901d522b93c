/**
 * Names, by every door: of two that look alike one is to be had, of two that do not both are; what cannot be seen or
 * is no letter is in none; and whoever knows a name finds its player however it is written.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { part, randomFrom, SEED } from "../support/battery.ts";
import { oneOf } from "../support/oneOf.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";
import { type Door, doorsFor } from "./names/doors.ts";
import { FOUR_BYTES, forbiddenNames } from "./names/forbidden.ts";
import { honestPairs } from "./names/honest.ts";
import { doublesOf, LETTERS } from "./names/letters.ts";
import { lookAlikes, type Pair } from "./names/lookAlikes.ts";

const s = testEnvironment();

let gm: Someone;
let doors: Door[];
let otherDoors: Door[];

beforeEach(async () => {
  gm = await s.admin();
  doors = doorsFor(s, gm, await s.join("Standing By"));
  otherDoors = doorsFor(s, gm, await s.join("Waiting Too"));
});

const told = (name: string): string =>
  `${name} (${[...name].map((letter) => letter.codePointAt(0)?.toString(16)).join(" ")})`;

const say = ({ one, other, by }: Pair, what: string, { status, text }: Result): string =>
  `${told(one)} and ${told(other)}, alike ${by}: ${what}, got ${status} ${text}, seed ${SEED}`;

const expectTaken = (result: Result, words: string): void => {
  expect({ status: result.status, code: result.body?.code }, words).toEqual({
    status: 409,
    code: "alias_taken",
  });
};

const expectHad = (result: Result, name: string, { success }: Door, words: string): void => {
  expect(result.status, words).toBe(success);
  expect(result.body.alias, words).toBe(name.normalize("NFC"));
};

const expectFreed = (result: Result, words: string): void =>
  expect([200, 204], words).toContain(result.status);

describe("of two names that look alike", () => {
  const alike = part("names", { full: 500, of: "pairs of look-alikes" });

  it("one is to be had, whichever comes first, and the other when that one is free", async () => {
    const random = randomFrom(alike.seed, 1);
    for (const pair of lookAlikes(random, alike.cases)) {
      const [first, second] = random.shuffle([pair.one, pair.other]);
      if (first === undefined || second === undefined) throw new Error("a pair has two names");
      const [here, there] = [oneOf(random, doors), oneOf(random, otherDoors)];
      const took = await here.take(first);
      expectHad(took, first, here, say(pair, `${told(first)} by ${here.name} first`, took));
      const refused = await there.take(second);
      expectTaken(refused, say(pair, `${told(second)} by ${there.name} while the other is held`, refused));
      const freed = await here.free(took);
      expectFreed(freed, say(pair, `${told(first)} let go, ${here.name}`, freed));
      const had = await there.take(second);
      expectHad(
        had,
        second,
        there,
        say(pair, `${told(second)} by ${there.name} when the other is free`, had),
      );
      const refusedToo = await here.take(first);
      expectTaken(
        refusedToo,
        say(pair, `${told(first)} by ${here.name} while the other is held`, refusedToo),
      );
      const freedToo = await there.free(had);
      expectFreed(freedToo, say(pair, `${told(second)} let go, ${there.name}`, freedToo));
      alike.ran();
    }
  });
});

describe("two names that do not look alike", () => {
  const apart = part("names", { full: 500, of: "pairs of names that are none" });

  it("are both to be had", async () => {
    const random = randomFrom(apart.seed, 2);
    for (const pair of honestPairs(random, apart.cases)) {
      const [here, there] = [oneOf(random, doors), oneOf(random, otherDoors)];
      const took = await here.take(pair.one);
      expectHad(took, pair.one, here, say(pair, `${told(pair.one)} by ${here.name}`, took));
      const tookToo = await there.take(pair.other);
      expectHad(
        tookToo,
        pair.other,
        there,
        say(pair, `${told(pair.other)} by ${there.name} beside it`, tookToo),
      );
      apart.ran();
    }
  });
});

describe("what is no letter, or cannot be seen", () => {
  const forbidden = part("names", { full: 2_000, of: "names that hold what none may" });

  it("is in no name", async () => {
    const random = randomFrom(forbidden.seed, 3);
    const before = (await s.call("GET /users/{url_id}", { as: gm })).body.users;
    const all = forbiddenNames(random, 200);
    expect(all.length).toBeGreaterThanOrEqual(2_000);
    for (const { name, why } of random.shuffle(all).slice(0, forbidden.cases)) {
      const door = oneOf(random, doors);
      const { status, body, text } = await door.take(name);
      const words = `${JSON.stringify(name)}, ${why}, ${door.name}: ${status} ${text}, seed ${SEED}`;
      expect({ status, code: body?.code }, words).toEqual({ status: 400, code: "invalid_request" });
      expect(
        body.errors.map(({ path }: { path: string }) => path),
        words,
      ).toEqual([door.field]);
      forbidden.ran();
    }
    expect((await s.call("GET /users/{url_id}", { as: gm })).body.users).toEqual(before);
  });
});

describe("a name's letters", () => {
  const counted = part("names", { full: 80, of: "names of as many letters as there may be", always: true });

  const PASSWORD = "correct horse battery";

  /** Three to thirty, however many bytes they take and however they are put together. */
  const expectCounted = async (why: string, of: (count: number) => string): Promise<void> => {
    for (const [count, status] of [
      [2, 400],
      [31, 400],
      [30, 201],
      [3, 201],
    ] as const) {
      const alias = of(count);
      const made = await s.call("POST /new", { body: { alias, password: PASSWORD } });
      const words = `${count} letters, ${why}: ${made.status} ${made.text}`;
      expect(made.status, words).toBe(status);
      counted.ran();
      if (status === 400) continue;
      expect(made.body.alias, words).toBe(alias.normalize("NFC"));
      expect((await s.login(alias, PASSWORD)).id, words).toBe(made.body.player_id);
      const found = await s.call("POST /get_player/{url_id}", { as: gm, body: { alias } });
      expect(found.body.alias, words).toBe(alias.normalize("NFC"));
      // The next may look like it: three of a letter, and thirty.
      const left = await s.call("POST /admin/remove_player/{url_id}", {
        as: gm,
        body: { player_id: made.body.player_id },
      });
      expect(left.status, words).toBe(204);
    }
  };

  it("are counted, not their bytes", async () => {
    for (const [script, letter] of Object.entries(FOUR_BYTES)) {
      expect(Buffer.byteLength(letter), script).toBe(4);
      await expectCounted(script, (count) => letter.repeat(count));
    }
  });

  it("are counted as they are kept, put together where they can be", async () => {
    await expectCounted("é in two pieces", (count) => "e\u0301".repeat(count));
    await expectCounted("Hangul in pieces", (count) => "\u1100\u1175\u11b7".repeat(count));
    await expectCounted(
      "three marks to a letter, of which two go into it",
      (count) => `${"u\u0308\u0304".repeat(count - 1)}ỹ`,
    );
    await expectCounted("a mark that goes into none", (count) =>
      count % 2 === 0 ? "x\u0302".repeat(count / 2) : `${"x\u0302".repeat((count - 1) / 2)}y`,
    );
    await expectCounted("Devanagari with its vowels", (count) => "कि".repeat(16).slice(0, count));
  });
});

/** Ways to write a name that make no other name of it. */
const WRITINGS: Record<string, (name: string) => string> = {
  "in capitals": (name) => name.toUpperCase(),
  "in small letters": (name) => name.toLowerCase(),
  "in pieces": (name) => name.normalize("NFD"),
  "in one form": (name) => name.normalize("NFKC"),
  "in the pieces of one form": (name) => name.normalize("NFKD"),
  "in capitals, in pieces": (name) => name.toUpperCase().normalize("NFD"),
  "in wide letters": (name) =>
    name.replaceAll(/[!-~]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  "in bold letters": (name) =>
    name.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) - 97 + 0x1d41a)),
};

describe("whoever knows a name", () => {
  const known = part("names", { full: 400, of: "ways to write somebody's name" });
  const PASSWORD = "correct horse battery";

  it("finds its player, however it is written, and nobody by one that only looks the same", async () => {
    const random = randomFrom(known.seed, 4);
    const writings = Object.entries(WRITINGS);
    for (let nth = 0; nth * writings.length < known.cases; nth += 1) {
      const letters = Array.from({ length: 4 }, () => oneOf(random, LETTERS.slice(0, 3_000)));
      const alias = `Wo${nth} ${letters.join("")}ßé`;
      const made = await s.call("POST /new", { body: { alias, password: PASSWORD } });
      expect(made.status, `${told(alias)}: ${made.text}`).toBe(201);
      for (const [how, write] of random.shuffle(writings)) {
        const written = write(alias);
        const words = `${told(alias)} ${how}, ${told(written)}, seed ${SEED}`;
        const login = await s.call("POST /login", { body: { alias: written, password: PASSWORD } });
        expect({ status: login.status, id: login.body.player_id }, words).toEqual({
          status: 200,
          id: made.body.player_id,
        });
        const found = await s.call("POST /get_player/{url_id}", { as: gm, body: { alias: written } });
        expect(found.body.alias, words).toBe(alias.normalize("NFC"));
        known.ran();
      }
      const poser = alias.replace(
        "W",
        oneOf(
          random,
          doublesOf("W").filter((double) => double.normalize("NFKC") !== "W"),
        ),
      );
      const login = await s.call("POST /login", { body: { alias: poser, password: PASSWORD } });
      expect({ status: login.status, code: login.body.code }, told(poser)).toEqual({
        status: 401,
        code: "bad_credentials",
      });
      expect((await s.call("POST /get_player/{url_id}", { as: gm, body: { alias: poser } })).status).toBe(
        404,
      );
    }
  });
});
