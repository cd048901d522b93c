/** Administrators: `npm run create-admin`, who may promote, the shards of new players, and repeated requests. */
import { describe, expect, it } from "vitest";
import { createAdministrator, promoteToAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { PASSWORD, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment();
const { admin, edit, logsOf } = shortRequests(s);

const create = (alias: string, more: { password?: string; playing?: boolean } = {}) =>
  createAdministrator(
    s.services,
    { alias, password: PASSWORD, playing: false, ...more },
    commandContext(s.services, s.now),
  );

describe("an administrator who is created", () => {
  it("is a spectator unless they play, has the right immediately, and is kept when others are created concurrently", async () => {
    const { player_id } = await create("gm");
    const right = { alias: "gm", is_admin: true };
    expect(await s.store.player(player_id)).toMatchObject({ ...right, state: "spectator", tag_code: null });
    const as = await s.login("gm", PASSWORD);
    expect((await s.call("GET /admin/player_count/{url_id}", { as })).status).toBe(200);
    const others = await Promise.all(
      ["One", "Two", "Three"].map((alias) => create(alias, { playing: true })),
    );
    const ids = others.map((one) => one.player_id);
    const human = { is_admin: true, state: "human", tag_code: expect.any(String) };
    for (const one of (await s.store.players(ids)).values()) expect(one).toMatchObject(human);
    expect(await s.store.administrators()).toMatchObject({
      rev: 4,
      ids: expect.arrayContaining([player_id, ...ids]),
    });
  });

  it.each<[alias: string, password: string, error: object]>([
    ["g", PASSWORD, { code: "invalid_request", issues: [{ path: "alias" }] }],
    ["gm", "iloveyou", { code: "invalid_request", issues: [{ path: "password" }] }],
    ["correct horse", "Correct Horse", { code: "invalid_request", issues: [{ path: "password" }] }],
    ["ADA", PASSWORD, { code: "alias_taken" }],
  ])("is rejected as %s with the password %s", async (alias, password, error) => {
    await s.join("Ada");
    await expect(create(alias, { password })).rejects.toMatchObject(error);
    expect((await s.store.administrators()).ids).toEqual([]);
  });
});

it("an account that is promoted gets the right once", async () => {
  const { id: player_id } = await s.join("Ada");
  const before = await s.store.player(player_id);
  const NOW = s.now;
  const promote = (alias: string) =>
    promoteToAdministrator(s.services, { alias }, commandContext(s.services, NOW));
  expect(await promote("ada")).toEqual({ player_id, alias: "Ada", already: false });
  expect(await s.store.player(player_id)).toEqual({
    ...before,
    is_admin: true,
    appointed_at: rfc3339(NOW),
    rev: (before?.rev ?? 0) + 1,
  });
  expect(await promote("Ada")).toMatchObject({ player_id, already: true });
  expect(await s.store.administrators()).toMatchObject({ rev: 1, ids: [player_id] });
});

it("a repeated request returns its stored result with the player's current alias, and is logged without a target", async () => {
  const [gm, zed, ann] = await s.game("Zed", "Ann");
  const cure = () => admin(gm, "cure", { alias: "Zed" }, "cure-of-zed");
  const { player, interaction } = (await cure()).body;
  // Meanwhile somebody else has that alias, who could be cured.
  for (const [as, alias] of [
    [zed, "Zoe"],
    [ann, "Zed"],
  ] as const) {
    expect((await edit(as, { alias })).status).toBe(200);
    await s.freeAliases(as);
  }
  await s.outbreak(gm, ann);
  expect(await cure()).toMatchObject({
    status: 200,
    body: { player: { ...player, alias: "Zoe" }, interaction: { ...interaction, target: "Zoe" } },
  });
  expect(await logsOf(gm, "cure")).toMatchObject([
    { outcome: "done", target: null },
    { outcome: "done", target: "Zoe" },
  ]);
});
