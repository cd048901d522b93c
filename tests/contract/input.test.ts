/** Invalid input: every body, query and header that an endpoint may be sent. Each issue is named; none ends in a 5xx. */
import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { loadEndpoints } from "../../scripts/local/inProcess.ts";
import { type Field, fieldsOf } from "../battery/fuzz/values.ts";
import { drawnIfQuick } from "../support/battery.ts";
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
const GETS = routesOf("GET").filter((route) => route.includes("{url_id}") && !isTextual(route));
const SOME_POSTS = drawnIfQuick(routesOf("POST"), 8, "endpoints with bodies");
const SOME_GETS = drawnIfQuick(GETS, 8, "endpoints with queries");

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

const everyPost = async (
  check: (route: string, on: GameFixture, body: () => Record<string, unknown>) => Promise<void>,
): Promise<void> => {
  const on = await createGame(s);
  for (const route of SOME_POSTS) await check(route, on, () => goodBody(route, on));
};

const withField = (body: Record<string, unknown>, field: string): string =>
  JSON.stringify(body).replace(/^\{(.?)/, (_, next) => `{${field}${next === "}" ? "" : ","}${next}`);

/** Bodies that no endpoint can read; what the parser makes of each is tested in `tests/unit/requestBody.test.ts`. */
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
        const result = await ask(route, { as, ...raw(withField({ ...body(), y: 1 }, field)) });
        if (path === null) expectError(route, result, 400, "invalid_request", field);
        else expect400(result, [path, "y"], route);
        expect(/nested/.test(result.text), field).toBe(field.includes("[[["));
      }
      expect400(await ask(route, { as, ...raw(withField(body(), `"x":${nested(19)}`)) }), ["x"], route);
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

  it.each(routesOf("DELETE"))("with 413 a body over 64 KiB, as %s does", async (route) => {
    expectError(
      route,
      await ask(route, { as: await s.admin(), ...raw("x".repeat(65_537)) }),
      413,
      "too_large",
    );
  });

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

const NO_ID = "01900000-0000-7000-8000-000000000000";
const handlers = await loadEndpoints();
const queryOf = (route: string) => fieldsOf(handlers.get(route)?.endpoint.request.query);

/** Which values a list may be filtered by is in docs/openapi.json. */
const WORDS = new Map(Object.entries({ label: "waiver", player: "me" }));

const INVALID_NUMBERS = [
  "0",
  "-1",
  "abc",
  " ",
  "1.5",
  "1e2",
  "0x10",
  "NaN",
  "+5",
  "5 ",
  "١",
  "9".repeat(400),
];

/** Values that a parameter may have, and others that it may not. */
const valuesOf = (name: string, json: Field["json"]): { good: string[]; bad: string[] } => {
  const {
    minimum,
    maximum,
    maxLength = 0,
    enum: choice = json.const === undefined ? [] : [json.const],
  } = json;
  if (minimum !== undefined && maximum !== undefined) {
    const good = [minimum, 7, maximum].map(String);
    return { good, bad: [...INVALID_NUMBERS, String(maximum + 1)] };
  }
  if (choice.length > 0) {
    const [first = "", second = first] = choice.map(String);
    return { good: [first, second], bad: [first.toUpperCase(), `${first},${second}`, "x".repeat(500)] };
  }
  if (json.pattern !== undefined)
    return { good: /root/.test(name) ? [] : [NO_ID], bad: ["x", "null", "'", randomUUID()] };
  return {
    good: [WORDS.get(name) ?? "ada"],
    bad: [name === "label" ? "two words" : "x".repeat(maxLength + 1)],
  };
};

