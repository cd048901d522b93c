/** GET /docs/scalar.js: the script of the API reference. */
import * as z from "zod/mini";
import { docsScript } from "../../lib/http/docsScript.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "GET /docs/scalar.js",
  access: "public",
  request: { query: z.strictObject({ v: z.optional(z.string()) }) },
  response: { schema: z.string() },
  run: () => docsScript(),
});

export const docs: EndpointDocs = {
  summary: "Read the script of the pages",
  description: "For the pages at `/docs`. It may be kept for a year.",
  fields: { v: "The version, which the page names." },
  mediaType: "text/javascript",
  example: {},
};
