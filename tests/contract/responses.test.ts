/** Responses that the API document names and no other test shows; tests/deployment/responses.test.ts demands all of them. */
import { beforeEach, expect, it } from "vitest";
import { HOUR, MINUTE, rfc3339, SECOND } from "../../lib/domain/time.ts";
import { DatabaseBusy } from "../../lib/dynamodb/errors.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { keys } from "../../lib/store/keys.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { type RequestOptions, type TestPlayer, testEnvironment } from "../support/service.ts";
import { createGame, goodBody } from "./bodies.ts";
import { ENDPOINTS } from "./seed.ts";
import { expectError } from "./support.ts";

/** How many transactions succeed before the process is lost, or before its time is up. */
let lives = Number.POSITIVE_INFINITY;
let lasts = Number.POSITIVE_INFINITY;
let used = 0;
let isBroken: (key: Key) => boolean = () => false;
let fault: Error = new Error("secret internals");

const s = testEnvironment({
  database: (usual) => ({
    ...usual,
    async get(key, options) {
      if (isBroken(key)) throw fault;
      return usual.get(key, options);
    },
    async getMany(all, options) {
      if (all.some(isBroken)) throw fault;
      return usual.getMany(all, options);
    },
    async transact(writes, token) {
      used += 1;
      if (used > lives) throw new Error("lost");
      await usual.transact(writes, token);
    },
  }),
  timeLeft: () => (used >= lasts ? 2 * SECOND : 20 * SECOND),
});

beforeEach(() => {
  [lives, lasts, used] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY, 0];
  isBroken = () => false;
  fault = new Error("secret internals");
});

const NO_ID = "01900000-0000-7000-8000-000000000000";
const route = (path: string): string => `${path.includes(" ") ? "" : "POST "}${path}/{url_id}`;

const expectCode = async (path: string, options: RequestOptions, status: number, code: string) =>
  expectError(path, await s.call(path, options), status, code);

const crowded = async (state: "human" | "zombie"): Promise<TestPlayer> => {
  const gm = await s.admin();
  const crowd = await makeCrowd(s, 60, state, Date.now() - MINUTE);
  await s.crowd(
    crowd.map((one) => ({ ...one, ...(state === "human" ? { state: "corpse" } : {}), labels: ["late"] })),
  );
  await s.must(route("/admin/set_checkpoint"), { as: gm, body: { name: "Gate" } });
  return gm;
};

/** The body of a request that undoes the enforcement of the current checkpoint. */
const undoBody = async (gm: TestPlayer) => {
  const { checkpoint } = (await s.must("GET /checkpoint/{url_id}", { as: gm })).body;
  return { checkpoint_id: checkpoint.checkpoint_id, reason: "It was the wrong day." };
};

it.each([
  ["/admin/feed", { n: 60 }],
  ["/admin/feed_group", { label: "late" }],
  ["/admin/undo_checkpoint", null],
  ["/admin/revive_all", { label: "late" }],
  ["/admin/kill_all_not_at_checkpoint", {}],
  ["/notifications/send", { title: "Run", content: "They come.", player_groups: "All" }],
])("%s is 409 while a job of the same key is held", async (path, given) => {
  const gm = await crowded(path === "/admin/revive_all" ? "human" : "zombie");
  if (given === null) await s.must(route("/admin/kill_all_not_at_checkpoint"), { as: gm, body: {} });
  const body = given ?? (await undoBody(gm));
  [lives, used] = [1, 0];
  const request = { as: gm, body, key: "a-key" };
  await s.call(route(path), request);
  lives = Number.POSITIVE_INFINITY;
  await expectCode(route(path), request, 409, "in_progress");
  if (!path.includes("checkpoint")) return;
  await expectCode(route(path), { as: gm, body }, 409, "busy");
  await expectCode(route("/admin/set_checkpoint"), { as: gm, body: { name: "Bridge" } }, 409, "busy");
});

it("work that takes longer than the request is 202", async () => {
  const gm = await crowded("zombie");
  const expectBegun = async (path: string, body: object) => {
    [lasts, used] = [2, 0];
    const result = await s.call(route(path), { as: gm, body: { ...body } });
    expect(result, result.text).toMatchObject({ status: 202, body: { complete: false } });
    lasts = Number.POSITIVE_INFINITY;
    await s.work();
  };
  await expectBegun("/admin/feed_group", { label: "late" });
  await s.must(route("/admin/kill_all_not_at_checkpoint"), { as: gm, body: {} });
  await expectBegun("/admin/undo_checkpoint", await undoBody(gm));
});

