/** GET /admin/readiness/{url_id}: who is ready to play, and what the others lack. */
import * as z from "zod/mini";
import { LACKS, readReadiness } from "../../lib/app/waiver/readiness.ts";
import { State } from "../../lib/domain/players/player.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { pagingFields } from "../../lib/http/fields.ts";
import { IDENTITY_FIELDS, Timestamp } from "../../lib/http/views.ts";

const ReadyPlayer = z.lazy(() =>
  z.object({
    ...IDENTITY_FIELDS,
    player_id: z.nullable(z.string()),
    alias: z.string(),
    state: State,
    has_pfp: z.boolean(),
    full_name: z.nullable(z.string()),
    pending: z.boolean(),
    signed: z.boolean(),
    signed_at: z.nullable(Timestamp),
    on_paper: z.boolean(),
    has_guardian: z.boolean(),
    photo_consent: z.nullable(z.boolean()),
    orientations: z.int(),
    lacks: z.array(z.enum(LACKS)),
  }),
);

export const handler = endpoint({
  route: "GET /admin/readiness/{url_id}",
  access: "moderator",
  request: { query: z.strictObject({ ...pagingFields(), lacks: z.optional(z.enum(LACKS)) }) },
  response: {
    schema: z.object({
      orientations_needed: z.int(),
      players: z.array(ReadyPlayer),
      next_cursor: z.nullable(z.string()),
    }),
  },
  read: (call) => {
    const { limit, cursor, lacks } = call.query;
    const scope = { list: "readiness", filters: { lacks } };
    return paged(call.services, scope, cursor, (after) => readReadiness(call, lacks, { limit, after }));
  },
});

export const docs: EndpointDocs = {
  summary: "List who is ready to play",
  description:
    "Everybody who plays or waits to, by alias, with what they lack: the signature of the present waiver, the minimum age, an orientation (a mission with `required_to_play`), a picture, or a printed tag code (the label `card-printed`, which goes with the code). For moderators, names and ages are left out. A page looks through at most 1,000 players: it may be short and have a `next_cursor` all the same.",
  fields: {
    orientations_needed: "How many orientations there are.",
    players: "A page of players.",
    lacks: "In the query, only those who lack this. Of a player, everything that is missing.",
    player_id: "The id of the player; `null` for moderators.",
    full_name: "The name that they have signed with; `null` for none, and for moderators.",
    pending: "Whether they do not play yet.",
    signed: "Whether the signature counts for the present waiver; `true` without a waiver.",
    signed_at: "When they have signed last, even if an earlier version; `null` for never.",
    has_guardian: "Whether a guardian has signed.",
    orientations: "How many orientations they attended.",
  },
  example: { query: { limit: 1 } },
};
