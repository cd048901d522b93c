/** `npm run create-admin`, and who may make somebody an administrator. */
import { describe, expect, it } from "vitest";
import { createAdministrator, promoteToAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { NO_ROLES, setRoles } from "../../lib/auth/roles.ts";
import { NEW_GAME } from "../../lib/domain/clock.ts";
import { DomainError } from "../../lib/domain/domainError.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { gameItem } from "../../lib/store/items.ts";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const ADMINISTRATOR = { ...NO_ROLES, is_admin: true };
const PASSWORD = "correct horse battery";

const create = (alias: string, more: { password?: string; playing?: boolean } = {}) =>
  createAdministrator(
    s.services,
    { alias, password: PASSWORD, playing: false, ...more },
    commandContext(s.services, s.services.clock()),
  );

const refusal = async (work: Promise<unknown>): Promise<DomainError> => {
  const error: unknown = await work.then(
    () => new Error("it was not refused"),
    (reason: unknown) => reason,
  );
  if (!(error instanceof DomainError)) throw error;
  return error;
};

const ids = async (): Promise<string[]> => (await s.store.administrators()).ids;

describe("an administrator who is created", () => {
  it("is a spectator unless they play, and has the right immediately", async () => {
    const made = await create("gm");
    expect(made).toEqual({ player_id: expect.any(String), alias: "gm" });
    expect(await s.store.player(made.player_id)).toMatchObject({
      alias: "gm",
      is_admin: true,
      state: "spectator",
      tag_code: null,
    });
    const playing = await create("Marshal", { playing: true });
    expect(await s.store.player(playing.player_id)).toMatchObject({
      is_admin: true,
      state: "human",
      tag_code: expect.any(String),
    });
    expect(await s.store.administrators()).toMatchObject({
      rev: 2,
      ids: [made.player_id, playing.player_id],
    });
    const logged = await s.login("gm", PASSWORD);
    expect((await s.call("GET /admin/player_count/{url_id}", { as: logged })).status).toBe(200);
  });

  it("is not lost when several are created concurrently", async () => {
    const made = await Promise.all(["One", "Two", "Three", "Four"].map((alias) => create(`Master ${alias}`)));
    expect((await ids()).toSorted()).toEqual(made.map(({ player_id }) => player_id).toSorted());
    expect((await s.store.administrators()).rev).toBe(4);
  });

  it("is rejected with an alias or a password that will not do", async () => {
    const INVALID: [wanted: { alias?: string; password?: string }, path: string][] = [
      [{ alias: "g" }, "alias"],
      [{ password: "short" }, "password"],
      [{ password: "iloveyou" }, "password"],
      [{ alias: "correct horse", password: "Correct Horse" }, "password"],
    ];
    for (const [{ alias = "gm", ...more }, path] of INVALID) {
      const { code, issues } = await refusal(create(alias, more));
      expect(code).toBe("invalid_request");
      expect(issues).toEqual([{ path, message: expect.stringMatching(/\w/) }]);
    }
    expect(await ids()).toEqual([]);
  });

  it("is rejected with an alias that is taken", async () => {
    await s.join("Ada");
    const { code, detail } = await refusal(create("ADA"));
    expect(code).toBe("alias_taken");
    expect(detail).toBe("This alias is taken, or looks like one that is.");
  });
});

describe("an account that is promoted", () => {
  it("gets the right once", async () => {
    const ada = await s.join("Ada");
    const { registry, before } = { registry: s.services, before: await s.store.player(ada.id) };
    expect(await promoteToAdministrator(registry, { alias: "ada" })).toEqual({
      player_id: ada.id,
      alias: "Ada",
      already: false,
    });
    expect(await s.store.player(ada.id)).toEqual({ ...before, is_admin: true, rev: (before?.rev ?? 0) + 1 });
    expect(await promoteToAdministrator(registry, { alias: "Ada" })).toMatchObject({
      player_id: ada.id,
      already: true,
    });
    expect(await s.store.administrators()).toMatchObject({ rev: 1, ids: [ada.id] });
  });
});

describe("the right", () => {
  it("can be given and taken by those who have it now, not when they were authenticated", async () => {
    const [gm, ada] = [await s.admin(), await s.join("Ada")];
    const player = await s.store.player(ada.id);
    if (player === null) throw new Error("nobody there");
    expect((await refusal(setRoles(s.store, player, ADMINISTRATOR, ada.id))).code).toBe("not_administrator");
    const { player: after, writes } = await setRoles(s.store, player, ADMINISTRATOR, gm.id);
    expect(after.is_admin).toBe(true);
    expect(writes).toHaveLength(1);
    expect(await setRoles(s.store, player, NO_ROLES, ada.id)).toEqual({ player, writes: [] });
  });
});

describe("a new player", () => {
  it("is put into a random shard", async () => {
    await s.store.db.put(gameItem({ ...NEW_GAME, rev: 1, shards: 16 }));
    const joined = await Promise.all(Array.from({ length: 48 }, (_, n) => s.join(`Newcomer ${n} x`)));
    const players = await s.store.players(joined.map(({ id }) => id));
    const shards = new Set([...players.values()].map(({ shard }) => shard));
    // Fewer have a chance of one in a billion.
    expect(shards.size).toBeGreaterThan(6);
    for (const shard of shards) expect(shard).toBeLessThan(16);
  });
});
