/** The definition of an endpoint, and the types of its handler's argument. */
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import * as z from "zod/mini";
import type { ClientAddress } from "../auth/rateLimit.ts";
import type { SessionEnds } from "../auth/sessions.ts";
import type { Action, ActionOf } from "../domain/actions.ts";
import type { Game } from "../domain/game/game.ts";
import type { Player } from "../domain/players/player.ts";
import type { ValidationIssue } from "../domain/validation.ts";
import type { Call } from "../lambda/call.ts";
import type { Services } from "../lambda/services.ts";
import type { Decision } from "../store/decide.ts";
import type { CommandResponse, IdempotentRequest } from "../store/idempotency.ts";
import type { ShownGame } from "../store/shownGame.ts";
import type { AuditLog } from "./auditLog.ts";
import type { ParseResult, RawBody } from "./requestBody.ts";
import type { ErrorFormat, HttpResponse } from "./responses.ts";
import type { Presented } from "./sessionCookie.ts";
import type { Conditions } from "./staticFile.ts";

/**
 * The role that an endpoint requires. Administrators may also call moderators' endpoints. It determines the type of the
 * call, so that a public handler has no `player`. A visitor is a player, or anybody without a token while the setting
 * `public_board` is on.
 */
export type Access = "public" | "visitor" | "player" | "moderator" | "administrator";

type Staff = "moderator" | "administrator";

/** Whether an endpoint is only for moderators and administrators. */
export const isForStaff = (access: Access): access is Staff =>
  access === "moderator" || access === "administrator";

/** The schema of an endpoint without a body or a query: no field at all. */
export const Nothing = z.strictObject({});

export type Nothing = z.infer<typeof Nothing>;

/** What a call of any endpoint has. */
export interface CallBase<B, Q> extends Call {
  body: B;
  query: Q;
  path: Readonly<Record<string, string | undefined>>;
  /** The client's address, as the gateway saw it. */
  clientAddress: ClientAddress;
  /** The origin that the client has opened, such as `https://game.example`; empty if only a proxy knows it. */
  origin: string;
  /** What the request says about how a file is sent, and whether at all. */
  conditions: Conditions;
  /** The request's idempotency key, scope and fingerprint, if it has a key. */
  idempotency: IdempotentRequest | undefined;
  /** The audit log entry itself, for a handler that writes it with its own changes. */
  auditLog: Pick<AuditLog, "entry" | "markWritten">;
  /** Encodes a stored response for a retry. @throws DomainError `player_not_found` if it is about a deleted player */
  replay: (stored: CommandResponse) => Promise<CommandResponse>;
}

interface CallerFields {
  player: Player;
  game: Game;
  sessionEnds: SessionEnds;
}

interface PublicFields {
  /** The token of the request, if there is one. */
  presented: Presented;
}

/** What a call of a player or of a visitor has. */
interface VisitorFields {
  /** `null` for somebody without a token. */
  player: Player | null;
  game: Game;
}

type FieldsOf<A extends Access> = A extends "public"
  ? PublicFields
  : A extends "visitor"
    ? VisitorFields
    : CallerFields;

/** A call of one attempt at a command. */
export type AttemptOf<A extends Access, B, Q> = CallBase<B, Q> & FieldsOf<A> & { isRetry: boolean };

interface Responder<R> {
  /** Encodes a response. Only declared fields are sent. */
  respond: (value: R) => CommandResponse;
}

/** A call of a command: of any method but GET. */
export type CommandCall<A extends Access, B, Q, R> = CallBase<B, Q> &
  FieldsOf<A> &
  Responder<R> & {
    /**
     * Carries out a command whose work is not one decision: calls `attempt`, and again if something that it read has
     * changed before its changes are written. The response is stored for retries, except on a public endpoint, whose
     * handler does that itself.
     */
    decide: (attempt: (call: AttemptOf<A, B, Q>) => Promise<Decision<R>>) => Promise<CommandResponse>;
  };

/** A call of a GET, which decides nothing: its game is for display only. */
export type ReadCallOf<A extends Access, Q, R> = CallBase<Nothing, Q> &
  FieldsOf<A> &
  Responder<R> &
  (A extends "public" ? unknown : { game: ShownGame });

/** The call of an endpoint with this method. */
export type CallOf<A extends Access, B, Q, R, M extends string> = M extends "GET"
  ? ReadCallOf<A, Q, R>
  : CommandCall<A, B, Q, R>;

/** A parsed request, as a rate limit needs it. */
export interface RateLimitedRequest {
  services: Services;
  clientAddress: ClientAddress;
  now: number;
  /** The body as parsed, before its schema was applied. */
  body: unknown;
  /** Whether body, query and idempotency key are valid so far; `validate` runs after the rate limit. */
  isValid: boolean;
}

interface RequestDefinition<B, Q> {
  body?: z.ZodMiniType<B>;
  /** Parses the body before its schema is applied; JSON by default. */
  parseBody?: (raw: RawBody) => ParseResult<unknown>;
  query?: z.ZodMiniType<Q>;
}

