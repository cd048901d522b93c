/** GET /interactions/leaderboard/{url_id}: zombies by kills, or humans by how long they have survived. */
import { Leaderboard, LeaderboardQuery, readLeaderboard } from "../../lib/app/leaderboard.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /interactions/leaderboard/{url_id}",
  access: "player",
  request: { query: LeaderboardQuery },
  response: { schema: Leaderboard },
  run: async (call) => call.respond(await readLeaderboard(call)),
});
