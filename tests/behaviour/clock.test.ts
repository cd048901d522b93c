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
