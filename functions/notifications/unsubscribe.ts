/** DELETE /subscriptions/unsubscribe/{url_id}: removes one push subscription of the player, or all of them. */
import * as z from "zod/mini";
import { reloadOnRetry } from "../../lib/app/currentState.ts";
import { orHttpError, playerLookupError } from "../../lib/app/notifications/errors.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { checkedText } from "../../lib/http/textFields.ts";
import { MAX_ENDPOINT_LENGTH } from "../../lib/push/allowlist.ts";
import {
  endpointHash,
  subscriptionsOf,
  unsubscribeWrites,
} from "../../lib/store/notifications/subscriptions.ts";

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
  response: { schema: null, errors: "text", lookupError: playerLookupError(500) },
  run: async (call) => {
    const { now, query, services } = call;
    const hash = query.endpoint === undefined ? null : endpointHash(query.endpoint);
    const reload = reloadOnRetry(call);
    const attempt = async () => {
      const { player, game } = await reload();
      const own = await subscriptionsOf(services.store.db, player.player_id);
      const ended = hash === null ? own : own.filter(({ endpoint: one }) => endpointHash(one) === hash);
      // Otherwise the other devices would take it that the service has lost their subscriptions, and renew them.
      const after = { ...player, push_off_at: rfc3339(now) };
      const changes = hash === null ? { players: [{ before: player, after }], basedOn: game } : {};
      return { changes: { ...changes, writes: unsubscribeWrites(ended) }, result: null };
    };
    return orHttpError("The subscriptions could not be removed.", () => call.decide(attempt));
  },
});

export const docs: EndpointDocs = {
  summary: "Unsubscribe from push",
  description: "Removes all subscriptions of the player, or the one with the given endpoint.",
  fields: { endpoint: "The endpoint of the subscription to remove; all by default." },
  example: {},
};
