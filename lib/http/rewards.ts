/** The fields of an effect in requests and responses. */
import * as z from "zod/mini";
import { MAX_FEEDING_SECONDS } from "../domain/game/settings.ts";
import { BADGE_NAME_LENGTH, BADGE_SYMBOL_LENGTH, MAX_POINTS } from "../domain/rewards/limits.ts";
import { Side } from "../domain/rewards/reward.ts";
import { text as anyText, integer, nullableText, type Prose } from "../domain/schemas.ts";
import { atLeastOneOf } from "./fields.ts";
import { EffectView } from "./rewardViews.ts";
import { NoteText, text } from "./textFields.ts";
import { Timestamp } from "./views.ts";

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

/** The code of a reward as people write it. */
export const RewardCode = z.string().check(z.minLength(1), z.maxLength(64));

/** A batch of codes as game masters see it. */
export const BatchView = z.lazy(() =>
  z.object({
    batch_id: anyText,
    label: anyText,
    n: integer,
    effect: EffectView,
    audience: Side,
    uses: integer,
    uses_per_player: integer,
    valid_from: z.nullable(Timestamp),
    valid_until: z.nullable(Timestamp),
    place: nullableText,
    created_at: Timestamp,
    revoked: integer,
  }),
);

export const BATCH_PROSE = {
  batch_id: "The id of the batch.",
  label: "What game masters call the batch, and the title of its sheet.",
  n: "How many codes.",
  effect: "What a code gives.",
  audience:
    "Who can redeem a code. Humans' codes also work for a hidden original zombie, who passes for a human.",
  uses: "How often each code can be redeemed.",
  uses_per_player: "How many codes of the batch a player can redeem; the same code only once.",
  valid_from: "From when; `null` for at once.",
  valid_until: "Until just before when; `null` for the end of the game.",
  place: "Where the codes are, for game masters.",
  created_at: "When the batch was made.",
  revoked: "How many codes were revoked.",
} satisfies Prose<z.infer<typeof BatchView>>;
