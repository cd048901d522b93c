/**
 * The one wrapper of every HTTP handler. It fixes the order of checks (contract, section 1): token, player,
 * right, body and query, and only then the handler's own work; and it answers whatever happens.
 */
import middy from "@middy/core";
import type { APIGatewayProxyEventV2, Context } from "aws-lambda";
import type * as z from "zod/mini";
import { authenticate, LookupFault } from "../auth/authenticate.ts";
import type { ClientAddress } from "../auth/rateLimit.ts";
import { DomainError, invalid, playerNotFound } from "../domain/domainError.ts";
import { commandContext, services as ownServices, type Services } from "../lambda/services.ts";
import { admittedAs, runInvocation } from "../runtime/invocation.ts";
import { mapBusyToUnavailable } from "../store/commit.ts";
import type { Decision } from "../store/decide.ts";
import { type CommandResponse, earlierResponse } from "../store/idempotency.ts";
import type { Store } from "../store/store.ts";
import { openAuditLog } from "./auditLog.ts";
import { clientAddressOfEvent } from "./clientAddress.ts";
import {
  type Access,
  type AnyCall,
  type Call,
  type CommandResult,
  type Definition,
  type Handler,
  Nothing,
} from "./definition.ts";
import {
  distinct,
  fingerprint,
  lowerCased,
  type ParseResult,
  parseIdempotencyKey,
  parseShape,
  rawBody,
  readJson,
} from "./requestBody.ts";
import { responder } from "./responder.ts";
import { codeOf, HttpError, type Reply, reply } from "./responses.ts";
import { type NamedPlayers, namedPlayers, withNames, withoutNames } from "./storedNames.ts";

const NO_KEY: ParseResult<undefined> = { value: undefined, faults: [] };

/** The last path word before `{url_id}`: what the log calls the action. */
const actionOf = (route: string): string =>
  route
    .split(/[ /]/)
    .filter((word) => word !== "" && !word.startsWith("{"))
    .at(-1) ?? route;

/**
 * Makes a Lambda handler of an endpoint's definition.
 *
 * The handler's `run` returns `call.answer(…)` or what `call.decide(…)` came to; it throws a `DomainError` for what the
 * game forbids, which becomes its status, and lets true faults fly, which become 500.
 */
