/** Requests in the model, and the input and result of a rule. */
import type { BodyOf, PathsOf, QueryOf } from "../../../client/src/types.ts";
import { SECOND } from "../../../lib/domain/time.ts";
import { STATUS_OF } from "../../contract/statuses.ts";
import type { Model, Player, RecordedEvent } from "./state.ts";

export type Route = `GET ${PathsOf<"get">}` | `POST ${PathsOf<"post">}` | `DELETE ${PathsOf<"delete">}`;

type OrEmpty<T> = [T] extends [never] ? Record<never, never> : T;

/** The input of an endpoint: the body, or the query of a GET. */
export type Input<R extends Route> = R extends `POST ${infer P extends PathsOf<"post">}`
  ? OrEmpty<NonNullable<BodyOf<P, "post">>>
  : R extends `GET ${infer P extends PathsOf<"get">}`
    ? OrEmpty<QueryOf<P, "get">>
    : Record<never, never>;

/** How a request names a player. */
export type Ref = { alias?: string; player_id?: string };

interface RequestTo<R extends Route> {
  route: R;
  body: Input<R>;
  /** The `{url_id}`, and the token. */
  by: string | null;
  token: string | null;
  /** Idempotency-Key. */
  key: string | null;
}
/** A request to any endpoint, or to one of the given ones. */
export type Request<R extends Route = Route> = { [Each in R]: RequestTo<Each> }[R];

/** What the model cannot predict: ids and secrets that the service has generated. */
export interface ServiceFacts {
  /** A text of the response. */
  field: (field: string) => string;
  /** The text of the whole response. */
  text: string;
  /** The present tag code of a player. */
  codeOf: (player: string) => string;
  /** The events that this step recorded. */
  recorded: readonly RecordedEvent[];
}

/** The rest of a request. */
export interface Call extends ServiceFacts {
  token: string | null;
  /** Who has called, for the log. */
  actor: string | null;
}

/** The result of a rule; without a body for one that is not JSON. */
export interface ModelResponse {
  status: number;
  body?: unknown;
}

/** The response that the model expects. */
export interface Expected extends ModelResponse {
  /** The code of an error. */
  code?: string;
  /** Seconds until a retry may succeed; 0 without such a header. */
  retryAfter?: number;
  /** The exact text of a repeated response. */
  text?: string;
  /** Whether it is the response of an earlier request. */
  isRepeated?: boolean;
}

/** The rule of an endpoint. A public one has no caller. */
export type Rule<R extends Route> = (m: Model, body: Input<R>, caller: Player, call: Call) => ModelResponse;

/** Some of the rules, by endpoint. */
export type Rules = { [R in Route]?: Rule<R> };

export const DONE: ModelResponse = { status: 204 };
export const ok = (body: unknown): ModelResponse => ({ status: 200, body });

/** A request that the rules reject. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  readonly code: keyof typeof STATUS_OF;
  readonly status: number;
  readonly retryAfter: number;

  /** @param wait milliseconds until a retry may succeed */
  constructor(code: keyof typeof STATUS_OF, wait = 0) {
    super(code);
    this.code = code;
    this.status = STATUS_OF[code];
    this.retryAfter = Math.ceil(wait / SECOND);
  }
}

/** @throws ModelError unless the condition holds */
export function requireThat(holds: boolean, code: ModelError["code"]): asserts holds {
  if (!holds) throw new ModelError(code);
}
