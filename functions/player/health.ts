/** GET /health: whether the service is running. */
import * as z from "zod/mini";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /health",
  access: "public",
  response: { schema: z.object({ ok: z.boolean() }) },
  run: async (call) => call.respond({ ok: true }),
});
