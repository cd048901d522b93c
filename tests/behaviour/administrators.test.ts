/** `npm run create-admin`, who may make somebody an administrator, and the shards of new players. */
import { describe, expect, it } from "vitest";
import { createAdministrator, promoteToAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { NO_ROLES, setRoles } from "../../lib/auth/roles.ts";
import { NEW_GAME } from "../../lib/domain/clock.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { gameItem } from "../../lib/store/items.ts";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const PASSWORD = "correct horse battery";

const create = (alias: string, more: { password?: string; playing?: boolean } = {}) =>
  createAdministrator(
    s.services,
    { alias, password: PASSWORD, playing: false, ...more },
    commandContext(s.services, s.services.clock()),
  );

describe("an administrator who is created", () => {
  it("is a spectator unless they play, and has the right immediately", async () => {
    const made = await create("gm");
    const right = { alias: "gm", is_admin: true };
    expect(await s.store.player(made.player_id)).toMatchObject({
      ...right,
      state: "spectator",
      tag_code: null,
    });
    const playing = await create("Marshal", { playing: true });
    const human = { is_admin: true, state: "human", tag_code: expect.any(String) };
    expect(await s.store.player(playing.player_id)).toMatchObject(human);
    const ids = [made.player_id, playing.player_id];
    expect(await s.store.administrators()).toMatchObject({ rev: 2, ids });
    const as = await s.login("gm", PASSWORD);
    expect((await s.call("GET /admin/player_count/{url_id}", { as })).status).toBe(200);
  });

  it("is not lost when several are created concurrently", async () => {
    const made = await Promise.all(["One", "Two", "Three", "Four"].map((alias) => create(`Master ${alias}`)));
    const { rev, ids } = await s.store.administrators();
    expect([rev, ids.toSorted()]).toEqual([4, made.map(({ player_id }) => player_id).toSorted()]);
  });

  it.each<[alias: string, password: string, code: string, path?: string]>([
    ["g", PASSWORD, "invalid_request", "alias"],
    ["gm", "short", "invalid_request", "password"],
    ["gm", "iloveyou", "invalid_request", "password"],
    ["correct horse", "Correct Horse", "invalid_request", "password"],
    ["ADA", PASSWORD, "alias_taken"],
  ])("is rejected as %s with the password %s: %s", async (alias, password, code, path) => {
    await s.join("Ada");
    const issues = path === undefined ? undefined : [{ path, message: expect.stringMatching(/\w/) }];
    const refused = { code, ...(issues === undefined ? {} : { issues }) };
    await expect(create(alias, { password })).rejects.toMatchObject(refused);
    expect((await s.store.administrators()).ids).toEqual([]);
  });
});

it("an account that is promoted gets the right once", async () => {
  const { id: player_id } = await s.join("Ada");
  const before = await s.store.player(player_id);
  const promote = (alias: string) => promoteToAdministrator(s.services, { alias });
  expect(await promote("ada")).toEqual({ player_id, alias: "Ada", already: false });
  expect(await s.store.player(player_id)).toEqual({ ...before, is_admin: true, rev: (before?.rev ?? 0) + 1 });
  expect(await promote("Ada")).toMatchObject({ player_id, already: true });
  expect(await s.store.administrators()).toMatchObject({ rev: 1, ids: [player_id] });
});

it("the right can be given and taken by those who have it now, not when they were authenticated", async () => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  const player = await s.store.player(ada.id);
  if (player === null) throw new Error("nobody there");
  const right = { ...NO_ROLES, is_admin: true };
  const refused = { code: "not_administrator" };
  await expect(setRoles(s.store, player, right, ada.id)).rejects.toMatchObject(refused);
  const { player: after, writes } = await setRoles(s.store, player, right, gm.id);
  expect([after.is_admin, writes.length]).toEqual([true, 1]);
  expect(await setRoles(s.store, player, NO_ROLES, ada.id)).toEqual({ player, writes: [] });
});

it("a new player is put into a random shard", async () => {
  await s.store.db.put(gameItem({ ...NEW_GAME, rev: 1, shards: 16 }));
  const joined = await Promise.all(Array.from({ length: 48 }, (_, n) => s.join(`Newcomer ${n} x`)));
  const players = await s.store.players(joined.map(({ id }) => id));
  const shards = new Set([...players.values()].map(({ shard }) => shard));
  // Fewer have a chance of one in a billion.
  expect(shards.size).toBeGreaterThan(6);
  for (const shard of shards) expect(shard).toBeLessThan(16);
});
