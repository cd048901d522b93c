/** A zombie that only an index has proposed is fed and starved exactly like one that was read. */
import { randomInt } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { IndexCandidate, ZombieChange } from "../../lib/domain/outcome.ts";
import type { Player, Zombie } from "../../lib/domain/player.ts";
import { feedCandidate, feedPlayer, starve, starveCandidate } from "../../lib/domain/transitions.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { playerItem } from "../../lib/store/items.ts";
import {
  A_PAUSED_GAME,
  aContext,
  aGame,
  aZombie,
  DAY,
  DAYS_ADDED,
  deepFreeze,
  HOUR,
  iso,
  present,
  T0,
} from "./support.ts";

const RUNS = 500;
const SEED = Number(process.env.BATTERY_SEED ?? randomInt(2 ** 31));

/** What the index of living zombies holds of one. */
const candidateOf = ({ player_id, deadline, epoch, meals }: Zombie): IndexCandidate => ({
  player_id,
  deadline,
  epoch,
  meals,
});

/** As the table stores it: without undefined values. */
const stored = (item: object): object => JSON.parse(JSON.stringify(item));

/** The item after the update that the change of a candidate makes. */
const updated = async (before: Zombie, change: ZombieChange | undefined): Promise<object> => {
  const writes = await writesOf({ zombies: [present(change)], seen: before.seen }, 1);
  const write = writes.find((one) => "set" in one);
  if (write === undefined || !("set" in write)) throw new Error("no update");
  const { deadline, epoch, seen, rev } = before;
  expect(write.expect).toEqual({ is: { state: "zombie", deadline, epoch }, atMost: { seen } });
  expect(write.by).toEqual({ rev: 1 });
  return stored({ ...playerItem(before), ...write.to, rev: rev + 1 });
};

/** The item that is written for a player who was read. */
const written = (after: Player | null | undefined, { rev, seen }: Player): object =>
  stored(playerItem({ ...present(after), rev: rev + 1, seen }));

it("has the same interactions, the same item and the same index entries", async () => {
  let starved = 0;
  const property = fc.asyncProperty(
    fc.constantFrom(aGame(), DAYS_ADDED, A_PAUSED_GAME),
    fc.integer({ min: T0 - 3 * DAY, max: T0 + 2 * DAY }),
    fc.nat(2),
    fc.array(fc.nat(30 * HOUR), { minLength: 1, maxLength: 12 }),
    async (game, deadline, epoch, pauses) => {
      deepFreeze(game);
      const infected_at = iso(T0 - 2 * DAY);
      let player = aZombie({ infected_at, deadline, epoch: Math.min(epoch, game.epoch) });
      let now = T0;
      for (const pause of pauses) {
        now += pause;
        const candidate = deepFreeze(candidateOf(deepFreeze(player)));
        const dead = starve(player, game, aContext({ now }));
        const unread = starveCandidate(candidate, game, aContext({ now }));
        expect(unread?.interactions).toEqual(dead?.interactions);
        expect(unread?.players ?? []).toEqual([]);
        if (dead !== null) {
          expect(feedCandidate(candidate, game, "gm", aContext({ now }))).toBeNull();
          expect(await updated(player, unread?.zombies?.[0])).toEqual(
            written(dead.players[0]?.after, player),
          );
          starved += 1;
          break;
        }
        const fed = feedPlayer({ game, target: player, actor: "gm" }, aContext({ now }));
        const fedUnread = feedCandidate(candidate, game, "gm", aContext({ now }));
        expect(fedUnread?.interactions).toEqual(fed.interactions);
        expect(fedUnread?.players).toEqual([]);
        expect(await updated(player, fedUnread?.zombies?.[0])).toEqual(written(fed.player, player));
        player = { ...fed.player, rev: player.rev + 1 };
      }
    },
  );
  await fc.assert(property, { seed: SEED, numRuns: RUNS });
  expect(starved, `seed ${SEED}`).toBeGreaterThan(RUNS / 20);
});
