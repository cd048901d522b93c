/** Reads a request: body, query and idempotency key, validated together. */
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import * as z from "zod/mini";
import type { ClientAddress } from "../auth/rateLimit.ts";
import { invalidRequest } from "../domain/domainError.ts";
import type { ValidationIssue } from "../domain/validation.ts";
import type { Services } from "../lambda/services.ts";
import { isRecord } from "../runtime/objects.ts";
import type { IdempotentRequest } from "../store/idempotency.ts";
import type { Access, Definition } from "./definition.ts";
import {
  distinctIssues,
  fingerprintRequest,
  type ParseResult,
  parseIdempotencyKey,
  parseShape,
  type RawBody,
  readJson,
  toRawBody,
} from "./requestBody.ts";
import { NoteText } from "./textFields.ts";

const NO_KEY: ParseResult<undefined> = { value: undefined, issues: [] };

/** A request as the gateway passed it on, its caller and the time of its arrival. */
export interface IncomingRequest {
  event: APIGatewayProxyEventV2;
  /** By name in lower case. */
  headers: RawBody["headers"];
  /** The caller; empty on a public endpoint. */
  playerId: string;
  clientAddress: ClientAddress;
  services: Services;
  /** Milliseconds since 1970. */
  now: number;
}

/** The schemas of a request; `Nothing` in place of one that the definition does not have. */
interface RequestSchemas<B, Q> {
  body: z.ZodMiniType<B>;
  query: z.ZodMiniType<Q>;
  /** Whether the body may have a `reason` besides the fields of its schema. */
  takesReason: boolean;
}

export interface ValidRequest<B, Q> {
  body: B;
  query: Q;
  idempotency: IdempotentRequest | undefined;
  reason: string | undefined;
}

interface SplitBody {
  rest: unknown;
  reason: string | undefined;
  issues: ValidationIssue[];
}

/** Takes the reason out of a body. */
const splitReason = (value: unknown): SplitBody => {
  if (!isRecord(value) || !("reason" in value)) return { rest: value, reason: undefined, issues: [] };
  const { reason, ...rest } = value;
  const parsed = parseShape(z.object({ reason: NoteText }), { reason });
  return { rest, reason: parsed.value?.reason, issues: parsed.issues };
};

/**
 * Makes the function that reads requests of one endpoint. It throws the DomainError `invalid_request`, with all issues
 * of body and query, or else of the idempotency key; and the errors of `parseBody` and `rateLimit`.
 */
export const requestReader = <A extends Access, B, Q, R>(
  definition: Omit<Definition<A, B, Q, R, string>, "run">,
  schemas: RequestSchemas<B, Q>,
) => {
  const { request = {}, idempotency: rule, rateLimit, validate } = definition;
  const [method = "", path = ""] = definition.route.split(" ");
  const { parseBody = readJson } = request;

  const idempotentRequest = async (
    key: string,
    { body, parsed }: { body: B; parsed: unknown },
    { playerId, services }: IncomingRequest,
  ): Promise<IdempotentRequest> => {
    const fingerprinted = await rule?.fingerprintedBody?.(body, key, services);
    const scope: "player" | ((body: B) => string) = rule?.scope ?? "player";
    return {
      who: scope === "player" ? playerId : scope(body),
      key,
      fingerprint: fingerprintRequest(method, path.replace("{url_id}", playerId), fingerprinted ?? parsed),
    };
  };

  return async (incoming: IncomingRequest): Promise<ValidRequest<B, Q>> => {
    const { event, headers, clientAddress, services, now } = incoming;
    const raw: ParseResult<unknown> =
      method === "GET" ? { value: {}, issues: [] } : parseBody(toRawBody(event, headers));
    const split: SplitBody = schemas.takesReason
      ? splitReason(raw.value)
      : { rest: raw.value, reason: undefined, issues: [] };
    const { rest, reason } = split;
    const body = parseShape(schemas.body, rest);
    const query = parseShape(schemas.query, event.queryStringParameters ?? {});
    const key = rule === undefined ? NO_KEY : parseIdempotencyKey(headers);
    const isValid = [raw, body, query, key].every(({ issues }) => issues.length === 0);
    await rateLimit?.({ services, clientAddress, now, body: raw.value, isValid });
    // What is looked up must be text that the table can have.
    const further = raw.issues.length === 0 ? await validate?.(raw.value, services) : [];
    const issues = [...raw.issues, ...body.issues, ...split.issues, ...(further ?? []), ...query.issues];
    if (issues.length > 0 || body.value === undefined || query.value === undefined) {
      throw invalidRequest(...distinctIssues(issues));
    }
    if (key.issues.length > 0) throw invalidRequest(...key.issues);
    const idempotency =
      key.value === undefined
        ? undefined
        : await idempotentRequest(key.value, { body: body.value, parsed: raw.value }, incoming);
    return { body: body.value, query: query.value, idempotency, reason };
  };
};
