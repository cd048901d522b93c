/** The responses of operations: of success, and of errors by status and code. */
import type { ErrorCode } from "../../lib/domain/domainError.ts";
import { MEANINGS } from "../../lib/domain/errorMeanings.ts";
import { type EndpointInfo, isForStaff } from "../../lib/http/definition.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import type { ErrorFormat } from "../../lib/http/responses.ts";
import { STATUS } from "../../lib/http/statuses.ts";
import { type Json, ref } from "./schemas.ts";

type Code = ErrorCode | "internal";

/** The errors that every endpoint of a kind has, besides those that its documentation names. */
const commonErrors = ({
  route,
  access,
  isIdempotent,
  changesPlay,
}: Pick<EndpointInfo, "route" | "access" | "isIdempotent" | "changesPlay">): Code[] => {
  const isRead = route.startsWith("GET ");
  return [
    "invalid_request",
    ...(isForStaff(access) ? (["not_administrator"] as const) : []),
    ...(access === "public" ? [] : (["token_rejected", "player_not_found"] as const)),
    ...(isRead ? [] : (["too_large", "unsupported_media_type"] as const)),
    ...(isIdempotent ? (["key_reused"] as const) : []),
    ...(changesPlay ? (["not_running"] as const) : []),
    "unavailable",
    "internal",
  ];
};

const statusOf = (code: Code, { response }: EndpointInfo): number => {
  const status = code === "internal" ? 500 : STATUS[code];
  // The notification endpoints never respond with 503.
  return response.errors === "text" && status === 503 ? 500 : status;
};

/** The codes of an endpoint's errors, by status in order. */
export const errorsOf = (info: EndpointInfo, docs: EndpointDocs): Map<number, Code[]> => {
  const codes = [...new Set([...(docs.errors ?? []), ...commonErrors(info)])];
  const byStatus = Map.groupBy(codes.toSorted(), (code) => statusOf(code, info));
  return new Map([...byStatus].toSorted(([one], [other]) => one - other));
};

const describeCodes = (codes: readonly Code[]): string =>
  codes.map((code) => `\`${code}\`: ${MEANINGS[code]}`).join(" ");

type ByStatus = ReadonlyMap<number, readonly Code[]>;

/** A response with these errors. It has their meanings; those of a class of statuses are in the schema `Problem`. */
const errorResponse = (byStatus: ByStatus, form: ErrorFormat, isClass: boolean): Json => {
  const codes = [...byStatus.values()].flat();
  const lines = [...byStatus].map(
    ([status, some]) => `${status} ${some.map((code) => `\`${code}\``).join(", ")}`,
  );
  const isRetryable = byStatus.has(429) || byStatus.has(503);
  const properties = { code: codes.length === 1 ? { const: codes[0] } : { enum: codes } };
  return {
    description: isClass ? `${lines.join("; ")}.` : describeCodes(codes),
    ...(isRetryable ? { headers: { "Retry-After": ref("headers", "RetryAfter") } } : {}),
    content:
      form === "text"
        ? { "text/plain": { schema: ref("schemas", "ErrorText") } }
        : { "application/problem+json": { schema: { allOf: [ref("schemas", "Problem"), { properties }] } } },
  };
};

/** Adds a component, under a number if the name is taken by another one, and returns its name. */
const nameComponent = (name: string, component: Json, components: Record<string, Json>): string => {
  const text = JSON.stringify(component);
  for (let number = 1; ; number += 1) {
    const numbered = number === 1 ? name : `${name}.${number}`;
    if (components[numbered] === undefined) components[numbered] = component;
    if (JSON.stringify(components[numbered]) === text) return numbered;
  }
};

/**
 * The responses to errors. A status with a code that the documentation of the endpoint names has a response of its own.
 * The errors that all endpoints of a kind have are one response for each class of statuses, such as `4XX`.
 * @param components gets the components that they refer to
 */
export const errorResponses = (
  info: EndpointInfo,
  docs: EndpointDocs,
  components: Record<string, Json>,
): Record<string, Json> => {
  const form = info.response.errors;
  const own = new Set<Code>(docs.errors ?? []);
  const kind = commonErrors(info).toSorted();
  const common = Map.groupBy(
    Map.groupBy(kind, (code) => statusOf(code, info)),
    ([status]) => `${Math.floor(status / 100)}XX`,
  );
  const named = [...errorsOf(info, docs)].filter(([, codes]) => codes.some((code) => own.has(code)));
  const all: [string, [number, Code[]][]][] = [
    ...named.map(([status, codes]): [string, [number, Code[]][]] => [String(status), [[status, codes]]]),
    ...[...common].toSorted(([one], [other]) => (one < other ? -1 : 1)),
  ];
  return Object.fromEntries(
    all.map(([key, errors]) => {
      const codes = errors.flatMap(([, some]) => some.filter((code) => own.has(code)));
      const name = [key, ...(form === "text" ? ["text"] : []), ...codes.slice(0, 1)].join(".");
      const byStatus = new Map(errors.toSorted(([one], [other]) => one - other));
      return [
        key,
        ref("responses", nameComponent(name, errorResponse(byStatus, form, key.endsWith("XX")), components)),
      ];
    }),
  );
};

/** The meanings of the codes that kinds of endpoints have in common; other codes are explained by their responses. */
const MEANINGS_TEXT = commonErrors({
  route: "POST",
  access: "administrator",
  isIdempotent: true,
  changesPlay: false,
})
  .map((code) => `- \`${code}\`: ${MEANINGS[code]}`)
  .join("\n");

