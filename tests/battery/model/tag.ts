/** The model's tags: of a living human, one that its prey has reported, and one of a player who has left. */
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import { eventOf, feed, makeZombie, playerOf, record, recordStarvation } from "./game.ts";
import { ModelError } from "./sessions.ts";
import type { Event, Model, Player } from "./state.ts";

const WINDOW = 6 * HOUR;

/** When a tag happened by a report. @throws ModelError `invalid_request` for an invalid time */
export const reportedTime = (m: Model, time: string | undefined, isLate = false): number => {
  const at = time === undefined ? m.now : Date.parse(time);
  if (at > m.now + 2 * MINUTE || (!isLate && at < m.now - WINDOW)) throw new ModelError("invalid_request");
  return Math.min(at, m.now);
};

/** A tag that a hunter reports. */
export interface Tag {
  /** The event that waits for its hunter. */
  event?: Event | undefined;
  /** `undefined` if the prey has left. */
  prey: Player | undefined;
  target: string;
  at: number;
  codeSince?: number;
}

/** The tag of a code that was reported, or whose player left; `null` for any other. */
export const earlierTag = (m: Model, code: string, at: number): Tag | null => {
  const reported = m.reported.get(code);
  const event = eventOf(m, reported?.event ?? -1);
  if (reported !== undefined && event !== undefined) {
    const { waitingSince, voided, target } = event;
    if (waitingSince === null || voided || m.now > waitingSince + WINDOW)
      throw new ModelError("already_tagged");
    const prey = playerOf(m, target);
    return { event, prey, target: target ?? "", at: Math.min(at, event.at), codeSince: reported.codeSince };
  }
  const left = m.left.get(code);
  if (left === undefined) return null;
  if (left.hunt !== null) throw new ModelError("already_tagged");
  if (m.now > left.at + WINDOW) throw new ModelError("wrong_state");
  return { prey: undefined, target: left.player, at: Math.min(at, left.at), codeSince: left.codeSince };
};

/** A life as a zombie: the event that began it, and when. */
type Life = Pick<Event, "n" | "at">;

const ENDS = ["starve", "corpsify", "cure", "revive_human", "checkpoint_kill"];

/** The life in which a player made a tag that a game master enters. @throws ModelError where they were no zombie */
export const lifeOf = (m: Model, hunter: Player, at: number): Life => {
  const { state, infection, infectedAt, unrecorded } = hunter;
  if (state === "zombie" && infection !== null && infectedAt !== null && infectedAt <= at)
    return { n: infection, at: infectedAt };
  let life: Life | null = null;
  const events = m.record.filter((event) => event.target === hunter.id && event.at <= at);
  for (const event of events.toSorted((one, other) => one.at - other.at || one.n - other.n)) {
    if ((event.kind === "hunt" || event.kind === "revive_zombie") && !event.voided) life = event;
    if (ENDS.includes(event.kind)) life = null;
  }
  if (life !== null && (unrecorded === null || unrecorded > at)) return { n: life.n, at: life.at };
  throw new ModelError(state === "zombie" ? "too_early" : "wrong_state");
};

/** Carries a tag out. @throws ModelError `wrong_state`, `too_early`, and what `sharing` throws */
export const tag = (
  m: Model,
  hunter: Player,
  { event: waiting, prey, target, at, codeSince = at }: Tag,
  {
    sharing = () => [],
    note = null,
    life = { n: hunter.infection ?? 0, at: hunter.infectedAt ?? 0 },
    isEntered = false,
  }: { sharing?: () => Player[]; note?: string | null; life?: Life; isEntered?: boolean } = {},
): Event => {
  if (hunter.id === target) throw new ModelError("wrong_state");
  const { at: since } = life;
  const isLater = waiting !== undefined && at === since && life.n > waiting.n;
  if (at < since || at < codeSince || isLater) throw new ModelError("too_early");
  const sharers = sharing();
  if (sharers.some(({ id }) => id === target)) throw new ModelError("wrong_state");
  const sharedWith = sharers.map(({ id }) => id);
  recordStarvation(m, hunter);
  const facts = { at, actor: hunter.id, target, parent: life.n, sharedWith, note, isEntered };
  const event = waiting === undefined ? record(m, "hunt", facts) : Object.assign(waiting, facts);
  event.waitingSince = null;
  if (waiting !== undefined) event.completedAt = m.now;
  if (waiting === undefined && prey !== undefined) makeZombie(m, prey, event, hunter.id);
  else if (prey?.infection === event.n) Object.assign(prey, { infectedAt: at, infectedBy: hunter.id });
  hunter.kills.push({ hunt: event.n, at });
  const isAlive = hunter.state === "zombie" && hunter.infection === life.n;
  for (const fed of [...(isAlive ? [hunter] : []), ...sharers])
    feed(m, fed, Math.max(at, m.changedAt ?? at), event.n);
  return event;
};
