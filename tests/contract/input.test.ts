/** Invalid input: every body, query and header that an endpoint may be sent. Each issue is named; none ends in a 5xx. */
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { loadEndpoints } from "../../scripts/local/inProcess.ts";
import { fieldsOf } from "../battery/fuzz/forms.ts";
import { drawnOf, QUICK } from "../support/battery.ts";
import type { RequestOptions, Result } from "../support/service.ts";
import { createGame, type GameFixture, goodBody, LARGE_BODIES, nested, PASSWORD, raw } from "./bodies.ts";
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

const routesOf = (method: string): string[] =>
  ENDPOINTS.map(({ route }) => route).filter((route) => route.startsWith(`${method} `));
const POSTS = routesOf("POST");
const GETS = routesOf("GET").filter((route) => route.includes("{url_id}") && !isTextual(route));

/** At quick scale every other endpoint, chosen by the seed. */
const drawn = QUICK ? drawnOf(2, "endpoints with input") : 0;
const some = <T>(all: readonly T[]): T[] => (QUICK ? all.filter((_, n) => n % 2 === drawn) : [...all]);

const ask = (route: string, options: RequestOptions): Promise<Result> => s.call(route, options);

const expect400 = (result: Result, paths: readonly string[], what = ""): void => {
  if (isTextual(what)) {
    expectError(what, result, 400, "invalid_request");
    for (const path of paths) expectNamedIn(result.text, path, what);
    return;
  }
  expectProblem(result, 400, "invalid_request", what);
  expect(issuePaths(result), `${what}: ${result.text}`).toEqual(paths.toSorted());
};

/** Calls `check` for every POST endpoint, in one game. */
const everyPost = async (
  check: (route: string, on: GameFixture, body: () => Record<string, unknown>) => Promise<void>,
): Promise<void> => {
  const on = await createGame(s);
  for (const route of some(POSTS)) await check(route, on, () => goodBody(route, on));
};

/** The body as JSON, open for one more field. */
const opened = (body: Record<string, unknown>): string => {
  const text = JSON.stringify(body).slice(0, -1);
  return text === "{" ? text : `${text},`;
};

/** Bodies that no endpoint can read; what the parser makes of each is tested in `tests/unit/border.test.ts`. */
const UNREADABLE: (string | Buffer)[] = [
  ...["{", '{"a":1,}', '{"a":NaN}', '{"a":1}x', "<xml/>", "\u0000"],
  Buffer.concat([Buffer.from('{"alias":"'), Buffer.from([0xc3, 0x28]), Buffer.from('"}')]),
];

/** A field that is not valid JSON data, and whether it is named by its key. */
const INVALID_FIELDS: [field: string, path: string | null][] = [
  ['"__proto__":{"is_admin":true}', null],
  ['"x":"\\ud83d"', null],
  ['"\\udc00":1', null],
  ['"x":1e400', "x"],
  ['"x":[9007199254740993]', null],
  [`"x":${nested(20)}`, null],
];

