/** The border: what a request's body, query, headers and cursors may be, and what the settings may. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { DomainError, invalid } from "../../lib/domain/domainError.ts";
import { nameOf, type ValidationIssue } from "../../lib/domain/validation.ts";
import { makeCursor, readCursor } from "../../lib/http/cursors.ts";
import { fingerprint, parseIdempotencyKey, parseShape, readJson } from "../../lib/http/requestBody.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { refusalOf } from "./support.ts";

/** What was taken, as a request is refused for its faults. */
const whole = <T>({ value, faults }: { value: T; faults: ValidationIssue[] }): T => {
  if (faults.length > 0) throw invalid(...faults);
  return value;
};

const shapeOf = (schema: z.ZodMiniType, value: unknown) => whole(parseShape(schema, value));

const readIdempotencyKey = (headers: Record<string, string | undefined>) =>
  whole(parseIdempotencyKey(headers));

const JSON_TYPE = { "content-type": "application/json" };

const read = (body: string | undefined, headers: Record<string, string | undefined> = JSON_TYPE): unknown =>
  whole(readJson({ body, isBase64Encoded: false, headers }));

const readBytes = (bytes: Buffer, headers: Record<string, string | undefined> = JSON_TYPE): unknown =>
  whole(readJson({ body: bytes.toString("base64"), isBase64Encoded: true, headers }));

/** Nested arrays or objects, this many of them. */
const nested = (levels: number, kind: "array" | "object", core = ""): string =>
  kind === "array"
    ? "[".repeat(levels) + core + "]".repeat(levels)
    : `${'{"a":'.repeat(levels - 1)}{${core === "" ? "" : `"a":${core}`}}${"}".repeat(levels - 1)}`;

