/** GET /interactions/awards/{url_id}: the awards, which players can read once the game has ended. */
import * as z from "zod/mini";
import { readAwards } from "../../lib/app/hunts/awards.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";

const AWARD_FIELDS = {
  value: z.nullable(z.number()),
  at: z.nullable(Timestamp),
  winners: z.array(z.string()),
  count: z.int(),
};
const Award = z.nullable(z.object(AWARD_FIELDS));

const Awards = z.object({
  most_kills: Award,
  longest_survivor: Award,
  longest_chain: z.nullable(z.object({ ...AWARD_FIELDS, chain: z.array(z.nullable(z.string())) })),
  most_meals_shared: Award,
  most_points: Award,
  first_tag: Award,
  last_human: Award,
});

export const handler = endpoint({
  route: "GET /interactions/awards/{url_id}",
  access: "player",
  response: { schema: Awards },
  read: readAwards,
});

export const docs: EndpointDocs = {
  summary: "Read the awards",
  description:
    "The awards of a game that has ended, up to a minute old. Before that, only administrators can read the provisional awards, and while originals are hidden only those who do not play. A tie lists all winners. Voided hunts do not count.",
  errors: ["too_early"],
  fields: {
    most_kills: "The hunters with the most kills.",
    longest_survivor: "The players with the longest life as a human; `value` is in seconds of play time.",
    longest_chain: "The players at the top of the longest chains of tags.",
    most_meals_shared: "The hunters whose hunts have fed other zombies most often.",
    most_points: "The players with the most points of codes and missions.",
    first_tag: "The hunter of the first tag.",
    last_human: "The players who are still human, or the last who was.",
    value: "The figure, such as the number of kills; `null` if the award has none.",
    at: "The time; `null` if the award has none.",
    winners: "The aliases of the winners, at most 50.",
    count: "The number of winners.",
    chain: "The players of one such chain, from the top; `null` for players who have left.",
  },
  example: { as: "gm" },
};
