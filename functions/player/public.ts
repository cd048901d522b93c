/** GET /public: the public view of the game, without a token. */
import { PublicPage, publicPage } from "../../lib/app/game/publicPage.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /public",
  access: "public",
  response: { schema: PublicPage, cacheControl: "public, max-age=30" },
  run: async ({ now, respond, services, timeLeft }) => respond(await publicPage(services, now, timeLeft)),
});

export const docs: EndpointDocs = {
  summary: "Read the game without a token",
  description:
    "What anybody may know of the game, for a page before the login or a big screen. It may be cached for 30 seconds.",
  fields: {
    name: "The name of the game.",
    description: "A text for players.",
    paused: "Whether the game is paused.",
    needs_join_code: "Whether newcomers need a join code.",
    board:
      "The best players, the latest events and the numbers over time; `null` unless the setting `public_board` is on.",
    leaderboard: "The ten best players.",
    interactions: "The 20 latest events, without notes, places and reasons.",
    history: "The hours of the game, or the days if it has lasted longer than two weeks, in its time zone.",
    from: "When it begins.",
    humans: "How many humans there were at its end, or now.",
    zombies: "How many living zombies.",
    corpses: "How many corpses.",
    hunts: "How many hunts happened in it.",
    rank: "The place; equal players share one.",
    last_kill_at: "When the player reached this number.",
  },
  example: {},
};
