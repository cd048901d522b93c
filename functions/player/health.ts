/** GET /health: whether the service is running. */
import * as z from "zod/mini";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /health",
  access: "public",
  response: { schema: z.object({ ok: z.boolean() }) },
  run: async (call) => call.respond({ ok: true }),
});

export const docs: EndpointDocs = {
  summary: "Check the service's health",
  description: "Reads no data and needs no token.",
  fields: { ok: "Always `true`." },
  example: {},
};
