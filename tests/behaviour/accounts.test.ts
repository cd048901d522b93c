/** Accounts: registration, retries with an Idempotency-Key, and players who leave. */
import { describe, expect, it } from "vitest";
import { type Result, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const PASSWORD = "correct horse battery";
const register = (alias: string, more: Record<string, unknown> = {}, key?: string): Promise<Result> =>
  s.call("POST /new", {
    body: { alias, password: PASSWORD, ...more },
    key,
  });

describe("an alias", () => {
  it("that fifty players register concurrently belongs to one of them", async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => register("Highlander")));
    const counted = Map.groupBy(results, ({ status }) => status);
    expect(counted.get(201)).toHaveLength(1);
    expect(counted.get(409)).toHaveLength(49);
    expect(new Set(counted.get(409)?.map(({ body }) => body.code))).toEqual(new Set(["alias_taken"]));
    const users = await s.call("GET /users/{url_id}", { as: await s.login("highlander", PASSWORD) });
    expect(users.body.users).toHaveLength(1);
  });
});

describe("a player who leaves", () => {
  it("disappears from everything but the history, where the infection stays without a name", async () => {
    const [, ada, ben, cid] = await s.game("Ada", "Ben", "Cid");
    expect((await s.hunt(ada, ben)).status).toBe(200);
    expect((await s.hunt(ben, cid)).status).toBe(200);
    expect((await s.call("DELETE /delete_player/{url_id}", { as: ben })).status).toBe(204);

    expect((await s.call("GET /player/{url_id}", { as: ben })).status).toBe(403);
    expect((await s.call("POST /login", { body: { alias: "Ben", password: ben.password } })).status).toBe(
      401,
    );
    expect((await s.call("POST /get_player/{url_id}", { as: ada, body: { alias: "Ben" } })).status).toBe(404);
    const tree = (await s.call("GET /interactions/tree/{url_id}", { as: ada })).body;
    expect(tree.roots[0].children[0]).toMatchObject({
      alias: null,
      state: null,
      kills: 1,
      children: [{ alias: "Cid" }],
    });
    const hunts = await s.call("GET /interactions/{url_id}", { as: ada, query: { kind: "hunt" } });
    expect(
      hunts.body.interactions.map(({ actor, target }: Record<string, string>) => [actor, target]),
    ).toEqual([
      [null, "Cid"],
      ["Ada", null],
    ]);
    expect((await s.see(cid)).infected_by).toBeNull();
    const board = await s.call("GET /interactions/leaderboard/{url_id}", { as: ada });
    expect(board.body.players.map(({ alias }: { alias: string }) => alias)).toEqual(["Ada", "Cid"]);
    expect((await s.call("GET /game/{url_id}", { as: ada })).body.counts).toEqual({
      total: 3,
      humans: 0,
      zombies: 2,
      corpses: 0,
      spectators: 1,
    });
    // The alias is free again.
    expect((await register("Ben")).status).toBe(201);
  });
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

  it("sent with fifty concurrent registrations creates one account, which all of them return", async () => {
    const results = await Promise.all(Array.from({ length: 50 }, () => register("Ada", {}, "crowd")));
    expect(new Set(results.map(({ status }) => status))).toEqual(new Set([201]));
    expect(new Set(results.map(({ body }) => body.player_id)).size).toBe(1);
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
      body: { interaction: { ...interaction, target: null }, hunter, prey: { ...prey, alias: null } },
    });
    expect(await kill()).toMatchObject({ status: 404, body: { code: "player_not_found" } });
  });

  it("returns a hunt's response again, rejects another request, and does not keep errors", async () => {
    const [, ada, ben, cid] = await s.game("Ada", "Ben", "Cid");
    const tag = (code: string | null) =>
      s.call("POST /zombie/hunt/{url_id}", {
        as: ada,
        body: { tag_code: code },
        key: "tag-1",
      });
    expect((await tag("AAAAAAAA")).status).toBe(404);
    const first = await tag(ben.code);
    expect(first.status).toBe(200);
    const again = await tag(ben.code);
    expect(again).toMatchObject({ status: 200, body: first.body });
    expect(await tag(cid.code)).toMatchObject({ status: 422, body: { code: "key_reused" } });
    expect((await s.see(ada)).kills).toBe(1);
    expect((await s.see(cid)).state).toBe("human");
    // Another player's key is another key.
    expect(
      (await s.call("POST /edit_player/{url_id}", { as: cid, body: { alias: "Cyd" }, key: "tag-1" })).status,
    ).toBe(200);
  });
});
