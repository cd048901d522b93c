/** POST /player/redeem/{url_id}: a player redeems a code. */
import * as z from "zod/mini";
import { redeemCode } from "../../lib/app/rewards/redeemCode.ts";
import { State } from "../../lib/domain/players/player.ts";
import { boolean, integer, nullableText, text } from "../../lib/domain/schemas.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { TagTime } from "../../lib/http/fields.ts";
import { RewardCode } from "../../lib/http/rewards.ts";
import { BadgeView } from "../../lib/http/rewardViews.ts";
import { Timestamp } from "../../lib/http/views.ts";

const Did = z.object({
  fed: boolean,
  cured: boolean,
  points: integer,
  badge: z.nullable(BadgeView),
  message: nullableText,
});

export const handler = endpoint({
  route: "POST /player/redeem/{url_id}",
  access: "player",
  changesPlay: true,
  request: { body: z.strictObject({ code: RewardCode, redeemed_at: z.optional(TagTime) }) },
  response: {
    schema: z.object({
      redemption_id: text,
      at: Timestamp,
      repeated: boolean,
      did: Did,
      player: z.object({
        state: State,
        tag_code: nullableText,
        starves_at: z.nullable(Timestamp),
        points: integer,
      }),
    }),
  },
  idempotency: { scope: "player" },
  decide: (call) => redeemCode(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Redeem a code",
  description:
    "Gives the caller what a code gives. A player redeems each code once: the same code again is `repeated` and changes nothing. Time and side of a code that was entered offline are those of `redeemed_at`, as with tags: food or an antidote from before the zombie starved counts, and undoes the starvation. Everything that somebody who guesses could learn from is `code_not_valid`.",
  errors: ["paused", "not_running", "wrong_state", "code_not_valid", "too_many_attempts"],
  fields: {
    code: "Ten letters and digits, without 0 O 1 I L; case, spaces and dashes make no difference.",
    redeemed_at: "When it was entered; now by default. At most the report window ago (six hours by default).",
    repeated: "Whether the caller had redeemed the code before: `did` says what it did then.",
    did: "What the code did.",
    fed: "Whether it moved the deadline: see `player.starves_at`.",
    cured: "Whether it made the caller human: see `player.tag_code`.",
    points: "How many points it gave; in `player`, the caller's points.",
    badge: "The badge that it gave; `null` for none.",
    message: "What the caller is told; `null` for nothing.",
    player: "What the caller is afterwards.",
    redemption_id: "The id of the redemption, which is that of the event that records it.",
    at: "When the code was entered.",
  },
  example: { body: ({ supply }) => ({ code: supply }) },
};
