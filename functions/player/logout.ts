/** POST /logout: ends the session of the token in the header, or all of its player's sessions. */
import * as z from "zod/mini";
import { closeSession } from "../../lib/auth/login.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /logout",
  access: "public",
  request: { body: z.strictObject({ everywhere: z.optional(z.boolean()) }) },
  response: { schema: null },
  run: async (call) => {
    const { authorization, body, now, services } = call;
    return call.decide(async (isRetry) => {
      const how = { everywhere: body.everywhere === true, isRetry };
      const { writes } = await closeSession(services.store, authorization, how, now);
      return { changes: { writes }, response: null };
    });
  },
});