describe("a body", () => {
  it.each([undefined, "", "  \n", "{}", '""'])("%j is an empty one", (body) => {
    expect(read(body)).toEqual({});
  });

  it("may be empty with any content type, or none", () => {
    expect(read("", { "content-type": "text/plain" })).toEqual({});
    expect(read(undefined, {})).toEqual({});
  });

  it.each([
    "application/json",
    "application/json; charset=utf-8",
    'APPLICATION/JSON;charset="UTF-8"',
    "application/merge-patch+json",
  ])("is JSON when called %s", (type) => {
    expect(read('{"a":1}', { "content-type": type })).toEqual({ a: 1 });
  });

  it.each([
    "text/plain",
    "application/x-www-form-urlencoded",
    "multipart/form-data; boundary=x",
    "application/xml",
    "application/jsonp",
    "application/json; charset=latin1",
    "application/json, text/plain",
    "json",
  ])("is not, and 415, when called %s", (type) => {
    expect(refusalOf(() => read('{"a":1}', { "content-type": type })).code).toBe("unsupported_media_type");
  });

  it.each([
    "{",
    "{'a':1}",
    "{a:1}",
    '{"a":1,}',
    "NaN",
    "undefined",
    '{"a":NaN}',
    '{"a":Infinity}',
    "\u0000",
    '{"a":1}{"b":2}',
    '{"a":01}',
    "\ufeff{}x",
  ])("%j is no JSON", (body) => {
    const refusal = refusalOf(() => read(body));
    expect(refusal.code).toBe("invalid_request");
    expect(refusal.faults).toHaveLength(1);
  });

  it("of bytes that are no UTF-8 is refused, and one that is is read", () => {
    for (const bytes of [
      [0xff],
      [0xc3, 0x28],
      [0xed, 0xa0, 0x80],
      [0xf8, 0x88, 0x80, 0x80, 0x80],
      [0xc0, 0x80],
    ]) {
      const body = Buffer.concat([Buffer.from('{"a":"'), Buffer.from(bytes), Buffer.from('"}')]);
      expect(refusalOf(() => readBytes(body)).code).toBe("invalid_request");
    }
    expect(readBytes(Buffer.from('{"a":"é👻"}'))).toEqual({ a: "é👻" });
  });

  it("of 64 KiB is taken and of one byte more is 413, however it comes and whatever its letters weigh", () => {
    const filled = (size: number, letter: string): string => {
      const frame = Buffer.byteLength('{"a":""}');
      const times = Math.floor((size - frame) / Buffer.byteLength(letter));
      return `{"a":"${letter.repeat(times)}"}`.padEnd(
        size - times * (Buffer.byteLength(letter) - letter.length),
        " ",
      );
    };
    for (const letter of ["x", "é", "龍", "👻"]) {
      const exact = filled(65_536, letter);
      expect(Buffer.byteLength(exact)).toBe(65_536);
      expect(read(exact)).toBeTypeOf("object");
      expect(readBytes(Buffer.from(exact))).toBeTypeOf("object");
      expect(refusalOf(() => read(`${exact} `)).code).toBe("too_large");
      expect(refusalOf(() => readBytes(Buffer.from(`${exact} `))).code).toBe("too_large");
    }
    expect(refusalOf(() => read(" ".repeat(65_537))).code).toBe("too_large");
    // Size comes before type and form.
    expect(refusalOf(() => read("{".repeat(65_537), { "content-type": "text/plain" })).code).toBe(
      "too_large",
    );
  });

  it.each(["array", "object"] as const)("may nest each %s twenty deep and no deeper", (kind) => {
    for (const core of ["", "1", '"x"', "null"]) {
      expect(read(nested(20, kind, core)), `20 around ${core}`).toBeTypeOf("object");
      const refusal = refusalOf(() => read(nested(21, kind, core)));
      expect(refusal.code, `21 around ${core}`).toBe("invalid_request");
    }
  });

  it.each(["array", "object"] as const)("nested by thousands (%s) is refused, not fallen over", (kind) => {
    const levels = kind === "array" ? 32_000 : 10_000;
    expect(refusalOf(() => read(nested(levels, kind))).code).toBe("invalid_request");
  });

  it.each([
    ['{"__proto__":{"admin":true}}', "__proto__"],
    ['{"a":{"__proto__":null}}', "a.__proto__"],
    ['[{"__proto__":1}]', "0.__proto__"],
    ['{"\\u005f_proto__":1}', "__proto__"],
    ['{"a":"\\ud800"}', "a"],
    ['{"a":["x","\\udc00\\ud800"]}', "a.1"],
    ['{"a":1e400}', "a"],
    ['{"a":-1e400}', "a"],
    ['{"a":9007199254740992}', "a"],
    ['{"a":-9007199254740993}', "a"],
    ['{"a":{"b":[1,1e21]}}', "a.b.1"],
  ])("%s is refused at %s", (body, path) => {
    const refusal = refusalOf(() => read(body));
    expect(refusal.code).toBe("invalid_request");
    expect(refusal.faults.map((fault) => fault.path)).toEqual([path]);
  });

  it("with half a surrogate pair in a key is refused", () => {
    expect(refusalOf(() => read('{"\\ud800":1}')).code).toBe("invalid_request");
  });

  it("has all of its oddities named", () => {
    const faults = refusalOf(() =>
      read('{"a":"\\ud800","b":1e400,"__proto__":1,"c":[2,9007199254740992]}'),
    ).faults;
    expect(faults.map(({ path }) => path).toSorted()).toEqual(["__proto__", "a", "b", "c.1"]);
  });

  it("may hold the largest and smallest whole numbers that can be told apart", () => {
    expect(read("[9007199254740991,-9007199254740991,0.1,-0,5e-324]")).toHaveLength(5);
  });

  let cases = 0;

  it("that is JSON of ordinary values is read as JSON reads it", () => {
    const json = fc.json({ maxDepth: 8, noUnicodeString: false });
    fc.assert(
      fc.property(json, (text) => {
        const value: unknown = JSON.parse(text);
        const odd = /__proto__/.test(text) || value === "" || Buffer.byteLength(text) > 65_536;
        cases += 1;
        if (odd) return;
        let got: unknown;
        try {
          got = read(text);
        } catch (error) {
          // Only a number beyond the safe ones is odd in what fast-check makes.
          expect(text).toMatch(/[eE]\+?\d|\d{16}/);
          expect(String(error)).toContain("too large a number");
          return;
        }
        expect(got).toEqual(value);
      }),
      { numRuns: 1_000 },
    );
    expect(cases).toBe(1_000);
  });
});

describe("a shape", () => {
  const Shape = z.strictObject({ a: z.string(), b: z.optional(z.array(z.int())) });

  it("that does not fit has every fault named, unknown keys one by one", () => {
    const refusal = refusalOf(() => shapeOf(Shape, { b: [1, "x", 2.5], x: 1, y: 2 }));
    expect(refusal.code).toBe("invalid_request");
    expect(refusal.faults.map(({ path }) => path).toSorted()).toEqual(["a", "b.1", "b.2", "x", "y"]);
    const said = refusal.faults.map(({ message }) => message);
    expect(said.toSorted()).toEqual([
      "Entry 2 of the b must be a number.",
      "Entry 3 of the b must be a whole number.",
      "The a is missing.",
      'There is no field "x" here.',
      'There is no field "y" here.',
    ]);
    expect(refusal.detail).toBe(said.join(" "));
  });

  it("has a name for every field, whatever a caller calls one", () => {
    const names = [
      "alias",
      "n",
      "share_with.1",
      "keys.p256dh",
      "constructor",
      "__proto__",
      "Ü x".repeat(40),
      "",
    ];
    expect(names.map(nameOf)).toEqual([
      ...["alias", 'number "n"', "entry 2 of the list of players to share with", 'key "p256dh"'],
      ...["constructor", 'field "__proto__"', `field "${"Ü x".repeat(40).slice(0, 40)}…"`, "body"],
    ]);
  });

  it.each([null, [], "text", 5, true])("is not %j", (value) => {
    expect(refusalOf(() => shapeOf(Shape, value)).faults).toHaveLength(1);
  });

  it("has an English message for every fault", () => {
    const { faults } = refusalOf(() =>
      shapeOf(z.strictObject({ n: z.int().check(z.minimum(1), z.maximum(9)) }), { n: 0 }),
    );
    expect(faults[0]?.message).toBe('The number "n" must be at least 1.');
  });
});

