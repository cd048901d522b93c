/** Added days, feeding the hungriest, and the starvation list. */
import { describe, expect, it } from "vitest";
import type { Player } from "../../lib/domain/player.ts";
import { HOUR } from "../../lib/domain/time.ts";
import { IS_LARGE, share } from "../support/battery.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { testEnvironment } from "../support/service.ts";

const s = testEnvironment();

const near = (time: string, expected: number): void => {
  expect(Math.abs(Date.parse(time) - expected)).toBeLessThan(5_000);
};

describe("an added day", () => {
  it.each([10, IS_LARGE ? share(10_000, 2_000) : 500])(
    "is one write for %i zombies, each of whom starves a day later",
    async (count) => {
      const gm = await s.admin();
      const infected = Date.now();
      await s.crowd(await makeCrowd(s, count, "zombie", infected), 200);
      const before = await s.store.game();
      const added = await s.must("POST /admin/zombies_add_day/{url_id}", { as: gm });
      expect(added.body).toEqual({ zombies: count, added_seconds: 86_400 });
      const after = await s.store.game();
      expect(after.rev).toBe(before.rev + 1);
      const all = await s.call("GET /admin/get_players/{url_id}", {
        as: gm,
        query: { state: "zombie", limit: 20 },
      });
      for (const { starves_at } of all.body.players) near(starves_at, infected + 72 * HOUR);
      const revs = [...(await s.store.players(all.body.players.map((p: Player) => p.player_id))).values()];
      // No zombie's own item was written.
      expect(new Set(revs.map(({ rev }) => rev))).toEqual(new Set([0]));
    },
    120_000,
  );
});

describe("the starvation list", () => {
  it("is paged, hungriest first, and counts the fed, hungry and starving", async () => {
    const gm = await s.admin();
    const ages = [45, 40, 20, 10, 1];
    const members: string[] = [];
    let passed = 0;
    for (const [n, age] of ages.entries()) {
      await s.pass((n === 0 ? 0 : (ages[n - 1] ?? 0) - age) * HOUR);
      passed += n === 0 ? 0 : (ages[n - 1] ?? 0) - age;
      const zombie = await s.join(`Zombie ${n}`);
      members.push(zombie.id);
      await s.outbreak(gm, zombie);
    }
    await s.pass(45 * HOUR - passed * HOUR);
    const first = await s.call("GET /zombie/starvation/{url_id}", { as: gm, query: { limit: 3 } });
    expect(first.body.counts).toEqual({ fed: 3, hungry: 1, starving: 1 });
    expect(first.body.zombies.map(({ alias }: { alias: string }) => alias)).toEqual([
      "Zombie 0",
      "Zombie 1",
      "Zombie 2",
    ]);
    expect(Math.abs(first.body.zombies[0].seconds_left - 3 * 3600)).toBeLessThan(20);
    const cursor = first.body.next_cursor;
    const second = await s.call("GET /zombie/starvation/{url_id}", { as: gm, query: { limit: 3, cursor } });
    expect(second.body.zombies).toHaveLength(2);
    expect(second.body.next_cursor).toBeNull();
    // Sort keys hold ids: the cursor does not reveal them.
    for (const id of members) expect(Buffer.from(cursor, "base64url").toString("latin1")).not.toContain(id);
  });
});