describe.each(SOME_GETS)("%s", (route) => {
  const { cursor, ...filters } = queryOf(route);

  it("takes the queries that it may have and no other, and ignores a body", async () => {
    const { gm } = await createGame(s);
    const rejects = async (query: Record<string, string>, paths: string[]) =>
      expect400(await ask(route, { as: gm, query }), paths, `${route} ${JSON.stringify(query)}`);
    await rejects({ Limit: "1", LIMIT: "2", constructor: "1" }, ["LIMIT", "Limit", "constructor"]);
    for (const name of ["cursor", "limit"])
      if (!(name in queryOf(route))) await rejects({ [name]: "1" }, [name]);
    for (const [name, { json }] of Object.entries(filters)) {
      const { good, bad } = valuesOf(name, json);
      for (const value of good) {
        const { status, text } = await ask(route, { as: gm, query: { [name]: value } });
        expect(status, `${name}=${value}: ${text}`).toBe(200);
      }
      for (const value of ["", ...bad]) await rejects({ [name]: value, x: "1" }, [name, "x"]);
    }
    const plain = await ask(route, { as: gm });
    expect((await ask(route, { as: gm, ...raw("{", "text/plain") })).status).toBe(plain.status);
  });

  if (cursor === undefined) return;

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
    for (const other of GETS.filter((one) => one !== route && "cursor" in queryOf(one))) {
      const { next_cursor } = (await ask(other, { as: gm, query: { limit: 1 } })).body;
      expect(next_cursor, other).toBeTypeOf("string");
      bad.push(next_cursor);
    }
    for (const value of bad)
      expect400(await ask(route, { as: gm, query: { cursor: value } }), ["cursor"], value);
    for (const [name, { json }] of Object.entries(filters)) {
      if (name === "limit") continue;
      const good = valuesOf(name, json).good.at(-1) ?? NO_ID;
      expect400(await ask(route, { as: gm, query: { cursor: given, [name]: good } }), ["cursor"], name);
    }
  });
});

const UUID = "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11";

/**
 * Bodies with invalid fields, and a part of the message of each field by its path. Limits and types are in docs/openapi.json;
 * that every endpoint keeps to them is tested in tests/battery/fuzz.test.ts.
 */
