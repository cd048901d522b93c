/** GET /admin/bans/{url_id}: lists all bans. */
import * as z from "zod/mini";
import { listBans } from "../../lib/app/accounts/bans.ts";
import { BanView, banView } from "../../lib/http/banViews.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /admin/bans/{url_id}",
  access: "administrator",
  response: { schema: z.object({ bans: z.array(BanView) }) },
  read: ({ services }) => listBans(services.store),
  view: (bans) => ({ bans: bans.map(banView) }),
});

export const docs: EndpointDocs = {
  summary: "List the bans",
  description: "All bans, newest first. Expired bans are listed until the next ban is made.",
  fields: {
    bans: "The bans.",
    ban_id: "The id of the ban.",
    alias: "The banned alias, the present one of a banned player; `null` for a ban of an address.",
    former_aliases: "The aliases that the player had given up before in the season.",
    covers_email: "Whether it covers e-mail addresses, of which only hashes are stored.",
    has_account: "Whether an account was locked out by it.",
    until: "When it ends; `null` if it lasts until it is lifted.",
    created_at: "When it was made.",
  },
  example: {},
};
