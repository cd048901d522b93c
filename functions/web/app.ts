/** GET /app/{path+}: serves the pages and files of the web app. */
import * as z from "zod/mini";
import { endpoint } from "../../lib/http/endpoint.ts";
import { sendFile } from "../../lib/http/staticFile.ts";
import { webFile } from "../../lib/http/webFiles.ts";

export const handler = endpoint({
  route: "GET /app/{path+}",
  access: "public",
  request: { query: z.record(z.string(), z.unknown()) },
  response: { schema: z.string() },
  run: async ({ path, conditions }) => sendFile(await webFile(path.path ?? ""), conditions),
});
