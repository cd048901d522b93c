/** A client of the Humans vs Zombies backend, with types from its OpenAPI document. */
import { GameError, toGameError } from "./error.ts";
import { stopwatch, waitMs } from "./retry.ts";
import type {
  BodyOf,
  Exact,
  MaybeEmpty,
  Method,
  OtherThanJson,
  PathParametersOf,
  PathsOf,
  QueryOf,
  ResultOf,
  WithoutKey,
} from "./types.ts";

export type { FieldError } from "./error.ts";
export { GameError } from "./error.ts";
export type { BodyOf, components, paths, ResultOf } from "./types.ts";

export interface ClientOptions {
  /** The base URL of the service; the origin of the page by default. */
  baseUrl?: string;
  /** The token from `/login`. */
  token?: string;
  /** Authenticates with the session cookie instead of a token, on pages of the service's own origin. */
  cookie?: boolean;
  /** The maximum number of attempts per request; 5 by default. */
  attempts?: number;
  /** Restricts retries to some of the errors after which a retry is safe. */
  retries?: (error: GameError) => boolean;
  /**
   * Whether a result of a path has what the caller needs. One that has not counts as no response of the service (`network`),
   * as does every response of another type than the declared one: a captive portal or a proxy may have sent it.
   */
  accepts?: (path: string, value: unknown) => boolean;
  /** Replaces the global `fetch`. */
  fetch?: (url: string, request: RequestInit) => Promise<Response>;
  /** Replaces the timer that waits between attempts, which may end early when the signal is aborted. */
  sleep?: (milliseconds: number, signal?: AbortSignal) => Promise<void>;
}

interface CommonOptions {
  /** The `Idempotency-Key`; random by default. Store it to be able to retry a request after a restart. */
  key?: string;
  /** For GET: sends `If-None-Match`, and returns the same object as the last call if the service answers 304. */
  revalidate?: boolean;
  signal?: AbortSignal;
}

type QueryOption<P extends PathsOf<M>, M extends Method> = [QueryOf<P, M>] extends [never]
  ? { query?: never }
  : Record<never, never> extends QueryOf<P, M>
    ? { query?: QueryOf<P, M> }
    : { query: QueryOf<P, M> };

type PathOption<P extends PathsOf<M>, M extends Method> = keyof PathParametersOf<P, M> extends never
  ? { path?: never }
  : { path: PathParametersOf<P, M> };

type BodyOption<P extends PathsOf<M>, M extends Method, B> =
  undefined extends BodyOf<P, M>
    ? { body?: B & Exact<Exclude<BodyOf<P, M>, undefined>, B> }
    : { body: B & Exact<BodyOf<P, M>, B> };

type Options<P extends PathsOf<M>, M extends Method, B> = CommonOptions &
  QueryOption<P, M> &
  PathOption<P, M> &
  BodyOption<P, M, B>;

/** The `options` argument, which is optional if none of its fields is required. */
type OptionArgs<P extends PathsOf<M>, M extends Method, B> =
  Record<never, never> extends Options<P, M, B> ? [options?: Options<P, M, B>] : [options: Options<P, M, B>];

/** POST paths that ignore idempotency keys. They are retried only if nothing was executed. */
const WITHOUT_KEY: Readonly<Record<WithoutKey, true>> = {
  "/admin/import_players/{url_id}": true,
  "/admin/inject_sql/{url_id}": true,
  "/admin/recover_password/{url_id}": true,
  "/change_password": true,
  "/check_setup": true,
  "/confirm_email": true,
  "/forgot_password": true,
  "/get_pfp/{url_id}": true,
  "/get_player/{url_id}": true,
  "/login": true,
  "/logout": true,
  "/unsubscribe_email": true,
};

/** Longer waits, such as after a change of alias or after many unknown tag codes, are left to the caller. */
const MAX_WAIT_MS = 60_000;

interface LooseOptions extends CommonOptions {
  body?: unknown;
  query?: unknown;
  path?: unknown;
}

