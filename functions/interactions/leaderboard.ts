/** GET /interactions/leaderboard/{url_id}: ranks zombies by kills, humans by survival time, or players by points. */
import * as z from "zod/mini";
import { BOARDS, readLeaderboard } from "../../lib/app/players/leaderboard.ts";
import { invalidRequest } from "../../lib/domain/domainError.ts";
import { State } from "../../lib/domain/players/player.ts";
import { paged } from "../../lib/http/cursors.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { wholeNumber } from "../../lib/http/fields.ts";
import { IDENTITY_FIELDS, Timestamp } from "../../lib/http/views.ts";

const LeaderboardQuery = z.strictObject({
  board: z._default(z.enum(BOARDS), "kills"),
  limit: wholeNumber(1, 1_000, 100),
  cursor: z.optional(z.string().check(z.maxLength(4_000))),
  around: z.optional(z.literal("me")),
});

const OptionalTime = z.optional(z.nullable(Timestamp));

const LeaderBoardPlayer = z.object({
  rank: z.int(),
  ...IDENTITY_FIELDS,
  alias: z.string(),
  state: State,
  kills: z.int(),
  /** Only on the board of kills. */
  infected_at: OptionalTime,
  last_kill_at: OptionalTime,
  /** Only on the board of survivors. */
  survived_since: z.optional(Timestamp),
  /** Only on the board of points. */
  points: z.optional(z.int()),
});

const Leaderboard = z.object({
  players: z.array(LeaderBoardPlayer),
  /** Only with `around`; `null` for a player who is not on the board. */
  rank: z.optional(z.nullable(z.int())),
  next_cursor: z.nullable(z.string()),
});

export const handler = endpoint({
  route: "GET /interactions/leaderboard/{url_id}",
  access: "player",
  request: { query: LeaderboardQuery },
  response: { schema: Leaderboard },
  read: async (call) => {
    const { board, limit, cursor } = call.query;
    const around = call.query.around !== undefined;
    if (around && cursor !== undefined)
      throw invalidRequest({ path: "cursor", message: "cannot be combined with around" });
    const scope = { list: "leaderboard", filters: { board } };
    return paged(call.services, scope, cursor, (after) =>
      readLeaderboard(call, { board, limit, around }, after),
    );
  },
});

export const docs: EndpointDocs = {
  summary: "Read the leaderboard",
  description:
    "The board `kills` ranks everyone who is or was a zombie by kills. The board `survivors` ranks living humans by survival time. The board `points` ranks everybody who has points.",
  fields: {
    board: "The board.",
    limit: "The page size.",
    around: "`me` returns the page with the caller in the middle.",
    players: "The players, best first.",
    rank: "The rank. Ties share a rank, as do all players without a kill. With `around`, also the caller's rank.",
    last_kill_at: "On the board `kills`: when the player reached this number.",
    points: "On the board `points`: the points of this season.",
    survived_since: "On the board `survivors`: since when the player has been human.",
  },
  example: { query: { limit: 1 } },
};
