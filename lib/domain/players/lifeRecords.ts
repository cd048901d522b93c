/** Parts of a player's item: kills, the cover of a hidden original zombie, and the state before a missed checkpoint. */
import * as z from "zod/mini";
import { integer, nullableNumber, nullableText, optionalInteger, optionalTrue, text } from "../schemas.ts";
import { COVER_STATES } from "./states.ts";

/** A kill: the id of the hunt, and the time of the tag, RFC 3339. */
export const Kill = z.looseObject({ hunt: text, at: text });
export type Kill = z.infer<typeof Kill>;

const CoverState = z.enum(COVER_STATES);

/**
 * A cover: what others see of a hidden original zombie, and of their play after that life (decision 55). It begins as a
 * copy of what others saw before, and is updated when something happens that others can see.
 */
export const Cover = z.lazy(() =>
  z.looseObject({
    /** When the player became an original zombie, RFC 3339, and the infection with which that life began. */
    since: text,
    infection_id: text,
    /** The state that others see in that life. */
    state: CoverState,
    /** The tag code that the player had as a human; empty if nobody can know one. */
    tag_code: text,
    code_since: text,
    human_since: nullableText,
    infected_at: nullableText,
    kills: integer,
    last_kill_at: nullableText,
    latest_kills: z.array(Kill),
    /** How many of the points others do not see. */
    hidden_points: optionalInteger,
  }),
);
export type Cover = z.infer<typeof Cover>;

/** What the enforcement of a checkpoint has changed in a player, so that it can be undone (decision 70). */
export const BeforeCheckpoint = z.lazy(() =>
  z.looseObject({
    checkpoint_id: text,
    /** The interaction that records the change, and the number of shards then; both determine the interaction's shard. */
    interaction_id: text,
    shards: integer,
    /** These identify the life after the enforcement: a player who has begun another one is not restored. */
    infection_id: nullableText,
    tag_code: nullableText,
    /** Set when a game master kills the player in that life. */
    is_over: optionalTrue,
    /** Of a zombie: the game time that was left until the deadline, in milliseconds. */
    hunger: nullableNumber,
    /** Of a hidden original zombie: the state that others saw before the enforcement. */
    cover_state: z.nullable(CoverState),
    /** The changed fields, as they were before. */
    fields: z.record(text, z.unknown()),
  }),
);
export type BeforeCheckpoint = z.infer<typeof BeforeCheckpoint>;
