/** Rewards as they are stored: what a code or a mission gives, and what a player got of it. Imports nothing but schemas. */
import * as z from "zod/mini";
import {
  nullableNumber,
  nullableText,
  optionalBoolean,
  optionalInteger,
  optionalText,
  optionalTrue,
  text,
} from "../schemas.ts";

export const Badge = z.looseObject({ name: text, symbol: text });
export type Badge = z.infer<typeof Badge>;

/** What a code or a mission gives. Each field is optional, and at least one is set. */
export const Effect = z.lazy(() =>
  z.looseObject({
    /** By how many seconds of game time a zombie's deadline moves, at most to a full feeding period. */
    feed_seconds: optionalInteger,
    /** Whether it makes a zombie human. */
    cure: optionalTrue,
    points: optionalInteger,
    badge: z.optional(Badge),
    /** What the player reads. */
    message: optionalText,
  }),
);
export type Effect = z.infer<typeof Effect>;

/** For whom an effect is. */
export const SIDES = ["humans", "zombies", "all"] as const;
export const Side = z.enum(SIDES);
export type Side = z.infer<typeof Side>;

/** A badge of a player, with the interaction that gave it. */
export const OwnBadge = z.lazy(() =>
  z.looseObject({
    ...Badge.shape,
    by: text,
    /** Whether others do not see it while originals are hidden: a hidden original zombie got it as a zombie. */
    hidden: optionalTrue,
  }),
);
export type OwnBadge = z.infer<typeof OwnBadge>;

/** A player has at most this many badges, so that the item stays small. */
export const MAX_BADGES = 10;

/** What an antidote has changed in a zombie, so that it can be taken back. Times are RFC 3339. */
const BeforeAntidote = z.lazy(() =>
  z.looseObject({
    infection_id: text,
    infected_by: nullableText,
    infected_by_original_since: nullableText,
    last_fed_at: nullableText,
    /** The game time that was left until the deadline, in milliseconds. */
    hunger: nullableNumber,
  }),
);

/** What a player got, as part of the interaction that records it. */
export const Reward = z.lazy(() =>
  z.looseObject({
    /** What gave it, `code` or `mission`, and the id of the batch of codes or of the mission. */
    source: text,
    source_id: text,
    fed: optionalBoolean,
    points: optionalInteger,
    badge: z.optional(Badge),
    message: optionalText,
    /** Whether others do not see points and badge while originals are hidden. */
    hidden: optionalTrue,
    before: z.optional(BeforeAntidote),
  }),
);
export type Reward = z.infer<typeof Reward>;

/** The badges of a player as they are shown: each once, in the order in which the player got them. */
export const shownBadges = (badges: readonly OwnBadge[]): Badge[] => [
  ...new Map(badges.map(({ name, symbol }) => [`${symbol} ${name}`, { name, symbol }])).values(),
];
