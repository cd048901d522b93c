/** POST /admin/admit/{url_id}: admits pending newcomers. */
import * as z from "zod/mini";
import { admitPlayers } from "../../lib/app/accounts/admit.ts";
import { State } from "../../lib/domain/players/player.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef, exactlyOneOf, PLAYER_REF_FIELDS } from "../../lib/http/fields.ts";

const MAX_ALIASES = 100;
/** Longer than any id of a departure: a UUID, or the hash of a tombstone. */
const MAX_ID = 64;

const AdmitRequest = z
  .strictObject({
    ...PLAYER_REF_FIELDS,
    aliases: z.optional(z.array(AliasRef).check(z.minLength(1), z.maxLength(MAX_ALIASES))),
    decision: z.optional(z.enum(["newcomer", "returned"])),
    departure_id: z.optional(z.string().check(z.maxLength(MAX_ID))),
  })
  .check(exactlyOneOf("alias", "player_id", "aliases"))
  .check(
    z.refine(({ aliases, decision }) => aliases === undefined || decision === undefined, {
      error: "is for one player: name them by alias or player id",
      path: ["decision"],
    }),
  )
  .check(
    z.refine(({ decision, departure_id }) => departure_id === undefined || decision === "returned", {
      error: "belongs to the decision returned",
      path: ["departure_id"],
    }),
  );

const AdmitResponse = z.object({
  admitted: z.array(z.object({ alias: z.string(), state: State })),
  skipped: z.array(
    z.object({ alias: z.string(), code: z.enum(["player_not_found", "wrong_state", "needs_decision"]) }),
  ),
});

export const handler = endpoint({
  route: "POST /admin/admit/{url_id}",
  access: "administrator",
  request: { body: AdmitRequest },
  response: { schema: AdmitResponse },
  idempotency: { scope: "player" },
  run: (call) => admitPlayers(call, call.body),
});

export const docs: EndpointDocs = {
  summary: "Admit newcomers",
  description:
    "Makes `pending` players human, with a tag code. Name one by `alias` or `player_id`, or several by `aliases`; of these, players who are not pending, or about whom a game master has to decide (`reviews` of the alerts), are skipped, and so are those who have not signed the waiver. Who is under age plays from then on. For one player with a review, `decision` says who they are; it is required if they may be a player who has left.",
  errors: ["wrong_state"],
  fields: {
    aliases: "Players to admit.",
    decision:
      "`newcomer`: somebody new, who becomes human; of a player who plays already, this closes the review. `returned`: a player who has left during the game and becomes that player again, under the former `player_id`, as if they had stayed; alias, names, password and sessions of the waiting account go with them.",
    departure_id: "With `returned`: which departure of the review, if there are several.",
    admitted: "The players who were admitted.",
    skipped: "The players of `aliases` who were not admitted.",
    code: "The reason, as an error code; `needs_decision` for a player with a review.",
  },
  example: { body: { aliases: ["Pia", "Ada"] } },
};