describe("every POST endpoint rejects", () => {
  it("an unknown key, in the body, in the query or in both, whatever else is right", () =>
    everyPost(async (route, { gm: as }, body) => {
      const inherited = { ...body(), constructor: 1, toString: 2 };
      const query = { mistake: "1" };
      for (const [options, paths] of [
        [{ body: { ...body(), Alias: 1, x: null } }, ["Alias", "x"]],
        [{ body: body(), query }, ["mistake"]],
        [{ body: { ...body(), nonsense: 1 }, query }, ["mistake", "nonsense"]],
        [{ body: inherited }, ["constructor", "toString"]],
      ] as const) {
        expect400(await ask(route, { as, ...options }), paths, route);
      }
    }));

  it("a body that cannot be read or is no object", () =>
    everyPost(async (route, { gm: as }) => {
      for (const body of UNREADABLE) {
        expect400(await ask(route, { as, ...raw(body) }), [""], `${route} ${body}`);
      }
      for (const body of ["null", "[{}]", "5", '"text"']) {
        const result = await ask(route, { as, ...raw(body) });
        expectError(route, result, 400, "invalid_request", body);
        if (!isTextual(route)) expect(issuePaths(result), `${route} ${body}`).toContain("");
      }
    }));

  it("a field that is not valid JSON data, together with other wrong fields, and one nested too deep as such", () =>
    everyPost(async (route, { gm: as }, body) => {
      for (const [field, path] of INVALID_FIELDS) {
        const result = await ask(route, { as, ...raw(`${opened(body())}${field},"y":1}`) });
        if (path === null) expectError(route, result, 400, "invalid_request", field);
        else expect400(result, [path, "y"], route);
        expect(/nested/.test(result.text), field).toBe(field.includes("[[["));
      }
      expect400(await ask(route, { as, ...raw(`${opened(body())}"x":${nested(19)}}`) }), ["x"], route);
      expectError(route, await ask(route, { as, ...raw(nested(30_000)) }), 400, "invalid_request");
    }));

  it("with 413 a body that is a byte over 64 KiB, and not before", () =>
    everyPost(async (route, { gm: as }, body) => {
      const text = JSON.stringify({ ...body(), nonsense: "" });
      const padded = (size: number): string =>
        text.replace('"nonsense":""', `"nonsense":"${"x".repeat(size - text.length)}"`);
      const [most, over] = LARGE_BODIES[route] ?? [65_536, 65_537];
      expect400(await ask(route, { as, ...raw(padded(most)) }), ["nonsense"], route);
      for (const large of [padded(over), Buffer.from(padded(over))]) {
        expectError(route, await ask(route, { as, ...raw(large) }), 413, "too_large");
      }
    }));

  it("with 415 a body that is not called JSON", () =>
    everyPost(async (route, { gm: as }, body) => {
      const text = JSON.stringify({ ...body(), nonsense: 1 });
      for (const type of [
        ...["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"],
        ...["application/octet-stream", "application/json; charset=utf-16", "image/png", "jason"],
      ]) {
        const result = await ask(route, { as, ...raw(text, type) });
        expectError(route, result, 415, "unsupported_media_type");
      }
      const named = await ask(route, { as, ...raw(text, "application/json; charset=UTF-8") });
      expect400(named, ["nonsense"], route);
    }));

  it("an empty body, unless it needs no field", () =>
    everyPost(async (route, on, body) => {
      const needsFields = Object.keys(body()).length > 0;
      for (const options of [{}, raw("{}"), raw('""'), raw("  \n"), raw("", "text/plain")]) {
        const result = await ask(route, { as: on.gm, ...options });
        if (needsFields) expectError(route, result, 400, "invalid_request");
        // There is no checkpoint: an empty body is not what is wrong then.
        else if (route.includes("kill_all")) expectError(route, result, 409, "no_checkpoint");
        // Only a spectator can enrol.
        else if (route.includes("enrol")) expectError(route, result, 409, "wrong_state");
        else expect(result.status, `${route} ${JSON.stringify(options)}: ${result.text}`).toBeLessThan(300);
        if (route === "POST /logout") on.gm = await s.login(on.gm.alias, on.gm.password);
        // Only a human can report to be tagged, and only while the game runs.
        if (route.includes("pause_game")) await s.must("POST /admin/resume_game/{url_id}", { as: on.gm });
        if (route.includes("report_tagged"))
          await s.must("POST /admin/cure/{url_id}", { as: on.gm, body: { player_id: on.gm.id } });
      }
    }));

  it("an invalid Idempotency-Key exactly when it honours one, after its body was found valid", () =>
    everyPost(async (route, on, body) => {
      const honours = ENDPOINTS.find((one) => one.route === route)?.once === true;
      for (const key of ["", "a b", "k".repeat(129), "ключ"]) {
        const what = `${route} ${JSON.stringify(key)}`;
        const invalid = await ask(route, { as: on.gm, body: { ...body(), nonsense: 1 }, key });
        expectError(route, invalid, 400, "invalid_request", what);
        expect(invalid.text, what).toContain("nonsense");
        const result = await ask(route, { as: on.gm, body: body(), key });
        if (honours) expect400(result, ["Idempotency-Key"], what);
        else expect([200, 204, 401, 404, 409, 429], result.text).toContain(result.status);
        if (route === "POST /logout") on.gm = await s.login(on.gm.alias, on.gm.password);
      }
      // A subscription would be pushed to in earnest.
      if (!honours || isTextual(route)) return;
      const longest = await ask(route, { as: on.gm, body: body(), key: "k".repeat(128) });
      expect(longest.status, longest.text).not.toBe(400);
      expect(longest.status).toBeLessThan(500);
    }));
});

