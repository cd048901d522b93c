/** Interactions: the recorded events of the game, never changed once written but to mark a hunt that is void. */
import * as z from "zod/mini";

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
    interaction_id: z.string(),
    kind: Kind,
    at: z.string(),
    recorded_at: z.string(),
    actor: z.nullable(z.string()),
    target: z.nullable(z.string()),
    /** An infection's parent: the hunter's infection, `null` for an original zombie. */
    parent: z.optional(z.nullable(z.string())),
    shared_with: z.optional(z.array(z.string())),
    /** Whether a note or a place lies with the actor. */
    annotated: z.optional(z.boolean()),
    note: z.optional(z.string()),
    latitude: z.optional(z.number()),
    longitude: z.optional(z.number()),
    /** Of a hunt that was taken back: the interaction that did it. */
    voided_by: z.optional(z.string()),
    /** Of the interaction that took a hunt back: which one, whose, and why. */
    voids: z.optional(z.string()),
    hunter: z.optional(z.nullable(z.string())),
    reason: z.optional(z.string()),
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
