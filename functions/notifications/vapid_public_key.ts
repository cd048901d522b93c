/** GET /notifications/vapid_public_key: the key that a browser needs to subscribe. */
import * as z from "zod/mini";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { keysToTry } from "../../lib/secrets/rotation.ts";

export const handler = endpoint({
  route: "GET /notifications/vapid_public_key",
  access: "public",
  response: { schema: z.object({ public_key: z.string() }), errors: "text" },
  read: async (call) => {
    const { withVapidKeys } = await import("../../lib/app/notifications/pushKeys.ts");
    const { vapid } = await withVapidKeys(call.services.push);
    const [used] = keysToTry(vapid, call.now);
    return { public_key: used?.publicKey ?? "" };
  },
});

export const docs: EndpointDocs = {
  summary: "Read the public key for push",
  description: "The `applicationServerKey` for `pushManager.subscribe`. It needs no token.",
  fields: { public_key: "The key, in base64url." },
  example: {},
};
