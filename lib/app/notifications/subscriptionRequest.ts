/** What a browser sends to be subscribed: by the seed's form or its own, and what is wrong with it. */
import * as z from "zod/mini";
import type { Subscription } from "../../domain/push.ts";
import type { ValidationIssue } from "../../domain/validation.ts";
import { judged } from "../../http/fields.ts";
import { type AllowedHosts, authError, checkEndpoint, p256dhError } from "../../push/allowlist.ts";

const KEYS = { p256dh: judged(p256dhError), auth: judged(authError) };

const anything = z.optional(z.unknown());
const Places = z.object({ keys: anything, p256dh: anything, auth: anything });

/** Exactly one place for the keys of a browser: beside the endpoint, or under `keys` as a browser has them. */
const keysInOnePlace = z.superRefine<unknown>(
  (body, context) => {
    const given = Places.safeParse(body).data;
    if (given === undefined) return;
    for (const name of ["p256dh", "auth"] as const) {
      const isTwice = given.keys !== undefined && given[name] !== undefined;
      const isMissing = given.keys === undefined && given[name] === undefined;
      const message = isTwice ? "is given twice, here and in the keys" : "is missing";
      if (isTwice || isMissing) context.addIssue({ code: "custom", path: [name], message });
    }
  },
  // Beside faults of the fields too: a 400 names every fault.
  { when: () => true },
);

/** The seed's PushSubscriptionRequest, or a browser's own `PushSubscription.toJSON()`. */
export const PushSubscriptionRequest = z
  .strictObject({
    endpoint: z.string(),
    p256dh: z.optional(KEYS.p256dh),
    auth: z.optional(KEYS.auth),
    keys: z.optional(z.strictObject(KEYS)),
    expirationTime: z.optional(z.nullable(z.number())),
  })
  .check(keysInOnePlace);
export type PushSubscriptionRequest = z.infer<typeof PushSubscriptionRequest>;

/** What is wrong with the endpoint in a body, for a deployment that allows these hosts. */
export const endpointFaults = (allowed: AllowedHosts, body: unknown): ValidationIssue[] => {
  const given = z.object({ endpoint: z.string() }).safeParse(body);
  if (!given.success) return [];
  const verdict = checkEndpoint(given.data.endpoint, allowed);
  return "error" in verdict ? [{ path: "endpoint", message: verdict.error }] : [];
};

/** What a browser asks to be reached by, in whichever form it came. */
export const reachable = ({
  endpoint,
  keys,
  p256dh = keys?.p256dh ?? "",
  auth = keys?.auth ?? "",
}: PushSubscriptionRequest): Pick<Subscription, "endpoint" | "p256dh" | "auth"> => ({
  endpoint,
  p256dh,
  auth,
});