/** The parts of the document that every operation shares. */
export const SHARED: Json = {
  securitySchemes: {
    token: { type: "http", scheme: "bearer", description: "The `token` from `/login`." },
    session: {
      type: "apiKey",
      in: "cookie",
      name: "__Host-session",
      description:
        "For pages of the service's own origin: set by `/login` with `cookie: true`. On this machine without TLS its name is `zombie-session`.",
    },
  },
  parameters: {
    url_id: {
      name: "url_id",
      in: "path",
      required: true,
      description: "The id of the calling player, or `me`.",
      schema: { type: "string" },
      example: "me",
    },
    IdempotencyKey: {
      name: "Idempotency-Key",
      in: "header",
      description:
        "A retry with the same key returns the same response and changes nothing. Kept for 24 hours.",
      schema: { type: "string", minLength: 1, maxLength: 128, pattern: "^[!-~]+$" },
    },
  },
  headers: {
    RetryAfter: {
      description: "After how many seconds to try again.",
      required: true,
      schema: { type: "integer", minimum: 1 },
    },
  },
  responses: {
    Unchanged: {
      description: "Unchanged: `If-None-Match` has the `ETag` of this response.",
      headers: { ETag: { schema: { type: "string" } } },
    },
  },
  schemas: {
    ErrorText: { type: "string", description: "A sentence that can be shown to a player." },
    Problem: {
      type: "object",
      description: "A problem (RFC 9457).",
      properties: {
        type: { type: "string", format: "uri", description: "The code as a URN." },
        title: { type: "string", description: "The code in words." },
        status: { type: "integer", description: "The HTTP status." },
        detail: { type: "string", description: "A sentence that can be shown to a player." },
        code: { type: "string", description: MEANINGS_TEXT },
        request_id: { type: "string", description: "The id of the request, which is in the log." },
        errors: { type: "array", items: ref("schemas", "FieldError"), description: "Of 400: every error." },
      },
      required: ["type", "title", "status", "detail", "code", "request_id"],
      example: {
        type: "urn:zombie-game:problem:already_tagged",
        title: "Already tagged",
        status: 409,
        detail: "This tag code has been used: its player was tagged before.",
        code: "already_tagged",
        request_id: "7f0c2a54-9d5e-4a56-9a54-0a2f6c1f6a11",
      },
    },
    FieldError: {
      type: "object",
      description: "An error of one field.",
      properties: {
        path: { type: "string", description: "The field, as in `keys.auth`; empty for the whole body." },
        message: { type: "string", description: "A sentence that can be shown to a player." },
        code: { enum: ["invalid", "in_future", "too_late"], description: "What is wrong." },
        params: {
          type: "object",
          description:
            "The values in the message. Of an invalid alias: `character` and `code_point`, and `suggestion`, the nearest valid alias if there is one.",
        },
      },
      required: ["path", "message", "code"],
    },
  },
};
