/** GET /interactions/awards/{url_id}: the awards, which are public once the game has ended. */
import { AwardsView, recentAwards } from "../../lib/app/hunts/awards.ts";
import { requireAwards } from "../../lib/domain/awards.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /interactions/awards/{url_id}",
  access: "player",
  response: { schema: AwardsView },
  run: async (call) => {
    const { game, now, player, services } = call;
    requireAwards(game, player.is_admin, now);
    return call.respond(await recentAwards(services.store, game, now));
  },
});

export const docs: EndpointDocs = {
  summary: "Read the awards",
  description:
    "The awards of a game that has ended, up to a minute old; before that, administrators see how things stand. A tie names every winner, and voided hunts do not count.",
  errors: ["too_early"],
  fields: {
    most_kills: "The hunters with most kills.",
    longest_survivor: "Those with the longest life as a human; `value` in seconds of play time.",
    longest_chain: "The original zombies with the longest chain of tags below them.",
    most_meals_shared: "The hunters whose hunts have fed other zombies most often.",
    first_tag: "The hunter of the first tag.",
    last_human: "Those who are still human, or the last who was.",
    value: "The figure; `null` where there is none.",
    at: "The time, if the award has one.",
    winners: "The aliases of those who share it, at most 50.",
    count: "How many share it.",
    chain: "The players of one such chain, from the top; `null` for one who has left.",
  },
  example: { as: "gm" },
};
