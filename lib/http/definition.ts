/** The definition of an endpoint, and what its handler is called with. */
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import * as z from "zod/mini";
import type { ClientAddress } from "../auth/rateLimit.ts";
import type { Game } from "../domain/clock.ts";
import type { DomainError } from "../domain/domainError.ts";
import type { CommandContext } from "../domain/outcome.ts";
import type { Player } from "../domain/player.ts";
import type { ValidationIssue } from "../domain/validation.ts";
import type { Services } from "../lambda/services.ts";
import type { Changes } from "../store/changes.ts";
import type { CommandResponse, IdempotentRequest } from "../store/idempotency.ts";
import type { AuditLog, Note } from "./auditLog.ts";
import type { ParseResult, RawBody } from "./requestBody.ts";
import type { ErrorForm, HttpError, Reply } from "./responses.ts";

/** Who may call an endpoint. It decides what the handler is given: a public one has no player to misuse. */
export type Access = "public" | "player" | "administrator";

/** No field at all; what an endpoint without a schema of its own accepts. */
export const Nothing = z.strictObject({});

export type Nothing = z.infer<typeof Nothing>;

/**
 * What an attempt at a command came to, in the handler's own words. `names` are the aliases in the answer, by player id,
 * of those who are neither the asker nor changed.
 */
export type CommandResult<R> =
  | { changes: Changes; answer: R; names?: ReadonlyMap<string, string> }
  | { changes: Changes; refusal: DomainError };

export interface AnyCall<B, Q, R> {
  body: B;
  query: Q;
  /** The request's headers, by their names in lower case. */
  headers: Record<string, string | undefined>;
  /** Where the request comes from, as the gateway saw it. */
  source: ClientAddress;
  services: Services;
  /** When the request came, in milliseconds since 1970: everything in it is judged at this instant. */
  now: number;
  moment: CommandContext;
  requestId: string;
  /** Milliseconds until the gateway stops waiting. */
  timeLeft: () => number;
  /** What the log entry of this call will say; the handler fills in what it finds out. */
  note: Note;
  /** The log entry itself, for a handler that writes it with changes of its own. */
  log: Pick<AuditLog, "entry" | "written">;
  /** Turns an answer into what goes out: only declared fields do. */
  answer: (value: R) => CommandResponse;
  /** Turns a stored response into what goes out again. @throws DomainError `player_not_found` for one whose player has left */
  repeat: (stored: CommandResponse) => Promise<CommandResponse>;
  /** Reads, judges and writes, again and again until nothing has moved in between. */
  decide: (attempt: (again: boolean) => Promise<CommandResult<R>>) => Promise<CommandResponse>;
}

interface PlayerCall {
  player: Player;
  game: Game;
  /** The key under which this request is carried out once, when it has one. */
  once: IdempotentRequest | undefined;
}

interface PublicCall {
  authorization: string | undefined;
  /** The same; there is no player yet for whom the response could be stored, so the handler does that itself. */
  once: Omit<IdempotentRequest, "who"> | undefined;
}

export type Call<A extends Access, B, Q, R> = AnyCall<B, Q, R> &
  (A extends "public" ? PublicCall : PlayerCall);

/** An endpoint: what it is called, who may call it, what goes in and what comes out. */
export interface Definition<A extends Access, B, Q, R> {
  /** Method and path, as in `serverless.yml`. */
  route: string;
  access: A;
  body?: z.ZodMiniType<B>;
  /** How the body is read before `body` judges it; as JSON unless said. */
  readBody?: (raw: RawBody) => ParseResult<unknown>;
  /** What comes before any work for a request, and before `alsoWrong`: a throttle. `given` is what came as a body. */
  first?: (call: {
    services: Services;
    source: ClientAddress;
    now: number;
    given: unknown;
    isValid: boolean;
  }) => Promise<void>;
  /** Faults of the body that no schema sees: they depend on the deployment, or on what is loaded for them alone. */
  alsoWrong?: (given: unknown, services: Services) => ValidationIssue[] | Promise<ValidationIssue[]>;
  query?: z.ZodMiniType<Q>;
  /** The shape of the answer; `null` for an empty one. A value of `undefined` is an empty answer too, with 204. */
  answer: z.ZodMiniType<R> | null;
  /** The status of success; 200, or 204 for an empty answer, unless said. */
  status?: number;
  /** Whether `Idempotency-Key` is honoured. */
  once?: boolean;
  /** The body as it is fingerprinted, for one that holds a secret; as it came unless said. */
  fingerprinted?: (body: B, key: string, services: Services) => Promise<unknown>;
  /** Whether each call is logged, refused ones too; every administrator's is. */
  logged?: boolean;
  /** How errors are written; problem+json unless said. */
  errors?: ErrorForm;
  /** What is said when the player cannot be looked up; 503 or 500 unless said. */
  lookupFault?: HttpError;
  run: (call: Call<A, B, Q, R>) => Promise<CommandResponse | Reply>;
}

/** A handler, and what it was made from: for the contract's tests and the documentation. */
export interface Handler {
  (event: APIGatewayProxyEventV2, context: Context): Promise<Reply>;
  endpoint: Pick<
    Definition<Access, unknown, unknown, unknown>,
    "route" | "access" | "once" | "errors" | "status"
  > & {
    body: z.ZodMiniType | undefined;
    query: z.ZodMiniType | undefined;
    answer: z.ZodMiniType | null;
    /** What the log calls it; `null` where calls are not logged. */
    action: string | null;
  };
  /** The same handler with other services. */
  on: (services: Services) => Handler;
}
