/** GET /notifications/vapid_public_key: the key that a browser needs to subscribe. */
import * as z from "zod/mini";
import { endpoint } from "../../lib/http/endpoint.ts";
import { withKeys } from "../../lib/http/notifications.ts";

export const handler = endpoint({
  route: "GET /notifications/vapid_public_key",
  access: "public",
  answer: z.object({ public_key: z.string() }),
  errors: "text",
  run: async (call) => call.answer({ public_key: withKeys(call.services.push).vapid.publicKey }),
});