const INVALID_BODIES = `
/login {} | alias: The alias is missing. | password: The password is missing.
/login {"alias":5,"password":""} | alias: The alias must be text. | password: The password must not be empty.
/login {"alias":"A","password":"x","y":1} | y: There is no field "y" here.
/login [] | : The body must be an object.
/new {"alias":"A","password":"short"} | alias: must have 2 to 30 characters | password: must have 8 to 128 characters.
/new {"alias":"Eve","password":"password","email":"x"} | password: The password is one of the most common passwords; choose
  another. | email: The e-mail address must have the form name@example.org.
/new {"alias":"Evelovelace","password":"EVELOVELACE"} | password: must not be the alias.
/new {"alias":"Eve","password":"a long one","last_name":"a\\u0007b","kills":9} | last_name: U+0007 | kills: "kills"
/change_password {"alias":"Ada","new_password":"a long one"} | current_password: Exactly one of current password and recovery
  code is required.
/change_password {"alias":"Ada","current_password":"x","new_password":"12345678"} | new_password: common
/edit_player/{url_id} {} | : At least one of alias, first name, last name, e-mail address, wish to be an original zombie and
  list of push kinds is required.
/edit_player/{url_id} {"is_admin":true} | : At least one | is_admin: no field
/edit_player/{url_id} {"alias":null,"push_kinds":["fed","fed"]} | alias: must be text | push_kinds: list of push kinds
/edit_player/{url_id} {"push_kinds":["tagged","nonsense",1]} | push_kinds.1: Entry 2 | push_kinds.2: Entry 3
/admin/feed/{url_id} {"n":0} | n: The number "n" must be at least 1.
/admin/feed/{url_id} {"n":1001} | n: The number "n" must be at most 1,000.
/admin/feed/{url_id} {"n":"5"} | n: The number "n" must be a number.
/admin/cure/{url_id} {} | alias: Exactly one of alias and player id is required.
/admin/corpsify/{url_id} {"alias":"Ada","player_id":"${UUID}"} | alias: Exactly one
/admin/cure/{url_id} {"player_id":"x"} | player_id: The player id must be the id of a player, a UUID.
/admin/set_checkpoint/{url_id} {"name":"A","latitude":90} | longitude: The longitude is missing: a place has latitude and
  longitude.
/admin/set_checkpoint/{url_id} {"name":5,"applies_to":"x"} | name: must be text | applies_to: The group that it applies to
  must be all, humans or zombies.
/admin/edit_player/{url_id} {"alias":"Ada","alias_to":"x","is_admin":"yes"} | alias_to: 2 to 30 | is_admin: true or false
/zombie/hunt/{url_id} {"tag_code":"","longitude":8} | tag_code: empty | latitude: The latitude is missing
/zombie/hunt/{url_id} {"tag_code":"A","latitude":90.01,"longitude":-180.01} | latitude: at most 90 | longitude: at least -180
/zombie/hunt/{url_id} {"tag_code":"A","share_with":["Ada",5]} | share_with.1: Entry 2 of the list of players to share with
  must be text.
/zombie/hunt/{url_id} {"tag_code":"A","share_with":["A","B","C"]} | share_with: must have at most 2 entries.
/zombie/hunt/{url_id} {"tag_code":"A","share_with":["Ada","ADA"]} | share_with.1: twice with one player
/zombie/hunt/{url_id} {"tag_code":"A","share_with":["zed"]} | share_with.0: You cannot share with yourself
/zombie/hunt/{url_id} {"tag_code":"","hunted_at":"now","latitude":1,"longitude":500,"x":1} | tag_code: empty | hunted_at: time |
  longitude: at most 180 | x: no field
/admin/inject_sql/{url_id} {"statement":"SELECT *"} | statement: Line 1, column 9: the statement ends where FROM was expected.
/admin/inject_sql/{url_id} {"statement":"","sql":"x"} | statement: empty | sql: no field`;

