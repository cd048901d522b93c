/**
 * Accounts: an alias that many want, and retries of requests about accounts that have changed. Retries in general, and
 * what remains of players who leave, are in `tests/battery/model` and `tests/contract/record.test.ts`.
 */
import { describe, expect, it } from "vitest";
import { type Result, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const PASSWORD = "correct horse battery";
const register = (alias: string, more: Record<string, unknown> = {}, key?: string): Promise<Result> =>
  s.call("POST /new", {
    body: { alias, password: PASSWORD, ...more },
    key,
  });

describe("an Idempotency-Key", () => {
  it("returns a registration's response as the account is now, for its current password alone", async () => {
    const key = "registration-1";
    expect((await register("Ada", { email: "ada@example.org" }, key)).status).toBe(201);
    const same = (password = PASSWORD, more: Record<string, unknown> = {}) =>
      register("Ada", { email: "ada@example.org", password, ...more }, key);
    const ada = await s.login("Ada", PASSWORD);
    await s.call("POST /edit_player/{url_id}", { as: ada, body: { first_name: "Augusta", email: null } });
    expect(await same()).toMatchObject({ status: 201, body: { first_name: "Augusta", email: null } });
    expect((await same(PASSWORD, { first_name: "Mallory" })).body.code).toBe("key_reused");
    const change = { alias: "Ada", current_password: PASSWORD, new_password: "a better password" };
    expect((await s.call("POST /change_password", { body: change })).status).toBe(204);
    expect((await same()).body.code).toBe("alias_taken");
    // The body differs from the first, so the response reveals nothing about the password.
    expect((await same("a better password")).body.code).toBe("key_reused");
    const anew = await s.login("Ada", "a better password");
    expect((await s.call("DELETE /delete_player/{url_id}", { as: anew })).status).toBe(204);
    const again = await same();
    expect(again).toMatchObject({ status: 201, body: { email: "ada@example.org" } });
    expect(again.body.player_id).not.toBe(ada.id);
  });

  it("of a request about a player who has left returns the response without the name, or an error", async () => {
    const [gm, ada, ben, cid] = await s.game("Ada", "Ben", "Cid");
    const tag = () =>
      s.call("POST /zombie/hunt/{url_id}", { as: ada, body: { tag_code: ben.code }, key: "tag" });
    const kill = () =>
      s.call("POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Cid" }, key: "kill" });
    const [hunted, killed] = [await tag(), await kill()];
    expect([hunted.status, killed.status]).toEqual([200, 200]);
    for (const as of [ben, cid]) {
      expect((await s.call("DELETE /delete_player/{url_id}", { as })).status).toBe(204);
    }
    const { interaction, hunter, prey } = hunted.body;
    expect(await tag()).toMatchObject({
      status: 200,
      body: {
        interaction: { ...interaction, target: null, target_ref: null },
        hunter,
        prey: { ...prey, alias: null },
      },
    });
    expect(await kill()).toMatchObject({ status: 404, body: { code: "player_not_found" } });
  });
});
