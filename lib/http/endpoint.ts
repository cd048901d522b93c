/**
 * The wrapper of every HTTP handler. It fixes the order of checks (docs/api.md, "Order of checks"): token, player,
 * role, body and query, and then the handler's own work. Every request gets a response.
 */
import middy from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type * as z from "zod/mini";
import { type Authenticated, authenticate, ME, PlayerLookupError, type Role } from "../auth/authenticate.ts";
import type { Token } from "../auth/token.ts";
import { isOfPlay } from "../domain/actions.ts";
import { DomainError, orFault } from "../domain/domainError.ts";
import { requireNotFinal } from "../domain/game/finish.ts";
import { type Game, NEW_GAME } from "../domain/game/game.ts";
import { commandContext, services as ownServices, type Services } from "../lambda/services.ts";
import { runInvocation, setInvocationPlayer, setInvocationTime } from "../runtime/invocation.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import type { Decision } from "../store/decide.ts";
import { type CommandResponse, earlierResponse, type IdempotentRequest } from "../store/idempotency.ts";
import { openAuditLog } from "./auditLog.ts";
import { clientAddress as clientAddressOf } from "./clientAddress.ts";
import {
  type Access,
  type AttemptOf,
  type CallBase,
  type CallOf,
  type Definition,
  type EndpointInfo,
  type Handler,
  isForStaff,
  type LoggedRoute,
  Nothing,
  type Work,
} from "./definition.ts";
import { entityTag } from "./etag.ts";
import { executeCommand } from "./executeCommand.ts";
import { publicOrigin, sourceAddress } from "./proxy.ts";
import { requestReader } from "./readRequest.ts";
import { lowerCaseHeaders } from "./requestBody.ts";
import { responder } from "./responder.ts";
import { type ResponseEncoder, responseEncoder } from "./responseEncoder.ts";
import { errorCode, type HttpResponse, jsonResponse, LookupError } from "./responses.ts";
import { readPresented } from "./sessionCookie.ts";

/** The role that a token must have. A visitor may have none instead. */
const ROLES: Readonly<Record<Access, Role | null>> = {
  public: null,
  visitor: "player",
  player: "player",
  moderator: "moderator",
  administrator: "administrator",
};

/** The last segment of the path that is not a parameter. */
const lastWord = (route: string): string =>
  route
    .split(/[ /]/)
    .filter((segment) => segment !== "" && !segment.startsWith("{"))
    .at(-1) ?? route;

/** Converts an authentication error for an endpoint that has its own status for a failed look-up. */
const authenticationError = (error: unknown, status: 403 | 500 | undefined): unknown => {
  if (status === undefined) return error instanceof PlayerLookupError ? error.cause : error;
  // Any error other than a rejected token is a failed look-up.
  return error instanceof DomainError ? error : new LookupError(status, error);
};

/** Carries out a command: each attempt gets the caller as of then, and `view` makes the response of a result. */
type Decide<A extends Access, B, Q, R> = <T>(
  decide: (call: AttemptOf<A, B, Q>) => Promise<Decision<T>>,
  view: (result: T, call: AttemptOf<A, B, Q>) => R,
) => Promise<CommandResponse>;

/** Does the work of an endpoint. @param callOf makes the call, with these fields in addition to those of every call */
const performer =
  <A extends Access, B, Q, R, M extends string, T>(work: Work<A, B, Q, R, M, T>) =>
  async (
    callOf: <C>(more: object) => C,
    decideBy: Decide<A, B, Q, R>,
    encoder: ResponseEncoder<R>,
  ): Promise<CommandResponse | HttpResponse> => {
    const same = (value: R): R => value;
    /** What the call of a job can do with its results. */
    const means = <V>(view: (result: V) => R) => ({
      decide: (attempt: (call: AttemptOf<A, B, Q>) => Promise<Decision<V>>) => decideBy(attempt, view),
      respond: (result: V) => encoder.encode(view(result)),
    });
    if (work.run !== undefined)
      return work.run(callOf(work.view === undefined ? means(same) : means(work.view)));
    if (work.decide !== undefined)
      return work.view === undefined ? decideBy(work.decide, same) : decideBy(work.decide, work.view);
    const call = callOf<CallOf<A, B, Q, R, M>>(means(same));
    if (work.view === undefined) return encoder.encode(await work.read(call));
    return encoder.encode(work.view(await work.read(call), call));
  };

/**
 * Makes a Lambda handler from an endpoint's definition.
 *
 * The work ({@link Work}) throws a `DomainError` to reject the request; the code determines the status. Any other error
 * becomes 500.
 */
export const endpoint = <
  A extends Access,
  B = Nothing,
  Q = Nothing,
  R = unknown,
  M extends string = string,
  T = R,
