/**
 * Names, wherever an alias is set: of two that look alike only one is accepted, of two that do not both are;
 * invisible and non-letter characters are rejected; and a player is found by any spelling of their name.
 */
import { beforeEach, describe, expect, it } from "vitest";
import { part, randomFrom, SEED } from "../support/battery.ts";
import { oneOf } from "../support/oneOf.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";
import { FOUR_BYTES, forbiddenNames } from "./names/forbidden.ts";
import { honestPairs } from "./names/honest.ts";
import { doublesOf, LETTERS, type Pair } from "./names/letters.ts";
import { lookAlikes } from "./names/lookAlikes.ts";
import { PASSWORD, type Setter, settersFor } from "./names/setters.ts";

const s = testEnvironment();

let gm: Someone;
let setters: Setter[];
let otherSetters: Setter[];

beforeEach(async () => {
  gm = await s.admin();
  setters = settersFor(s, gm, await s.join("Standing By"));
  otherSetters = settersFor(s, gm, await s.join("Waiting Too"));
});

/** A name with its code points. */
const shown = (name: string): string =>
  `${name} (${[...name].map((letter) => letter.codePointAt(0)?.toString(16)).join(" ")})`;

const say = ({ one, other, by }: Pair, name: string, how: string, { status, text }: Result): string =>
  `${shown(one)} and ${shown(other)}, ${by}: ${shown(name)} ${how}: ${status} ${text}, seed ${SEED}`;

const expectTaken = async (pair: Pair, name: string, setter: Setter): Promise<void> => {
  const result = await setter.take(name);
  const got = { status: result.status, code: result.body?.code };
  expect(got, say(pair, name, setter.name, result)).toEqual({ status: 409, code: "alias_taken" });
};

const take = async (pair: Pair, name: string, setter: Setter): Promise<Result> => {
  const result = await setter.take(name);
  expect(result.status, say(pair, name, setter.name, result)).toBe(setter.success);
  expect(result.body.alias, say(pair, name, setter.name, result)).toBe(name.normalize("NFC"));
  return result;
};

const free = async (pair: Pair, name: string, setter: Setter, taken: Result): Promise<void> => {
  const result = await setter.free(taken);
  expect([200, 204], say(pair, name, "is given up", result)).toContain(result.status);
};

describe("of two names that look alike", () => {
  const alike = part("names", { full: 500, of: "pairs of look-alikes" });

  it("accepts one, and the other when that is given up", async () => {
    const random = randomFrom(alike.seed, 1);
    for (const pair of lookAlikes(random, alike.cases)) {
      const [first = "", second = ""] = random.shuffle([pair.one, pair.other]);
      const [here, there] = [oneOf(random, setters), oneOf(random, otherSetters)];
      const taken = await take(pair, first, here);
      await expectTaken(pair, second, there);
      await free(pair, first, here, taken);
      const takenThen = await take(pair, second, there);
      await expectTaken(pair, first, here);
      await free(pair, second, there, takenThen);
      alike.ran();
    }
  });
});

describe("of two names that do not look alike", () => {
  const apart = part("names", { full: 500, of: "pairs of names that are none" });

  it("accepts both", async () => {
    const random = randomFrom(apart.seed, 2);
    for (const pair of honestPairs(random, apart.cases)) {
      await take(pair, pair.one, oneOf(random, setters));
      await take(pair, pair.other, oneOf(random, otherSetters));
      apart.ran();
    }
  });
});

describe("a name with an invisible character, or one that is no letter", () => {
  const forbidden = part("names", { full: 2_000, of: "names that hold what none may" });

  it("is rejected", async () => {
    const random = randomFrom(forbidden.seed, 3);
    const before = (await s.call("GET /users/{url_id}", { as: gm })).body.users;
    const all = forbiddenNames(random, 200);
    expect(all.length).toBeGreaterThanOrEqual(2_000);
    for (const { name, why } of random.shuffle(all).slice(0, forbidden.cases)) {
      const setter = oneOf(random, setters);
      const { status, body, text } = await setter.take(name);
      const words = `${JSON.stringify(name)}, ${why}, ${setter.name}: ${status} ${text}, seed ${SEED}`;
      const paths = body?.errors?.map(({ path }: { path: string }) => path);
      const rejected = { status: 400, code: "invalid_request", paths: [setter.field] };
      expect({ status, code: body?.code, paths }, words).toEqual(rejected);
      forbidden.ran();
    }
    expect((await s.call("GET /users/{url_id}", { as: gm })).body.users).toEqual(before);
  });
});

