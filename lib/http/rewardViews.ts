/** What codes and missions give, as players and game masters see it. */
import * as z from "zod/mini";
import {
  optionalInteger,
  optionalNumber,
  optionalText,
  optionalTrue,
  type Prose,
  text,
} from "../domain/schemas.ts";

export const BadgeView = z.lazy(() => z.object({ name: text, symbol: text }));

export const BADGE_PROSE: Prose<z.infer<typeof BadgeView>> = {
  name: "What it is called.",
  symbol: "One or a few characters, such as an emoji.",
};

/** What a player got, in the event that records it. */
export const RewardView = z.lazy(() =>
  z.object({
    source: z.enum(["code", "mission"]),
    points: optionalInteger,
    badge: z.optional(BadgeView),
    message: optionalText,
  }),
);

export const REWARD_PROSE: Prose<z.infer<typeof RewardView>> = {
  source: "What gave it: a code, or a mission.",
  points: "How many points it gave.",
  badge: "The badge that it gave.",
  message: "What the player was told.",
};

/** An effect as game masters see it. */
export const EffectView = z.lazy(() =>
  z.object({
    feed_seconds: optionalNumber,
    cure: optionalTrue,
    points: optionalNumber,
    badge: z.optional(BadgeView),
    message: optionalText,
  }),
);

export const EFFECT_PROSE: Prose<z.infer<typeof EffectView>> = {
  feed_seconds:
    "By how many seconds of play time a zombie's deadline moves, at most to a full feeding period from then.",
  cure: "`true` makes a zombie human, with a new tag code: once a season each, and an original only with `originals_cured`.",
  points: "How many points it gives.",
  badge: "The badge that it gives. A player has at most 10.",
  message: "What the player is told.",
};
