/** Plans the pages of a broadcast and queues them. */
import type { Game } from "../../domain/clock.ts";
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
} from "../../store/broadcasts.ts";
import type { Store } from "../../store/store.ts";
import { RESERVE_MS } from "./messageTiming.ts";
import { broadcastId, countPages, progressWrites } from "./pages.ts";

/** The messages for a plan's pages, and for the plan that follows it. */
const messagesOf = (subject: Subject, number: number, plan: Plan, now: number): Outbound[] => {
  const starts = [plan.after, ...plan.pages.map(({ upTo }) => upTo ?? "")];
  const pages = plan.pages.map(({ upTo, planned }, at): Outbound => {
    const page = plan.first + at;
    const after = starts[at] ?? LIST_START;
    return { message: { kind: "page", subject, page, after, upTo, planned, round: 0, notBefore: now } };
  });
  const rest: QueueMessage = { kind: "plan_broadcast", subject, plan: number + 1 };
  return plan.rest === null ? pages : [...pages, { message: rest }];
};

/** Where a plan starts; `null` when the previous plan has covered all subscriptions. */
const planStart = async (
  store: Store,
  id: string,
  number: number,
): Promise<Pick<Plan, "first" | "after"> | null> => {
  if (number === 0) return { first: 0, after: LIST_START };
  const before = await readPlan(store, id, number - 1);
  if (before === null || before.rest === null) return null;
  return { first: before.first + before.pages.length, after: before.rest };
};

/** Makes and stores a plan. @returns `null` when nothing is left to plan */
const newPlan = async (
  run: WorkerContext,
  game: Game,
  subject: Subject,
  number: number,
): Promise<Plan | null> => {
  const { services, timeLeft } = run;
  const { store, clock } = services;
  const id = broadcastId(subject);
  const from = await planStart(store, id, number);
  if (from === null) return null;
  const plan = await makePlan(store, game, from, () => timeLeft() < RESERVE_MS);
  // The previous plan has counted this one as one page, unless this is the first.
  const added = { subscriptions: plannedCount(plan), pages: countPages(plan) - (number === 0 ? 0 : 1) };
  try {
    await store.commit([planWrite(id, number, plan, clock()), ...progressWrites(subject, added)], timeLeft);
    return plan;
  } catch (error) {
    const stored = error instanceof ConditionFailed ? await readPlan(store, id, number) : null;
    // Another worker has stored this plan; if there is none, the message is delivered again.
    if (stored === null) throw error;
    return stored;
  }
};

/** Queues the pages of a plan, which is made first if necessary. It is idempotent. @param number of the plan */
export const queuePages = async (run: WorkerContext, subject: Subject, number: number): Promise<void> => {
  const { store, queue, clock } = run.services;
  const known = await readPlan(store, broadcastId(subject), number);
  const plan = known ?? (await newPlan(run, await store.game(), subject, number));
  if (plan !== null) await queue.send(messagesOf(subject, number, plan, clock()));
};
