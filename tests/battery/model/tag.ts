/** The model's tags: of a living human, one that its prey has reported, and one of a player who has left. */
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import { eventOf, feed, makeZombie, playerOf, record } from "./game.ts";
import { ModelError } from "./sessions.ts";
import type { Event, Model, Player } from "./state.ts";

const WINDOW = 6 * HOUR;

/** When something happened by a report. @throws ModelError `invalid_request` for a time that no report may have */
export const reportedTime = (m: Model, time: string | undefined): number => {
  const at = time === undefined ? m.now : Date.parse(time);
  if (at > m.now + 2 * MINUTE || at < m.now - WINDOW) throw new ModelError("invalid_request");
  return Math.min(at, m.now);
};

/** A tag that a hunter reports. */
export interface Tag {
  /** The event that waits for this hunter. */
  event?: Event | undefined;
  /** Nobody, if the prey has left. */
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

/** Carries a tag out. @throws ModelError `wrong_state`, `too_early`, and what `sharing` throws */
export const tag = (
  m: Model,
  hunter: Player,
  { event: waiting, prey, target, at, codeSince = at }: Tag,
  { sharing = () => [], note = null }: { sharing?: () => Player[]; note?: string | null } = {},
): Event => {
  if (hunter.id === target) throw new ModelError("wrong_state");
  const since = hunter.infectedAt ?? 0;
  const isLater = waiting !== undefined && at === since && (hunter.infection ?? 0) > waiting.n;
  if (at < since || at < codeSince || isLater) throw new ModelError("too_early");
  const sharers = sharing();
  if (sharers.some(({ id }) => id === target)) throw new ModelError("wrong_state");
  const sharedWith = sharers.map(({ id }) => id);
  const facts = { at, actor: hunter.id, target, parent: hunter.infection, sharedWith, note };
  const event = waiting === undefined ? record(m, "hunt", facts) : Object.assign(waiting, facts);
  event.waitingSince = null;
  if (waiting === undefined && prey !== undefined) makeZombie(m, prey, event, hunter.id);
  else if (prey?.infection === event.n) Object.assign(prey, { infectedAt: at, infectedBy: hunter.id });
  hunter.kills.push({ hunt: event.n, at });
  for (const fed of [hunter, ...sharers]) feed(m, fed, Math.max(at, m.changedAt ?? at), event.n);
  return event;
};
