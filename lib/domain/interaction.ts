/** Interactions: the recorded events of the game, never changed once written but to mark a hunt that is void. */
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
    /** Whether a note or a place lies with the actor. */
    annotated: z.optional(boolean),
    note: optionalText,
    latitude: optionalNumber,
    longitude: optionalNumber,
    /** Of a hunt that was taken back: the interaction that did it. */
    voided_by: optionalText,
    /** Of the interaction that took a hunt back: which one, whose, and why. */
    voids: optionalText,
    hunter: z.optional(nullableText),
    reason: optionalText,
  }),
);

export type Interaction = z.infer<typeof Interaction>;

/** An infection: a hunt or a revival, which began a life as a zombie; its id is the interaction's. */
export interface Infection {
  infection_id: string;
  parent: string | null;
  target: string;
  at: string;
  /** Whether the hunt was taken back; what came of it stays. */
  voided: boolean;
}

/** Whether an interaction ended a life. */
export const isDeath = (kind: Kind): boolean =>
  kind === "starve" || kind === "corpsify" || kind === "checkpoint_kill";

/** Whether an interaction began a life as a zombie. */
export const isInfection = (kind: Kind): boolean => kind === "hunt" || kind === "revive_zombie";
