/** The body of a subscribe request: in the flat form of the API, or as a browser serialises a subscription. */
import * as z from "zod/mini";
import type { Subscription } from "../domain/notifications/push.ts";
import type { ValidationIssue } from "../domain/validation.ts";
import {
  type AllowedHosts,
  authError,
  checkEndpoint,
  MAX_ENDPOINT_LENGTH,
  p256dhError,
} from "../push/allowlist.ts";
import { checkedText } from "./textFields.ts";

/** The last instant that a `Date` can have, in milliseconds since 1970. */
const MAX_INSTANT = 8.64e15;

const KEYS = {
  p256dh: checkedText(p256dhError, { min: 87, max: 87 }),
  auth: checkedText(authError, { min: 22, max: 22 }),
};

const anything = z.optional(z.unknown());
const KeyFields = z.object({ keys: anything, p256dh: anything, auth: anything });

/** The keys are given exactly once: next to the endpoint, or under `keys` as in a browser's own form. */
const keysInOnePlace = z.superRefine<unknown>(
  (body, context) => {
    const given = KeyFields.safeParse(body).data;
    if (given === undefined) return;
    for (const name of ["p256dh", "auth"] as const) {
      const isTwice = given.keys !== undefined && given[name] !== undefined;
      const isMissing = given.keys === undefined && given[name] === undefined;
      const message = isTwice ? "is given twice, here and in the keys" : "is missing";
      if (isTwice || isMissing) context.addIssue({ code: "custom", path: [name], message });
    }
  },
  // Runs even when a field is invalid, because a 400 lists every issue.
  { when: () => true },
);

/** The flat form of the API, or a browser's own `PushSubscription.toJSON()`. */
export const PushSubscriptionRequest = z
  .strictObject({
    endpoint: z.string().check(z.maxLength(MAX_ENDPOINT_LENGTH)),
    p256dh: z.optional(KEYS.p256dh),
    auth: z.optional(KEYS.auth),
    keys: z.optional(z.strictObject(KEYS)),
    expirationTime: z.optional(z.nullable(z.number().check(z.minimum(0), z.maximum(MAX_INSTANT)))),
  })
  .check(keysInOnePlace);
export type PushSubscriptionRequest = z.infer<typeof PushSubscriptionRequest>;

/** The validation issues of the endpoint in a body. @param allowed the hosts that the deployment allows */
export const endpointIssues = (allowed: AllowedHosts, body: unknown): ValidationIssue[] => {
  const given = z.object({ endpoint: z.string() }).safeParse(body);
  if (!given.success) return [];
  const check = checkEndpoint(given.data.endpoint, allowed);
  return "error" in check ? [{ path: "endpoint", message: check.error }] : [];
};

/** The endpoint and keys of a request in either form. */
export const endpointAndKeys = ({
  endpoint,
  keys,
  p256dh = keys?.p256dh ?? "",
  auth = keys?.auth ?? "",
}: PushSubscriptionRequest): Pick<Subscription, "endpoint" | "p256dh" | "auth"> => ({
  endpoint,
  p256dh,
  auth,
});
