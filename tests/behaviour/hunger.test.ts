/** The counts of zombies by hunger, which are cached when there are more than a thousand zombies. */
import { expect, it } from "vitest";
import { HOUR, MINUTE, SECOND } from "../../lib/domain/time.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";

const s = testEnvironment();

/** Puts zombies with 18 hours left into the table. */
const hungry = async (count: number): Promise<void> =>
  s.crowd(await makeCrowd(s, count, "zombie", s.now - 30 * HOUR));

const counts = async (as: TestPlayer) => {
  const { body } = await s.call("GET /zombie/starvation/{url_id}", { as, query: { limit: 1 } });
  return body.counts;
};

const feed = (as: TestPlayer, n: number) => s.must("POST /admin/feed/{url_id}", { as, body: { n } });

it("the counts by hunger are exact up to a thousand zombies; above, they are at most a minute old, and exact after a change of the game's clock", async () => {
  const gm = await s.admin();
  await hungry(1_000);
  expect(await counts(gm)).toEqual({ fed: 0, hungry: 1_000, starving: 0 });
  await feed(gm, 1);
  expect(await counts(gm)).toEqual({ fed: 1, hungry: 999, starving: 0 });
  await hungry(2);
  expect(await counts(gm)).toEqual({ fed: 1, hungry: 1_001, starving: 0 });
  await feed(gm, 2);
  await hungry(3);
  s.now += MINUTE - 5 * SECOND;
  // Even old counts add up to the present number of zombies.
  expect(await counts(gm)).toEqual({ fed: 4, hungry: 1_001, starving: 0 });
  s.now += 10 * SECOND;
  expect(await counts(gm)).toEqual({ fed: 3, hungry: 1_002, starving: 0 });
  await s.pass(13 * HOUR);
  expect(await counts(gm)).toEqual({ fed: 3, hungry: 0, starving: 1_002 });
  await s.must("POST /admin/zombies_add_day/{url_id}", { as: gm });
  expect(await counts(gm)).toEqual({ fed: 1_005, hungry: 0, starving: 0 });
});