export const endpoint = <A extends Access, B = Nothing, Q = Nothing, R = unknown>(
  definition: Definition<A, B, Q, R>,
): Handler => {
  const { route, access, answer, errors = "problem" } = definition;
  const status = definition.status ?? (answer === null ? 204 : 200);
  const action = (definition.logged ?? access === "administrator") ? actionOf(route) : null;
  const [method = "", path = ""] = route.split(" ");
  const { readBody = readJson } = definition;
  // A definition without a schema has Nothing for its type, and Nothing for its schema.
  const bodySchema = definition.body ?? (Nothing as unknown as z.ZodMiniType<B>);
  const querySchema = definition.query ?? (Nothing as unknown as z.ZodMiniType<Q>);

  /** @param named whom the answer names, where it is to be stored for retries */
  const encode = (value: R, named?: NamedPlayers): CommandResponse => {
    if (answer === null) return { status, body: null };
    if (value === undefined) return { status: 204, body: null };
    const shown = answer.parse(value);
    const stored = named && { stored: JSON.stringify(withoutNames(shown, named)) };
    return { status, body: JSON.stringify(shown), ...stored };
  };

  const encodeAgain = async (
    store: Store,
    { status: was, body }: CommandResponse,
  ): Promise<CommandResponse> => {
    if (body === null) return { status: was, body };
    const shown = await mapBusyToUnavailable(withNames(store, JSON.parse(body)));
    // Where the schema allows no name to be missing, the answer is about the player who has left.
    if (shown.hasLeft && answer?.safeParse(shown.body).success !== true) throw playerNotFound();
    return { status: was, body: JSON.stringify(shown.body) };
  };

  const enter = async (given: Services, authorization: string | undefined, urlId: string, now: number) => {
    if (access === "public") return null;
    try {
      return await authenticate(
        given.store,
        authorization,
        urlId,
        { right: access, decides: method !== "GET" },
        now,
      );
    } catch (error) {
      const { lookupFault } = definition;
      if (lookupFault === undefined) throw error instanceof LookupFault ? error.cause : error;
      // Whatever fails at the door beside the token's own check is the look-up.
      throw error instanceof DomainError
        ? error
        : new HttpError(lookupFault.status, lookupFault.message, error);
    }
  };

  /** Body, query and key. @throws DomainError `invalid_request` naming every fault of them all; and what `readBody` throws */
  const readRequest = async (
    given: Services,
    event: APIGatewayProxyEventV2,
    headers: Record<string, string | undefined>,
    { source, now }: { source: ClientAddress; now: number },
  ) => {
    const raw = method === "GET" ? { value: {}, faults: [] } : readBody(rawBody(event, headers));
    const body = parseShape(bodySchema, raw.value);
    const query = parseShape(querySchema, event.queryStringParameters ?? {});
    const key = definition.once === true ? parseIdempotencyKey(headers) : NO_KEY;
    const isValid = [raw, body, query, key].every(({ faults }) => faults.length === 0);
    await definition.first?.({ services: given, source, now, given: raw.value, isValid });
    const faults = [
      ...raw.faults,
      ...body.faults,
      ...((await definition.alsoWrong?.(raw.value, given)) ?? []),
      ...query.faults,
    ];
    if (faults.length > 0 || body.value === undefined || query.value === undefined) {
      throw invalid(...distinct(faults));
    }
    if (key.faults.length > 0) throw invalid(...key.faults);
    return { raw: raw.value, body: body.value, query: query.value, key: key.value };
  };

  const work = async (given: Services, event: APIGatewayProxyEventV2, context: Context) => {
    const now = given.clock();
    const moment = commandContext(given, now);
    const headers = lowerCased(event.headers ?? {});
    const urlId = event.pathParameters?.url_id ?? "";
    const requestId = context.awsRequestId;

    const who = await enter(given, headers.authorization, urlId, now);
    if (who !== null) admittedAs(who.player.player_id);
    const callLog = openAuditLog(given.store, action, moment, requestId);
    callLog.note.actor = who?.player.player_id ?? null;

    try {
      const source = clientAddressOfEvent(event);
      const { raw, body, query, key } = await readRequest(given, event, headers, { source, now });
      const request = key && {
        key,
        fingerprint: fingerprint(
          method,
          path.replace("{url_id}", urlId),
          (await definition.fingerprinted?.(body, key, given)) ?? raw,
        ),
      };
      const once = request && who !== null ? { who: who.player.player_id, ...request } : undefined;
      const timeLeft = () => context.getRemainingTimeInMillis();

      const decide = async (
        attempt: (again: boolean) => Promise<CommandResult<R>>,
      ): Promise<CommandResponse> => {
        const noted = { ...callLog.note };
        // Some commands of game masters can be carried out twice. So they look first for what an earlier version of the
        // service has stored, which the transaction below does not meet.
        const earlier = access === "administrator" ? await earlierResponse(given.store.db, once, now) : null;
        const decided =
          earlier ??
          (await given.store.decide(
            async (again): Promise<Decision> => {
              // Whom an earlier attempt has found, or let in, is not who this one may find.
              Object.assign(callLog.note, noted);
              const judged = await attempt(again);
              if ("refusal" in judged) return { changes: judged.changes, error: judged.refusal };
              const { changes, names } = judged;
              const entry = callLog.entry("done");
              const named = once === undefined ? undefined : namedPlayers(who?.player, changes, names);
              return {
                changes: entry === undefined ? changes : { ...changes, log: entry },
                response: encode(judged.answer, named),
              };
            },
            { idempotent: once, timeLeft, now },
          ));
        if (decided.isNew) {
          callLog.written();
          return decided.response;
        }
        // What a repeated request would have done now is not what it has done.
        Object.assign(callLog.note, noted);
        return encodeAgain(given.store, decided.response);
      };

      const common: AnyCall<B, Q, R> = {
        body,
        query,
        headers,
        source,
        services: given,
        now,
        moment,
        requestId,
        timeLeft,
        note: callLog.note,
        log: callLog,
        answer: (value) => encode(value),
        repeat: (stored) => encodeAgain(given.store, stored),
        decide,
      };
      // `access` decided above which of the two it is, and it decides the type.
      const ofAccess =
        who === null ? { authorization: headers.authorization, once: request } : { ...who, once };
      const call = { ...common, ...ofAccess } as unknown as Call<A, B, Q, R>;
      const done = await definition.run(call);
      await callLog.close();
      return "statusCode" in done ? done : reply(done.status, done.body);
    } catch (error) {
      const code = codeOf(error);
      // Whoever is told to wait may ask as often as they like: that fills no table, the log line tells of it.
      if (access !== "public" || code !== "too_many_attempts") await callLog.closeRefused(code);
      throw error;
    } finally {
      await who?.noted;
    }
  };

  const build = (choose: () => Services): Handler => {
    const answering = middy<APIGatewayProxyEventV2, Reply>({ timeoutEarlyInMillis: 0 })
      .use(responder(route, errors))
      .handler((event, context) => work(choose(), event, context));
    return Object.assign(
      (event: APIGatewayProxyEventV2, context: Context) => runInvocation(() => answering(event, context)),
      {
        endpoint: {
          route,
          access,
          answer,
          body: definition.body,
          query: definition.query,
          ...(definition.once === undefined ? {} : { once: definition.once }),
          action,
          errors,
          status,
        },
        on: (given: Services) => build(() => given),
      },
    );
  };
  return build(ownServices);
};
