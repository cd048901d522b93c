/** GET /interactions/leaderboard/{url_id}: all current and former zombies, by kills. */
import * as z from "zod/mini";
import { withRanks } from "../../lib/domain/leaderboard.ts";
import { State, stateOf } from "../../lib/domain/player.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { wholeNumber } from "../../lib/http/fields.ts";
import { IDENTITY_FIELDS, identityOf, Timestamp } from "../../lib/http/views.ts";
import { parseKillsEntry } from "../../lib/store/items.ts";
import { readPage } from "../../lib/store/lists.ts";

const LeaderBoardPlayers = z.object({
  rank: z.int(),
  ...IDENTITY_FIELDS,
  alias: z.string(),
  state: State,
  kills: z.int(),
  infected_at: z.nullable(Timestamp),
  last_kill_at: z.nullable(Timestamp),
});

export const handler = endpoint({
  route: "GET /interactions/leaderboard/{url_id}",
  access: "player",
  request: { query: z.strictObject({ limit: wholeNumber(1, 1_000, 100) }) },
  response: { schema: z.object({ players: z.array(LeaderBoardPlayers) }) },
  run: async (call) => {
    const { game, now, query, services } = call;
    const best = services.store.killsEntries(game, query.limit + 1);
    const { items } = await readPage(best, query.limit, parseKillsEntry);
    const players = withRanks(items).map((one) => ({
      ...one,
      ...identityOf(one),
      state: stateOf(one, game, now),
    }));
    return call.respond({ players });
  },
});