const urlOf = (baseUrl: string, pattern: string, { path, query }: LooseOptions): string => {
  const values: Record<string, unknown> = { url_id: "me", ...Object(path) };
  const filled = pattern.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));
  const given = Object.entries(Object(query)).filter(([, value]) => value !== undefined && value !== null);
  const search = new URLSearchParams(given.map(([name, value]): [string, string] => [name, String(value)]));
  return `${baseUrl}${filled}${search.size === 0 ? "" : `?${search}`}`;
};

const JSON_TYPE = "application/json";

/** The declared types of the paths whose result is not JSON. */
const OTHER_TYPES: Readonly<Record<OtherThanJson, string>> = {
  "/docs": "text/html",
  "/docs/scalar.js": "text/javascript",
  "/get_pfp/{url_id}": "image/webp",
  "/pfp/{url_id}": "image/webp",
  "/pictures/{picture_id}": "image/webp",
};

/** The paths that may succeed with 204, without a body. */
const MAYBE_EMPTY: Readonly<Record<MaybeEmpty, true>> = {
  "/admin/lift_suppression/{url_id}": true,
  "/admin/remove_player/{url_id}": true,
  "/admin/send_mail/{url_id}": true,
  "/change_password": true,
  "/confirm_email": true,
  "/delete_player/{url_id}": true,
  "/logout": true,
  "/subscriptions/unsubscribe/{url_id}": true,
  "/unsubscribe_email": true,
};

const isOther = (path: string): path is OtherThanJson => path in OTHER_TYPES;

/** A strong and a weak validator of the same content are equal here. */
const opaque = (etag: string): string => etag.replace("W/", "");

/**
 * Reads the result of a successful response: JSON, a `Blob`, or `undefined`.
 * @param cached the response that the request has revalidated
 * @throws TypeError if the response is not what the path declares
 */
const readResult = async (
  path: string,
  response: Response,
  cached: CachedResponse | undefined,
): Promise<unknown> => {
  const { status, headers } = response;
  const type = isOther(path) ? OTHER_TYPES[path] : JSON_TYPE;
  const unexpected = new TypeError(`${status} ${headers.get("content-type")} is no response to ${path}`);
  if (status === 304) {
    const etag = headers.get("etag");
    if (cached === undefined || (etag !== null && opaque(etag) !== opaque(cached.etag))) throw unexpected;
    return cached.value;
  }
  if (status === 204 && path in MAYBE_EMPTY) return undefined;
  if (!headers.get("content-type")?.startsWith(type)) throw unexpected;
  if (type !== JSON_TYPE) return response.blob();
  const value: unknown = await response.json();
  if (typeof value !== "object" || value === null) throw unexpected;
  return value;
};

/** Whether a retry may succeed and cannot execute the request twice. */
const shouldRetry = ({ status, code, turnedAway }: GameError, isRetrySafe: boolean): boolean =>
  turnedAway ||
  status === 429 ||
  (isRetrySafe && (status === 503 || code === "network" || (code === "gateway" && status >= 500)));

/** Waits until a time has passed or a signal is aborted, which the next attempt then reports. */
const waitFor = async (sleeping: Promise<void>, signal: AbortSignal | undefined): Promise<void> => {
  const ended = new AbortController();
  const aborted = new Promise<void>((resolve) =>
    signal?.addEventListener("abort", () => resolve(), { once: true, signal: ended.signal }),
  );
  await Promise.race([sleeping, aborted]);
  ended.abort();
};

interface CachedResponse {
  url: string;
  etag: string;
  value: unknown;
}

/** A request as it is sent. */
interface Sent {
  path: string;
  url: string;
  request: RequestInit;
  cached: CachedResponse | undefined;
}

export class GameClient {
  private readonly options: ClientOptions;
  /** The last response to a GET with `revalidate`, by path template; a new URL replaces the last. */
  private readonly cache = new Map<string, CachedResponse>();

  constructor(options: ClientOptions = {}) {
    this.options = options;
  }

  /** Returns a client with the same options and another token. */
  withToken(token: string): GameClient {
    return new GameClient({ ...this.options, token });
  }

  get<P extends PathsOf<"get">>(
    path: P,
    ...[options]: OptionArgs<P, "get", never>
  ): Promise<ResultOf<P, "get">> {
    return this.send("GET", path, options);
  }

