/** A race of many; every pair of operations is in `tests/battery/races`. */
import { expect, it } from "vitest";
import { drift } from "../support/recount.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment();
const { read } = shortRequests(s);

it("fifty zombies who hunt one human concurrently tag once: one 200, forty-nine 409, one kill, one infection", async () => {
  const [gm, prey] = [await s.admin(), await s.join("Prey")];
  const pack: TestPlayer[] = [];
  for (let n = 0; n < 50; n += 1) pack.push(await s.join(`Zombie ${n}`));
  await Promise.all(pack.map((one) => s.outbreak(gm, one)));
  const results = await Promise.all(pack.map((hunter) => s.hunt(hunter, prey)));
  const outcomes = Map.groupBy(results, ({ status, body }) => `${status} ${body.code}`);
  expect([...outcomes].map(([outcome, { length }]) => [outcome, length]).toSorted()).toEqual([
    ["200 undefined", 1],
    ["409 already_tagged", 49],
  ]);
  const [hunt, ...others] = (await read(gm, "/interactions", { kind: "hunt" })).interactions;
  expect(others).toEqual([]);
  const killers = (await Promise.all(pack.map(s.see))).filter(({ kills }) => kills > 0);
  expect(killers).toMatchObject([{ alias: hunt.actor, kills: 1 }]);
  expect((await s.see(prey)).infected_by).toBe(hunt.actor);
  expect(await read(gm, "/admin/player_count")).toMatchObject({ total: 52, humans: 0, zombies: 51 });
  expect(await drift(s)).toEqual([]);
});