it.each(routesOf("DELETE"))("%s rejects an unknown body or query, and deletes nobody", async (route) => {
  const { ada } = await createGame(s);
  expect400(await ask(route, { as: ada, body: { nonsense: 1 } }), ["nonsense"], route);
  expect400(await ask(route, { as: ada, query: { nonsense: "1" } }), ["nonsense"], route);
  expect400(await ask(route, { as: ada, ...raw("{") }), [""], route);
  const text = await ask(route, { as: ada, ...raw("a=b", "text/plain") });
  expectError(route, text, 415, "unsupported_media_type");
  expect((await s.see(ada)).state).toBe("human");
});

interface Query {
  /** The largest page. */
  limit?: number;
  cursor?: boolean;
  filters?: Record<string, { good: string; bad: string[] }>;
}

/** The queries that endpoints take. */
const QUERIES: Record<string, Query> = {
  "GET /admin/disputes/{url_id}": {
    limit: 100,
    cursor: true,
    filters: { status: { good: "open", bad: ["", "Open", "closed"] } },
  },
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
      pending: { good: "true", bad: ["", "no"] },
      label: { good: "waiver", bad: ["", "two words", "a".repeat(33)] },
      search: { good: "ada", bad: ["", "x".repeat(61)] },
    },
  },
  "GET /admin/find/{url_id}": {
    filters: { q: { good: "ada", bad: ["", "x".repeat(61)] } },
  },
  "GET /live/{url_id}": {
    filters: {
      after: {
        good: "01900000-0000-7000-8000-000000000000",
        bad: ["", "x", "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11"],
      },
      inbox_after: { good: "01900000-0000-7000-8000-000000000000", bad: ["", "null"] },
    },
  },
  "GET /interactions/{url_id}": {
    limit: 200,
    cursor: true,
    filters: {
      kind: { good: "corpsify", bad: ["", "Hunt", "murder", "hunt,cure"] },
      player: { good: "me", bad: ["", "x".repeat(201)] },
      target: { good: "Ada", bad: ["", "x".repeat(201)] },
      actor: { good: "Ada", bad: ["", "x".repeat(201)] },
      after: { good: "01900000-0000-7000-8000-000000000000", bad: ["", "x"] },
    },
  },
  "GET /admin/alerts/{url_id}": { limit: 100 },
  "GET /interactions/leaderboard/{url_id}": {
    limit: 1_000,
    cursor: true,
    filters: {
      board: { good: "survivors", bad: ["", "Kills", "humans"] },
      around: { good: "me", bad: ["", "you"] },
    },
  },
  "GET /interactions/tree/{url_id}": {
    filters: {
      root: { good: "", bad: ["", "x", "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11", "null", "'"] },
      depth: { good: "3", bad: ["", "0", "201", "-1", "1.5", "abc", "1e2", " 3", "9".repeat(40)] },
    },
  },
  "GET /zombie/starvation/{url_id}": { limit: 1_000, cursor: true },
};

it("has the query of every GET endpoint that takes one", async () => {
  const taken: Record<string, string[]> = {};
  for (const [route, { endpoint }] of await loadEndpoints()) {
    const names = Object.keys(fieldsOf(endpoint.request.query));
    if (GETS.includes(route) && names.length > 0) taken[route] = names.toSorted();
  }
  const listed = Object.entries(QUERIES).map(([route, { limit, cursor, filters = {} }]) => {
    const paged = [...(limit === undefined ? [] : ["limit"]), ...(cursor === true ? ["cursor"] : [])];
    return [route, [...paged, ...Object.keys(filters)].toSorted()];
  });
  expect(Object.fromEntries(listed)).toEqual(taken);
});

const INVALID_LIMITS = [
  ...["0", "-1", "abc", "", " ", "1.5", "1e2", "0x10", "NaN", "Infinity", "+5", "5 ", "١", "9".repeat(400)],
];

