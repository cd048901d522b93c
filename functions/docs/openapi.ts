/** GET /openapi.json: the OpenAPI document of the service. */
import * as z from "zod/mini";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { fileOf, type StaticFile, sendFile } from "../../lib/http/staticFile.ts";

// Revalidated by its ETag, because it changes with each version of the service.
const CACHE_CONTROL = "public, no-cache";

let loaded: StaticFile | undefined;

const loadDocument = async (): Promise<StaticFile> => {
  if (loaded !== undefined) return loaded;
  // Imported on demand, so that rejected requests do not parse it.
  const { default: document } = await import("../../docs/openapi.json", { with: { type: "json" } });
  const text = Buffer.from(JSON.stringify(document));
  loaded = fileOf(text, "application/json; charset=utf-8", { "cache-control": CACHE_CONTROL });
  return loaded;
};

export const handler = endpoint({
  route: "GET /openapi.json",
  access: "public",
  response: { schema: z.record(z.string(), z.unknown()), cacheControl: CACHE_CONTROL },
  run: async ({ conditions }) => sendFile(await loadDocument(), conditions),
});

export const docs: EndpointDocs = {
  summary: "Read this document",
  description: "The OpenAPI document of this version of the service. It needs no token.",
  example: {},
};
