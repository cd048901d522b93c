/**
 * Warnings: zombies that starve in six hours, and in one, are told so, once each per deadline. How far the warnings
 * have come is kept as a game time for each of them; what is nearer has been warned of. So nothing is missed by a
 * sweep that comes late, and a deadline that was moved by an added day is warned of anew.
 */
import * as z from "zod/mini";
import { type Game, gameTime, starvedAt } from "../../domain/clock.ts";
import { WARN_BEFORE, warningOf } from "../../domain/gameEvents.ts";
import { rfc3339 } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { parseHungerEntry } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { queueMessagesFor } from "./queueMessages.ts";

/** So many are warned in one run; the next run takes the next. */
const MOST_PER_RUN = 20_000;

const Warned = z.looseObject({
  rev: z.int(),
  /** The game's, when this was written. */
  epoch: z.int(),
  /** By hours before: deadlines up to this game time have been warned of. */
  upTo: z.record(z.string(), z.number()),
});
type Warned = z.infer<typeof Warned>;

const finite = (time: number): number => (Number.isFinite(time) ? time : 0);

const BEFORE_ANY: Warned = { rev: 0, epoch: 0, upTo: {} };

/**
 * Where the warnings of one kind have come to. An added day takes deadlines further away again: those that were
 * nearer than `before` when the clock was last changed count as warned of, and no others.
 */
const warnedUpTo = (warned: Warned, game: Game, before: number): number => {
  const kept = warned.upTo[before] ?? Number.NEGATIVE_INFINITY;
  if (warned.epoch === game.epoch || game.changed_at === null) return kept;
  return Math.min(kept, gameTime(game, game.changed_at) + before);
};

/** A zombie that is to be warned, and how long before it starves that was due. */
interface Near {
  id: string;
  deadline: number;
  before: number;
}

/** Those who have come near since the last time, the nearest first. */
const cameNear = async (
  { services: { store, period } }: WorkerContext,
  warned: Warned,
  game: Game,
  now: number,
) => {
  const time = gameTime(game, now);
  const near: Near[] = [];
  // Whoever hears that an hour is left need not hear that six are.
  let nearest = time;
  // A zombie that lives for less on one meal never comes so near: it is there from the beginning.
  const kinds = WARN_BEFORE.filter((before) => before < period).toSorted((one, other) => one - other);
  for (const before of kinds) {
    const after = Math.max(nearest, warnedUpTo(warned, game, before));
    nearest = time + before;
    // A later sweep has been there.
    if (after >= nearest) continue;
    for await (const { item } of store.hungerBetween(after, nearest)) {
      const { player_id: id, deadline, epoch } = parseHungerEntry(item);
      if (starvedAt(game, { deadline, epoch }, now) !== null) continue;
      near.push({ id, deadline, before });
      if (near.length === MOST_PER_RUN) return near;
    }
  }
  return near;
};

/**
 * Puts a warning on the queue for each zombie that has come near enough to starving since the last time.
 * @returns how many
 */
export const sendStarvationWarnings = async (
  run: WorkerContext,
  game: Game,
  now: number,
): Promise<number> => {
  const { services, timeLeft } = run;
  const { store, queue, push } = services;
  if (push.vapid === null) return 0;
  if (game.paused_at !== null) return 0;
  const item = await mapBusyToUnavailable(store.db.get(keys.warnings, { consistent: false }));
  const warned = item === undefined ? BEFORE_ANY : Warned.parse(item);
  const near = await cameNear(run, warned, game, now);
  const last = near.at(-1);
  if (last === undefined) return 0;
  const concerns = near.map(({ id, deadline, before }) => ({
    event: warningOf(id, { deadline, before, epoch: game.epoch }, rfc3339(now)),
    to: id,
  }));
  await queue.send(queueMessagesFor(concerns, now).map((message) => ({ message })));

  // Where they were too many, all up to the last one: whoever shares its deadline is warned again, and shows it once.
  const reached = near.length === MOST_PER_RUN ? last.deadline - 1 : Number.POSITIVE_INFINITY;
  const upTo = WARN_BEFORE.map((before) => [
    before,
    Math.max(finite(warnedUpTo(warned, game, before)), Math.min(reached, gameTime(game, now) + before)),
  ]);
  const next: Warned = { ...warned, rev: warned.rev + 1, epoch: game.epoch, upTo: Object.fromEntries(upTo) };
  const expect = item === undefined ? ("absent" as const) : { rev: warned.rev };
  try {
    await store.commit([{ put: { ...next, ...keys.warnings }, expect }], timeLeft);
  } catch (error) {
    // Another sweep has warned of the same, a moment ago or now; under the same names, so that each shows once.
    if (!(error instanceof ConditionFailed)) throw error;
  }
  return near.length;
};
