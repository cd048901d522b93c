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
    "The board `kills` ranks everyone who is or was a zombie by kills. The board `survivors` ranks living humans by survival time.",
  fields: {
    board: "The board.",
    limit: "The page size.",
    around: "`me` returns the page with the caller in the middle.",
    players: "The players, best first.",
    rank: "The rank. Ties share a rank, as do all players without a kill. With `around`, also the caller's rank.",
    last_kill_at: "On the board `kills`: when the player reached this number.",
    survived_since: "On the board `survivors`: since when the player has been human.",
  },
  example: { query: { limit: 1 } },
};
