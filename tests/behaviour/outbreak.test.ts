/** A whole outbreak: from registration to the family tree. */
import { describe, expect, it } from "vitest";
import { HOUR } from "../../lib/domain/time.ts";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();

describe("an outbreak", () => {
  it("is told from the first human to the last meal", async () => {
    const gm = await s.admin();
    const ada = await s.join("Ada");
    const ben = await s.join("Ben");
    const cleo = await s.join("Cléo");
    expect(await s.see(ada)).toMatchObject({ alias: "Ada", state: "human", tag_code: ada.code, kills: 0 });

    await s.outbreak(gm, ada);
    expect(await s.see(ada)).toMatchObject({ state: "zombie", tag_code: null, infected_by: null });

    await s.pass(HOUR);
    const tag = await s.hunt(ada, ben, { note: "by the library" });
    expect(tag.status).toBe(200);
    expect(tag.body.hunter.kills).toBe(1);
    expect(tag.body.prey).toEqual({ alias: "Ben", state: "zombie" });
    expect(tag.body.interaction).toMatchObject({
      kind: "hunt",
      actor: "Ada",
      target: "Ben",
      details: { note: "by the library", shared_with: [] },
    });
    expect(await s.see(ben)).toMatchObject({ state: "zombie", infected_by: "Ada", kills: 0 });
    expect((await s.hunt(ben, cleo)).status).toBe(200);

    const tree = await s.call("GET /interactions/tree/{url_id}", { as: cleo });
    expect(tree.body).toMatchObject({
      size: 3,
      truncated: false,
      roots: [
        { alias: "Ada", kills: 1, children: [{ alias: "Ben", children: [{ alias: "Cléo", children: [] }] }] },
      ],
    });

    const board = await s.call("GET /interactions/leaderboard/{url_id}", { as: cleo });
    expect(
      board.body.players.map(({ rank, alias }: { rank: number; alias: string }) => [rank, alias]),
    ).toEqual([
      [1, "Ada"],
      [2, "Ben"],
      [3, "Cléo"],
    ]);

    const cured = await s.call("POST /admin/cure/{url_id}", { as: gm, body: { alias: "ben" } });
    expect(cured.body.player).toMatchObject({
      state: "human",
      kills: 1,
      infected_at: null,
      starves_at: null,
    });
    expect(cured.body.player.tag_code).not.toBe(ben.code);

    await s.pass(48 * HOUR);
    expect((await s.see(ada)).state).toBe("corpse");
    const counts = { total: 4, humans: 1, zombies: 0, corpses: 2, spectators: 1 };
    expect((await s.call("GET /admin/player_count/{url_id}", { as: gm })).body).toEqual(counts);
    expect(await s.sweep()).toEqual({ starved: 2, warned: 0, complete: true });
    expect((await s.call("GET /admin/player_count/{url_id}", { as: gm })).body).toEqual(counts);

    const told = await s.call("GET /interactions/{url_id}", { as: cleo });
    const kinds = told.body.interactions.map(({ kind }: { kind: string }) => kind);
    expect(kinds.slice(0, 2)).toEqual(["starve", "starve"]);
    expect(kinds.slice(2)).toEqual(["cure", "hunt", "hunt", "revive_zombie", "corpsify"]);
  });
});
