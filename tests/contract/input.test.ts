/** Invalid bodies, queries and headers, sent to all endpoints: each issue is named, and none ends in a 5xx. */

import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { seedJoinCode } from "../../lib/app/game/seedJoinCode.ts";
import { loadEndpoints } from "../../scripts/local/inProcess.ts";
import { type Field, fieldsOf } from "../battery/fuzz/values.ts";
import { makeBounced } from "../support/confirmation.ts";
import { CRATES } from "../support/constants.ts";
import { PASSWORD, type RequestOptions, type Result } from "../support/service.ts";
import { playedOnce, snapshot } from "../support/snapshot.ts";
import {
  createGame,
  type GameFixture,
  goodBody,
  goodQuery,
  LARGE_BODIES,
  NO_ID,
  nested,
  raw,
} from "./bodies.ts";
import { ENDPOINTS, TRIED_ROUTES } from "./endpoints.ts";
import {
  expectError,
  expectNamedIn,
  expectProblem,
  issuePaths,
  isTextual,
  watchedEnvironment,
} from "./support.ts";

const { s } = watchedEnvironment();
const newGame = playedOnce(s, () => createGame(s));

const ROUTES = ENDPOINTS.map(({ route }) => route);
const GETS = ROUTES.filter((route) => /^GET .*\{url_id\}/.test(route) && !isTextual(route));
const POSTS = ROUTES.filter((route) => route.startsWith("POST ") && TRIED_ROUTES.has(route));
const POSTS_AND_DELETES = [...POSTS, ...ROUTES.filter((route) => route.startsWith("DELETE "))];

const expect400 = (result: Result, paths: readonly string[], what = ""): void => {
  if (isTextual(what)) {
    expectError(what, result, 400, "invalid_request");
    for (const path of paths) expectNamedIn(result.text, path, what);
    return;
  }
  expectProblem(result, 400, "invalid_request", what);
  expect(issuePaths(result), `${what}: ${result.text}`).toEqual(paths.toSorted());
};

type Body = Record<string, unknown>;

const withField = (body: Body, field: string): RequestOptions =>
  raw(JSON.stringify({ ...body, y: 1 }).replace("{", `{${field},`));

/** Requests made of a valid body, with the paths of their issues. More bodies are in tests/unit/requestBody.test.ts. */
const INVALID_REQUESTS: [what: string, make: (body: Body) => RequestOptions, paths: string[]][] = [
  ["unknown keys", (body) => ({ body: { ...body, Alias: 1, constructor: 1 } }), ["Alias", "constructor"]],
  ["an unknown parameter", (body) => ({ body, query: { mistake: "1" } }), ["mistake"]],
  ["two unknown names", (body) => ({ body: { ...body, z: 1 }, query: { mistake: "1" } }), ["mistake", "z"]],
  ["broken JSON", () => raw("{"), [""]],
  ["bytes that are no text", () => raw(Buffer.from([0x7b, 0x22, 0xc3, 0x28, 0x22, 0x3a, 0x31, 0x7d])), [""]],
  ["30,000 levels", () => raw(nested(30_000)), [`0${".0".repeat(19)}`]],
  ["a list in place of an object", () => raw("[{}]"), [""]],
  ["an unsafe number", (body) => withField(body, '"x":[1e400]'), ["x", "x.0", "y"]],
  ["a field nested too deep", (body) => withField(body, `"x":${nested(20)}`), [`x${".0".repeat(19)}`]],
];

/** Sends a request of the game master, with the parameters that the endpoint needs. */
const ask = (route: string, on: GameFixture, options: RequestOptions): Promise<Result> =>
  s.call(route, { as: on.gm, ...options, query: { ...goodQuery(route, on), ...options.query } });

