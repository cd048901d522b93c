/** GET /docs/scalar.js: the script of the API reference. */
import * as z from "zod/mini";
import { DOCS_SCRIPT } from "../../lib/http/docsScript.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { sendFile } from "../../lib/http/staticFile.ts";

export const handler = endpoint({
  route: "GET /docs/scalar.js",
  access: "public",
  request: { query: z.strictObject({ v: z.optional(z.string().check(z.maxLength(100))) }) },
  response: { schema: z.string() },
  run: ({ conditions }) => sendFile(DOCS_SCRIPT, conditions),
});

export const docs: EndpointDocs = {
  summary: "Read the script of the API reference",
  description: "Used by `/docs`. It may be cached for a year.",
  fields: { v: "The version of the script." },
  mediaType: "text/javascript",
  example: {},
};
