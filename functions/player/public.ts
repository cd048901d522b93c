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
    "The public view of the game, for a landing page or a big screen. It may be cached for 30 seconds. Counts, texts and the board may be 15 seconds old; the rest is current.",
  fields: {
    name: "The name of the game.",
    description: "A text for players.",
    paused: "Whether the game is paused.",
    needs_join_code: "Whether newcomers need a join code.",
    board:
      "The best players, the latest events and the numbers over time; `null` unless the setting `public_board` is on.",
    leaderboard: "The ten best players.",
    interactions: "The 20 latest events, without notes, places and reasons.",
    history:
      "The counts over time, by hour or, if the game has lasted longer than two weeks, by day in its time zone.",
    from: "When the interval begins.",
    humans: "The number of humans at the end of the interval, or now.",
    zombies: "The number of living zombies.",
    corpses: "The number of corpses.",
    hunts: "The number of hunts in the interval.",
    rank: "The rank. Ties share a rank.",
    last_kill_at: "When the player reached this number.",
  },
  example: {},
};
