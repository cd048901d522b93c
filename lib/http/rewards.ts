/** The fields of an effect in requests and responses. */
import * as z from "zod/mini";
import { MAX_FEEDING_SECONDS } from "../domain/game/settings.ts";
import { BADGE_NAME_LENGTH, BADGE_SYMBOL_LENGTH, Effect, MAX_POINTS } from "../domain/rewards/reward.ts";
import { optionalNumber, optionalText, type Prose } from "../domain/schemas.ts";
import { atLeastOneOf } from "./fields.ts";
import { NoteText, text } from "./textFields.ts";
import { BadgeView } from "./views.ts";

const positive = (max: number) => z.optional(z.int().check(z.minimum(1), z.maximum(max)));

/** An effect that game masters enter. */
export const NewEffect = z.lazy(() =>
  z
    .strictObject({
      feed_seconds: positive(MAX_FEEDING_SECONDS),
      cure: z.optional(z.literal(true)),
      points: positive(MAX_POINTS),
      badge: z.optional(
        z.strictObject({
          name: text(1, BADGE_NAME_LENGTH, "name"),
          symbol: text(1, BADGE_SYMBOL_LENGTH, "name"),
        }),
      ),
      message: z.optional(NoteText),
    })
    .check(
      atLeastOneOf("feed_seconds", "cure", "points", "badge", "message"),
      z.refine(({ cure, feed_seconds }) => cure === undefined || feed_seconds === undefined, {
        error: "cannot be combined with cure",
        path: ["feed_seconds"],
      }),
    ),
);

/** An effect as game masters see it. */
export const EffectView = z.lazy(() =>
  z.object({
    feed_seconds: optionalNumber,
    cure: Effect.shape.cure,
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
  badge: "The badge that it gives. A player has at most 20.",
  message: "What the player is told.",
};
