/** Responses beside those of the examples (openapi.test.ts): their fields, and the pages of lists. */
import { expect, it } from "vitest";
import { blackPng } from "../support/pictures.ts";
import type { RequestOptions, Result } from "../support/service.ts";
import { createGame, PASSWORD } from "./bodies.ts";
import { expectConforms } from "./conforms.ts";
import { expectProblem, watchedEnvironment } from "./support.ts";

const { s } = watchedEnvironment();

const ask = async (route: string, options: RequestOptions = {}): Promise<Result> => {
  const result = await s.call(route, options);
  expectConforms(route, result);
  return result;
};

const ok = async (route: string, options: RequestOptions = {}): Promise<Result["body"]> => {
  const result = await ask(route, options);
  expect(result.status, `${route}: ${result.text}`).toBeLessThan(300);
  return result.body;
};

it("a tag that its prey reports has the declared fields, and then its hunter", async () => {
  const { gm, ada, zed } = await createGame(s);
  const reported = await ok("POST /player/report_tagged/{url_id}", { as: ada, body: { by_alias: "zed" } });
  expect(reported.interaction).toMatchObject({ kind: "hunt", actor: null, target: "Ada" });
  const tag = { interaction_id: reported.interaction.interaction_id };
  const body = { ...tag, player_id: zed.id };
  const named = await ok("POST /admin/name_hunter/{url_id}", { as: gm, body });
  expect(named.interaction).toMatchObject({ ...tag, actor: "Zed", target: "Ada" });
});

it("who may play has the declared fields: admitted, taken out of play, enrolled, and banned", async () => {
  const { gm } = await createGame(s);
  const upon = (word: string, body: Record<string, unknown>) =>
    ok(`POST /admin/${word}/{url_id}`, { as: gm, body });
  await upon("settings", { registration: "approval", join_codes: [{ code: "brains" }] });
  const eve = await ok("POST /new", { body: { alias: "Eve", password: PASSWORD, join_code: "brains" } });
  expect(eve).toMatchObject({ state: "spectator", pending: true, tag_code: null });
  const { admitted, skipped } = await upon("admit", { aliases: ["Eve", "Ada"] });
  expect([admitted.length, skipped.length]).toEqual([1, 1]);
  const { interaction } = await upon("make_spectator", { alias: "Eve" });
  expect(interaction).toMatchObject({ kind: "corpsify", details: { withdrawn: true } });
  expect(await upon("ban", { alias: "Eve" })).toMatchObject({ alias: "Eve", has_account: true, until: null });
  expect((await ok("GET /admin/bans/{url_id}", { as: gm })).bans).toHaveLength(1);
  expect(await upon("unban", { alias: "eve" })).toEqual({ lifted: 1 });
  await upon("settings", { registration: "open", join_codes: null });
  expect(await ok("POST /player/enrol/{url_id}", { as: await s.admin("Gus") })).toMatchObject({
    state: "human",
  });
});

it("a dispute that is void voids its hunt, which a game master has entered", async () => {
  const { gm, ben, zed } = await createGame(s);
  const upon = (word: string, body: Record<string, unknown>) =>
    ok(`POST /admin/${word}/{url_id}`, { as: gm, body });
  const { interaction } = await upon("hunt", { hunter: "Zed", prey: ben.id, share_with: [] });
  const { interaction_id: dispute_id } = interaction;
  const body = { interaction_id: dispute_id, reason: "I was at home." };
  await ok("POST /interactions/dispute/{url_id}", { as: zed, body });
  await upon("comment_dispute", { dispute_id, comment: "Ada saw it." });
  await upon("resolve_dispute", { dispute_id, outcome: "void", note: "Ada saw it." });
  const { disputes } = await ok("GET /admin/disputes/{url_id}", { as: gm });
  expect(disputes).toMatchObject([{ dispute_id, status: "void", resolved_by: "Game Master" }]);
});

it("a response has its other fields for a login at registration, an empty checkpoint and a changed password", async () => {
  const gm = await s.admin();
  const faye = await ok("POST /new", { body: { alias: "Faye", password: PASSWORD, login: true } });
  expect(faye).toMatchObject({ alias: "Faye", token_type: "Bearer" });
  expect(await ok("GET /checkpoint/{url_id}", { as: gm })).toMatchObject({ checkpoint: null, passed: false });
  expect(await ok("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { clear: true } })).toBeNull();
  const change = (body: Record<string, unknown>) =>
    ok("POST /change_password", { body: { alias: "faye", new_password: `${PASSWORD}!`, ...body } });
  expect(await change({ current_password: PASSWORD })).toBeUndefined();
  const { recovery_code } = await ok("POST /admin/recover_password/{url_id}", {
    as: gm,
    body: { alias: "faye" },
  });
  expect(await change({ recovery_code })).toHaveProperty("token");
});

it("a picture is the same wherever it is shown, and its absence is a problem", async () => {
  const { ada, ben } = await createGame(s);
  const image = blackPng(3, 2).toString("base64");
  const picture = await ok("POST /set_pfp/{url_id}", { as: ada, body: { image } });
  expect(picture).toMatchObject({ content_type: "image/webp", width: 3, height: 2 });
  const { picture_url } = await ok("GET /player/{url_id}", { as: ada });
  for (const shown of [
    await ask("GET /pictures/{picture_id}", { id: picture_url.slice("/pictures/".length) }),
    await ask("GET /pfp/{url_id}", { as: ada }),
    await ask("POST /get_pfp/{url_id}", { as: ben, body: { alias: "ada" } }),
  ]) {
    expect(shown.headers.etag).toBe(picture.etag);
    expect(shown.bytes).toHaveLength(picture.bytes);
  }
  expectProblem(await ask("GET /pfp/{url_id}", { as: ben }), 404, "no_picture");
});

it("a list has full pages but for the last, also when filtered", async () => {
  const gm = await s.admin();
  for (const alias of ["Ann", "Bea", "Cid", "Dot", "Eli", "Fay", "Gus"]) await s.join(alias);
  for (const alias of ["Bea", "Eli", "Gus"])
    await ok("POST /admin/corpsify/{url_id}", { as: gm, body: { alias } });
  for (const [route, items, query, names] of [
    ["GET /users/{url_id}", "users", {}, ["Ann", "Bea", "Cid", "Dot", "Eli", "Fay", "Game Master", "Gus"]],
    ["GET /users/{url_id}", "users", { state: "corpse" }, ["Bea", "Eli", "Gus"]],
    ["GET /users/{url_id}", "users", { state: "human" }, ["Ann", "Cid", "Dot", "Fay"]],
    ["GET /admin/get_players/{url_id}", "players", { state: "human" }, ["Ann", "Cid", "Dot", "Fay"]],
    ["GET /admin/get_players/{url_id}", "players", { passed: "true" }, []],
  ] as const) {
    for (const limit of [1, 2, 3, 4, 8, 9]) {
      const seen: string[] = [];
      let cursor: string | null = null;
      let pages = 0;
      do {
        const page: Result["body"] = await ok(route, {
          as: gm,
          query: { ...query, limit, ...(cursor === null ? {} : { cursor }) },
        });
        seen.push(...page[items].map(({ alias }: { alias: string }) => alias));
        cursor = page.next_cursor;
        if (cursor !== null) expect(page[items]).toHaveLength(limit);
        pages += 1;
      } while (cursor !== null);
      expect(seen).toEqual(names);
      expect(pages).toBe(Math.max(1, Math.ceil(names.length / limit)));
    }
  }
});
