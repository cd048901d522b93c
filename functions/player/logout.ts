/** POST /logout: ends the session of the token that is presented, or all of its player's sessions. */
import * as z from "zod/mini";
import { closeSession } from "../../lib/auth/login.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { jsonResponse } from "../../lib/http/responses.ts";
import { withoutSessionCookie } from "../../lib/http/sessionCookie.ts";

export const handler = endpoint({
  route: "POST /logout",
  access: "public",
  request: { body: z.strictObject({ everywhere: z.optional(z.boolean()) }) },
  response: { schema: null },
  run: async (call) => {
    const { body, now, presented, services } = call;
    const everywhere = body.everywhere === true;
    const response = await call.decide(({ isRetry }) =>
      closeSession(services.store, presented.token, { everywhere, isRetry }, now),
    );
    return presented.hasCookie
      ? withoutSessionCookie(jsonResponse(response.status, null), presented)
      : response;
  },
});

export const docs: EndpointDocs = {
  summary: "Log out",
  description:
    "Ends the session of the token that authenticates the request, and clears the session cookie if the request had one. A browser ends its push subscription first: the session does not tell which that is.",
  errors: ["token_rejected"],
  fields: { everywhere: "`true` ends all sessions and push subscriptions of the player." },
  takesToken: true,
  example: {},
};
