/** GET /openapi.json: the OpenAPI document of the service. */
import * as z from "zod/mini";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /openapi.json",
  access: "public",
  // Revalidated by its ETag, because it changes with each version of the service.
  response: { schema: z.record(z.string(), z.unknown()), cacheControl: "public, no-cache" },
  run: async (call) => {
    // Imported on demand, so that rejected requests do not parse it.
    const { default: document } = await import("../../docs/openapi.json", { with: { type: "json" } });
    return call.respond(document);
  },
});

export const docs: EndpointDocs = {
  summary: "Read this document",
  description: "The OpenAPI document of this version of the service. It needs no token.",
  example: {},
};
