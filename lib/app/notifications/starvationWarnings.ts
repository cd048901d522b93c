/**
 * Warns zombies six hours and one hour before they starve, once each per deadline. For each of the two warnings, a game
 * time is stored: zombies with a deadline up to it have been warned. So a late sweep misses nobody, and a zombie whose
 * deadline has moved by an added day is warned again.
 */
import { warningsOf } from "../../domain/events/eventRecipients.ts";
import { gameTime, starvedAt } from "../../domain/game/clock.ts";
import type { Game } from "../../domain/game/game.ts";
import { WARN_BEFORE } from "../../domain/notifications/pushTexts.ts";
import { BEFORE_ANY, finite, Warned, warnedUpTo } from "../../domain/starvation/warned.ts";
import { rfc3339 } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { mapBusyToUnavailable } from "../../store/commit.ts";
import { parseHungerEntry } from "../../store/items.ts";
import { keys } from "../../store/keys.ts";
import { queueMessagesFor } from "./queueMessages.ts";

/** The maximum number of warnings of one run; the next run sends the rest. */
const MAX_PER_RUN = 20_000;

interface DueWarning {
  id: string;
  deadline: number;
  /** How long before starvation the warning was due, in milliseconds. */
  before: number;
}

/** The warnings that have become due since the last run, nearest deadline first. */
const dueWarnings = async (
  { services: { store, feedingPeriod } }: WorkerContext,
  warned: Warned,
  game: Game,
  now: number,
) => {
  const time = gameTime(game, now);
  const due: DueWarning[] = [];
  // A zombie that gets the one-hour warning does not also get the six-hour warning.
  let nearest = time;
  const period = feedingPeriod(game);
  // With a shorter feeding period, every zombie would be warned right after feeding.
  const kinds = WARN_BEFORE.filter((before) => before < period).toSorted((one, other) => one - other);
  for (const before of kinds) {
    const after = Math.max(nearest, warnedUpTo(warned, game, before));
    nearest = time + before;
    // A sweep with a later clock has already sent these warnings.
    if (after >= nearest) continue;
    for await (const { item } of store.hungerBetween(game, after, nearest)) {
      const { player_id: id, deadline, epoch } = parseHungerEntry(item);
      if (starvedAt(game, { deadline, epoch }, now) !== null) continue;
      due.push({ id, deadline, before });
      if (due.length === MAX_PER_RUN) return due;
    }
  }
  return due;
};

/** Queues the warnings that have become due since the last run. @returns their number */
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
  const due = await dueWarnings(run, warned, game, now);
  const last = due.at(-1);
  if (last === undefined) return 0;
  const recipients = due.flatMap(({ id, deadline, before }) =>
    warningsOf(id, { deadline, before, epoch: game.epoch }, rfc3339(now)),
  );
  await queue.send(queueMessagesFor(recipients, now).map((message) => ({ message })));

  // After a full run, zombies with the last deadline are warned again; both warnings have the same id and are shown
  // once.
  const reached = due.length === MAX_PER_RUN ? last.deadline - 1 : Number.POSITIVE_INFINITY;
  const upTo = WARN_BEFORE.map((before) => [
    before,
    Math.max(finite(warnedUpTo(warned, game, before)), Math.min(reached, gameTime(game, now) + before)),
  ]);
  const next: Warned = { ...warned, rev: warned.rev + 1, epoch: game.epoch, upTo: Object.fromEntries(upTo) };
  const expect = item === undefined ? ("absent" as const) : { rev: warned.rev };
  try {
    await store.commit([{ put: { ...next, ...keys.warnings }, expect }], timeLeft);
  } catch (error) {
    // Another sweep has queued the same warnings; they have the same ids and are shown once.
    if (!(error instanceof ConditionFailed)) throw error;
  }
  return due.length;
};