describe("an Idempotency-Key", () => {
  it.each(["k", "x".repeat(128), "!~", "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11", '"quoted"'])(
    "may be %s",
    (key) => {
      expect(readIdempotencyKey({ "idempotency-key": key })).toBe(key);
    },
  );

  it.each(["", " ", "a b", "x".repeat(129), "ключ", "a\tb", "a\u007f", "é", " a", "a\n"])(
    "may not be %j",
    (key) => {
      expect(refusalOf(() => readIdempotencyKey({ "idempotency-key": key })).code).toBe("invalid_request");
    },
  );

  it("need not be there", () => {
    expect(readIdempotencyKey({})).toBeUndefined();
  });
});

describe("a fingerprint", () => {
  const of = (body: unknown) => fingerprint("POST", "/admin/cure/1", body);

  it("is the same for the same request however its keys stand", () => {
    expect(of({ a: 1, b: { c: [1, 2], d: null } })).toBe(of({ b: { d: null, c: [1, 2] }, a: 1 }));
    expect(of({})).toBe(of({}));
  });

  it("tells requests apart", () => {
    const bodies: unknown[] = [
      {},
      { a: 1 },
      { a: "1" },
      { a: null },
      { a: [] },
      { a: {} },
      { a: [1, 2] },
      { a: [2, 1] },
      { a: "1,2" },
      { "a:1": 2 },
      { a: { b: 1 } },
      { a: { b: 1 }, c: 1 },
      { 'a":1,"b': 1 },
      { a: 1, b: 1 },
      { a: false },
      { a: 0 },
    ];
    const prints = [
      ...bodies.map(of),
      fingerprint("POST", "/admin/cure/2", {}),
      fingerprint("POST", "/admin/corpsify/1", {}),
      fingerprint("DELETE", "/admin/cure/1", {}),
    ];
    expect(new Set(prints).size).toBe(prints.length);
  });

  it("is the same exactly when the bodies are", () => {
    let cases = 0;
    const body = fc.dictionary(fc.constantFrom("a", "b", "c"), fc.jsonValue({ maxDepth: 2 }));
    fc.assert(
      fc.property(body, body, (one, other) => {
        const shuffled = Object.fromEntries(Object.entries(one).toReversed());
        expect(of(shuffled)).toBe(of(one));
        const canonical = (value: unknown): unknown =>
          Array.isArray(value)
            ? value.map(canonical)
            : typeof value === "object" && value !== null
              ? Object.entries(value)
                  .toSorted(([a], [b]) => (a < b ? -1 : 1))
                  .map(([key, inner]) => [key, canonical(inner), "field"])
              : value;
        const same = JSON.stringify(["root", canonical(one)]) === JSON.stringify(["root", canonical(other)]);
        expect(of(one) === of(other)).toBe(same);
        cases += 1;
      }),
      { numRuns: 1_000 },
    );
    expect(cases).toBe(1_000);
  });
});