it("every GET is 304 when nothing has changed, and 400 with an unknown parameter", async () => {
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
    // Pictures and the deadline of a zombie are of those who have them, and awards of a game that has ended.
    // The audit log changes with each reading of it.
    if (first.status !== 200 || path.includes("get_logs")) continue;
    const headers = { "if-none-match": first.headers.etag ?? "" };
    const again = await s.call(path, { ...request, headers });
    expect([again.status, again.text], path).toEqual([304, ""]);
  }
});

it("the rules of the game reject what they should", async () => {
  const on = await createGame(s);
  const { gm, ada, ben, zed } = on;
  const refused = (path: string, as: TestPlayer, body: object | undefined, code: string, status = 409) =>
    expectCode(route(path), { as, ...(body === undefined ? {} : { body }) }, status, code);
  const settings = (body: object) => s.must(route("/admin/settings"), { as: gm, body: { ...body } });

  for (const word of ["cure", "revive_h", "revive_z"])
    await refused(`/admin/${word}`, gm, { alias: "Ada" }, "wrong_state");
  await refused("/admin/player_at_checkpoint", gm, { alias: "Ada" }, "no_checkpoint");
  await s.must(route("/admin/set_checkpoint"), { as: gm, body: { name: "Gate" } });
  await refused("/admin/player_at_checkpoint", gm, { tag_code: "ZZZZZZZZ" }, "unknown_tag_code", 404);
  await s.hunt(zed, ben);
  await refused("/admin/player_at_checkpoint", gm, { tag_code: ben.code }, "already_tagged");
  await refused("/admin/kill_all_not_at_checkpoint", gm, { checkpoint_id: NO_ID }, "checkpoint_changed");

  await refused("/admin/remove_player", gm, { player_id: gm.id }, "last_administrator");
  await refused("/admin/edit_player", gm, { player_id: gm.id, is_admin: false }, "last_administrator");
  await refused("DELETE /delete_player", gm, undefined, "last_administrator");
  await settings({ unique_email: true });
  await s.must(route("/edit_player"), { as: ada, body: { email: "ada@example.org" } });
  const taken = { alias: "Ben", email: "ada@example.org" };
  await refused("/admin/edit_player", gm, taken, "email_taken");
  await refused("/admin/comment_dispute", gm, { dispute_id: NO_ID, comment: "Hm." }, "not_found", 404);
  const resolved = { dispute_id: NO_ID, outcome: "stands", note: "No." };
  await refused("/admin/resolve_dispute", gm, resolved, "not_found", 404);
  await refused("/interactions/dispute", ada, { interaction_id: NO_ID, reason: "No." }, "not_found", 404);

  for (const path of [route("/notifications/send"), route("/notifications/subscribe")]) {
    await s.must(path, { as: gm, body: goodBody(path, on), key: path.replace(" ", "") });
    const other = { ...goodBody(path, on), ...(path.includes("send") ? { title: "Other" } : {}) };
    await expectCode(path, { as: gm, body: other, key: path.replace(" ", "") }, 422, "key_reused");
  }

  const early = rfc3339(Date.now() - 5 * MINUTE);
  const entered = { hunter: "Zed", prey: "Ada" };
  await refused("/player/report_tagged", ada, { tagged_at: early }, "too_early");
  await refused("/admin/hunt", gm, { ...entered, hunted_at: early }, "too_early");
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
});

it("a broken item is 500 without internals, and one that cannot be read on a public page 503", async () => {
  const on = await createGame(s);
  isBroken = ({ pk }) => pk.startsWith("NOTIFICATIONS#");
  const query = { notification_id: NO_ID };
  await expectCode("GET /notifications/status/{url_id}", { as: on.gm, query }, 500, "");
  isBroken = ({ pk }) => pk === keys.game.pk;
  await expectCode("GET /public", {}, 500, "internal");
  await expectCode("POST /new", { body: goodBody("POST /new", on) }, 500, "internal");
  fault = new DatabaseBusy("away");
  await expectCode("GET /public", {}, 503, "unavailable");
});