>(
  definition: Definition<A, B, Q, R, M> & LoggedRoute<A, M> & Work<A, B, Q, R, M, T>,
): Handler => {
  const { route, access, request, response } = definition;
  const { schema, errors = "problem" } = response;
  const status = response.status ?? (schema === null ? 204 : 200);
  const action = isForStaff(access) ? lastWord(route) : (definition.action ?? null);
  const isRead = route.startsWith("GET ");
  const takesReason = definition.takesReason ?? (isForStaff(access) && route.startsWith("POST "));
  const changesPlay = definition.changesPlay ?? (isForStaff(access) && isOfPlay(action ?? ""));
  const requirePlay = (game: Game | undefined, now: number): void => {
    if (changesPlay && game !== undefined) requireNotFinal(game, now);
  };
  const readRequest = requestReader(definition, {
    // Without a schema, the type `B` is `Nothing`, and so is the schema.
    body: request?.body ?? (Nothing as unknown as z.ZodMiniType<B>),
    query: request?.query ?? (Nothing as unknown as z.ZodMiniType<Q>),
    takesReason,
  });
  const encoder = responseEncoder(schema, status, response.incompleteStatus);
  const perform = performer(definition);

  const authenticateCaller = async (
    services: Services,
    token: Token | null,
    urlId: string,
    now: number,
  ): Promise<Authenticated | null> => {
    const role = ROLES[access];
    if (role === null) return null;
    try {
      return await authenticate(services.store, token, urlId, { role, decides: !isRead }, now);
    } catch (error) {
      throw authenticationError(error, response.lookupStatus);
    }
  };

  /** The game for a visitor without a token; `null` if a token is needed, or there is one. */
  const openGame = async ({ store }: Services, token: Token | null, now: number): Promise<Game | null> => {
    if (access !== "visitor" || token !== null) return null;
    const game = await mapBusyToUnavailable(store.shownGame(now));
    return game.settings.public_board ? game : null;
  };

  /** Requires, before a job starts, what each attempt at a command requires. A repeated request gets its response. */
  const requirePlayOrEarlier = async (
    { store }: Services,
    game: Game | undefined,
    idempotency: IdempotentRequest | undefined,
    now: number,
  ): Promise<void> => {
    try {
      requirePlay(game, now);
    } catch (error) {
      if ((await earlierResponse(store.db, idempotency, now)) === null) throw error;
    }
  };

  const handleRequest = async (
    services: Services,
    event: APIGatewayProxyEventV2,
    lambda: Context,
  ): Promise<HttpResponse> => {
    const { store } = services;
    const now = services.clock();
    setInvocationTime(now);
    const plainContext = commandContext(services, now);
    const headers = lowerCaseHeaders(event.headers ?? {});
    const requestId = lambda.awsRequestId;
    const clientAddress = clientAddressOf(sourceAddress(event, headers));

    const presented = readPresented(event, headers);
    const urlId = route.includes("{url_id}") ? (event.pathParameters?.url_id ?? "") : ME;
    const shown = await openGame(services, presented.token, now);
    const caller = shown === null ? await authenticateCaller(services, presented.token, urlId, now) : null;
    const playerId = caller?.player.player_id ?? "";
    if (caller !== null) setInvocationPlayer(caller.player.player_id);
    const auditLog = openAuditLog({ store, game: caller?.game ?? NEW_GAME }, action, plainContext, requestId);
    auditLog.fields.actor = caller?.player.player_id ?? null;

    try {
      const valid = await readRequest({ event, headers, playerId, clientAddress, services, now });
      const { idempotency, reason } = valid;
      const context = reason === undefined ? plainContext : { ...plainContext, reason };
      auditLog.fields.reason = reason;
      const timeLeft = () => lambda.getRemainingTimeInMillis();
      const base: CallBase<B, Q> = {
        ...valid,
        path: event.pathParameters ?? {},
        clientAddress,
        origin: publicOrigin(headers),
        services,
        now,
        context,
        requestId,
        timeLeft,
        conditions: {
          ifNoneMatch: isRead ? headers["if-none-match"] : undefined,
          acceptEncoding: headers["accept-encoding"],
        },
        audit: auditLog.fields,
        auditLog,
        replay: (stored) => encoder.replay(store, stored),
      };
      const fields = caller ?? (shown === null ? { presented } : { player: null, game: shown });
      const options = { store, access, caller, idempotency, auditLog, encoder, now, timeLeft };
      // `access` and the method determine which fields there are, and in the type of the call which may be used.
      const callOf = <C>(more: object): C => ({ ...base, ...fields, ...more }) as unknown as C;
      const decideBy: Decide<A, B, Q, R> = (decide, view) =>
        executeCommand(
          async ({ caller: current, isRetry }) => {
            requirePlay(current?.game, now);
            return decide(callOf({ ...current, isRetry }));
          },
          (value, { caller: current, isRetry }) => view(value, callOf({ ...current, isRetry })),
          options,
        );
      const work = () => perform(callOf, decideBy, encoder);
      if (definition.run !== undefined) await requirePlayOrEarlier(services, caller?.game, idempotency, now);
      const { faultMessage } = response;
      const result = await (faultMessage === undefined ? work() : orFault(faultMessage, work));
      await auditLog.close();
      if ("statusCode" in result) return result;
      const answer = jsonResponse(result.status, result.body);
      if (!isRead || result.body === null) return answer;
      const clock = { now, pausedAt: (caller?.game ?? shown)?.paused_at ?? null };
      const caching = response.cacheControl === undefined ? {} : { "cache-control": response.cacheControl };
      return { ...answer, headers: { ...answer.headers, ...caching, etag: entityTag(result.body, clock) } };
    } catch (error) {
      await (access === "public" ? auditLog.closeAttempt : auditLog.closeRejected)(errorCode(error));
      throw error;
    } finally {
      await caller?.useRecorded;
    }
  };

  const info: EndpointInfo = {
    route,
    access,
    request: { body: request?.body, query: request?.query },
    response: { schema, status, errors, cacheControl: response.cacheControl ?? "no-store" },
    isIdempotent: definition.idempotency !== undefined,
    changesPlay,
    takesReason,
    action,
  };

  const build = (services: () => Services): Handler => {
    const handle = middy<APIGatewayProxyEventV2, HttpResponse>({ timeoutEarlyInMillis: 0 })
      .use(responder(route, errors))
      .handler((event, lambda) => handleRequest(services(), event, lambda));
    return Object.assign(
      (event: APIGatewayProxyEventV2, lambda: Context) => runInvocation(() => handle(event, lambda)),
      { endpoint: info, on: (given: Services) => build(() => given) },
    );
  };
  return build(ownServices);
};
