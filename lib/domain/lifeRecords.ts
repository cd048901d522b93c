/** What a player's item keeps of a life: the kills, what others see of it, and what it was before a checkpoint. */
import * as z from "zod/mini";
import { integer, nullableNumber, nullableText, text } from "./schemas.ts";

/** A kill: the id of the hunt, and the time of the tag, RFC 3339. */
export const Kill = z.looseObject({ hunt: text, at: text });
export type Kill = z.infer<typeof Kill>;

const CoverState = z.enum(["human", "corpse", "spectator"]);

/**
 * What others see of a hidden original zombie, and of their play after that life (decision 55). It begins as a copy of
 * what others saw before, and changes with what they see.
 */
export const Cover = z.looseObject({
  /** When the player became an original zombie, RFC 3339, and the infection of that life. */
  since: text,
  infection_id: text,
  /** In that life. */
  state: CoverState,
  /** The tag code that the player had as a human; empty if nobody can know one. */
  tag_code: text,
  code_since: text,
  human_since: nullableText,
  infected_at: nullableText,
  kills: integer,
  last_kill_at: nullableText,
  latest_kills: z.array(Kill),
});
export type Cover = z.infer<typeof Cover>;

/** What the enforcement of a checkpoint has changed of a player, so that it can be undone (decision 70). */
export const BeforeCheckpoint = z.looseObject({
  checkpoint_id: text,
  /** The interaction that records it, and among how many shards that interaction was placed by its id. */
  interaction_id: text,
  shards: integer,
  /** The life to which it led: a player who has begun another one is not restored. */
  infection_id: nullableText,
  tag_code: nullableText,
  /** Set when a game master kills the player in that life. */
  is_over: z.optional(z.literal(true)),
  /** Of a zombie: the game time that was left until the deadline, in milliseconds. */
  hunger: nullableNumber,
  /** Before it: the state that others saw, of a hidden original zombie. */
  cover_state: z.nullable(CoverState),
  /** The changed fields, as they were before. */
  fields: z.record(text, z.unknown()),
});
export type BeforeCheckpoint = z.infer<typeof BeforeCheckpoint>;
