/** GET /admin/get_players/{url_id}: lists all players by alias, with the fields that the caller's role may see. */
import * as z from "zod/mini";
import { listPlayers } from "../../lib/app/players/listPlayers.ts";
import { State } from "../../lib/domain/players/player.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Label, optionalWholeNumber, pagingFields } from "../../lib/http/fields.ts";
import { text } from "../../lib/http/textFields.ts";
import { StaffPlayer } from "../../lib/http/views.ts";

const isTrue = (text: "true" | "false" | undefined): boolean | undefined =>
  text === undefined ? undefined : text === "true";

export const handler = endpoint({
  route: "GET /admin/get_players/{url_id}",
  access: "moderator",
  request: {
    query: z.strictObject({
      ...pagingFields(),
      state: z.optional(State),
      search: z.optional(text(1, 60, "line")),
      label: z.optional(Label),
      passed: z.optional(z.enum(["true", "false"])),
      pending: z.optional(z.enum(["true", "false"])),
      invited: z.optional(z.enum(["true", "false"])),
      missions_below: optionalWholeNumber(1, 100),
    }),
  },
  response: { schema: z.object({ players: z.array(StaffPlayer), next_cursor: z.nullable(z.string()) }) },
  read: async (call) => {
    const { limit, cursor, state, passed, pending, search, label, invited, missions_below } = call.query;
    const chosen = { state, passed, pending, search, label, invited };
    const scope = {
      list: "get_players",
      filters: {
        ...chosen,
        ...(missions_below === undefined ? {} : { missions_below: `${missions_below}` }),
      },
    };
    const filters = {
      ...chosen,
      passed: isTrue(passed),
      pending: isTrue(pending),
      invited: isTrue(invited),
      missions_below,
    };
    return paged(call.services, scope, cursor, (after) => listPlayers(call, filters, { limit, after }));
  },
});

export const docs: EndpointDocs = {
  summary: "List players with all fields",
  description:
    "All players, sorted by alias. For moderators, last names, addresses, tag codes, notes and `pending` are `null`, and the filters `pending`, `invited` and `missions_below` find nobody. A filtered page looks through at most 1,000 players: it may be short, or empty, and have a `next_cursor` all the same.",
  fields: {
    players: "A page of players.",
    pending: "Whether a game master has to admit them.",
    invited:
      "`true` for players whose invitation is unused: they were imported, and have not set a password yet.",
    missions_below:
      "Only living players who attended fewer required missions, as `POST /admin/enforce_missions` counts with this `min`.",
    label: "Only players with this label.",
    search: "Only players for whom each of its words begins a word of the alias, a name or the address.",
    passed: "Whether they have passed the checkpoint.",
  },
  example: { query: { limit: 1, state: "human" } },
};
