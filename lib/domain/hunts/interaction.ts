/**
 * Interactions: the recorded events of the game. They are immutable, with two exceptions: an interaction is marked when
 * it is voided, undone or disputed, and the hunter is added to a tag that its prey reported (decision 47).
 */
import * as z from "zod/mini";
import { Reward } from "../rewards/reward.ts";
import {
  nullableText,
  optionalBoolean,
  optionalNullableText,
  optionalNumber,
  optionalText,
  optionalTrue,
  text,
  textList,
} from "../schemas.ts";

export const KINDS = [
  "hunt",
  "corpsify",
  "cure",
  "revive_human",
  "revive_zombie",
  "feed",
  "add_day",
  "pause",
  "resume",
  "starve",
  "checkpoint_kill",
  "void",
  "revived_by_late_tag",
  "reward",
  "finish",
  "reopen",
] as const;

export const Kind = z.enum(KINDS);
export type Kind = z.infer<typeof Kind>;

/** The kinds that the previous version of the service does not know, and what it reads one as, which changes nothing for it. */
const STORED_AS: Partial<Record<Kind, Kind>> = {
  /** The void of a starvation (decision 97). */
  revived_by_late_tag: "void",
  /** A feeding that moved no deadline (decision 121). */
  reward: "feed",
  /** Play has stopped, and stays so when the season is reopened (decision 130). */
  finish: "pause",
  reopen: "pause",
};

/** The kind under which an interaction is stored, see {@link withOwnKind}. */
export const storedKind = (kind: Kind): Kind => STORED_AS[kind] ?? kind;

/** An interaction as stored; `actor`, `target` and `shared_with` are player ids, times are RFC 3339. */
export const Interaction = z.lazy(() =>
  z.looseObject({
    interaction_id: text,
    kind: Kind,
    at: text,
    recorded_at: text,
    actor: nullableText,
    target: nullableText,
    /** An infection's parent: the hunter's infection, `null` for an original zombie. */
    parent: optionalNullableText,
    shared_with: z.optional(textList),
    /** For a tag that its prey reported: since when it waits for its hunter. Removed when the hunter is known. */
    waiting_since: optionalText,
    /** For such a tag: when the hunter became known, and the id of the player whom the prey suspects. */
    completed_at: optionalText,
    suspect: optionalText,
    /** For such a tag: when it happened by its hunter's report, if that is not `at`. Kill and feeding have this time. */
    hunted_at: optionalText,
    /** For a tag that a game master has entered in place of its hunter: the game master's player id. */
    entered_by: optionalText,
    /** Whether a note or a place is stored with the actor. */
    annotated: optionalBoolean,
    note: optionalText,
    latitude: optionalNumber,
    longitude: optionalNumber,
    /** For a hunt: since when its prey had survived, so that a void can restore that time. */
    human_since: optionalText,
    /**
     * For a voided hunt, for a kill or an infection by a checkpoint that was undone, and for a starvation that a late tag
     * has undone: the id of the interaction that did it.
     */
    voided_by: optionalText,
    /** For a disputed hunt: the status of the dispute, and the reason for its resolution. */
    dispute: optionalText,
    dispute_note: optionalText,
    /** For a void or a revival by a late tag: the id of what it undoes. For a void: the hunter of a voided hunt. */
    voids: optionalText,
    hunter: optionalNullableText,
    /**
     * For a revival by a late tag, food or antidote: the id of its interaction. For that interaction: the id of the
     * revival.
     */
    late_tag: optionalText,
    revival: optionalText,
    /** The game master's reason. */
    reason: optionalText,
    /** For a human whom a missed checkpoint made a zombie, and for the undo of an enforcement: the checkpoint. */
    checkpoint_id: optionalText,
    /** For a kill or an infection by the enforcement of required missions, whose id is its `checkpoint_id`. */
    of_missions: optionalTrue,
    /** For a human who became a zombie: whether they were drawn as an original zombie. */
    drawn: optionalBoolean,
    /**
     * For an interaction that reveals a hidden original zombie: when the player became one, and the kind others see
     * instead; `null` if they do not see the interaction at all. They see a hunt without its hunter.
     */
    cover: z.optional(z.looseObject({ since: text, kind: z.nullable(Kind) })),
    /** For a spectator who became human: whether a game master admitted them as a newcomer. */
    admitted: optionalBoolean,
    /** For `corpsify`: whether the player became a spectator and not a corpse. */
    withdrawn: optionalBoolean,
    /** Whether it happened while the player was away, and was recorded when they came back (decision 85). */
    returned: optionalBoolean,
    /** For what a code or a mission gave to the target, and for what takes that back: see `Reward`. */
    reward: z.optional(Reward),
    /** For the end of the season, and for its reopening: the result, and from when on players may know it (RFC 3339). */
    season: z.optional(
      z.looseObject({
        is: z.enum(["finish", "reopen"]),
        result: optionalText,
        note: optionalNullableText,
        final_at: optionalText,
      }),
    ),
    /** Whether only its target and game masters see it. */
    is_private: optionalBoolean,
  }),
);

export type Interaction = z.infer<typeof Interaction>;

/**
 * An interaction as stored, with its own kind: only of a revival by a late tag, `late_tag` is stored, only of the end of a
 * season `season`, and only of a reward that is private.
 */
export const withOwnKind = (stored: Interaction): Interaction => {
  if (stored.late_tag !== undefined) return { ...stored, kind: "revived_by_late_tag" };
  if (stored.season !== undefined) return { ...stored, kind: stored.season.is };
  return stored.kind === "feed" && stored.is_private === true ? { ...stored, kind: "reward" } : stored;
};

/** When the hunter of a hunt tagged the prey, RFC 3339: the time of the kill. */
export const killTime = ({ at, hunted_at = at }: Pick<Interaction, "at" | "hunted_at">): string => hunted_at;

/** Whether a player took part in an interaction: as actor, target, sharer, or hunter of a voided hunt. */
export const concerns = (
  {
    actor,
    target,
    hunter,
    shared_with = [],
  }: Pick<Interaction, "actor" | "target" | "hunter" | "shared_with">,
  playerId: string,
): boolean => [actor, target, hunter, ...shared_with].includes(playerId);

/** An infection: a hunt or a revival that made the target a zombie. Its id is the interaction's. */
export interface Infection {
  infection_id: string;
  parent: string | null;
  target: string;
  at: string;
  /** Whether the hunt was voided. Infections that followed from it stay valid. */
  voided: boolean;
}

/** Whether an interaction makes its target a zombie. */
export const isInfection = (kind: Kind): boolean => kind === "hunt" || kind === "revive_zombie";
