/**
 * Plans the pages of a broadcast and queues them. A page is a range of up to 500 subscriptions. A plan has as many
 * pages as one worker can count in its time; the next plan continues from there.
 */
import type { Game } from "../../domain/game/game.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import type { QueueMessage, Subject } from "../../queue/messages.ts";
import type { Outbound } from "../../queue/queue.ts";
import {
  LIST_START,
  makePlan,
  type Plan,
  plannedCount,
  planWrite,
  readPlan,
} from "../../store/notifications/broadcasts.ts";
import type { Store } from "../../store/store.ts";
import { WORKER_RESERVE_MS } from "./messageTiming.ts";
import { broadcastId, countPages, progressWrites } from "./pages.ts";

/** The messages for a plan's pages, and for the next plan if there is one. */
const messagesOf = (subject: Subject, planNumber: number, plan: Plan, now: number): Outbound[] => {
  const pages = plan.pages.map(({ upTo, planned }, index): Outbound => {
    const page = plan.first + index;
    // A page starts where the previous one ends; only the last page of all has no end.
    const after = plan.pages[index - 1]?.upTo ?? plan.after;
    return { message: { kind: "page", subject, page, after, upTo, planned, round: 0, notBefore: now } };
  });
  if (plan.rest === null) return pages;
  const nextPlan: QueueMessage = { kind: "plan_broadcast", subject, plan: planNumber + 1 };
  return [...pages, { message: nextPlan }];
};

/** Where a plan starts; `null` if the previous plan has covered all subscriptions, or is no longer stored. */
const planStart = async (
  store: Store,
  id: string,
  planNumber: number,
): Promise<Pick<Plan, "first" | "after"> | null> => {
  if (planNumber === 0) return { first: 0, after: LIST_START };
  const previous = await readPlan(store, id, planNumber - 1);
  if (previous === null || previous.rest === null) return null;
  return { first: previous.first + previous.pages.length, after: previous.rest };
};

/** Makes and stores a plan, or reads it if another worker was first. @returns `null` if nothing is left to plan */
const createPlan = async (
  run: WorkerContext,
  game: Game,
  subject: Subject,
  planNumber: number,
): Promise<Plan | null> => {
  const { services, timeLeft } = run;
  const { store, clock } = services;
  const id = broadcastId(subject);
  const start = await planStart(store, id, planNumber);
  if (start === null) return null;
  const plan = await makePlan(store, game, start, () => timeLeft() < WORKER_RESERVE_MS);
  // The previous plan has counted the rest of the list as one page, which the pages of this plan replace.
  const pagesCounted = planNumber === 0 ? 0 : 1;
  const added = { subscriptions: plannedCount(plan), pages: countPages(plan) - pagesCounted };
  try {
    await store.commit(
      [planWrite(id, planNumber, plan, clock()), ...progressWrites(subject, added)],
      timeLeft,
    );
    return plan;
  } catch (error) {
    // Another worker may have stored this plan first. Otherwise the queue delivers the message again.
    const stored = error instanceof ConditionFailed ? await readPlan(store, id, planNumber) : null;
    if (stored === null) throw error;
    return stored;
  }
};

/**
 * Queues the pages of a plan, and creates the plan if it does not exist. Safe to repeat, because each round of a page
 * is counted only once.
 */
export const planAndQueuePages = async (
  run: WorkerContext,
  subject: Subject,
  planNumber: number,
): Promise<void> => {
  const { store, queue, clock } = run.services;
  const existing = await readPlan(store, broadcastId(subject), planNumber);
  const plan = existing ?? (await createPlan(run, await store.game(), subject, planNumber));
  if (plan !== null) await queue.send(messagesOf(subject, planNumber, plan, clock()));
};
