/** GET /: the landing page of the web app. */
import * as z from "zod/mini";
import { readNaming } from "../../lib/app/game/naming.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { sendFile } from "../../lib/http/staticFile.ts";
import { webFile } from "../../lib/http/webFiles.ts";

export const handler = endpoint({
  route: "GET /",
  access: "public",
  request: { query: z.record(z.string(), z.unknown()) },
  response: { schema: z.string() },
  run: async (call) => sendFile(await webFile("", call, () => readNaming(call)), call.conditions),
});
