/** Disputes: the prey or the hunter of a hunt objects to the record of it (decision 57). */
import * as z from "zod/mini";
import { DomainError } from "../domainError.ts";
import type { Interaction } from "../hunts/interaction.ts";
import { integer, nullableText, text } from "../schemas.ts";
import { DAY, instantOf, rfc3339 } from "../time.ts";

/** How a dispute ends: the hunt was voided (`void`), or it counts (`stands`). */
export const DISPUTE_OUTCOMES = ["void", "stands"] as const;
export const DisputeOutcome = z.enum(DISPUTE_OUTCOMES);
export type DisputeOutcome = z.infer<typeof DisputeOutcome>;

export const DISPUTE_STATUSES = ["open", ...DISPUTE_OUTCOMES] as const;
export const DisputeStatus = z.enum(DISPUTE_STATUSES);
export type DisputeStatus = z.infer<typeof DisputeStatus>;

/** The author of an entry: the hunter, the prey, or for a `comment` a game master or moderator. */
export const SPEAKERS = ["hunter", "prey", "comment"] as const;

/** A statement or comment; `at` is RFC 3339. Its text is personal data, so it is stored as a note of its author. */
const Entry = z.lazy(() => z.looseObject({ entry_id: text, speaker: z.enum(SPEAKERS), by: text, at: text }));
export type Entry = z.infer<typeof Entry>;

/** A dispute as stored. A hunt has at most one, with the same id as the hunt. */
export const Dispute = z.lazy(() =>
  z.looseObject({
    dispute_id: text,
    rev: integer,
    /** The shard of the hunt. */
    shard: integer,
    status: DisputeStatus,
    opened_at: text,
    /** Oldest first. */
    entries: z.array(Entry),
    /** The player ids of prey and hunter as of the last change, for pushes. */
    target: nullableText,
    hunter: nullableText,
    resolved_at: nullableText,
    resolved_by: nullableText,
    /** The game master's reason for the resolution. */
    note: nullableText,
  }),
);
export type Dispute = z.infer<typeof Dispute>;

/** How long a hunt can be disputed after it was recorded or got its hunter, in milliseconds on the wall clock. */
export const DISPUTE_WINDOW = DAY;

/** With this many entries no comment is added, so that the item stays small. Each side can still make its statement. */
export const MAX_ENTRIES = 100;

const wrongState = (message: string): DomainError => new DomainError("wrong_state", message);

/** Requires a hunt that can be disputed and is not voided. @throws DomainError `not_found`, `wrong_state` */
export const requireDisputable = (hunt: Interaction | null): Interaction => {
  if (hunt === null) throw new DomainError("not_found", "There is no such interaction.");
  if (hunt.kind !== "hunt")
    throw wrongState(`This interaction has the kind ${hunt.kind}: only a hunt can be disputed.`);
  if (hunt.voided_by !== undefined) throw wrongState("This tag has already been voided.");
  return hunt;
};

const requireOpen = (dispute: Dispute): Dispute => {
  if (dispute.status === "open") return dispute;
  throw wrongState("This dispute has been resolved.");
};

/**
 * Opens a dispute, or adds the other side's statement to an open one, even after the window.
 * @param shard the shard of the hunt's item
 * @throws DomainError `wrong_state`
 */
export const dispute = (
  { hunt, shard, earlier }: { hunt: Interaction; shard: number; earlier: Dispute | null },
  by: string,
  { now, newId }: { now: number; newId: () => string },
): { dispute: Dispute; entry: Entry } => {
  const { interaction_id, actor, target, recorded_at, completed_at = recorded_at } = hunt;
  if (by !== actor && by !== target)
    throw wrongState("Only the hunter and the prey of a tag can dispute it.");
  if (earlier === null && now > instantOf(completed_at) + DISPUTE_WINDOW)
    throw wrongState("This tag was recorded more than 24 hours ago. Ask a game master.");
  const speaker = by === actor ? "hunter" : "prey";
  const entry: Entry = { entry_id: newId(), speaker, by, at: rfc3339(now) };
  const sides = { target, hunter: actor };
  if (earlier !== null) {
    const { entries } = requireOpen(earlier);
    if (entries.some((one) => one.by === by && one.speaker !== "comment"))
      throw wrongState("You have disputed this tag already.");
    return { dispute: { ...earlier, ...sides, rev: earlier.rev + 1, entries: [...entries, entry] }, entry };
  }
  const opened: Dispute = {
    dispute_id: interaction_id,
    rev: 1,
    shard,
    status: "open",
    opened_at: rfc3339(now),
    entries: [entry],
    ...sides,
    resolved_at: null,
    resolved_by: null,
    note: null,
  };
  return { dispute: opened, entry };
};

/** Adds a comment to an open dispute. @throws DomainError `wrong_state` */
export const withComment = (
  before: Dispute,
  by: string,
  { now, newId }: { now: number; newId: () => string },
): { dispute: Dispute; entry: Entry } => {
  const { entries, rev } = requireOpen(before);
  if (entries.length >= MAX_ENTRIES)
    throw wrongState(`A dispute has at most ${MAX_ENTRIES} statements and comments.`);
  const entry: Entry = { entry_id: newId(), speaker: "comment", by, at: rfc3339(now) };
  return { dispute: { ...before, rev: rev + 1, entries: [...entries, entry] }, entry };
};

/** A game master's resolution of a dispute. */
export interface Resolution {
  outcome: DisputeOutcome;
  by: string;
  note: string;
  now: number;
}

const resolved = (
  before: Dispute,
  { actor, target }: Interaction,
  { outcome, by, note, now }: Resolution,
): Dispute => ({
  ...before,
  rev: before.rev + 1,
  status: outcome,
  target,
  hunter: actor,
  resolved_at: rfc3339(now),
  resolved_by: by,
  note,
});

/** Resolves an open dispute. @throws DomainError `wrong_state` */
export const resolve = (before: Dispute, hunt: Interaction, resolution: Resolution): Dispute =>
  resolved(requireOpen(before), hunt, resolution);

/** Resolves the dispute of a voided hunt, even if it was resolved before in favour of the hunt. */
export const asVoided = (
  before: Dispute,
  hunt: Interaction,
  resolution: Omit<Resolution, "outcome">,
): Dispute => resolved(before, hunt, { ...resolution, outcome: "void" });
