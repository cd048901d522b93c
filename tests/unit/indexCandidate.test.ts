/** A zombie that an index proposes, and nobody has read, comes to what the same zombie comes to when it is read. */
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Game } from "../../lib/domain/clock.ts";
import type { IndexCandidate, ZombieChange } from "../../lib/domain/outcome.ts";
import type { Player } from "../../lib/domain/player.ts";
import { feedCandidate, feedPlayer, starve, starveCandidate } from "../../lib/domain/transitions.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { playerItem } from "../../lib/store/items.ts";
import { aGame, aMoment, aPlayer, DAY, DAYS_ADDED, deepFreeze, HOUR, iso, T0 } from "./support.ts";

const GAMES: readonly Game[] = [
  aGame(),
  DAYS_ADDED,
  aGame({ rev: 4, paused_at: T0 - 3 * HOUR, changed_at: T0 - 3 * HOUR }),
];
const RUNS = 500;
const SEED = Number(process.env.BATTERY_SEED ?? randomInt(2 ** 31));

const aZombie = (deadline: number, epoch: number): Player =>
  aPlayer({ state: "zombie", infection_id: "i", infected_at: iso(T0 - 2 * DAY), deadline, epoch });

/** What the index of living zombies carries of one. */
const proposalOf = ({ player_id, deadline, epoch, meals }: Player): IndexCandidate => {
  if (deadline === null || epoch === null) throw new Error("no living zombie");
  return { player_id, deadline, epoch, meals: meals ?? [] };
};

/** An item after the update by which a proposed zombie is written. */
const updated = async (before: Player, change: ZombieChange): Promise<object> => {
  const writes = await writesOf({ zombies: [change], seen: before.seen }, 1);
  const [write] = writes.filter((one) => "set" in one);
  if (write === undefined || !("set" in write)) throw new Error("no update");
  expect(write.expect).toEqual({
    is: { state: "zombie", deadline: before.deadline, epoch: before.epoch },
    atMost: { seen: before.seen },
  });
  expect(write.by).toEqual({ rev: 1 });
  // As the table keeps it: without what is undefined.
  return JSON.parse(JSON.stringify({ ...playerItem(before), ...write.to, rev: before.rev + 1 }));
};

const written = (after: Player, { rev, seen }: Player): object =>
  JSON.parse(JSON.stringify(playerItem({ ...after, rev: rev + 1, seen })));

it("fed or starved, with the same record, the same item and the same places in every index", async () => {
  let ran = 0;
  let starved = 0;
  const nows = fc.array(fc.integer({ min: 0, max: 30 * HOUR }), { minLength: 1, maxLength: 12 });
  const property = fc.asyncProperty(
    fc.constantFrom(...GAMES),
    fc.integer({ min: T0 - 3 * DAY, max: T0 + 2 * DAY }),
    fc.integer({ min: 0, max: 2 }),
    nows,
    async (game, deadline, epoch, pauses) => {
      deepFreeze(game);
      let player = aZombie(deadline, Math.min(epoch, game.epoch));
      let now = T0;
      for (const pause of pauses) {
        now += pause;
        const proposal = deepFreeze(proposalOf(deepFreeze(player)));
        const [one, other] = [aMoment({ now }), aMoment({ now })];
        const dead = starve(player, game, one);
        const deadUnread = starveCandidate(proposal, game, other);
        expect(deadUnread?.interactions).toEqual(dead?.interactions);
        expect(deadUnread?.players ?? []).toEqual([]);
        if (dead !== null && deadUnread !== null) {
          expect(feedCandidate(proposal, game, "gm", aMoment({ now }))).toBeNull();
          const [change] = deadUnread.zombies ?? [];
          const after = dead.players[0]?.after ?? null;
          if (change === undefined || after === null) throw new Error("nobody has starved");
          expect(await updated(player, change)).toEqual(written(after, player));
          starved += 1;
          break;
        }
        const fed = feedPlayer({ game, target: player, actor: "gm" }, one);
        const fedUnread = feedCandidate(proposal, game, "gm", other);
        expect(fedUnread?.interactions).toEqual(fed.interactions);
        expect(fedUnread?.players).toEqual([]);
        const [change] = fedUnread?.zombies ?? [];
        if (change === undefined) throw new Error("nobody was fed");
        expect(await updated(player, change)).toEqual(written(fed.player, player));
        player = { ...fed.player, rev: player.rev + 1 };
      }
      ran += 1;
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  console.log(`proposed: ${ran} zombies, of whom ${starved} starved, seed ${SEED}`);
  expect(ran).toBe(RUNS);
  expect(starved).toBeGreaterThan(RUNS / 20);
});