describe.each(some(GETS))("%s", (route) => {
  const { limit, cursor, filters = {} } = QUERIES[route] ?? {};

  it("takes the queries that it may have and no other, and ignores a body", async () => {
    const { gm } = await createGame(s);
    const rejects = async (query: Record<string, string>, paths: string[]) =>
      expect400(await ask(route, { as: gm, query }), paths, `${route} ${JSON.stringify(query)}`);
    const takes = async (query: Record<string, string>) => {
      const { status, text } = await ask(route, { as: gm, query });
      expect(status, `${JSON.stringify(query)}: ${text}`).toBe(200);
    };
    await rejects({ Limit: "1", LIMIT: "2", constructor: "1" }, ["LIMIT", "Limit", "constructor"]);
    if (cursor === undefined) await rejects({ cursor: "x" }, ["cursor"]);
    if (limit === undefined) await rejects({ limit: "1" }, ["limit"]);
    else {
      await rejects({ limit: "0", nonsense: "1" }, ["limit", "nonsense"]);
      for (const good of ["1", "7", String(limit)]) await takes({ limit: good });
      for (const bad of [String(limit + 1), ...INVALID_LIMITS]) await rejects({ limit: bad }, ["limit"]);
    }
    for (const [name, { good, bad }] of Object.entries(filters)) {
      if (good !== "") await takes({ [name]: good });
      for (const value of bad) await rejects({ [name]: value }, [name]);
    }
    const plain = await ask(route, { as: gm });
    expect((await ask(route, { as: gm, ...raw("{", "text/plain") })).status).toBe(plain.status);
  });

  if (cursor !== true) return;

  it("takes the cursors that it gave, with the same filters, and no other", async () => {
    const { gm, ada, ben, zed } = await createGame(s);
    // Two of everything that is listed.
    await s.outbreak(gm, await s.join("Yan"));
    for (const prey of [ada, ben]) {
      const { interaction_id } = (await s.hunt(zed, prey)).body.interaction;
      const body = { interaction_id, reason: "He was not there." };
      await s.must("POST /interactions/dispute/{url_id}", { as: zed, body });
    }
    const given: string = (await ask(route, { as: gm, query: { limit: 1 } })).body.next_cursor;
    for (const size of [1, 5]) {
      expect((await ask(route, { as: gm, query: { limit: size, cursor: given } })).status).toBe(200);
    }
    const bad = [
      ...["", "x", "null", " ", "ключ", "A".repeat(64), "A".repeat(9_000), given.toUpperCase()],
      ...[`${given}A`, `${given}=`, `${given}!`, given.slice(0, -1), given.slice(1)],
    ];
    for (const [other, query] of Object.entries(QUERIES)) {
      if (query.cursor !== true || other === route) continue;
      const { next_cursor } = (await ask(other, { as: gm, query: { limit: 1 } })).body;
      expect(next_cursor, other).toBeTypeOf("string");
      bad.push(next_cursor);
    }
    for (const value of bad)
      expect400(await ask(route, { as: gm, query: { cursor: value } }), ["cursor"], value);
    for (const [name, { good }] of Object.entries(filters)) {
      expect400(await ask(route, { as: gm, query: { cursor: given, [name]: good } }), ["cursor"], name);
    }
  });
});

const EVE = { alias: "Eve", password: PASSWORD };
const CHANGE = { alias: "Ada", current_password: PASSWORD };
const HUNT = { tag_code: "AAAA2222" };
const UUID = "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11";

/** A body with invalid fields, and every field that is to be named. */
type InvalidBody = [body: Record<string, unknown>, paths: string[]];

/** A body for each of these values of one field, which is what is invalid. */
const each = (field: string, values: readonly unknown[], rest: Record<string, unknown> = {}): InvalidBody[] =>
  values.map((value) => [{ ...rest, [field]: value }, [field]]);