  post<P extends PathsOf<"post">, const B extends BodyOf<P, "post">>(
    path: P,
    ...[options]: OptionArgs<P, "post", B>
  ): Promise<ResultOf<P, "post">> {
    return this.send("POST", path, options);
  }

  delete<P extends PathsOf<"delete">>(
    path: P,
    ...[options]: OptionArgs<P, "delete", never>
  ): Promise<ResultOf<P, "delete">> {
    return this.send("DELETE", path, options);
  }

  /** Iterates over the pages of a list by `next_cursor`. */
  async *pages<P extends PathsOf<"get">>(
    path: P,
    ...[options]: OptionArgs<P, "get", never>
  ): AsyncGenerator<ResultOf<P, "get">, void, undefined> {
    const given: LooseOptions = options ?? {};
    let cursor: unknown;
    do {
      const query = cursor === undefined ? given.query : { ...Object(given.query), cursor };
      const page = await this.send<ResultOf<P, "get">>(
        "GET",
        path,
        query === undefined ? given : { ...given, query },
      );
      yield page;
      cursor =
        typeof page === "object" && page !== null && "next_cursor" in page
          ? (page.next_cursor ?? undefined)
          : undefined;
    } while (cursor !== undefined);
  }

  private async send<R>(method: string, path: string, options: LooseOptions = {}): Promise<R> {
    const { baseUrl = "", token, cookie = false, attempts: maxAttempts = 5 } = this.options;
    const { retries = () => true } = this.options;
    const { fetch: fetchOnce = fetch, sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms)) } =
      this.options;
    const isRetrySafe = method !== "POST" || !(path in WITHOUT_KEY);
    const url = urlOf(baseUrl, path, options);
    const isCached = method === "GET" && options.revalidate === true;
    const last = isCached ? this.cache.get(path) : undefined;
    const cached = last?.url === url ? last : undefined;
    const request: RequestInit = {
      method,
      credentials: cookie ? "same-origin" : "omit",
      headers: {
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...(options.body === undefined ? {} : { "content-type": "application/json" }),
        ...(cached === undefined ? {} : { "if-none-match": cached.etag }),
        ...(method === "POST" ? { "idempotency-key": options.key ?? crypto.randomUUID() } : {}),
      },
      ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
    };
    for (let attempt = 1; ; attempt += 1) {
      const outcome = await this.tryOnce(fetchOnce, { path, url, request, cached });
      if (!(outcome instanceof GameError)) {
        const { etag, value } = outcome;
        if (isCached && etag !== null) this.cache.set(path, { url, etag, value });
        // The OpenAPI document guarantees the type of a successful response.
        return value as R;
      }
      const wait = waitMs(attempt, outcome.retryAfter);
      const isLast = attempt >= maxAttempts || wait > MAX_WAIT_MS || options.signal?.aborted === true;
      if (isLast || !shouldRetry(outcome, isRetrySafe) || !retries(outcome)) throw outcome;
      await waitFor(sleep(wait, options.signal), options.signal);
    }
  }

  /**
   * Sends the request once. Returns a `network` error without a complete response of the declared type, also after a timeout
   * of the caller's signal. @throws the reason of the caller's signal if it was aborted otherwise
   */
  private async tryOnce(
    fetchOnce: NonNullable<ClientOptions["fetch"]>,
    { path, url, request, cached }: Sent,
  ): Promise<{ etag: string | null; value: unknown } | GameError> {
    const { accepts = () => true } = this.options;
    const elapsed = stopwatch();
    try {
      const response = await fetchOnce(url, request);
      if (!response.ok && response.status !== 304) return await toGameError(response, elapsed());
      const value = await readResult(path, response, cached);
      if (!accepts(path, value)) throw new TypeError(`The response to ${path} has another shape.`);
      return { etag: response.headers.get("etag"), value };
    } catch (cause) {
      const { signal } = request;
      if (signal?.aborted === true && signal.reason?.name !== "TimeoutError") throw signal.reason;
      return new GameError("The service cannot be reached.", { cause });
    }
  }
}
