/**
 * Interactions: the recorded events of the game. They are immutable, except that a voided or disputed hunt is marked, and
 * that a tag which its prey reported gets its hunter (decision 47).
 */
import * as z from "zod/mini";
import { boolean, nullableText, optionalNumber, optionalText, text, textList } from "./schemas.ts";

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
] as const;

export const Kind = z.enum(KINDS);
export type Kind = z.infer<typeof Kind>;

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
    parent: z.optional(nullableText),
    shared_with: z.optional(textList),
    /** For a tag that its prey reported: since when it waits for its hunter, until it has one. */
    waiting_since: optionalText,
    /** For the same: when the hunter became known, and the player whom the prey takes for the hunter. */
    completed_at: optionalText,
    suspect: optionalText,
    /** For a tag that a game master has entered in place of its hunter: the game master. */
    entered_by: optionalText,
    /** Whether a note or a place is stored with the actor. */
    annotated: z.optional(boolean),
    note: optionalText,
    latitude: optionalNumber,
    longitude: optionalNumber,
    /** For a hunt: since when its prey had survived, so that a void can go on from there. */
    human_since: optionalText,
    /** For a voided hunt: the id of the void. */
    voided_by: optionalText,
    /** For a disputed hunt: the status of the dispute, and why it was resolved like this. */
    dispute: optionalText,
    dispute_note: optionalText,
    /** For a void: the id of the hunt, and its hunter. */
    voids: optionalText,
    hunter: z.optional(nullableText),
    /** Why a game master did it, in their words. */
    reason: optionalText,
    /** For the revival of a human: the checkpoint that they missed, which makes zombies. */
    checkpoint_id: optionalText,
    /** For the revival of a human: whether they were drawn as an original zombie. */
    drawn: z.optional(boolean),
    /**
     * For what others may not know of a hidden original zombie: since when the player is one, and as which kind others see
     * it; `null` if they do not see it. A hunt is seen without its hunter.
     */
    cover: z.optional(z.looseObject({ since: text, kind: z.nullable(Kind) })),
    /** For the revival of a human: it admits a newcomer. */
    admitted: z.optional(boolean),
    /** For a killing: the player is a spectator and not a corpse. */
    withdrawn: z.optional(boolean),
    /** For the revival of a zombie: a zombie has registered again who had deleted the account. */
    returned: z.optional(boolean),
  }),
);

export type Interaction = z.infer<typeof Interaction>;

/** Whether an interaction is about a player: who did it, to whom, who shared the feeding, or whose hunt was voided. */
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