const INVALID_BODIES: Record<string, InvalidBody[]> = {
  "POST /new": [
    [{}, ["alias", "password"]],
    [{ alias: "Eve" }, ["password"]],
    ...each("alias", [5, null, ["Eve"], "E", "👻👻👻"], EVE),
    ...each("password", [null, "short", "x".repeat(129), "x".repeat(5_000), "password", "EVELOVELACE"], {
      alias: "Evelovelace",
    }),
    ...each("first_name", [""], EVE),
    ...each("last_name", ["x".repeat(61), "a\u0007b"], EVE),
    ...each("email", ["nobody", "a@b", `${"a".repeat(250)}@example.org`], EVE),
    [{ ...EVE, is_admin: true, state: "zombie", kills: 9 }, ["is_admin", "kills", "state"]],
    [
      { alias: "E", password: 5, first_name: "", email: "x", extra: 1 },
      ["alias", "email", "extra", "first_name", "password"],
    ],
    [{ alias: "E", password: "short" }, ["alias", "password"]],
    [{ alias: "Eve", password: "password", email: "x" }, ["email", "password"]],
  ],
  "POST /login": [
    [{}, ["alias", "password"]],
    [{ alias: "", password: "" }, ["alias", "password"]],
    [{ alias: "x".repeat(5_000), password: "x" }, ["alias"]],
    [{ alias: "Ada", password: { $ne: null } }, ["password"]],
  ],
  "POST /logout": each("everywhere", ["yes", 1, null]),
  "POST /change_password": [
    [{ alias: "Ada", new_password: PASSWORD }, ["current_password"]],
    ...each("new_password", ["short", "12345678"], CHANGE),
    [{ alias: "Ada", recovery_code: 5, new_password: PASSWORD }, ["recovery_code"]],
  ],
  "POST /edit_player/{url_id}": [
    [{ alias: null }, ["alias"]],
    [{ alias: "x", first_name: 5, last_name: "", email: "x" }, ["alias", "email", "first_name", "last_name"]],
    [{ is_admin: true }, ["", "is_admin"]],
    [{ first_name: "Ann", kills: 5, state: "human", rev: 1 }, ["kills", "rev", "state"]],
    ...each("push_kinds", ["tagged", ["fed", "fed"]]),
    [{ push_kinds: ["tagged", "nonsense", 1] }, ["push_kinds.1", "push_kinds.2"]],
  ],
  "POST /get_player/{url_id}": [
    [{}, ["alias"]],
    [{ alias: "" }, ["alias"]],
    [{ player_id: UUID }, ["alias", "player_id"]],
  ],
  "POST /admin/corpsify/{url_id}": [...each("player_id", ["x", 5]), ...each("alias", [null])],
  "POST /admin/cure/{url_id}": [[{ alias: 5, player_id: "x", x: 1 }, ["alias", "player_id", "x"]]],
  "POST /admin/feed/{url_id}": each("n", [undefined, 0, 1_001, -1, 1.5, "5", [5], null]),
  "POST /admin/set_checkpoint/{url_id}": [
    ...each("name", [undefined, "", "x".repeat(81)]),
    [{ name: "Bridge", latitude: 5 }, ["longitude"]],
    [{ name: "Bridge", closes_at: "2026-11-21T07:24:00" }, ["closes_at"]],
    [{ name: 5, applies_to: "corpses", x: 1 }, ["applies_to", "name", "x"]],
  ],
  "POST /admin/player_at_checkpoint/{url_id}": each("tag_code", [5]),
  "POST /admin/kill_all_not_at_checkpoint/{url_id}": [
    [{ dry_run: "yes", checkpoint_id: "x" }, ["checkpoint_id", "dry_run"]],
  ],
  "POST /admin/recover_password/{url_id}": each("player_id", ["x"]),
  "POST /admin/inject_sql/{url_id}": [
    ...each("statement", [undefined, "", "'; DROP TABLE game; --"]),
    [{ statement: "x".repeat(8_193), limit: 0 }, ["limit", "statement"]],
    ...each("parameters", [{}, "GAME"], { statement: "SELECT" }),
    [{ statement: "SELECT", limit: 1_001, cursor: 1, sql: "x" }, ["cursor", "limit", "sql"]],
    ...each("limit", ["5", 1.5], { statement: "SELECT" }),
  ],
  "POST /admin/edit_player/{url_id}": [
    [{ alias: "Ada", alias_to: "x", is_admin: "yes" }, ["alias_to", "is_admin"]],
  ],
  "POST /admin/remove_player/{url_id}": each("alias", [5]),
  "POST /zombie/hunt/{url_id}": [
    ...each("tag_code", [undefined, 5, "", "x".repeat(5_000)]),
    ...each("note", ["", "x".repeat(281)], HUNT),
    ...each("share_with", ["Ada", ["Ada", "Ben", "Cleo"]], HUNT),
    [{ ...HUNT, share_with: [5, ""] }, ["share_with.0", "share_with.1"]],
    [{ ...HUNT, share_with: ["Ada", "ADA"] }, ["share_with.1"]],
    [{ ...HUNT, share_with: ["zed"] }, ["share_with.0"]],
    [{ ...HUNT, latitude: 47 }, ["longitude"]],
    [{ ...HUNT, longitude: 8 }, ["latitude"]],
    [{ ...HUNT, latitude: 90.01, longitude: -180.01 }, ["latitude", "longitude"]],
    [{ ...HUNT, latitude: "47", longitude: null }, ["latitude", "longitude"]],
    [
      { tag_code: "", note: 5, hunted_at: "now", latitude: 1, longitude: 500, x: 1 },
      ["hunted_at", "longitude", "note", "tag_code", "x"],
    ],
    [{ tag_code: "", latitude: 47 }, ["longitude", "tag_code"]],
  ],
};

