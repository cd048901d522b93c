/** DELETE /subscriptions/unsubscribe/{url_id}: removes one push subscription of the player, or all of them. */
import * as z from "zod/mini";
import { unsubscribe } from "../../lib/app/notifications/subscribe.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { checkedText } from "../../lib/http/textFields.ts";
import { MAX_ENDPOINT_LENGTH } from "../../lib/push/allowlist.ts";

// Accepts any URL, so that endpoints that are no longer on the allowlist can be removed.
const urlError = (text: string): string | null => {
  if (text.length > MAX_ENDPOINT_LENGTH) return `must have at most ${MAX_ENDPOINT_LENGTH} characters`;
  return URL.canParse(text) ? null : "must be a URL";
};

export const handler = endpoint({
  route: "DELETE /subscriptions/unsubscribe/{url_id}",
  access: "player",
  request: {
    query: z.strictObject({
      endpoint: z.optional(checkedText(urlError, { min: 1, max: MAX_ENDPOINT_LENGTH })),
    }),
  },
  response: {
    schema: null,
    errors: "text",
    lookupStatus: 500,
    faultMessage: "The subscriptions could not be removed.",
  },
  decide: (call) => unsubscribe(call, call.query.endpoint),
});

export const docs: EndpointDocs = {
  summary: "Unsubscribe from push",
  description: "Removes all subscriptions of the player, or the one with the given endpoint.",
  fields: { endpoint: "The endpoint of the subscription to remove; all by default." },
  example: {},
};
