/** POST /zombie/hunt/{url_id}: a zombie reports a tag with the human's tag code. */
import * as z from "zod/mini";
import { reportHunt } from "../../lib/app/hunts/reportHunt.ts";
import { interactionView, playerInfo } from "../../lib/app/shown.ts";
import { MAX_SHARERS } from "../../lib/domain/game/settings.ts";
import { State } from "../../lib/domain/players/player.ts";
import { integer, nullableText } from "../../lib/domain/schemas.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, bothCoordinates, COORDINATES, TagCode, TagTime } from "../../lib/http/fields.ts";
import { NoteText } from "../../lib/http/textFields.ts";
import { InteractionReturnType, Timestamp } from "../../lib/http/views.ts";

const HuntRequest = z
  .strictObject({
    tag_code: TagCode,
    hunted_at: z.optional(TagTime),
    share_with: z.optional(z.array(AliasRef).check(z.maxLength(MAX_SHARERS))),
    ...COORDINATES,
    note: z.optional(NoteText),
  })
  .check(bothCoordinates);

const HuntResponse = z.object({
  interaction: InteractionReturnType,
  hunter: z.object({ kills: integer, starves_at: z.nullable(Timestamp) }),
  prey: z.object({ alias: nullableText, state: z.nullable(State) }),
});

export const handler = endpoint({
  route: "POST /zombie/hunt/{url_id}",
  access: "player",
  changesPlay: true,
  request: { body: HuntRequest },
  response: { schema: HuntResponse },
  idempotency: { scope: "player" },
  decide: (call) => reportHunt(call, call.body),
  view: ({ interaction, hunter, prey, aliases, game }, { player, now }) => ({
    interaction: interactionView(interaction, aliases, player),
    hunter: playerInfo(hunter, player, game, now, null),
    prey,
  }),
});

export const docs: EndpointDocs = {
  summary: "Report a hunt",
  description:
    "A zombie reports the tag code of a human. The human becomes a zombie, and the hunter and the zombies in `share_with` are fed. The hunter is judged at `hunted_at`, and those who share at the request. So a tag that arrives after its hunter starved counts. If its feeding would have kept the hunter alive, the starvation is undone (`revived_by_late_tag`), and game masters get an alert. If a game master, a checkpoint or a cure has changed the hunter since the tag, that stays, and only the kill counts.",
  errors: [
    "paused",
    "not_running",
    "wrong_state",
    "unknown_tag_code",
    "already_tagged",
    "code_replaced",
    "too_early",
    "too_many_attempts",
  ],
  fields: {
    tag_code: "Eight letters and digits, without 0 O 1 I L; case, spaces and dashes make no difference.",
    hunted_at: "When it happened; now by default. At most the report window ago (six hours by default).",
    share_with:
      "The aliases of other zombies who are fed as well: at most `sharers`, which is two by default.",
    note: "A note, visible to the hunter and to administrators.",
    hunter: "The hunter afterwards.",
    prey: "The prey afterwards; both fields are `null` if the prey had left before.",
  },
  example: {
    as: "zed",
    body: ({ ben }) => ({ tag_code: ben.code, share_with: ["Yan"], note: "By the library." }),
  },
};