describe("an invalid field", () => {
  it("is named and described in a sentence, and so is every other", async () => {
    const { gm, zed } = await createGame(s);
    for (const line of INVALID_BODIES.trim().replaceAll("\n  ", " ").split("\n")) {
      const [request = "", ...issues] = line.split(" | ");
      const [, path = "", body = ""] = /^(\S+) (.*)$/.exec(request) ?? [];
      const before = await w.scan();
      const result = await ask(`POST ${path}`, { as: path.includes("/zombie/") ? zed : gm, ...raw(body) });
      const expected = new Map(
        issues.map((issue) => issue.split(/: (.*)/)).map(([at = "", text = ""]) => [at, text]),
      );
      expect400(result, [...expected.keys()], line);
      for (const { path: at, message } of result.body.errors)
        expect(message, line).toContain(expected.get(at));
      // A game master's call is logged, and so is a login; any other rejected call leaves nothing.
      if (!/admin|login|change_password/.test(path)) expect(await w.scan(), line).toBe(before);
    }
  });

  it("may be a time that does not exist, is not RFC 3339, or is too long ago or too far ahead", async () => {
    const { gm, zed, ben, ada } = await createGame(s);
    for (const hunted_at of [
      ...["2026-11-21", "2026-11-21T07:24:00", "2026-11-21T07:24Z", "2026-11-21 07:24:00Z", "now", ""],
      ...[
        "2026-02-30T07:24:00Z",
        "2026-11-21T25:00:00Z",
        "2026-11-21T07:24:60Z",
        "2026-11-21T07:24:00+25:00",
      ],
      ...["٢٠٢٦-11-21T07:24:00Z", "2026-11-21T07:24:00Z\n", "0000-01-01T00:00:00Z", "1970-01-01T00:00:00Z"],
      ...["9999-12-31T23:59:59.999-23:59", `2020-11-21T07:24:00.${"1".repeat(5_000)}Z`, "1795245840000"],
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

  it("may be the join code, as well as the rest", async () => {
    s.services.joinCode = "brains";
    const EVE = { alias: "Eve", password: PASSWORD };
    expect400(await ask("POST /new", { body: { ...EVE, password: "password" } }), ["join_code", "password"]);
    for (const join_code of ["brain", 5]) {
      expect400(await ask("POST /new", { body: { ...EVE, join_code } }), ["join_code"]);
    }
    expect((await ask("POST /new", { body: { ...EVE, join_code: "brains" } })).status).toBe(201);
  });
});

describe("a character that is not seen, or that turns the direction of writing", () => {
  const hex = (point: number): string => `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;

  /** Of each kind some: bidirectional controls (Unicode, UAX #9), controls, and what is not seen. */
  const TURNING = [0x202a, 0x202e, 0x2066, 0x2069];
  const CONTROLS = [0x00, 0x1b, 0x7f, 0x85];
  const LINES = [0x0a, 0x0d, 0x09, 0x2028, 0x2029];
  const UNSEEN = [0x200e, 0x061c, 0x00ad, 0x200b, 0x180e, 0x3164, 0x2800, 0xe0041, 0xe000, 0x0378, 0x10ffff];

  const NEWS = { title: "x", content: "x", player_groups: "All" };
  const VOID = { interaction_id: NO_ID };
  /** Fields of free text: of which kind, of which endpoint, and who sends the rest of the body. */
  const FIELDS: ["name" | "line" | "text", string, string, keyof GameFixture, Record<string, unknown>][] = [
    ["name", "alias", "POST /new", "ada", { password: PASSWORD }],
    ["name", "first_name", "POST /edit_player/{url_id}", "ada", {}],
    ["name", "last_name", "POST /edit_player/{url_id}", "ada", {}],
    ["name", "name", "POST /admin/set_checkpoint/{url_id}", "gm", {}],
    ["line", "title", "POST /notifications/send/{url_id}", "gm", NEWS],
    ["text", "content", "POST /notifications/send/{url_id}", "gm", NEWS],
    ["text", "description", "POST /admin/set_checkpoint/{url_id}", "gm", { name: "Gate" }],
    ["text", "note", "POST /zombie/hunt/{url_id}", "zed", { tag_code: "AAAA2222" }],
    ["text", "reason", "POST /admin/void_hunt/{url_id}", "gm", VOID],
  ];

  it.each(FIELDS)("is rejected in a %s: %s", async (kind, field, route, who, rest) => {
    const on = await createGame(s);
    const send = (text: string) => ask(route, { as: on[who], body: { ...rest, [field]: text } });
    const rejected = [
      ...TURNING,
      ...CONTROLS,
      ...(kind === "text" ? [] : LINES),
      ...(kind === "name" ? UNSEEN : []),
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
    const change = { current_password: PASSWORD, new_password: "another horse" };
    for (const alias of [
      ...["ﷺ".repeat(200), "ﷺ".repeat(60), "ΐ".repeat(200), "龍".repeat(200), "👻".repeat(100)],
      ...["\u0000", "SECRET#x", "__proto__", " ", "\u0301".repeat(200)],
    ]) {
      const login = { alias, password: PASSWORD };
      for (const [result, statuses] of [
        [await ask("POST /get_player/{url_id}", { as: gm, body: { alias } }), [400, 404]],
        [await ask("POST /admin/corpsify/{url_id}", { as: gm, body: { alias } }), [400, 404]],
        [await ask("POST /login", { body: login }), [400, 401]],
        [await ask("POST /change_password", { body: { ...change, alias } }), [400, 401]],
        [await s.hunt(zed, ben, { share_with: [alias] }), [400, 404]],
      ] as const) {
        expect.soft(statuses, `${alias.slice(0, 9)}… ${result.text}`).toContain(result.status);
      }
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
