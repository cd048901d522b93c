/** GET /interactions/awards/{url_id}: the awards, which players can read once the game has ended. */
import { readAwards } from "../../lib/app/hunts/awards.ts";
import { AWARDS_PROSE, Awards } from "../../lib/http/awards.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /interactions/awards/{url_id}",
  access: "player",
  response: { schema: Awards },
  read: readAwards,
});

export const docs: EndpointDocs = {
  summary: "Read the awards",
  description:
    "The awards of a game that has ended, up to a minute old. Before that, only administrators can read the provisional awards, and while originals are hidden only those who do not play. After the end of a season with a result, that is when its grace is over. A tie lists all winners. Voided hunts do not count.",
  errors: ["too_early"],
  fields: AWARDS_PROSE,
  example: { as: "gm" },
};
