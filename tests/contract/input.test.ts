/** Bad input: every body, query and header that an endpoint may be sent. Each fault is named, and none is a 5xx. */
import { afterAll, describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { HOUR } from "../../lib/domain/time.ts";
import { fieldsOf } from "../battery/fuzz/forms.ts";
import { drawnOf } from "../support/battery.ts";
import { loadEndpoints } from "../support/endpoints.ts";
import { QUICK, type RequestOptions, type Result } from "../support/service.ts";
import {
  createGame,
  type GameFixture,
  GOOD,
  goodBody,
  nested,
  PASSWORD,
  raw,
  TAKES_PICTURES,
} from "./bodies.ts";
import { ENDPOINTS } from "./seed.ts";
import {
  expectError,
  expectNamedIn,
  expectProblem,
  issuePaths,
  isTextual,
  watchedEnvironment,
} from "./support.ts";

const w = watchedEnvironment();
const { s } = w;

const POSTS = ENDPOINTS.filter(({ route }) => route.startsWith("POST ")).map(({ route }) => route);
const GETS = ENDPOINTS.filter(
  ({ route }) => route.startsWith("GET ") && route.includes("{url_id}") && !isTextual(route),
).map(({ route }) => route);
const DELETES = ENDPOINTS.filter(({ route }) => route.startsWith("DELETE ")).map(({ route }) => route);

/** Where the answer is wanted within a minute, every other endpoint: those that this run draws. */
const drawn = QUICK ? drawnOf(2, "endpoints with input") : 0;
const some = <T>(all: readonly T[]): T[] => (QUICK ? all.filter((_, n) => n % 2 === drawn) : [...all]);

let asked = 0;
const ask = (route: string, asking: RequestOptions): Promise<Result> => {
  asked += 1;
  return s.call(route, asking);
};

const expect400 = (result: Result, paths: string[], what = ""): void => {
  if (isTextual(what)) {
    expectError(what, result, 400, "invalid_request");
    for (const path of paths) expectNamedIn(result.text, path, what);
    return;
  }
  expectProblem(result, 400, "invalid_request", what);
  expect(issuePaths(result), `${what}: ${result.text}`).toEqual(paths.toSorted());
};

describe("the list of good bodies", () => {
  it("has every POST endpoint that requires a body", async () => {
    const endpoints = await loadEndpoints();
    const requiring = POSTS.filter((route) => {
      const schema = endpoints.get(route)?.endpoint.body;
      return schema !== undefined && !z.safeParse(schema, {}).success;
    });
    expect(Object.keys(GOOD).toSorted()).toEqual(requiring.toSorted());
  });
});

/** A good body of every POST endpoint, in a game of its own. */
const everyPost = async (
  deed: (route: string, on: GameFixture, body: () => Record<string, unknown>) => Promise<void>,
): Promise<void> => {
  const on = await createGame(s);
  for (const route of some(POSTS)) await deed(route, on, () => goodBody(route, on));
};

/** The body as text, open for one more field. */
const opened = (body: Record<string, unknown>): string => {
  const text = JSON.stringify(body).slice(0, -1);
  return text === "{" ? text : `${text},`;
};

describe("every POST endpoint refuses", () => {
  it("an unknown key, of the body or of the query, whatever else is right", () =>
    everyPost(async (route, { gm: as }, body) => {
      expect400(await ask(route, { as, body: { ...body(), nonsense: 1 } }), ["nonsense"], route);
      expect400(await ask(route, { as, body: { ...body(), Alias: 1, x: null } }), ["Alias", "x"], route);
      expect400(await ask(route, { as, body: body(), query: { nonsense: "1" } }), ["nonsense"], route);
      const inherited = { ...body(), constructor: 1, toString: 2 };
      expect400(await ask(route, { as, body: inherited }), ["constructor", "toString"], route);
    }));

  it("a body and a query that are both wrong, with the faults of both named", () =>
    everyPost(async (route, { gm: as }, body) => {
      const asking = { as, body: { ...body(), nonsense: 1 }, query: { mistake: "1" } };
      expect400(await ask(route, asking), ["mistake", "nonsense"], route);
    }));

  it("a body with something odd in it and a field that is wrong, with both named", () =>
    everyPost(async (route, { gm: as }, body) => {
      const result = await ask(route, { as, ...raw(`${opened(body())}"x":1e400,"y":1}`) });
      expect400(result, ["x", "y"], route);
    }));

  it("a body that is no object", () =>
    everyPost(async (route, { gm: as }) => {
      for (const body of ["null", "[]", "[{}]", "5", "true", '"text"']) {
        const result = await ask(route, { as, ...raw(body) });
        expectError(route, result, 400, "invalid_request", body);
        if (!isTextual(route)) expect(issuePaths(result), `${route} ${body}`).toContain("");
      }
    }));

  it("a body that is no JSON", () =>
    everyPost(async (route, { gm: as }) => {
      for (const body of [
        "{",
        "}",
        "{'a':1}",
        '{"a":NaN}',
        '{"a":1,}',
        "NaN",
        '{"a":1}x',
        "\u0000",
        "<xml/>",
      ]) {
        expect400(await ask(route, { as, ...raw(body) }), [""], `${route} ${JSON.stringify(body)}`);
      }
    }));

  it("a body that is no UTF-8", () =>
    everyPost(async (route, { gm: as }) => {
      for (const bytes of [
        [0xff, 0xfe],
        [0xc3, 0x28],
        [0xed, 0xa0, 0x80],
        [0xc0, 0x80],
        [0xf5, 0x80, 0x80, 0x80],
      ]) {
        const body = Buffer.concat([Buffer.from('{"alias":"'), Buffer.from(bytes), Buffer.from('"}')]);
        expect400(await ask(route, { as, ...raw(body) }), [""], route);
      }
    }));

  it("a body nested deeper than twenty, and says that this is what is wrong", () =>
    everyPost(async (route, { gm: as }, body) => {
      const deep = await ask(route, { as, ...raw(`${opened(body())}"x":${nested(20)}}`) });
      expectError(route, deep, 400, "invalid_request");
      expect(deep.text).toMatch(/nested/);
      expectError(route, await ask(route, { as, ...raw(nested(30_000)) }), 400, "invalid_request");
    }));

  it("a body nested no deeper than twenty only for what it is", () =>
    everyPost(async (route, { gm: as }, body) => {
      const result = await ask(route, { as, ...raw(`${opened(body())}"x":${nested(19)}}`) });
      expect400(result, ["x"], route);
      expect(result.text).not.toMatch(/nested/);
    }));

  it("a key __proto__, half a surrogate pair, and a number that cannot be told apart", () =>
    everyPost(async (route, { gm: as }, body) => {
      for (const odd of [
        '"__proto__":{"is_admin":true}',
        '"x":"\\ud83d"',
        '"\\udc00":1',
        '"x":1e400',
        '"x":-1e400',
        '"x":9007199254740992',
        '"x":[9007199254740993]',
      ]) {
        const result = await ask(route, { as, ...raw(`${opened(body())}${odd}}`) });
        expectError(route, result, 400, "invalid_request");
      }
    }));

  it("with 413 a body that is a byte over 64 KiB, and not before", () =>
    everyPost(async (route, { gm: as }, body) => {
      const text = JSON.stringify({ ...body(), nonsense: "" });
      const padded = (size: number): string =>
        text.replace('"nonsense":""', `"nonsense":"${"x".repeat(size - text.length)}"`);
      expect400(await ask(route, { as, ...raw(padded(65_536)) }), ["nonsense"], route);
      if (route === TAKES_PICTURES) {
        expect400(await ask(route, { as, ...raw(padded(5_000_000)) }), ["nonsense"], route);
        expectError(route, await ask(route, { as, ...raw(padded(6_000_000)) }), 413, "too_large");
        return;
      }
      expectError(route, await ask(route, { as, ...raw(padded(65_537)) }), 413, "too_large");
      expectError(route, await ask(route, { as, ...raw(Buffer.from(padded(65_537))) }), 413, "too_large");
      expectError(route, await ask(route, { as, ...raw(padded(500_000)) }), 413, "too_large");
    }));

  it("with 415 a body that is not called JSON", () =>
    everyPost(async (route, { gm: as }, body) => {
      const text = JSON.stringify({ ...body(), nonsense: 1 });
      for (const type of [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data; boundary=x",
        "application/octet-stream",
        "application/json; charset=utf-16",
        "image/png",
        "jason",
      ]) {
        const result = await ask(route, { as, ...raw(text, type) });
        expectError(route, result, 415, "unsupported_media_type");
      }
      expect400(
        await ask(route, { as, ...raw(text, "application/json; charset=UTF-8") }),
        ["nonsense"],
        route,
      );
    }));

  it("an empty body, unless it needs no field", () =>
    everyPost(async (route, on, body) => {
      const needsFields = Object.keys(body()).length > 0;
      for (const asking of [{}, raw(""), raw("{}"), raw('""'), raw("  \n"), raw("", "text/plain")]) {
        const result = await ask(route, { as: on.gm, ...asking });
        const what = `${route} ${JSON.stringify(asking)}: ${result.text}`;
        if (needsFields) {
          expectError(route, result, 400, "invalid_request");
        } else {
          // There is no checkpoint: an empty body is not what is wrong then.
          if (route.includes("kill_all")) expectError(route, result, 409, "no_checkpoint");
          else expect(result.status, what).toBeLessThan(300);
          if (route === "POST /logout") on.gm = await s.login(on.gm.alias, on.gm.password);
        }
      }
    }));

  it("a bad Idempotency-Key exactly when it heeds one, after its body was found valid", () =>
    everyPost(async (route, on, body) => {
      const heeds = ENDPOINTS.find((one) => one.route === route)?.once === true;
      for (const key of ["", " ", "a b", "k".repeat(129), "ключ", "a\tb"]) {
        const what = `${route} ${JSON.stringify(key)}`;
        const bad = await ask(route, { as: on.gm, body: { ...body(), nonsense: 1 }, key });
        expectError(route, bad, 400, "invalid_request", what);
        expect(bad.text, what).toContain("nonsense");
        const result = await ask(route, { as: on.gm, body: body(), key });
        if (heeds) expect400(result, ["Idempotency-Key"], what);
        else expect([200, 204, 401, 404, 409, 429], result.text).toContain(result.status);
        if (route === "POST /logout") on.gm = await s.login(on.gm.alias, on.gm.password);
      }
      // A subscription would be pushed to in earnest.
      if (!heeds || isTextual(route)) return;
      const longest = await ask(route, { as: on.gm, body: body(), key: "k".repeat(128) });
      expect(longest.status, longest.text).not.toBe(400);
      expect(longest.status).toBeLessThan(500);
    }));
});

describe.each(DELETES)("%s is refused", (route) => {
  it("with a body or a query that is not known, and then nobody is deleted", async () => {
    const { ada } = await createGame(s);
    expect400(await ask(route, { as: ada, body: { nonsense: 1 } }), ["nonsense"], route);
    expect400(await ask(route, { as: ada, query: { nonsense: "1" } }), ["nonsense"], route);
    expect400(await ask(route, { as: ada, ...raw("{") }), [""], route);
    expectError(
      route,
      await ask(route, { as: ada, ...raw("a=b", "text/plain") }),
      415,
      "unsupported_media_type",
    );
    expect((await s.see(ada)).state).toBe("human");
  });
});

/** What endpoints take as a query, and the most that a page holds. */
const QUERIES: Record<
  string,
  { limit?: number; cursor?: boolean; filters?: Record<string, { good: string; bad: string[] }> }
> = {
  "GET /admin/get_logs/{url_id}": {
    limit: 1_000,
    cursor: true,
    filters: { action: { good: "login", bad: ["", "Login", "nonsense", "x".repeat(500)] } },
  },
  "GET /users/{url_id}": {
    limit: 1_000,
    cursor: true,
    filters: { state: { good: "human", bad: ["", "Human", "dead", "human,zombie"] } },
  },
  "GET /admin/get_players/{url_id}": {
    limit: 1_000,
    cursor: true,
    filters: {
      state: { good: "human", bad: ["", "HUMAN", "ghost"] },
      passed: { good: "false", bad: ["", "yes", "1", "TRUE"] },
    },
  },
  "GET /interactions/{url_id}": {
    limit: 200,
    cursor: true,
    filters: { kind: { good: "corpsify", bad: ["", "Hunt", "murder", "hunt,cure"] } },
  },
  "GET /interactions/leaderboard/{url_id}": { limit: 1_000 },
  "GET /interactions/tree/{url_id}": {
    filters: {
      root: {
        good: "",
        bad: ["", "x", "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11", "null", "'"],
      },
      depth: { good: "3", bad: ["", "0", "201", "-1", "1.5", "abc", "1e2", " 3", "9".repeat(40)] },
    },
  },
  "GET /zombie/starvation/{url_id}": { limit: 1_000, cursor: true },
};

describe("the list of queries", () => {
  it("has every GET endpoint that takes a query, with all that it takes", async () => {
    const taken: Record<string, string[]> = {};
    for (const [route, { endpoint }] of await loadEndpoints()) {
      const names = Object.keys(fieldsOf(endpoint.query));
      if (GETS.includes(route) && names.length > 0) taken[route] = names.toSorted();
    }
    const listed = Object.entries(QUERIES).map(([route, { limit, cursor, filters = {} }]) => {
      const paged = [...(limit === undefined ? [] : ["limit"]), ...(cursor === true ? ["cursor"] : [])];
      return [route, [...paged, ...Object.keys(filters)].toSorted()];
    });
    expect(Object.fromEntries(listed)).toEqual(taken);
  });
});

describe.each(some(GETS))("%s", (route) => {
  const { limit, cursor, filters = {} } = QUERIES[route] ?? {};

  it("is refused with a query key that it does not know, each of them named", async () => {
    const { gm } = await createGame(s);
    expect400(await ask(route, { as: gm, query: { nonsense: "1" } }), ["nonsense"]);
    expect400(await ask(route, { as: gm, query: { Limit: "1", LIMIT: "2" } }), ["LIMIT", "Limit"]);
    expect400(await ask(route, { as: gm, query: { constructor: "1" } }), ["constructor"]);
    if (limit === undefined) expect400(await ask(route, { as: gm, query: { limit: "1" } }), ["limit"]);
    if (cursor === undefined) expect400(await ask(route, { as: gm, query: { cursor: "x" } }), ["cursor"]);
    if (limit !== undefined) {
      expect400(await ask(route, { as: gm, query: { limit: "0", nonsense: "1" } }), ["limit", "nonsense"]);
    }
  });

  it("takes the limits that it may have, and no other", async () => {
    const { gm } = await createGame(s);
    if (limit === undefined) return;
    for (const good of ["1", "7", String(limit)]) {
      const result = await ask(route, { as: gm, query: { limit: good } });
      expect(result.status, `${good}: ${result.text}`).toBe(200);
    }
    for (const bad of [
      "0",
      "-1",
      String(limit + 1),
      "abc",
      "",
      " ",
      "1.5",
      "1e2",
      "0x10",
      "NaN",
      "Infinity",
      "+5",
      "5 ",
      "١",
      "9".repeat(400),
    ]) {
      expect400(await ask(route, { as: gm, query: { limit: bad } }), ["limit"], bad);
    }
  });

  it("takes its filters' values, and no other", async () => {
    const { gm } = await createGame(s);
    for (const [name, { good, bad }] of Object.entries(filters)) {
      if (good !== "") {
        const result = await ask(route, { as: gm, query: { [name]: good } });
        expect(result.status, result.text).toBe(200);
      }
      for (const value of bad)
        expect400(await ask(route, { as: gm, query: { [name]: value } }), [name], `${name}=${value}`);
    }
  });

  it("takes the cursors that it gave, with the same filters, and no other", async () => {
    const { gm } = await createGame(s);
    if (cursor !== true) return;
    // Two of everything that is listed.
    await s.outbreak(gm, await s.join("Yan"));
    const first = await ask(route, { as: gm, query: { limit: 1 } });
    const given: string = first.body.next_cursor;
    expect(given, first.text).toBeTypeOf("string");
    expect((await ask(route, { as: gm, query: { limit: 1, cursor: given } })).status).toBe(200);
    expect((await ask(route, { as: gm, query: { limit: 5, cursor: given } })).status).toBe(200);

    const bad = [
      "",
      "x",
      "null",
      "A".repeat(64),
      `${given}A`,
      given.slice(0, -1),
      given.slice(1),
      `${given}=`,
      `${given}!`,
      given.toUpperCase(),
      "A".repeat(9_000),
      "ключ",
      " ",
    ];
    for (const other of Object.keys(QUERIES)) {
      if (QUERIES[other]?.cursor !== true || other === route) continue;
      const page = await ask(other, { as: gm, query: { limit: 1 } });
      expect(page.body.next_cursor, `${other} ${page.text}`).toBeTypeOf("string");
      bad.push(page.body.next_cursor);
    }
    for (const value of bad)
      expect400(await ask(route, { as: gm, query: { cursor: value } }), ["cursor"], value);
    for (const [name, { good }] of Object.entries(filters)) {
      expect400(await ask(route, { as: gm, query: { cursor: given, [name]: good } }), ["cursor"], name);
    }
  });

  it("does not look at a body", async () => {
    const { gm } = await createGame(s);
    const [plain, withBody] = [
      await ask(route, { as: gm }),
      await ask(route, { as: gm, ...raw("{", "text/plain") }),
    ];
    expect(withBody.status).toBe(plain.status);
  });
});

/** Fields of bodies that are wrong in themselves: what is sent, and every fault that is to be named. */
const WRONG: [route: string, body: Record<string, unknown>, paths: string[]][] = [
  ["POST /new", {}, ["alias", "password"]],
  ["POST /new", { alias: "Eve" }, ["password"]],
  ["POST /new", { alias: 5, password: PASSWORD }, ["alias"]],
  ["POST /new", { alias: "Eve", password: null }, ["password"]],
  ["POST /new", { alias: ["Eve"], password: PASSWORD }, ["alias"]],
  ["POST /new", { alias: "E", password: PASSWORD }, ["alias"]],
  ["POST /new", { alias: "👻👻👻", password: PASSWORD }, ["alias"]],
  ["POST /new", { alias: "Eve", password: "short" }, ["password"]],
  ["POST /new", { alias: "Eve", password: "x".repeat(129) }, ["password"]],
  ["POST /new", { alias: "Eve", password: "x".repeat(5_000) }, ["password"]],
  ["POST /new", { alias: "Eve", password: "password" }, ["password"]],
  ["POST /new", { alias: "Evelovelace", password: "EVELOVELACE" }, ["password"]],
  ["POST /new", { alias: "Eve", password: PASSWORD, first_name: "" }, ["first_name"]],
  ["POST /new", { alias: "Eve", password: PASSWORD, last_name: "x".repeat(61) }, ["last_name"]],
  ["POST /new", { alias: "Eve", password: PASSWORD, last_name: "a\u0007b" }, ["last_name"]],
  ["POST /new", { alias: "Eve", password: PASSWORD, email: "nobody" }, ["email"]],
  ["POST /new", { alias: "Eve", password: PASSWORD, email: "a@b" }, ["email"]],
  ["POST /new", { alias: "Eve", password: PASSWORD, email: `${"a".repeat(250)}@example.org` }, ["email"]],
  ["POST /new", { alias: "Eve", password: PASSWORD, is_admin: true }, ["is_admin"]],
  ["POST /new", { alias: "Eve", password: PASSWORD, state: "zombie", kills: 9 }, ["kills", "state"]],
  [
    "POST /new",
    { alias: "E", password: 5, first_name: "", email: "x", extra: 1 },
    ["alias", "email", "extra", "first_name", "password"],
  ],
  ["POST /new", { alias: "E", password: "short" }, ["alias", "password"]],
  ["POST /new", { alias: "Eve", password: "password", email: "x" }, ["email", "password"]],
  ["POST /login", {}, ["alias", "password"]],
  ["POST /login", { alias: "", password: "" }, ["alias", "password"]],
  ["POST /login", { alias: "x".repeat(5_000), password: "x" }, ["alias"]],
  ["POST /login", { alias: "Ada", password: { $ne: null } }, ["password"]],
  ["POST /logout", { everywhere: "yes" }, ["everywhere"]],
  ["POST /logout", { everywhere: 1 }, ["everywhere"]],
  ["POST /logout", { everywhere: null }, ["everywhere"]],
  ["POST /change_password", { alias: "Ada", new_password: PASSWORD }, ["current_password"]],
  [
    "POST /change_password",
    { alias: "Ada", current_password: PASSWORD, new_password: "short" },
    ["new_password"],
  ],
  [
    "POST /change_password",
    { alias: "Ada", current_password: PASSWORD, new_password: "12345678" },
    ["new_password"],
  ],
  ["POST /edit_player/{url_id}", { alias: null }, ["alias"]],
  [
    "POST /edit_player/{url_id}",
    { alias: "x", first_name: 5, last_name: "", email: "x" },
    ["alias", "email", "first_name", "last_name"],
  ],
  ["POST /edit_player/{url_id}", { is_admin: true }, ["", "is_admin"]],
  [
    "POST /edit_player/{url_id}",
    { first_name: "Ann", kills: 5, state: "human", rev: 1 },
    ["kills", "rev", "state"],
  ],
  ["POST /get_player/{url_id}", {}, ["alias"]],
  ["POST /get_player/{url_id}", { alias: "" }, ["alias"]],
  [
    "POST /get_player/{url_id}",
    { player_id: "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11" },
    ["alias", "player_id"],
  ],
  ["POST /admin/corpsify/{url_id}", { player_id: "x" }, ["player_id"]],
  ["POST /admin/corpsify/{url_id}", { player_id: 5 }, ["player_id"]],
  ["POST /admin/corpsify/{url_id}", { alias: null }, ["alias"]],
  ["POST /admin/cure/{url_id}", { alias: 5, player_id: "x", x: 1 }, ["alias", "player_id", "x"]],
  ["POST /admin/feed/{url_id}", {}, ["n"]],
  ["POST /admin/feed/{url_id}", { n: 0 }, ["n"]],
  ["POST /admin/feed/{url_id}", { n: 1_001 }, ["n"]],
  ["POST /admin/feed/{url_id}", { n: -1 }, ["n"]],
  ["POST /admin/feed/{url_id}", { n: 1.5 }, ["n"]],
  ["POST /admin/feed/{url_id}", { n: "5" }, ["n"]],
  ["POST /admin/feed/{url_id}", { n: [5] }, ["n"]],
  ["POST /admin/feed/{url_id}", { n: null }, ["n"]],
  ["POST /admin/set_checkpoint/{url_id}", {}, ["name"]],
  ["POST /admin/set_checkpoint/{url_id}", { name: "" }, ["name"]],
  ["POST /admin/set_checkpoint/{url_id}", { name: "x".repeat(81) }, ["name"]],
  ["POST /admin/set_checkpoint/{url_id}", { name: "Bridge", latitude: 5 }, ["longitude"]],
  [
    "POST /admin/set_checkpoint/{url_id}",
    { name: "Bridge", closes_at: "2026-11-21T07:24:00" },
    ["closes_at"],
  ],
  [
    "POST /admin/set_checkpoint/{url_id}",
    { name: 5, applies_to: "corpses", x: 1 },
    ["applies_to", "name", "x"],
  ],
  ["POST /admin/player_at_checkpoint/{url_id}", { tag_code: 5 }, ["tag_code"]],
  [
    "POST /admin/kill_all_not_at_checkpoint/{url_id}",
    { dry_run: "yes", checkpoint_id: "x" },
    ["checkpoint_id", "dry_run"],
  ],
  ["POST /admin/recover_password/{url_id}", { player_id: "x" }, ["player_id"]],
  ["POST /admin/inject_sql/{url_id}", {}, ["statement"]],
  ["POST /admin/inject_sql/{url_id}", { statement: "" }, ["statement"]],
  ["POST /admin/inject_sql/{url_id}", { statement: "x".repeat(8_193), limit: 0 }, ["limit", "statement"]],
  ["POST /admin/inject_sql/{url_id}", { statement: "SELECT", parameters: {} }, ["parameters"]],
  ["POST /admin/inject_sql/{url_id}", { statement: "SELECT", limit: 1_001, cursor: 1 }, ["cursor", "limit"]],
  ["POST /admin/inject_sql/{url_id}", { statement: "'; DROP TABLE game; --" }, ["statement"]],
  [
    "POST /admin/edit_player/{url_id}",
    { alias: "Ada", alias_to: "x", is_admin: "yes" },
    ["alias_to", "is_admin"],
  ],
  ["POST /admin/remove_player/{url_id}", { alias: 5 }, ["alias"]],
  ["POST /change_password", { alias: "Ada", recovery_code: 5, new_password: PASSWORD }, ["recovery_code"]],
  ["POST /zombie/hunt/{url_id}", {}, ["tag_code"]],
  ["POST /zombie/hunt/{url_id}", { tag_code: 5 }, ["tag_code"]],
  ["POST /zombie/hunt/{url_id}", { tag_code: "" }, ["tag_code"]],
  ["POST /zombie/hunt/{url_id}", { tag_code: "x".repeat(5_000) }, ["tag_code"]],
  ["POST /zombie/hunt/{url_id}", { tag_code: "AAAA2222", note: "" }, ["note"]],
  ["POST /zombie/hunt/{url_id}", { tag_code: "AAAA2222", note: "x".repeat(281) }, ["note"]],
  ["POST /zombie/hunt/{url_id}", { tag_code: "AAAA2222", share_with: "Ada" }, ["share_with"]],
  [
    "POST /zombie/hunt/{url_id}",
    { tag_code: "AAAA2222", share_with: ["Ada", "Ben", "Cleo"] },
    ["share_with"],
  ],
  [
    "POST /zombie/hunt/{url_id}",
    { tag_code: "AAAA2222", share_with: [5, ""] },
    ["share_with.0", "share_with.1"],
  ],
  ["POST /zombie/hunt/{url_id}", { tag_code: "AAAA2222", share_with: ["Ada", "ADA"] }, ["share_with.1"]],
  ["POST /zombie/hunt/{url_id}", { tag_code: "AAAA2222", share_with: ["zed"] }, ["share_with.0"]],
  ["POST /zombie/hunt/{url_id}", { tag_code: "AAAA2222", latitude: 47 }, ["longitude"]],
  ["POST /zombie/hunt/{url_id}", { tag_code: "AAAA2222", longitude: 8 }, ["latitude"]],
  [
    "POST /zombie/hunt/{url_id}",
    { tag_code: "AAAA2222", latitude: 90.01, longitude: -180.01 },
    ["latitude", "longitude"],
  ],
  [
    "POST /zombie/hunt/{url_id}",
    { tag_code: "AAAA2222", latitude: "47", longitude: null },
    ["latitude", "longitude"],
  ],
  ["POST /zombie/hunt/{url_id}", { tag_code: "AAAA2222", hunted_at: 5 }, ["hunted_at"]],
  [
    "POST /zombie/hunt/{url_id}",
    { tag_code: "", note: 5, hunted_at: "now", latitude: 1, longitude: 500, x: 1 },
    ["hunted_at", "longitude", "note", "tag_code", "x"],
  ],
  ["POST /zombie/hunt/{url_id}", { tag_code: "", latitude: 47 }, ["longitude", "tag_code"]],
];

describe("what is said of a fault", () => {
  const SPOILT: unknown[] = [
    ...[undefined, null, 5, -1, 1.5, 1e15, true, false, "", " ", "x", "x".repeat(6_000), "\u202e"],
    ...[{}, { a: 1 }, [], [5], [null], ["", ""], Array.from({ length: 30 }, (_, n) => `x${n}`)],
  ];

  it.each([
    ["POST /login", {}, { alias: "The alias is missing.", password: "The password is missing." }],
    [
      "POST /login",
      { alias: 5, password: "" },
      { alias: "The alias must be text.", password: "The password must not be empty." },
    ],
    [
      "POST /login",
      { alias: "A", password: "x", nonsense: 1 },
      { nonsense: 'There is no field "nonsense" here.' },
    ],
    ["POST /login", [], { "": "The body must be an object." }],
    [
      "POST /new",
      { alias: "A", password: "short" },
      {
        alias: "The alias must have 3 to 30 characters.",
        password: "The password must have 8 to 128 characters.",
      },
    ],
    [
      "POST /new",
      { alias: "Ada", password: "password" },
      { password: "The password is one of the most common passwords; choose another." },
    ],
    [
      "POST /new",
      { alias: "Ada", password: PASSWORD, email: "x" },
      { email: "The e-mail address must have the form name@example.org." },
    ],
    [
      "POST /change_password",
      { alias: "Ada", new_password: PASSWORD },
      { current_password: "Exactly one of current password and recovery code is needed." },
    ],
    ["POST /admin/feed/{url_id}", { n: 0 }, { n: 'The number "n" must be at least 1.' }],
    ["POST /admin/feed/{url_id}", { n: 1_001 }, { n: 'The number "n" must be at most 1,000.' }],
    ["POST /admin/feed/{url_id}", { n: "5" }, { n: 'The number "n" must be a number.' }],
    [
      "POST /admin/cure/{url_id}",
      { player_id: "x" },
      { player_id: "The player id must be the id of a player, a UUID." },
    ],
    [
      "POST /admin/set_checkpoint/{url_id}",
      { name: "A", applies_to: "x" },
      { applies_to: "The group that it applies to must be all, humans or zombies." },
    ],
    [
      "POST /admin/set_checkpoint/{url_id}",
      { name: "A", latitude: 91 },
      {
        latitude: "The latitude must be at most 90.",
        longitude: "The longitude is missing: a place has latitude and longitude.",
      },
    ],
    [
      "POST /edit_player/{url_id}",
      {},
      {
        "": "At least one of alias, first name, last name, e-mail address and list of push kinds is needed.",
      },
    ],
    [
      "POST /zombie/hunt/{url_id}",
      { tag_code: "A", share_with: ["Ada", 5] },
      { "share_with.1": "Entry 2 of the list of players to share with must be text." },
    ],
    [
      "POST /zombie/hunt/{url_id}",
      { tag_code: "A", share_with: ["A", "B", "C"] },
      { share_with: "The list of players to share with must have at most 2 entries." },
    ],
    [
      "POST /admin/inject_sql/{url_id}",
      { statement: "SELECT *" },
      { statement: "Line 1, column 9: the statement ends where FROM was expected." },
    ],
  ])("%s %j is told in sentences", async (route, body, told) => {
    const { gm } = await createGame(s);
    const { errors } = (await ask(route, { as: gm, body })).body;
    const messages = errors.map(({ path, message }: { path: string; message: string }) => [path, message]);
    expect(Object.fromEntries(messages)).toEqual(told);
  });

  it.each(some([...POSTS, ...GETS]))("by %s is a sentence, whatever is in a field", async (route) => {
    const on = await createGame(s);
    const isGet = route.startsWith("GET ");
    const { endpoint } = (await loadEndpoints()).get(route) ?? {};
    for (const field of Object.keys(fieldsOf(isGet ? endpoint?.query : endpoint?.body))) {
      for (const value of SPOILT) {
        const asking = isGet
          ? { query: { [field]: String(value) } }
          : { body: { ...GOOD[route]?.(on), [field]: value } };
        const result = await s.call(route, { as: on.gm, ...asking });
        if (result.status === 400) expectError(route, result, 400, "invalid_request", JSON.stringify(value));
      }
    }
  });
});

describe("a character that is not seen, or that turns the direction of writing", () => {
  const hex = (point: number): string => `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;

  /** Bidirectional controls (Unicode, UAX #9), and others of the same kinds. */
  const TURNING = [0x202a, 0x202b, 0x202c, 0x202d, 0x202e, 0x2066, 0x2067, 0x2068, 0x2069];
  const MARKS = [0x200e, 0x200f, 0x061c];
  const CONTROLS = [0x00, 0x07, 0x1b, 0x7f, 0x85, 0x9b];
  const LINES = [0x0a, 0x0d, 0x09];
  const SEPARATORS = [0x2028, 0x2029];
  const UNSEEN = [0x00ad, 0x200b, 0x2060, 0x180e, 0x3164, 0x115f, 0x2800, 0xe0041, 0xe000, 0x0378, 0x10ffff];

  const FIELDS: [string, string, (on: GameFixture, text: string) => Promise<Result>][] = [
    ["name", "alias", (_, alias) => ask("POST /new", { body: { alias, password: PASSWORD } })],
    [
      "name",
      "first_name",
      ({ ada }, first_name) => ask("POST /edit_player/{url_id}", { as: ada, body: { first_name } }),
    ],
    [
      "name",
      "last_name",
      ({ ada }, last_name) => ask("POST /edit_player/{url_id}", { as: ada, body: { last_name } }),
    ],
    [
      "name",
      "name",
      ({ gm }, name) => ask("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name } }),
    ],
    [
      "line",
      "title",
      ({ gm }, title) =>
        ask("POST /notifications/send/{url_id}", {
          as: gm,
          body: { title, content: "x", player_groups: "All" },
        }),
    ],
    [
      "text",
      "content",
      ({ gm }, content) =>
        ask("POST /notifications/send/{url_id}", {
          as: gm,
          body: { title: "x", content, player_groups: "All" },
        }),
    ],
    [
      "text",
      "description",
      ({ gm }, description) =>
        ask("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Gate", description } }),
    ],
    [
      "text",
      "note",
      ({ zed }, note) => ask("POST /zombie/hunt/{url_id}", { as: zed, body: { tag_code: "AAAA2222", note } }),
    ],
    [
      "text",
      "reason",
      ({ gm }, reason) =>
        ask("POST /admin/void_hunt/{url_id}", {
          as: gm,
          body: { interaction_id: "01900000-0000-7000-8000-000000000000", reason },
        }),
    ],
  ];

  it.each(FIELDS)("in a %s is refused: %s", async (kind, field, send) => {
    const on = await createGame(s);
    const refused = [
      ...TURNING,
      ...CONTROLS,
      ...(kind === "text" ? [] : [...LINES, ...SEPARATORS]),
      ...(kind === "name" ? [...MARKS, ...UNSEEN] : []),
    ];
    for (const point of refused) {
      const character = String.fromCodePoint(point);
      for (const text of [`Mina${character}Harker`, `Mina Harker${character}x`]) {
        const result = await send(on, text);
        expect(result.status, `${hex(point)}: ${result.text}`).toBe(400);
        // An alias has a rule of its own, of what it may have.
        if (field !== "alias") expect(result.text).toContain(hex(point));
      }
    }
    const taken = [
      ...["Zoë Ångström", "ירוש עליה", "محمد علی", "山田 太郎", "Ngô Bảo Châu", "O’Brien-Smith, Jr."],
      ...(field === "alias" ? [] : ["علی\u200cرضا", "क\u094d\u200dष", "葛\u{e0100}城", "🧟\u200d♀️", "❤️"]),
      ...(kind === "text" ? ["one\ntwo\r\nthree\u2028four\tfive", "\u200fמשה\u200f!"] : []),
    ].filter((text) => field !== "alias" || !/[’,]/.test(text));
    for (const text of taken) {
      const { status, text: said } = await send(on, text);
      expect(status, `${JSON.stringify(text)}: ${said}`).not.toBe(400);
    }
  });
});

describe("a name or an e-mail address that is null", () => {
  it("is none, for a newcomer as for one who edits theirs", async () => {
    const none = { first_name: null, last_name: null, email: null };
    const eve = await ask("POST /new", { body: { alias: "Eve", password: PASSWORD, ...none } });
    expect(eve).toMatchObject({ status: 201, body: none });
    const as = await s.login("Eve", PASSWORD);
    expect(await ask("POST /edit_player/{url_id}", { as, body: none })).toMatchObject({
      status: 200,
      body: none,
    });
    for (const route of ["POST /new", "POST /edit_player/{url_id}"]) {
      const body = { alias: null, ...(route === "POST /new" ? { password: PASSWORD } : {}) };
      expect400(await ask(route, { as, body }), ["alias"], route);
    }
  });
});

describe("a field that is wrong", () => {
  it.each([...new Set(WRONG.map(([route]) => route))])(
    "is named, and so is every other, by %s",
    async (route) => {
      const { gm, zed } = await createGame(s);
      for (const [, body, paths] of WRONG.filter(([one]) => one === route)) {
        const before = await w.scan();
        const result = await ask(route, { as: route.includes("/zombie/") ? zed : gm, body });
        expect.soft(result.status, result.text).toBe(400);
        expect.soft(issuePaths(result), `${JSON.stringify(body)}: ${result.text}`).toEqual(paths.toSorted());
        if (result.status === 400) expectError(route, result, 400, "invalid_request");
        // A game master's call is logged, and so is a login; any other refused call leaves nothing.
        if (!/admin|login|change_password/.test(route)) expect(await w.scan()).toBe(before);
      }
    },
  );

  it("is a time that is none", async () => {
    const { zed, ben } = await createGame(s);
    for (const hunted_at of [
      "2026-11-21",
      "2026-11-21T07:24:00",
      "2026-11-21T07:24",
      "2026-11-21T07:24Z",
      "2026-11-21 07:24:00Z",
      "2026-02-30T07:24:00Z",
      "2025-02-29T07:24:00Z",
      "2026-13-01T07:24:00Z",
      "2026-11-21T25:00:00Z",
      "2026-11-21T07:60:00Z",
      "2026-11-21T07:24:60Z",
      "2026-11-21T07:24:00+25:00",
      "2026-11-21T07:24:00+1:00",
      "2026-11-21T07:24:00 +01:00",
      "21.11.2026",
      "1795245840000",
      "now",
      "",
      "Sat, 21 Nov 2026 07:24:00 GMT",
      "+002026-11-21T07:24:00Z",
      "-000001-11-21T07:24:00Z",
      "2026-11-21T07:24:00Z\n",
      "٢٠٢٦-11-21T07:24:00Z",
    ]) {
      expect400(await s.hunt(zed, ben, { hunted_at }), ["hunted_at"], hunted_at);
    }
  });

  it("is a time long ago or far away", async () => {
    const { zed, ben } = await createGame(s);
    for (const hunted_at of [
      "0000-01-01T00:00:00Z",
      "1970-01-01T00:00:00Z",
      "9999-12-31T23:59:59.999Z",
      "9999-12-31T23:59:59.999-23:59",
      "0000-01-01T00:00:00+23:59",
      `2020-11-21T07:24:00.${"1".repeat(5_000)}Z`,
    ]) {
      expect400(await s.hunt(zed, ben, { hunted_at }), ["hunted_at"], hunted_at);
    }
  });

  it("is a hunt a moment in the future, or a moment over six hours ago, and not one at either end", async () => {
    const { zed, ben, ada } = await createGame(s);
    expect400(await s.hunt(zed, ben, { hunted_at: new Date(Date.now() + 60_000).toISOString() }), [
      "hunted_at",
    ]);
    const over = new Date(Date.now() - 6 * HOUR - 1).toISOString();
    expect400(await s.hunt(zed, ben, { hunted_at: over, share_with: ["Zed"] }), [
      "hunted_at",
      "share_with.0",
    ]);
    // Within six hours it is judged, and then it was before the hunter's infection.
    const within = new Date(Date.now() - 6 * HOUR + 30_000).toISOString();
    expectProblem(await s.hunt(zed, ada, { hunted_at: within }), 409, "too_early");
  });

  it("is one of a player reference that names nobody, or two", async () => {
    const { gm, ada } = await createGame(s);
    for (const route of POSTS.filter((one) => /corpsify|cure|revive|feed_player/.test(one))) {
      for (const body of [{}, { alias: "Ada", player_id: ada.id }]) {
        expectError(route, await ask(route, { as: gm, body }), 400, "invalid_request");
      }
      expectError(route, await ask(route, { as: gm, body: { alias: "Nobody" } }), 404, "player_not_found");
      expectProblem(
        await ask(route, { as: gm, body: { player_id: "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11" } }),
        404,
        "player_not_found",
        route,
      );
    }
  });

  it("is, with a join code, the join code as well as the rest", async () => {
    const { gm } = await createGame(s);
    expect(gm.id).toBeTypeOf("string");
    s.services.joinCode = "brains";
    const body = { alias: "Eve", password: "password" };
    expect400(await ask("POST /new", { body }), ["join_code", "password"]);
    expect400(await ask("POST /new", { body: { ...body, password: PASSWORD, join_code: "brain" } }), [
      "join_code",
    ]);
    expect400(await ask("POST /new", { body: { ...body, password: PASSWORD, join_code: 5 } }), ["join_code"]);
    expect(
      (await ask("POST /new", { body: { ...body, password: PASSWORD, join_code: "brains" } })).status,
    ).toBe(201);
  });
});

describe("an alias that names someone", () => {
  it("may be anything, and is then not found, or too long; the table's keys have their limits", async () => {
    const { gm, zed, ben } = await createGame(s);
    for (const alias of [
      "ﷺ".repeat(200),
      "ﷺ".repeat(60),
      "ΐ".repeat(200),
      "龍".repeat(200),
      "👻".repeat(100),
      "\u0000",
      "SECRET#x",
      "__proto__",
      " ",
      "\u0301".repeat(200),
    ]) {
      const say = (route: string, { text }: Result) => `${route} ${alias.slice(0, 9)}… ${text}`;
      for (const route of ["POST /get_player/{url_id}", "POST /admin/corpsify/{url_id}"]) {
        const result = await ask(route, { as: gm, body: { alias } });
        expect.soft([400, 404], say(route, result)).toContain(result.status);
      }
      const login = await ask("POST /login", { body: { alias, password: PASSWORD } });
      expect.soft([400, 401], say("login", login)).toContain(login.status);
      const body = { alias, current_password: PASSWORD, new_password: "another horse" };
      const change = await ask("POST /change_password", { body });
      expect.soft([400, 401], say("change_password", change)).toContain(change.status);
      const shared = await s.hunt(zed, ben, { share_with: [alias] });
      expect.soft([400, 404], say("hunt", shared)).toContain(shared.status);
    }
  });
});

describe("a place", () => {
  it("is taken wherever it is on earth, or refused, also where a number is too small for the table", async () => {
    const { zed } = await createGame(s);
    for (const [latitude, longitude] of [
      [0, 0],
      [-0, 0],
      [90, 180],
      [-90, -180],
      [47.376_888_123_456_78, 8.541_694],
      [1e-7, 1.5e-10],
      [5e-324, 8],
      [1e-200, -1e-131],
      [2.225_073_858_507_201e-308, 0.1],
    ]) {
      const prey = await s.join(`Prey ${crypto.randomUUID().slice(0, 8)}`);
      const result = await s.hunt(zed, prey, { latitude, longitude });
      expect.soft([200, 400], `${latitude}, ${longitude}: ${result.text}`).toContain(result.status);
    }
  });
});

afterAll(() => {
  expect(asked).toBeGreaterThan(QUICK ? 600 : 1_300);
});

describe("what would cost more than it is worth", () => {
  it("thousands of unknown keys are counted, and the first hundred named", async () => {
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 0]));
    const result = await ask("POST /login", { body: keys });
    expectProblem(result, 400, "invalid_request", "many keys");
    expect(result.body.errors).toHaveLength(101);
    expect(result.body.errors.at(-1).message).toContain("more");
  });

  it("nesting of ten thousand is refused before any schema goes down there", async () => {
    const gm = await s.admin();
    const deep = `{"statement":"SELECT 1","parameters":${"[".repeat(10_000)}${"]".repeat(10_000)}}`;
    const result = await ask("POST /admin/inject_sql/{url_id}", {
      as: gm,
      raw: { body: deep, type: "application/json" },
    });
    expectProblem(result, 400, "invalid_request", "deep parameters");
    expect(result.text).toMatch(/nested/);
  });

  it("times that no calendar has once they are in UTC", async () => {
    const gm = await s.admin();
    for (const closes_at of ["9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+14:00"]) {
      const result = await ask("POST /admin/set_checkpoint/{url_id}", {
        as: gm,
        body: { name: "Bridge", closes_at },
      });
      expectProblem(result, 400, "invalid_request", closes_at);
      expect(result.body.errors).toMatchObject([{ path: "closes_at" }]);
    }
  });
});