describe("an invalid field", () => {
  it.each(Object.entries(INVALID_BODIES))("is named, and so is every other, by %s", async (route, bodies) => {
    const { gm, zed } = await createGame(s);
    const before = await w.scan();
    for (const [body, paths] of bodies) {
      const result = await ask(route, { as: route.includes("/zombie/") ? zed : gm, body });
      expect.soft(result.status, result.text).toBe(400);
      expect.soft(issuePaths(result), `${JSON.stringify(body)}: ${result.text}`).toEqual(paths.toSorted());
      if (result.status === 400) expectError(route, result, 400, "invalid_request");
    }
    // A game master's call is logged, and so is a login; any other rejected call leaves nothing.
    if (!/admin|login|change_password/.test(route)) expect(await w.scan()).toBe(before);
  });

  /** Requests, and the message of each issue by its path. */
  const MESSAGES: [route: string, body: unknown, messages: Record<string, string>][] = [
    ["/login", {}, { alias: "The alias is missing.", password: "The password is missing." }],
    ["/login", { alias: 5, password: "x" }, { alias: "The alias must be text." }],
    ["/login", { alias: "A", password: "" }, { password: "The password must not be empty." }],
    ["/login", { alias: "A", password: "x", y: 1 }, { y: 'There is no field "y" here.' }],
    ["/login", [], { "": "The body must be an object." }],
    ["/new", { ...EVE, alias: "A" }, { alias: "The alias must have 2 to 30 characters." }],
    ["/new", { ...EVE, password: "short" }, { password: "The password must have 8 to 128 characters." }],
    [
      "/new",
      { ...EVE, password: "password" },
      { password: "The password is one of the most common passwords; choose another." },
    ],
    ["/new", { ...EVE, email: "x" }, { email: "The e-mail address must have the form name@example.org." }],
    [
      "/change_password",
      { alias: "Ada", new_password: PASSWORD },
      { current_password: "Exactly one of current password and recovery code is required." },
    ],
    ["/admin/feed/{url_id}", { n: 0 }, { n: 'The number "n" must be at least 1.' }],
    ["/admin/feed/{url_id}", { n: 1_001 }, { n: 'The number "n" must be at most 1,000.' }],
    ["/admin/feed/{url_id}", { n: "5" }, { n: 'The number "n" must be a number.' }],
    [
      "/admin/cure/{url_id}",
      { player_id: "x" },
      { player_id: "The player id must be the id of a player, a UUID." },
    ],
    [
      "/admin/set_checkpoint/{url_id}",
      { name: "A", applies_to: "x" },
      { applies_to: "The group that it applies to must be all, humans or zombies." },
    ],
    [
      "/admin/set_checkpoint/{url_id}",
      { name: "A", latitude: 90 },
      { longitude: "The longitude is missing: a place has latitude and longitude." },
    ],
    [
      "/edit_player/{url_id}",
      {},
      {
        "": "At least one of alias, first name, last name, e-mail address, wish to be an original zombie and list of push kinds is required.",
      },
    ],
    [
      "/zombie/hunt/{url_id}",
      { tag_code: "A", share_with: ["Ada", 5] },
      { "share_with.1": "Entry 2 of the list of players to share with must be text." },
    ],
    [
      "/zombie/hunt/{url_id}",
      { tag_code: "A", share_with: ["A", "B", "C"] },
      { share_with: "The list of players to share with must have at most 2 entries." },
    ],
    [
      "/admin/inject_sql/{url_id}",
      { statement: "SELECT *" },
      { statement: "Line 1, column 9: the statement ends where FROM was expected." },
    ],
  ];

  it("is described in a sentence", async () => {
    const { gm } = await createGame(s);
    for (const [path, body, expected] of MESSAGES) {
      const { errors } = (await ask(`POST ${path}`, { as: gm, body })).body;
      const messages = errors.map(({ path: at, message }: { path: string; message: string }) => [
        at,
        message,
      ]);
      expect(Object.fromEntries(messages), `${path} ${JSON.stringify(body)}`).toEqual(expected);
    }
  });

  it("may be a time that does not exist, is not RFC 3339, or is too long ago or too far ahead", async () => {
    const { gm, zed, ben, ada } = await createGame(s);
    for (const hunted_at of [
      ...[
        "2026-11-21",
        "2026-11-21T07:24:00",
        "2026-11-21T07:24Z",
        "2026-11-21 07:24:00Z",
        "2026-02-30T07:24:00Z",
      ],
      ...[
        "2026-11-21T25:00:00Z",
        "2026-11-21T07:24:60Z",
        "2026-11-21T07:24:00+25:00",
        "1795245840000",
        "now",
        "",
      ],
      ...["٢٠٢٦-11-21T07:24:00Z", "2026-11-21T07:24:00Z\n", "0000-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
      ...["9999-12-31T23:59:59.999-23:59", `2020-11-21T07:24:00.${"1".repeat(5_000)}Z`],
      new Date(Date.now() + 150_000).toISOString(),
    ]) {
      expect400(await s.hunt(zed, ben, { hunted_at }), ["hunted_at"], hunted_at);
    }
    const over = new Date(Date.now() - 6 * HOUR - 1).toISOString();
    const both = await s.hunt(zed, ben, { hunted_at: over, share_with: ["Zed"] });
    expect400(both, ["hunted_at", "share_with.0"]);
    // Within six hours the rules decide, and then it was before the hunter's infection.
    const within = new Date(Date.now() - 6 * HOUR + 30_000).toISOString();
    expectProblem(await s.hunt(zed, ada, { hunted_at: within }), 409, "too_early");
    // Times that no calendar has once they are in UTC.
    for (const closes_at of ["9999-12-31T23:59:59-12:00", "0000-01-01T00:00:00+14:00"]) {
      const body = { name: "Bridge", closes_at };
      expect400(await ask("POST /admin/set_checkpoint/{url_id}", { as: gm, body }), ["closes_at"], closes_at);
    }
  });

  it("may be a player reference that names nobody, or two", async () => {
    const { gm, ada } = await createGame(s);
    for (const route of POSTS.filter((one) =>
      /corpsify|cure|revive_[hz]|feed_player|at_checkpoint/.test(one),
    )) {
      if (route.includes("kill_all")) continue;
      if (route.includes("at_checkpoint"))
        await ask("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Gate" } });
      for (const body of [{}, { alias: "Ada", player_id: ada.id }]) {
        expectError(route, await ask(route, { as: gm, body }), 400, "invalid_request");
      }
      for (const body of [{ alias: "Nobody" }, { player_id: UUID }]) {
        expectProblem(await ask(route, { as: gm, body }), 404, "player_not_found", route);
      }
    }
  });

  it("may be the join code, as well as the rest", async () => {
    s.services.joinCode = "brains";
    expect400(await ask("POST /new", { body: { ...EVE, password: "password" } }), ["join_code", "password"]);
    for (const join_code of ["brain", 5]) {
      expect400(await ask("POST /new", { body: { ...EVE, join_code } }), ["join_code"]);
    }
    expect((await ask("POST /new", { body: { ...EVE, join_code: "brains" } })).status).toBe(201);
  });

  it("may not be null, unless it is a name or an e-mail address", async () => {
    const none = { first_name: null, last_name: null, email: null };
    const eve = await ask("POST /new", { body: { ...EVE, ...none } });
    expect(eve).toMatchObject({ status: 201, body: none });
    const as = await s.login("Eve", PASSWORD);
    const edited = await ask("POST /edit_player/{url_id}", { as, body: none });
    expect(edited).toMatchObject({ status: 200, body: none });
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

  const NEWS = { title: "x", content: "x", player_groups: "All" };
  const VOID = { interaction_id: "01900000-0000-7000-8000-000000000000" };
  /** Fields of free text: of which kind, of which endpoint, and who sends the rest of the body. */
  const FIELDS: ["name" | "line" | "text", string, string, keyof GameFixture, Record<string, unknown>][] = [
    ["name", "alias", "POST /new", "ada", { password: PASSWORD }],
    ["name", "first_name", "POST /edit_player/{url_id}", "ada", {}],
    ["name", "last_name", "POST /edit_player/{url_id}", "ada", {}],
    ["name", "name", "POST /admin/set_checkpoint/{url_id}", "gm", {}],
    ["line", "title", "POST /notifications/send/{url_id}", "gm", NEWS],
    ["text", "content", "POST /notifications/send/{url_id}", "gm", NEWS],
    ["text", "description", "POST /admin/set_checkpoint/{url_id}", "gm", { name: "Gate" }],
    ["text", "note", "POST /zombie/hunt/{url_id}", "zed", HUNT],
    ["text", "reason", "POST /admin/void_hunt/{url_id}", "gm", VOID],
  ];

  it.each(FIELDS)("is rejected in a %s: %s", async (kind, field, route, who, rest) => {
    const on = await createGame(s);
    const send = (text: string) => ask(route, { as: on[who], body: { ...rest, [field]: text } });
    const rejected = [
      ...TURNING,
      ...CONTROLS,
      ...(kind === "text" ? [] : [...LINES, ...SEPARATORS]),
      ...(kind === "name" ? [...MARKS, ...UNSEEN] : []),
    ];
    for (const [n, point] of rejected.entries()) {
      const character = String.fromCodePoint(point);
      const result = await send(n % 2 === 0 ? `Mina${character}Harker` : `Mina Harker${character}x`);
      expect(result.status, `${hex(point)}: ${result.text}`).toBe(400);
      // An alias has a rule of its own, of what it may have.
      if (field !== "alias") expect(result.text).toContain(hex(point));
    }
    const accepted = [
      ...["Zoë Ångström", "ירוש עליה", "محمد علی", "山田 太郎", "Ngô Bảo Châu", "O’Brien-Smith, Jr."],
      ...(field === "alias" ? [] : ["علی\u200cرضا", "क\u094d\u200dष", "葛\u{e0100}城", "🧟\u200d♀️", "❤️"]),
      ...(kind === "text" ? ["one\ntwo\r\nthree\u2028four\tfive", "\u200fמשה\u200f!"] : []),
    ].filter((text) => field !== "alias" || !/[’,]/.test(text));
    for (const text of accepted) {
      const { status, text: response } = await send(text);
      expect(status, `${JSON.stringify(text)}: ${response}`).not.toBe(400);
    }
  });
});

describe("extreme input", () => {
  it("as an alias is not found, or too long: the table's keys have their limits", async () => {
    const { gm, zed, ben } = await createGame(s);
    for (const alias of [
      ...["ﷺ".repeat(200), "ﷺ".repeat(60), "ΐ".repeat(200), "龍".repeat(200), "👻".repeat(100)],
      ...["\u0000", "SECRET#x", "__proto__", " ", "\u0301".repeat(200)],
    ]) {
      const login = { alias, password: PASSWORD };
      for (const [result, statuses] of [
        [await ask("POST /get_player/{url_id}", { as: gm, body: { alias } }), [400, 404]],
        [await ask("POST /admin/corpsify/{url_id}", { as: gm, body: { alias } }), [400, 404]],
        [await ask("POST /login", { body: login }), [400, 401]],
        [
          await ask("POST /change_password", { body: { ...CHANGE, alias, new_password: "another horse" } }),
          [400, 401],
        ],
        [await s.hunt(zed, ben, { share_with: [alias] }), [400, 404]],
      ] as const) {
        expect.soft(statuses, `${alias.slice(0, 9)}… ${result.text}`).toContain(result.status);
      }
    }
  });

  it("as a place is accepted wherever it is on earth, or rejected where a number is too small", async () => {
    const { zed } = await createGame(s);
    const extremes = [
      [-0, 0],
      [90, 180],
      [-90, -180],
      [1e-7, 1.5e-10],
      [5e-324, 8],
      [1e-200, -1e-131],
    ];
    for (const [latitude, longitude] of extremes) {
      const prey = await s.join(`Prey ${crypto.randomUUID().slice(0, 8)}`);
      const result = await s.hunt(zed, prey, { latitude, longitude });
      expect.soft([200, 400], `${latitude}, ${longitude}: ${result.text}`).toContain(result.status);
    }
  });

  it("of thousands of unknown keys has the first hundred named", async () => {
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 0]));
    const result = await ask("POST /login", { body: keys });
    expectProblem(result, 400, "invalid_request", "many keys");
    expect(result.body.errors).toHaveLength(101);
    expect(result.body.errors.at(-1).message).toContain("more");
  });
});