describe("an endpoint that may have a body", () => {
  it.each(INVALID_REQUESTS)("rejects %s, and names each issue", async (_, make, paths) => {
    const on = await newGame();
    for (const route of POSTS_AND_DELETES)
      expect400(await ask(route, on, make(goodBody(route, on))), paths, route);
  });

  it("rejects with 413 a body that is a byte over 64 KiB, and not before", async () => {
    const on = await newGame();
    for (const route of POSTS_AND_DELETES) {
      const text = JSON.stringify({ ...goodBody(route, on), nonsense: "" });
      const send = (size: number) =>
        ask(route, on, raw(text.replace(/"(?=\}$)/, `${"x".repeat(size - text.length)}"`)));
      const [most, over] = LARGE_BODIES[route] ?? [65_536, 65_537];
      expect400(await send(most), ["nonsense"], route);
      expectError(route, await send(over), 413, "too_large");
    }
  });

  it("rejects with 415 a body that is not called JSON", async () => {
    const on = await newGame();
    for (const route of POSTS_AND_DELETES) {
      const text = JSON.stringify({ ...goodBody(route, on), nonsense: 1 });
      const send = (type: string) => ask(route, on, raw(text, type));
      for (const type of ["text/plain", "application/json; charset=utf-16", "image/png", "jason"])
        expectError(route, await send(type), 415, "unsupported_media_type");
      expect400(await send("application/json; charset=UTF-8"), ["nonsense"], route);
    }
  });

  it("rejects an empty body, unless it needs no field", async () => {
    const on = await newGame();
    for (const route of POSTS.filter((one) => Object.keys(goodBody(one, on)).length > 0))
      for (const options of [{}, raw("{}"), raw('""'), raw("  \n"), raw("", "text/plain")])
        expectError(route, await s.call(route, { as: on.gm, ...options }), 400, "invalid_request");
    for (const options of [{}, raw("{}"), raw('""'), raw("  \n"), raw("", "text/plain")])
      await s.must("POST /admin/pause_game/{url_id}", { as: on.gm, ...options });
  });

  it("rejects an invalid Idempotency-Key exactly when it honours one, after its body was found valid", async () => {
    const on = await newGame();
    for (const route of POSTS) {
      const send = (body: Body) => ask(route, on, { body, key: "a b" });
      const invalid = await send({ ...goodBody(route, on), nonsense: 1 });
      expectError(route, invalid, 400, "invalid_request");
      expectNamedIn(invalid.text, "nonsense", route);
      const result = await send(goodBody(route, on));
      if (ENDPOINTS.find((one) => one.route === route)?.isIdempotent === true)
        expect400(result, ["Idempotency-Key"], route);
      else expect([200, 202, 204, 401, 404, 409, 429], result.text).toContain(result.status);
      if (route === "POST /logout") on.gm = await s.login(on.gm.alias, on.gm.password);
    }
  });
});

const handlers = await loadEndpoints();

it("half a surrogate pair is rejected in each field of a body, before anything is looked up", async () => {
  const on = await newGame();
  s.services.joinCodeRequired = true;
  for (const route of POSTS)
    for (const field of Object.keys(fieldsOf(handlers.get(route)?.endpoint.request.body))) {
      const result = await ask(
        route,
        on,
        raw(JSON.stringify({ ...goodBody(route, on), [field]: "a\ud800" })),
      );
      expectError(`${route} ${field}`, result, 400, "invalid_request");
      expectNamedIn(result.text, field, route);
    }
});

const queryOf = (route: string) => fieldsOf(handlers.get(route)?.endpoint.request.query);

/** Values that a parameter may have, and others that it may not. */
const valuesOf = (name: string, { json }: Field): { good: (string | number)[]; bad: string[] } => {
  const { minimum, maximum, pattern, enum: choice = json.const === undefined ? [] : [json.const] } = json;
  if (minimum !== undefined && maximum !== undefined) {
    const outside = [minimum - 1, maximum + 1].map(String);
    return { good: [minimum, maximum], bad: ["abc", "1.5", "1e2", "+5", "5 ", "١", ...outside] };
  }
  const good = choice.map(String);
  const wrong = [`${good},`, String(good[0]).toUpperCase(), "x".repeat(500)];
  if (good.length > 0) return { good, bad: wrong.filter((value) => !good.includes(value)) };
  if (name === "player_id") return { good: [randomUUID()], bad: ["x", "null", NO_ID] };
  if (pattern !== undefined) return { good: [NO_ID], bad: ["x", "null", randomUUID()] };
  return { good: [name === "audience" ? "humans" : "me"], bad: ["two words ".repeat(50)] };
};

/** A game with two of everything that is listed, and the cursor of each list's second page. */
const withLists = playedOnce(s, async () => {
  const { ada, ben, zed } = await newGame();
  const gm = await s.admin("Grandmaster");
  const mission = goodBody("POST /admin/set_mission/{url_id}", { gm, ada, ben, zed });
  for (let n = 0; n < 2; n += 1) await s.must("POST /admin/set_mission/{url_id}", { as: gm, body: mission });
  await s.outbreak(gm, await s.join("Yan"));
  for (const prey of [ada, ben]) {
    const { interaction_id } = (await s.hunt(zed, prey)).body.interaction;
    const body = { interaction_id, reason: "He was not there." };
    await s.must("POST /interactions/dispute/{url_id}", { as: zed, body });
  }
  for (const label of ["One", "Another"])
    await s.must("POST /admin/create_codes/{url_id}", { as: gm, body: { ...CRATES, label } });
  const body = { full_name: "Ann Example" };
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { waiver: "I play at my own risk." } });
  for (const { id } of [ada, ben])
    await s.must("POST /admin/paper_signature/{url_id}", { as: gm, body: { player_id: id, ...body } });
  for (const { id } of [ada, ben]) await makeBounced(s.store, id, "ann@example.org", s.now);
  const cursors = new Map<string, string>();
  for (const list of GETS.filter((one) => "cursor" in queryOf(one)))
    cursors.set(list, (await s.must(list, { as: gm, query: { limit: 1 } })).body.next_cursor);
  return { gm, cursors };
});

describe.each(GETS.filter((route) => TRIED_ROUTES.has(route)))("%s", (route) => {
  const { cursor, ...filters } = queryOf(route);

  it("takes the queries that it may have and no other, and ignores a body", async () => {
    await newGame();
    // Some lists are for game masters who do not play.
    const gm = await s.admin("Grandmaster");
    const ask = (query: Record<string, string | number>) => s.call(route, { as: gm, query });
    const rejects = async (query: Record<string, string>, paths: string[]) =>
      expect400(await ask(query), paths, `${route} ${JSON.stringify(query)}`);
    await rejects({ Limit: "1", LIMIT: "2", constructor: "1" }, ["LIMIT", "Limit", "constructor"]);
    for (const name of ["cursor", "limit"])
      if (!(name in queryOf(route))) await rejects({ [name]: "1" }, [name]);
    for (const [name, field] of Object.entries(filters)) {
      const { good, bad } = valuesOf(name, field);
      // No infection has this id, so there is no tree from it; and neither has a mission nor a batch of codes.
      const status = ["root", "mission_id", "batch_id"].includes(name) ? 404 : 200;
      for (const value of good)
        expect((await ask({ [name]: value })).status, `${name}=${value}`).toBe(status);
      for (const value of ["", ...bad]) await rejects({ [name]: value, x: "1" }, [name, "x"]);
    }
    const withBody = await s.call(route, { as: gm, ...raw("{", "text/plain") });
    expect(withBody.status).toBe((await ask({})).status);
  });

  if (cursor === undefined) return;
  it("takes the cursors that it gave, with the same filters, and no other", async () => {
    const { gm, cursors } = await withLists();
    const given = cursors.get(route);
    if (given === undefined) throw new Error("the list has one page");
    await s.must(route, { as: gm, query: { limit: 5, cursor: given } });
    const rejects = async (query: Record<string, string>) =>
      expect400(await s.call(route, { as: gm, query }), ["cursor"], JSON.stringify(query));
    for (const bad of ["", "A".repeat(9_000), `${given}A`, given.slice(1)]) await rejects({ cursor: bad });
    for (const [other, cursor] of cursors) if (other !== route) await rejects({ cursor });
    for (const [name, field] of Object.entries(filters).filter(([one]) => one !== "limit"))
      await rejects({ cursor: given, [name]: String(valuesOf(name, field).good.at(-1)) });
  });
});

const BROWSER_KEYS =
  '"p256dh":"BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",' +
  '"auth":"BTBZMqHH6r4Tts7J_aSIgg"';
const CODES = '"label":"Crates","n":1,"audience":"all","uses":1,"uses_per_player":1';
const UUID = "0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11";
const NEXT_YEAR = new Date().getUTCFullYear() + 1;
const HUNT = "01900000-0000-7000-8000-0000000000aa";

/**
 * Bodies with invalid fields, and a part of the message of each field by its path. Limits and types are in docs/openapi.json;
 * that every endpoint keeps to them is tested in tests/battery/fuzz.test.ts.
 */
const INVALID_BODIES = `
/login {} | alias: The alias is missing. | password: The password is missing.
/login {"alias":5,"password":""} | alias: The alias must be text. | password: The password must not be empty.
/new {"alias":"A","password":"short"} | alias: must have 2 to 30 characters | password: must have 8 to 128 characters.
/new {"alias":"Eve","password":"password","email":"x"} | password: The password is one of the most common passwords; choose
  another. | email: The e-mail address must have the form name@example.org.
/new {"alias":"Evelovelace","password":"EVELOVELACE"} | password: must not be the alias.
/new {"alias":"Eve","password":"a long one","last_name":"a\\u0007b","kills":9} | last_name: U+0007 | kills: "kills"
/change_password {"alias":"Ada","new_password":"a long one"} | current_password: Exactly one of current password and recovery
  code is required.
/change_password {"alias":"Ada","current_password":"x","new_password":"12345678"} | new_password: common
/edit_player/{url_id} {} | : At least one of alias, first name, last name, e-mail address, wish to be an original zombie,
  setting "named in past seasons", list of push kinds, list of kinds of mails and answer about photos is required.
/edit_player/{url_id} {"alias":null,"push_kinds":["fed","fed"]} | alias: must be text | push_kinds: list of push kinds
/edit_player/{url_id} {"push_kinds":["tagged","nonsense",1]} | push_kinds.1: Entry 2 | push_kinds.2: Entry 3
/notifications/subscribe/{url_id}
  {"endpoint":"https://fcm.googleapis.com/x",${BROWSER_KEYS},"keys":{${BROWSER_KEYS}}} |
  The key "p256dh" is given twice | The key "auth" is given twice
/notifications/subscribe/{url_id} {"endpoint":"https://fcm.googleapis.com/x"} | "p256dh" is missing | "auth" is missing
/notifications/subscribe/{url_id} {"endpoint":"http://x.org","keys":"x","expirationTime":"never"} | keys must be an object. |
  endpoint must be an https | expiration time must be a number
/admin/feed/{url_id} {"n":0} | n: The number "n" must be at least 1.
/admin/cure/{url_id} {} | alias: Exactly one of alias and player id is required.
/admin/corpsify/{url_id} {"alias":"Ada","player_id":"${UUID}"} | alias: Exactly one
/admin/cure/{url_id} {"player_id":"x"} | player_id: The player id must be the id of a player, a UUID.
/admin/set_checkpoint/{url_id} {"name":"A","latitude":90} | longitude: The longitude is missing: a place has latitude and
  longitude.
/admin/set_checkpoint/{url_id} {"name":5,"applies_to":"x"} | name: must be text | applies_to: The group that it applies to
  must be all, humans or zombies.
/zombie/hunt/{url_id} {"tag_code":"","longitude":8} | tag_code: empty | latitude: The latitude is missing
/zombie/hunt/{url_id} {"tag_code":"A","latitude":90.01,"longitude":-180.01} | latitude: at most 90 | longitude: at least -180
/zombie/hunt/{url_id} {"tag_code":"A","share_with":["A","B","C"]} | share_with: must have at most 2 entries.
/zombie/hunt/{url_id} {"tag_code":"A","share_with":["Ada","ADA"]} | share_with.1: twice with one player
/zombie/hunt/{url_id} {"tag_code":"A","share_with":["zed"]} | share_with.0: You cannot share with yourself
/zombie/hunt/{url_id} {"tag_code":"A","hunted_at":"2026-11-21T07:24:00"} | hunted_at: RFC 3339
/zombie/hunt/{url_id} {"tag_code":"A","hunted_at":"2026-02-30T07:24:00Z"} | hunted_at: RFC 3339
/zombie/hunt/{url_id} {"tag_code":"A","hunted_at":"1970-01-01T00:00:00Z","share_with":["Zed"]} | hunted_at: ago |
  share_with.0: You cannot share with yourself
/admin/set_checkpoint/{url_id} {"name":"A","closes_at":"9999-12-31T23:59:59-12:00"} | closes_at: within ten years
/admin/inject_sql/{url_id} {"statement":"SELECT *"} | statement: Line 1, column 9: the statement ends where FROM was expected.
/admin/void_hunts/{url_id} {"interaction_ids":["${HUNT}","${HUNT}"]} | interaction_ids: must not have an id twice
/admin/label/{url_id} {"aliases":["Ada"]} | : At least one of list of labels to add and list of labels to remove is required.
/admin/label/{url_id} {"aliases":["Ada"],"add":["a"],"remove":["A"]} | remove: must not have a label that add has too.
/admin/label/{url_id} {"aliases":["Ada"],"add":["","two words","waiver!","-a","a\\u200b"]} | add.0: 1 to 32 | add.1: a word |
  add.2: a word | add.3: a word | add.4: a word
/admin/revive_all/{url_id} {"as":"zombie"} | : At least one of list of aliases, label and state is required.
/admin/revive_all/{url_id} {"state":"zombie"} | state: must be corpse or spectator.
/admin/revive_all/{url_id} {"label":"late","limit":3} | dry_run: must be true with limit or cursor
/admin/settings/{url_id} {"starts_at":"${NEXT_YEAR}-11-24T08:00:00Z","ends_at":"${NEXT_YEAR}-11-24T08:00:00Z"} | ends_at: The end must
  be after the start.
/admin/settings/{url_id} {"reveal_originals_at":"${NEXT_YEAR}-11-24T08:00:00Z"} | reveal_originals_at: is only for
  original zombies that are hidden.
/admin/settings/{url_id}
  {"hide_originals":true,"reveal_originals_at":"${NEXT_YEAR}-11-24T08:00:00Z","starts_at":"${NEXT_YEAR}-11-24T09:00:00Z"} |
  reveal_originals_at: not be before the start.
/admin/settings/{url_id}
  {"hide_originals":true,"reveal_originals_at":"${NEXT_YEAR}-11-24T08:00:00Z","ends_at":"${NEXT_YEAR}-11-24T07:00:00Z"} |
  reveal_originals_at: must not be after the end.
/admin/settings/{url_id} {"time_zone":"Europe/Nowhere","play_hours":{"monday":[]}} | time_zone: must be the IANA name |
  play_hours: at least one range
/admin/settings/{url_id} {"play_hours":{"funday":[["10:00","12:00"]]}} | play_hours.funday: no field "funday"
/admin/settings/{url_id}
  {"time_zone":"+02:00","play_hours":{"sunday":[["24:00","24:00"]],"monday":[["22:00","02:00"]],"tuesday":[["8:00","25:00"]],
  "friday":[["10:00","12:00"],["08:00","10:01"]]}} | time_zone: IANA | play_hours.sunday.0: must begin at HH:MM from 00:00 to 23:59 |
  play_hours.monday.0: must end after it begins | play_hours.tuesday.0: must begin at HH:MM | play_hours.friday: must not overlap
/admin/settings/{url_id} {"join_codes":[{"code":"brains"},{"code":"Brains"}],"webhooks":[{"url":"https://example.org/x"}]} |
  join_codes.1.code: must not occur twice. | webhooks.0.format: missing
/admin/settings/{url_id}
  {"webhooks":[{"url":"http://a.org/x","format":"signed"},{"url":"https://u@a.org/x","format":"signed"},
  {"url":"https://a.org:8443/x","format":"signed"},{"url":"https://[::1]/x","format":"signed"},
  {"url":"https://localhost/x","format":"signed"}]} | webhooks.0.url: https | webhooks.1.url: user name |
  webhooks.2.url: port | webhooks.3.url: public host | webhooks.4.url: public host
/admin/create_codes/{url_id} {${CODES},"effect":{}} | effect: At least one of time that it feeds, cure, points, badge and
  message is required.
/admin/create_codes/{url_id} {${CODES},"effect":{"cure":true,"feed_seconds":60}} | effect.feed_seconds: Cannot be combined
/admin/create_codes/{url_id}
  {${CODES},"effect":{"cure":true},"valid_from":"${NEXT_YEAR}-11-24T08:00:00Z","valid_until":"${NEXT_YEAR}-11-24T08:00:00Z"} |
  valid_until: must be after the start
/admin/corpsify/{url_id} {"alias":"Ada","nonsense":1,"reason":" "} | nonsense: no field | reason: 1 to 280`;

describe("an invalid field", () => {
  it("is named and described in a sentence, together with every other one", async () => {
    const { gm, zed } = await newGame();
    for (const line of INVALID_BODIES.trim().replaceAll("\n  ", " ").split("\n")) {
      const [request = "", ...issues] = line.split(" | ");
      const [, path = "", body = ""] = /^(\S+) (.*)$/.exec(request) ?? [];
      const before = await snapshot(s);
      const result = await s.call(`POST ${path}`, { as: path.includes("/zombie/") ? zed : gm, ...raw(body) });
      if (isTextual(`POST ${path}`)) {
        expectError(`POST ${path}`, result, 400, "invalid_request", line);
        for (const issue of issues) expect(result.text, line).toContain(issue);
        continue;
      }
      const expected = new Map(
        issues.map((issue) => issue.split(/: (.*)/)).map(([at = "", text = ""]) => [at, text]),
      );
      expect400(result, [...expected.keys()], line);
      for (const { path: at, message } of result.body.errors)
        expect(message, line).toContain(expected.get(at));
      // Calls of game masters, logins and password changes are logged; any other rejected call writes nothing.
      if (!/admin|login|change_password/.test(path)) expect(await snapshot(s), line).toEqual(before);
    }
  });

  it("is named together with a missing or wrong join code", async () => {
    s.services.joinCodeRequired = true;
    await seedJoinCode(s.store, "brains", s.now);
    const body = { alias: "Eve", password: "password" };
    for (const code of [{}, { join_code: "brain" }, { join_code: 5 }])
      expect400(await s.call("POST /new", { body: { ...body, ...code } }), ["join_code", "password"]);
  });
});

/** Some bidirectional (UAX #9) and other controls; these and line breaks; these and invisible characters. */
const IN_TEXT = "\u202a\u202e\u2066\u2069\u0000\u001b\u007f\u0085";
const IN_LINE = `${IN_TEXT}\n\r\t\u2028\u2029\ufffd`;
const IN_NAME = `${IN_LINE}\u200e\u061c\u00ad\u200b\u180e\u3164\u2800\u{e0041}\ue000\u0378\u{10ffff}`;
const NAMES = ["Zoë Ångström", "ירוש עליה", "محمد علی", "山田 太郎", "Ngô Bảo Châu"];
const JOINED = [
  ...NAMES,
  ..."O’Brien-Smith, Jr.|علی\u200cرضا|क\u094d\u200dष|葛\u{e0100}城|🧟\u200d♀️|❤️".split("|"),
];
// A message may quote a text that a program has garbled.
const LINES = ["Zo\ufffd", ...JOINED, "one\ntwo\r\nthree\u2028four\tfive", "\u200fמשה\u200f!"];

it.each([
  ["alias", "POST /new", IN_NAME, NAMES],
  ["first_name", "POST /edit_player/{url_id}", IN_NAME, JOINED],
  ["last_name", "POST /edit_player/{url_id}", IN_NAME, JOINED],
  ["name", "POST /admin/set_checkpoint/{url_id}", IN_NAME, JOINED],
  ["title", "POST /notifications/send/{url_id}", IN_LINE, JOINED],
  ["content", "POST /notifications/send/{url_id}", IN_TEXT, LINES],
  ["description", "POST /admin/set_checkpoint/{url_id}", IN_TEXT, LINES],
  ["note", "POST /zombie/hunt/{url_id}", IN_TEXT, LINES],
  ["reason", "POST /admin/void_hunt/{url_id}", IN_TEXT, LINES],
])(
  "an invisible, bidirectional or lost character is rejected in the field %s of %s",
  async (field, route, rejected, accepted) => {
    const on = await newGame();
    const send = (text: string) =>
      s.call(route, { as: on.gm, body: { ...goodBody(route, on), [field]: text } });
    for (const [n, character] of [...rejected].entries()) {
      const code = `U+${character.codePointAt(0)?.toString(16).toUpperCase().padStart(4, "0")}`;
      const result = await send(n % 2 === 0 ? `Mina${character}Harker` : `Mina Harker${character}x`);
      expect(result.status, `${code}: ${result.text}`).toBe(400);
      // The error of an alias lists what it may have.
      if (field !== "alias") expect(result.text).toContain(code);
    }
    for (const text of accepted) {
      const { status, text: response } = await send(text);
      expect(status, `${JSON.stringify(text)}: ${response}`).not.toBe(400);
    }
  },
);

describe("extreme input", () => {
  it("as an alias is rejected as unknown or too long, and exceeds no limit of the table's keys", async () => {
    const { gm, zed, ben } = await newGame();
    const change = { current_password: PASSWORD, new_password: "another horse" };
    for (const alias of [
      ...["ﷺ".repeat(200), "ﷺ".repeat(60), "ΐ".repeat(200), "龍".repeat(200), "👻".repeat(100)],
      ...["\u0000", "SECRET#x", "__proto__", " ", "\u0301".repeat(200)],
    ]) {
      const login = { alias, password: PASSWORD };
      for (const [result, statuses] of [
        [await s.call("POST /get_player/{url_id}", { as: gm, body: { alias } }), [400, 404]],
        [await s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { alias } }), [400, 404]],
        [await s.call("POST /login", { body: login }), [400, 401]],
        [await s.call("POST /change_password", { body: { ...change, alias } }), [400, 401]],
        [await s.hunt(zed, ben, { share_with: [alias] }), [400, 404]],
      ] as const) {
        expect.soft(statuses, `${alias.slice(0, 9)}… ${result.text}`).toContain(result.status);
      }
    }
  });

  it("of thousands of unknown keys has the first hundred named", async () => {
    const keys = Object.fromEntries(Array.from({ length: 5_000 }, (_, n) => [`k${n}`, 0]));
    const result = await s.call("POST /login", { body: keys });
    expectProblem(result, 400, "invalid_request", "many keys");
    expect(result.body.errors).toHaveLength(101);
    expect(result.body.errors.at(-1)).toMatchObject({ path: "", message: expect.stringContaining("more") });
  });
});