describe("a cursor", () => {
  const keyOf = (byte: number, since = 0) => ({ key: Buffer.alloc(32, byte).toString("base64url"), since });
  const withKeys = (...keys: { key: string; since: number }[]) => ({
    cursorKeys: { given: keys },
    clock: () => 1_000,
  });
  const services = withKeys(keyOf(1));
  const place = { list: "users", filters: { state: "zombie" } };

  const made = async (position: string, keys = services): Promise<string> => {
    const cursor = await makeCursor(keys, place, position);
    if (cursor === null) throw new Error("no cursor");
    return cursor;
  };

  const isRefused = async (cursor: string, where = place, keys = services): Promise<void> => {
    const refusal = await readCursor(keys, where, cursor).catch((error: unknown) => error);
    if (!(refusal instanceof DomainError)) throw new Error("not refused");
    expect(refusal.code).toBe("invalid_request");
    expect(refusal.faults.map(({ path }) => path)).toEqual(["cursor"]);
  };

  it.each(["ada", "", "李小龍 👻", "x".repeat(500)])(
    "leads back to %j and shows nothing of it",
    async (position) => {
      const cursor = await made(position);
      expect(await readCursor(services, place, cursor)).toBe(position);
      expect(cursor).toMatch(/^[\w-]+$/);
      if (position !== "") expect(Buffer.from(cursor, "base64url").includes(position)).toBe(false);
      expect(await made(position)).not.toBe(cursor);
    },
  );

  it("need not be there, and there is none at the end", async () => {
    expect(await readCursor(services, place, undefined)).toBeUndefined();
    expect(await makeCursor(services, place, null)).toBeNull();
  });

  it("of another list, another filter or another deployment is refused", async () => {
    const cursor = await made("ada");
    await isRefused(cursor, { list: "get_players", filters: { state: "zombie" } });
    await isRefused(cursor, { list: "users", filters: { state: "human" } });
    await isRefused(cursor, { list: "users", filters: {} as { state: string } });
    await isRefused(cursor, place, withKeys(keyOf(2)));
  });

  it("is made with the key in use, and read with any that is still good", async () => {
    // The newest is known beforehand, and used from an instant on that has not come yet.
    const [old, used, next] = [keyOf(1), keyOf(2, 500), keyOf(3, 2_000)];
    const cursor = await made("ada", withKeys(next, used, old));
    expect(await readCursor(withKeys(used), place, cursor)).toBe("ada");
    await isRefused(cursor, place, withKeys(next, old));
    for (const before of [old, used]) {
      const earlier = await made("ada", withKeys(before));
      expect(await readCursor(withKeys(next, used, old), place, earlier)).toBe("ada");
    }
    // Whoever has heard of the next one a moment earlier than others reads theirs, and they read that one's.
    const later = { ...withKeys(next, used, old), clock: () => 2_000 };
    const newest = await made("ada", later);
    expect(await readCursor(withKeys(next, used, old), place, newest)).toBe("ada");
    await isRefused(newest, place, withKeys(used, old));
  });

  it("with any byte changed, cut off or added is refused", async () => {
    const bytes = Buffer.from(await made("ada"), "base64url");
    for (let at = 0; at < bytes.length; at += 1) {
      const tampered = Buffer.from(bytes);
      tampered[at] = (tampered[at] ?? 0) ^ 1;
      await isRefused(tampered.toString("base64url"));
      await isRefused(bytes.subarray(0, at).toString("base64url"));
    }
    await isRefused(Buffer.concat([bytes, Buffer.alloc(1)]).toString("base64url"));
  });

  it.each([
    "",
    "x",
    "null",
    "0",
    "AAAA",
    "A".repeat(40),
    "A".repeat(4_000),
    "../../etc/passwd",
    "ключ",
    "%00",
  ])("%j is none", async (cursor) => {
    await isRefused(cursor);
  });

  it("with something written after or into it is malformed", async () => {
    const cursor = await made("ada");
    for (const more of ["=", "!", " ", "\n", "#"]) {
      await isRefused(`${cursor}${more}`);
      await isRefused(`${cursor.slice(0, 9)}${more}${cursor.slice(9)}`);
    }
  });
});

describe("the settings", () => {
  it("have a default each, and an empty one counts as none", () => {
    const defaults = parseEnv({});
    expect(defaults).toMatchObject({ FEEDING_PERIOD_SECONDS: 172_800, JOIN_CODE: "", LOG_LEVEL: "INFO" });
    expect(parseEnv({ FEEDING_PERIOD_SECONDS: "", JOIN_CODE: "", DYNAMODB_ENDPOINT: "" })).toEqual(defaults);
    expect(parseEnv({ PATH: "/bin", SOMETHING: "else" })).toEqual(defaults);
  });

  it.each(["1", "3600", "172800", "3155760000"])("take a feeding period of %s seconds", (text) => {
    expect(parseEnv({ FEEDING_PERIOD_SECONDS: text }).FEEDING_PERIOD_SECONDS).toBe(Number(text));
  });

  it.each(["0", "-1", "1.5", "1e3", "two days", "48h", " 60", "0x10", "99999999999", "3155760001", "NaN"])(
    "refuse a feeding period of %j, and say which setting it is",
    (text) => {
      expect(() => parseEnv({ FEEDING_PERIOD_SECONDS: text })).toThrow(/FEEDING_PERIOD_SECONDS/);
    },
  );

  it("name every setting that is wrong", () => {
    const wrong = () =>
      parseEnv({
        FEEDING_PERIOD_SECONDS: "0",
        DYNAMODB_ENDPOINT: "nowhere",
        CURSOR_KEY: "short",
        LOG_LEVEL: "LOUD",
        TABLE_NAME: "ab",
      });
    for (const name of [
      "FEEDING_PERIOD_SECONDS",
      "DYNAMODB_ENDPOINT",
      "CURSOR_KEY",
      "LOG_LEVEL",
      "TABLE_NAME",
    ]) {
      expect(wrong).toThrow(name);
    }
  });
});
