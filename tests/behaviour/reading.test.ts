/** What pages read: references to players, the public board, a live page, the search, and where pushes lead. */
import { expect, it } from "vitest";
import { keys } from "../../lib/store/keys.ts";
import { drift } from "../support/recount.ts";
import { type Someone, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const find = (as: Someone, body: Record<string, string>) => s.call("POST /get_player/{url_id}", { as, body });

it("a reference names a player in every view, survives a renaming, and ends with the account", async () => {
  const [gm, zed, ben] = await s.game("Zed", "Ben");
  await s.hunt(zed, ben);
  const { player_ref } = await s.see(zed);
  expect(player_ref).toMatch(/^[\w-]{22}$/);
  expect(player_ref).not.toContain(zed.id.slice(0, 8));
  const read = async (path: string) => (await s.must(`GET ${path}/{url_id}`, { as: ben })).body;
  const [hunt] = (await read("/interactions")).interactions;
  expect(hunt).toMatchObject({
    actor: "Zed",
    actor_ref: player_ref,
    target_ref: (await s.see(ben)).player_ref,
  });
  const edited = { as: zed, body: { alias: "Zoë" } };
  expect((await s.must("POST /edit_player/{url_id}", edited)).body.player_ref).toBe(player_ref);
  const lists = [
    (await read("/users")).users,
    (await read("/interactions/leaderboard")).players,
    (await read("/interactions/tree")).roots,
    (await read("/zombie/starvation")).zombies,
    (await s.must("GET /admin/get_players/{url_id}", { as: gm })).body.players,
  ];
  for (const list of lists) {
    expect(list.find(({ alias }: Someone) => alias === "Zoë").player_ref).toBe(player_ref);
  }
  expect((await find(ben, { player_ref })).body).toEqual((await find(ben, { alias: "Zoë" })).body);
  for (const unknown of [zed.id, `${player_ref}x`, player_ref.toLowerCase(), "Zoë"]) {
    expect((await find(ben, { player_ref: unknown })).status, unknown).toBe(404);
  }
  expect((await find(ben, { player_ref, alias: "Zoë" })).status).toBe(400);

  await s.must("DELETE /delete_player/{url_id}", { as: zed });
  expect(await find(ben, { player_ref })).toMatchObject({ status: 404, body: { code: "player_not_found" } });
  const [left] = (await read("/interactions")).interactions;
  expect(left).toMatchObject({ actor: null, actor_ref: null, target: "Ben" });
  expect(await s.store.db.get(keys.playerRef(player_ref))).toBeUndefined();
});

it("the first look-up of an account of an earlier version writes the guard of its reference", async () => {
  const [ada, ben] = [await s.join("Ada"), await s.join("Ben")];
  const { player_ref } = await s.see(ada);
  await s.store.commit([{ remove: keys.playerRef(player_ref) }], () => 10_000);
  expect(await drift(s)).toEqual([]);
  expect((await find(ben, { player_ref })).body.alias).toBe("Ada");
  expect(await s.store.playerIdByRef(player_ref)).toBe(ada.id);
});
