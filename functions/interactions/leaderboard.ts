/** GET /interactions/leaderboard/{url_id}: ranks zombies by kills, or humans by survival time. */
import { Leaderboard, LeaderboardQuery, readLeaderboard } from "../../lib/app/leaderboard.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /interactions/leaderboard/{url_id}",
  access: "player",
  request: { query: LeaderboardQuery },
  response: { schema: Leaderboard },
  run: async (call) => call.respond(await readLeaderboard(call)),
});

export const docs: EndpointDocs = {
  summary: "Read the leaderboard",
  description:
    "By `kills`, everyone who is or was a zombie, most first; or the `survivors`, the living humans, longest first.",
  fields: {
    board: "Which board.",
    limit: "How many players.",
    around: "`me`: the page has the caller in its middle.",
    players: "The players, best first.",
    rank: "The place; equal players share one, as do all without a kill. With `around`, also that of the caller.",
    last_kill_at: "Of `kills`: when the player reached this number.",
    survived_since: "Of `survivors`: since when the player has been human.",
  },
  example: { query: { limit: 1 } },
};
