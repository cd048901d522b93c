/** GET /app: redirects to /app/me, because a service worker with the scope /app/ does not control /app. */
import * as z from "zod/mini";
import { PAGES } from "../../lib/domain/notifications/pages.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { redirectResponse } from "../../lib/http/responses.ts";

export const handler = endpoint({
  route: "GET /app",
  access: "public",
  response: { schema: z.string() },
  run: async () => redirectResponse(PAGES.me),
});