interface ResponseDefinition<R> {
  /** The shape of the response body; `null` for an empty one. A value of `undefined` gives an empty response with 204. */
  schema: z.ZodMiniType<R> | null;
  /** The status of success; 200 by default, or 204 without a schema. */
  status?: number;
  /** The status of a response with `complete: false`, if the queue continues the work; that of success by default. */
  incompleteStatus?: 202;
  /** How long clients and caches may keep a successful response; not at all by default. */
  cacheControl?: string;
  /** The format of errors; problem+json by default. */
  errors?: ErrorFormat;
  /** The status when the player cannot be looked up; 503 or 500 by default. */
  lookupStatus?: 403 | 500;
  /** What the response to an unexpected error says, and to one of a busy database. */
  faultMessage?: string;
}

interface IdempotencyDefinition<A extends Access, B> {
  /** The scope of the keys: the player, or on a public endpoint a text derived from the body. */
  scope: A extends "public" ? (body: B) => string : "player";
  /** The value to fingerprint in place of a body that contains a secret or bytes. */
  fingerprintedBody?: (body: B, key: string, services: Services) => Promise<unknown>;
}

/** An endpoint but for its work: its route, who may call it, its request and response. */
export interface Definition<A extends Access, B, Q, R, M extends string> {
  /** Method and path, as in `functions.yml`; see also {@link LoggedRoute}. */
  route: `${M} /${string}`;
  access: A;
  request?: RequestDefinition<B, Q>;
  response: ResponseDefinition<R>;
  /** Present where `Idempotency-Key` is honoured. */
  idempotency?: IdempotencyDefinition<A, B>;
  /** Runs before `validate` and the handler. @throws DomainError `too_many_attempts` */
  rateLimit?: (request: RateLimitedRequest) => Promise<void>;
  /**
   * Finds issues of the body that depend on the deployment, or on data that is loaded for this check alone. Does not run for a
   * body with values that no endpoint accepts.
   */
  validate?: (body: unknown, services: Services) => ValidationIssue[] | Promise<ValidationIssue[]>;
  /**
   * Whether the body may have a `reason`, for the audit log and for the interactions that the call records. By default
   * every POST of moderators and administrators may. Set `false` if the schema of the body has the field itself.
   */
  takesReason?: boolean;
  /**
   * Whether it changes what is played, so that a finished season rejects it. Of calls of moderators and administrators, the
   * table of actions says it (`isOfPlay`).
   */
  changesPlay?: A extends Staff ? never : true;
  /**
   * The action of the audit log entry that each call gets, rejected ones too. Without it, calls of players and of anybody
   * get none, and the action of moderators and administrators is the last word of the path.
   */
  action?: A extends Staff ? never : Action;
}

/** Calls of moderators and administrators are logged, so that the last word of their path must be an action of the log. */
export interface LoggedRoute<A extends Access, M extends string> {
  route: A extends Staff ? `${M} /${string}/${ActionOf<M>}/{url_id}` : string;
}

/**
 * The work of an endpoint. `read` returns a result, and `decide` a result with the changes that it requires; `view` makes
 * the response of a result, within the decision. Without `view`, the result is the response. `run` is for what is neither:
 * files, logins, and jobs that may outlast the request; `view` is then for the results that it decides or responds.
 */
export type Work<A extends Access, B, Q, R, M extends string, T> =
  | (ReadWork<CallOf<A, B, Q, R, M>, R, T> & { decide?: undefined; run?: undefined })
  | (DecideWork<AttemptOf<A, B, Q>, R, T> & { read?: undefined; run?: undefined })
  | (RunWork<A, B, Q, R, M, T> & { read?: undefined; decide?: undefined });

type ReadWork<C, R, T> =
  | { read: (call: C) => Promise<T>; view: (result: T, call: C) => R }
  | { read: (call: C) => Promise<NoInfer<R>>; view?: undefined };

type DecideWork<C, R, T> =
  | { decide: (call: C) => Promise<Decision<T>>; view: (result: T, call: C) => R }
  | { decide: (call: C) => Promise<Decision<NoInfer<R>>>; view?: undefined };

/** Only `view` determines `T`, so that without it `T` is `R`. */
interface RunWork<A extends Access, B, Q, R, M extends string, T> {
  run: (call: CallOf<A, B, Q, NoInfer<T>, M>) => Promise<CommandResponse | HttpResponse>;
  view?: (result: T) => R;
}

/** The parts of a handler's definition that contract tests and documentation use. */
export interface EndpointInfo {
  route: string;
  access: Access;
  request: { body: z.ZodMiniType | undefined; query: z.ZodMiniType | undefined };
  response: {
    schema: z.ZodMiniType | null;
    status: number;
    errors: ErrorFormat;
    cacheControl: string;
  };
  isIdempotent: boolean;
  /** Whether a finished season rejects it. */
  changesPlay: boolean;
  takesReason: boolean;
  /** The action in the audit log; `null` where calls are not logged. */
  action: string | null;
}

/** A Lambda handler of an endpoint. */
export interface Handler {
  (event: APIGatewayProxyEventV2, context: Context): Promise<HttpResponse>;
  endpoint: EndpointInfo;
  /** The same handler with other services. */
  on: (services: Services) => Handler;
}
