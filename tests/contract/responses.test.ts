/** Pages of lists, and the documented responses that no other test returns (tests/deployment/roles.test.ts). */
import { expect, it, vi } from "vitest";
import { HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { keys } from "../../lib/store/keys.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import type { RequestOptions, Result, TestPlayer } from "../support/service.ts";
import { restore, snapshot } from "../support/snapshot.ts";
import { createGame, goodBody, NO_ID } from "./bodies.ts";
import { DOCUMENTED, ENDPOINTS, TRIED_ROUTES } from "./endpoints.ts";
import { createExampleGame, exampleRequest } from "./exampleGame.ts";
import { expectError, watchedEnvironment, withoutSecrets } from "./support.ts";

const w = watchedEnvironment();
const { s } = w;

/** The route of a path. A path without a method is short for a POST with the caller's id. */
const route = (path: string): string => (path.includes(" ") ? path : `POST ${path}/{url_id}`);

const expectCode = async (path: string, options: RequestOptions, status: number, code: string) =>
  expectError(route(path), await s.call(route(path), options), status, code);

/** Creates sixty zombies or corpses labelled `late`, and a checkpoint that none has passed. @returns the game master */
const createCrowdedGame = async (state: "zombie" | "corpse"): Promise<TestPlayer> => {
  const gm = await s.admin();
  const crowd = await makeCrowd(s, 60, state === "corpse" ? "human" : "zombie", Date.now() - MINUTE);
  await s.crowd(crowd.map((one) => ({ ...one, ...(state === "corpse" ? { state } : {}), labels: ["late"] })));
  await s.must(route("/admin/set_checkpoint"), { as: gm, body: { name: "Gate" } });
  return gm;
};

/** Enforces the current checkpoint, and returns the body of a request that undoes it. */
const enforceCheckpoint = async (as: TestPlayer) => {
  await s.must(route("/admin/kill_all_not_at_checkpoint"), { as, body: {} });
  const { checkpoint } = (await s.must("GET /checkpoint/{url_id}", { as })).body;
  return { checkpoint_id: checkpoint.checkpoint_id, reason: "It was the wrong day." };
};

it.each([
  ["/admin/feed", { n: 60 }],
  ["/admin/feed_group", { label: "late" }],
  ["/admin/undo_checkpoint", null],
  ["/admin/revive_all", { label: "late" }],
  ["/admin/kill_all_not_at_checkpoint", {}],
  ["/notifications/send", { title: "Run", content: "They come.", player_groups: "All" }],
])("%s is 409 while a crashed request with the same key counts as in progress", async (path, given) => {
  const gm = await createCrowdedGame(path === "/admin/revive_all" ? "corpse" : "zombie");
  const body = given ?? (await enforceCheckpoint(gm));
  const request = { as: gm, body, key: "a-key" };
  // The process is lost after the first transaction.
  const { transact } = s.store.db;
  const lost = vi.spyOn(s.store.db, "transact").mockImplementationOnce(transact).mockRejectedValue("lost");
  await s.call(route(path), request);
  lost.mockRestore();
  await expectCode(path, request, 409, "in_progress");
  if (!path.includes("checkpoint")) return;
  await expectCode(path, { as: gm, body }, 409, "busy");
  await expectCode("/admin/set_checkpoint", { as: gm, body: { name: "Bridge" } }, 409, "busy");
});

it("undoing an enforcement is 202 if it takes longer than the request", async () => {
  const gm = await createCrowdedGame("zombie");
  const body = await enforceCheckpoint(gm);
  s.timeLeft = () => 2 * SECOND;
  const result = await s.call(route("/admin/undo_checkpoint"), { as: gm, body });
  expect(result, result.text).toMatchObject({ status: 202, body: { complete: false } });
});

it("a finished season rejects whatever changes what is played, and repeats its responses of before", async () => {
  const on = await createGame(s);
  const [hunt, feed] = [
    { as: on.zed, body: { tag_code: on.ada.code }, key: "a-tag" },
    { as: on.gm, body: { label: "late" }, key: "a-feeding" },
  ];
  const before = [await s.must(route("/zombie/hunt"), hunt), await s.must(route("/admin/feed_group"), feed)];
  const ending = { result: "none", grace_seconds: 0 };
  await s.must(route("/admin/finish_season"), { as: on.gm, body: ending });
  for (const { info } of DOCUMENTED.filter((one) => one.info.changesPlay)) {
    const request = {
      as: info.access === "player" ? on.zed : on.gm,
      body: goodBody(info.route, on),
    };
    await expectCode(info.route, request, 409, "not_running");
  }
  const repeated = [
    await s.must(route("/zombie/hunt"), hunt),
    await s.must(route("/admin/feed_group"), feed),
  ];
  expect(repeated.map(({ text }) => text)).toEqual(before.map(({ text }) => text));
});

it("every GET is 304 when nothing has changed, except for the audit log, and 400 with an unknown parameter", async () => {
  const on = await createGame(s);
  const as = on.gm;
  const body = goodBody("POST /notifications/send/{url_id}", on);
  const { notification } = (await s.must(route("/notifications/send"), { as, body })).body;
  const query: Record<string, Record<string, string>> = {
    "GET /admin/find/{url_id}": { q: "ada" },
    "GET /notifications/status/{url_id}": { notification_id: notification.notification_id },
  };
  for (const { route: path } of ENDPOINTS.filter((one) => one.route.startsWith("GET "))) {
    await expectCode(path, { as, query: { nonsense: "1" } }, 400, "invalid_request");
    const request = { as, query: query[path] ?? {} };
    const first = await s.call(path, request);
    // Some have no picture or deadline, only a game that has ended has awards, and each reading changes the audit log.
    if (first.status !== 200 || path.includes("get_logs")) continue;
    const headers = { "if-none-match": first.headers.etag ?? "" };
    const again = await s.call(path, { ...request, headers });
    expect([again.status, again.text], path).toEqual([304, ""]);
  }
});

it("a request that is repeated with its key gets its first response, also one that found nothing to change", async () => {
  const on = await createExampleGame(s, () => {});
  const game = await snapshot(s);
  const tried = DOCUMENTED.filter(({ info }) => info.isIdempotent && TRIED_ROUTES.has(info.route));
  for (const endpoint of tried) {
    const path = endpoint.info.route;
    // The example of a ban has a name without an account, which is not stored with a response.
    if (endpoint.info.access === "public" || path.includes("/admin/ban/")) continue;
    const request = exampleRequest(endpoint, on);
    for (const key of ["first", "second"]) {
      const [first, again] = [
        await s.call(path, { ...request, key }),
        await s.call(path, { ...request, key }),
      ];
      if (first.status >= 300) continue;
      const should = [first.status, withoutSecrets(first)];
      expect([again.status, again.body], `${path}, the ${key} time`).toEqual(should);
    }
    await restore(s, game);
  }
});

it("a request against a rule of the game is rejected with the error code of that rule", async () => {
  const on = await createGame(s);
  const { gm, ada, ben, zed } = on;
  const refused = (path: string, as: TestPlayer, body: object | undefined, code: string, status = 409) =>
    expectCode(path, { as, body }, status, code);
  const settings = (body: object) => s.must(route("/admin/settings"), { as: gm, body });

  for (const word of ["cure", "feed_player", "revive_h", "revive_z"])
    await refused(`/admin/${word}`, gm, { alias: "Ada" }, "wrong_state");
  await refused("/admin/revive_all", gm, { aliases: ["Ada", "Nobody"] }, "player_not_found", 404);
  await refused("/admin/player_at_checkpoint", gm, { alias: "Ada" }, "no_checkpoint");
  await s.must(route("/admin/set_checkpoint"), { as: gm, body: { name: "Gate" } });
  await refused("/admin/player_at_checkpoint", gm, { tag_code: "ZZZZZZZZ" }, "unknown_tag_code", 404);
  await s.hunt(zed, ben);
  await refused("/admin/player_at_checkpoint", gm, { tag_code: ben.code }, "already_tagged");
  await refused("/admin/kill_all_not_at_checkpoint", gm, { checkpoint_id: NO_ID }, "checkpoint_changed");

  const { checkpoint_id } = (await s.must("GET /checkpoint/{url_id}", { as: gm })).body.checkpoint;
  await refused("/admin/undo_checkpoint", gm, { checkpoint_id, reason: "Late." }, "wrong_state");
  await s.must(route("/admin/new_tag_code"), { as: gm, body: { alias: "Ada" } });
  await refused("/zombie/hunt", zed, { tag_code: ada.code }, "code_replaced");
  await refused("/admin/player_at_checkpoint", gm, { tag_code: ada.code }, "code_replaced");
  ada.code = (await s.see(ada)).tag_code;

  // Ben has been tagged.
  const { interactions } = (await s.must("GET /interactions/{url_id}", { as: ben })).body;
  const tag = { interaction_id: interactions[0].interaction_id };
  await refused("/admin/hunt", gm, { hunter: "Zed", prey: "Ben" }, "wrong_state");
  await refused("/admin/name_hunter", gm, { ...tag, alias: "Zed" }, "wrong_state");
  await refused("/admin/name_hunter", gm, { interaction_id: NO_ID, alias: "Zed" }, "not_found", 404);
  await refused("/admin/new_tag_code", gm, { alias: "Ben" }, "wrong_state");
  await refused("/player/report_tagged", ben, {}, "wrong_state");
  await s.must(route("/admin/void_hunt"), { as: gm, body: { ...tag, reason: "No." } });
  await refused("/admin/void_hunt", gm, { ...tag, reason: "No." }, "wrong_state");
  await refused("/interactions/dispute", ben, { ...tag, reason: "No." }, "wrong_state");
  await s.must(route("/admin/make_spectator"), { as: gm, body: { alias: "Ben" } });
  for (const word of ["make_spectator", "player_at_checkpoint"])
    await refused(`/admin/${word}`, gm, { alias: "Ben" }, "wrong_state");

  await refused("/admin/remove_player", gm, { player_id: gm.id }, "last_administrator");
  await refused("/admin/edit_player", gm, { player_id: gm.id, is_admin: false }, "last_administrator");
  await refused("DELETE /delete_player/{url_id}", gm, undefined, "last_administrator");
  await settings({ unique_email: true });
  await s.must(route("/edit_player"), { as: ada, body: { email: "ada@example.org" } });
  const taken = { alias: "Ben", email: "ada@example.org" };
  await refused("/admin/edit_player", gm, taken, "email_taken");
  await refused("/admin/comment_dispute", gm, { dispute_id: NO_ID, comment: "Hm." }, "not_found", 404);
  const resolved = { dispute_id: NO_ID, outcome: "stands", note: "No." };
  await refused("/admin/resolve_dispute", gm, resolved, "not_found", 404);
  await refused("/interactions/dispute", ada, { interaction_id: NO_ID, reason: "No." }, "not_found", 404);

  const OWN_BODIES: Record<string, object> = {
    [route("/admin/feed_player")]: { alias: "Zed" },
    [route("/edit_player")]: { first_name: "Gus" },
  };
  for (const [path, other] of [
    [route("/notifications/send"), { title: "Other" }],
    [route("/notifications/subscribe"), {}],
    [route("/admin/feed"), { reason: "Other." }],
    [route("/admin/feed_player"), { reason: "Other." }],
    [route("/edit_player"), { first_name: "Other" }],
  ] as const) {
    const body = () => OWN_BODIES[path] ?? goodBody(path, on);
    await s.must(path, { as: gm, body: body(), key: path.slice(5) });
    await expectCode(path, { as: gm, body: { ...body(), ...other }, key: path.slice(5) }, 422, "key_reused");
  }

  const early = rfc3339(Date.now() - 5 * MINUTE);
  const entered = { hunter: "Zed", prey: "Ada" };
  await refused("/player/report_tagged", ada, { tagged_at: early }, "too_early");
  await refused("/admin/hunt", gm, { ...entered, hunted_at: early }, "too_early");
  await refused("/zombie/hunt", zed, { tag_code: ada.code, hunted_at: early }, "too_early");
  const [cy, dan] = [await s.join("Cy"), await s.join("Dan")];
  const { interaction } = (await s.must(route("/player/report_tagged"), { as: cy })).body;
  await s.outbreak(gm, dan);
  const late = { interaction_id: interaction.interaction_id, player_id: dan.id };
  await refused("/admin/name_hunter", gm, late, "too_early");
  await s.must(route("/admin/pause_game"), { as: gm });
  await refused("/player/report_tagged", ada, {}, "paused");
  await refused("/admin/hunt", gm, entered, "paused");
  await refused("/zombie/hunt", zed, { tag_code: ada.code }, "paused");
  await s.must(route("/admin/resume_game"), { as: gm });
  await settings({ starts_at: rfc3339(Date.now() + HOUR) });
  await refused("/player/report_tagged", ada, {}, "not_running");
  await refused("/admin/hunt", gm, entered, "not_running");

  await settings({ starts_at: null });
  await refused("/admin/feed_player", ada, { alias: "Zed" }, "not_administrator", 401);
  for (let n = 0; n < 10; n += 1)
    await refused("/zombie/hunt", zed, { tag_code: "22222222" }, "unknown_tag_code", 404);
  await refused("/zombie/hunt", zed, { tag_code: ada.code }, "too_many_attempts", 429);
});

it("a database error is 500 without internals, and a busy database is 503, also without a token", async () => {
  const on = await createGame(s);
  const broken = () => new Error("secret internals");
  w.fail(({ pk }) => pk.startsWith("NOTIFICATIONS#"), broken);
  const query = { notification_id: NO_ID };
  await expectCode("GET /notifications/status/{url_id}", { as: on.gm, query }, 500, "");
  w.fail(({ pk }) => pk === keys.game.pk, broken);
  await expectCode("GET /public", {}, 500, "internal");
  await expectCode("POST /new", { body: goodBody("POST /new", on) }, 500, "internal");
  w.fail(({ pk }) => pk === keys.game.pk);
  await expectCode("GET /public", {}, 503, "unavailable");
});

it.each<[path: string, items: string, query: Record<string, string>, names: string]>([
  ["GET /users/{url_id}", "users", {}, "Ann Bea Cid Dot Eli Fay Gus Zed"],
  ["GET /users/{url_id}", "users", { state: "corpse" }, "Bea Eli Gus"],
  ["GET /admin/get_players/{url_id}", "players", { state: "human" }, "Ann Cid Dot Fay"],
  ["GET /admin/get_players/{url_id}", "players", { passed: "true" }, ""],
])("%s returns full pages of %s with the filter %j, except the last", async (path, items, filter, names) => {
  const gm = await s.admin("Zed");
  for (const alias of ["Ann", "Bea", "Cid", "Dot", "Eli", "Fay", "Gus"]) await s.join(alias);
  for (const alias of ["Bea", "Eli", "Gus"])
    await s.must(route("/admin/corpsify"), { as: gm, body: { alias } });
  const expected = names.split(" ").filter(Boolean);
  for (const limit of [1, 2, 3, 4, 8, 9]) {
    const pages: string[][] = [];
    let query: Record<string, string | number> | null = { ...filter, limit };
    while (query !== null) {
      const { body }: Result = await s.must(path, { as: gm, query });
      pages.push(body[items].map(({ alias }: { alias: string }) => alias));
      query = body.next_cursor === null ? null : { ...filter, limit, cursor: body.next_cursor };
    }
    expect(pages).toEqual(expected.length === 0 ? [[]] : chunk(expected, limit));
  }
});
