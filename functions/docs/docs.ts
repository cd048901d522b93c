/** GET /docs: the interactive API reference. */
import * as z from "zod/mini";
import { docsPage } from "../../lib/http/docsPage.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { sendFile } from "../../lib/http/staticFile.ts";

export const handler = endpoint({
  route: "GET /docs",
  access: "public",
  response: { schema: z.string() },
  run: ({ conditions }) => sendFile(docsPage(), conditions),
});

export const docs: EndpointDocs = {
  summary: "Open the API reference",
  description: "An interactive API reference for browsers, where every call can be tried. It needs no token.",
  mediaType: "text/html",
  example: {},
};