/** Letters in several pieces, which are counted as they are stored: put together where they can be. */
const IN_PIECES: Record<string, (count: number) => string> = {
  "é in two pieces": (count) => "e\u0301".repeat(count),
  "Hangul in pieces": (count) => "\u1100\u1175\u11b7".repeat(count),
  "three marks to a letter, of which two go into it": (count) => `${"u\u0308\u0304".repeat(count - 1)}ỹ`,
  "a mark that goes into none": (count) => `${"x\u0302".repeat(count / 2)}${count % 2 === 0 ? "" : "y"}`,
  "Devanagari with its vowels": (count) => "कि".repeat(16).slice(0, count),
};

describe("the length of a name", () => {
  const counted = part("names", { full: 80, of: "names of as many letters as there may be", always: true });

  it("is from two to thirty letters, however many bytes they take", async () => {
    const scripts = Object.entries(FOUR_BYTES).map(
      ([script, letter]) => [script, (count: number) => letter.repeat(count)] as const,
    );
    for (const [why, of] of [...scripts, ...Object.entries(IN_PIECES)]) {
      for (const [count, status] of [
        [1, 400],
        [31, 400],
        [30, 201],
        [2, 201],
      ] as const) {
        const alias = of(count);
        const made = await s.call("POST /new", { body: { alias, password: PASSWORD } });
        const words = `${count} letters, ${why}: ${made.status} ${made.text}`;
        expect(made.status, words).toBe(status);
        counted.ran();
        if (status === 400) continue;
        expect(made.body.alias, words).toBe(alias.normalize("NFC"));
        const { player_id } = made.body;
        expect((await s.login(alias, PASSWORD)).id, words).toBe(player_id);
        // Two and thirty of one letter look alike.
        await s.call("POST /admin/remove_player/{url_id}", { as: gm, body: { player_id } });
      }
    }
  });
});

/** Spellings of a name that are the same name. */
const SPELLINGS: Record<string, (name: string) => string> = {
  "in capitals": (name) => name.toUpperCase(),
  "in small letters": (name) => name.toLowerCase(),
  "in NFD": (name) => name.normalize("NFD"),
  "in NFKC": (name) => name.normalize("NFKC"),
  "in NFKD": (name) => name.normalize("NFKD"),
  "in capitals, in NFD": (name) => name.toUpperCase().normalize("NFD"),
  "in wide letters": (name) =>
    name.replaceAll(/[!-~]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
  "in bold letters": (name) =>
    name.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) - 97 + 0x1d41a)),
};

describe("a player", () => {
  const known = part("names", { full: 400, of: "ways to write somebody's name" });

  it("is found by every spelling of their name, and by none that only looks the same", async () => {
    const random = randomFrom(known.seed, 4);
    const spellings = Object.entries(SPELLINGS);
    const posing = doublesOf("W").filter((double) => double.normalize("NFKC") !== "W");
    const find = async (alias: string): Promise<[login: Result, found: Result]> => [
      await s.call("POST /login", { body: { alias, password: PASSWORD } }),
      await s.call("POST /get_player/{url_id}", { as: gm, body: { alias } }),
    ];
    for (let nth = 0; nth * spellings.length < known.cases; nth += 1) {
      const letters = Array.from({ length: 4 }, () => oneOf(random, LETTERS.slice(0, 3_000)));
      const alias = `Wo${nth} ${letters.join("")}ßé`;
      const made = await s.call("POST /new", { body: { alias, password: PASSWORD } });
      expect(made.status, `${shown(alias)}: ${made.text}`).toBe(201);
      for (const [how, spell] of random.shuffle(spellings)) {
        const [login, found] = await find(spell(alias));
        const words = `${shown(alias)} ${how}, ${shown(spell(alias))}, seed ${SEED}`;
        expect(login.body.player_id, words).toBe(made.body.player_id);
        expect(found.body.alias, words).toBe(alias.normalize("NFC"));
        known.ran();
      }
      const poser = alias.replace("W", oneOf(random, posing));
      const statuses = (await find(poser)).map(({ status }) => status);
      expect(statuses, shown(poser)).toEqual([401, 404]);
    }
  });
});
