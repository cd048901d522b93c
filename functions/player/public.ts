/** GET /public: the game as anybody may see it, without a token. */
import { PublicPage, publicPage } from "../../lib/app/game/publicPage.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /public",
  access: "public",
  response: { schema: PublicPage, cacheControl: "public, max-age=30" },
  run: async ({ now, respond, services }) => respond(await publicPage(services, now)),
});
