/** One step of the model: applies a request, and predicts its response. */
import { DAY, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import { ACCOUNTS, byName, registerAgain } from "./accounts.ts";
import { DISPUTES } from "./disputes.ts";
import { playerOf, sweep } from "./game.ts";
import { MASTERS } from "./masters.ts";
import { PLAY } from "./play.ts";
import type { Call, Expected, ModelResponse, Request, Route, Rules, ServiceFacts } from "./request.ts";
import { authenticate, ModelError } from "./sessions.ts";
import type { Model, Player, StoredResponse } from "./state.ts";

const RULES: Rules<Route> = { ...ACCOUNTS, ...MASTERS, ...DISPUTES, ...PLAY };

/** Applies the endpoint's rule. */
const applied = <R extends Route>(
  m: Model,
  request: Request<R>,
  call: Call,
  caller: Player | null,
): ModelResponse => RULES[request.route].apply(m, request.body, call, caller);

/** The owner of a request's key and the request's fingerprint; of a registration, who has the alias now. */
const keyOf = (
  m: Model,
  request: Request,
  caller: Player | null,
): Pick<StoredResponse, "who" | "isNew" | "key" | "request"> | null => {
  const { route, by, body, key } = request;
  if (key === null || !RULES[route].isIdempotent) return null;
  const who = request.route === "POST /new" ? byName(m, request.body.alias)?.id : caller?.id;
  return { who: who ?? "", isNew: route === "POST /new", key, request: JSON.stringify([route, by, body]) };
};

const isOf = (one: Pick<StoredResponse, "who" | "isNew" | "key">, once: ReturnType<typeof keyOf>): boolean =>
  one.who === once?.who && one.isNew === once.isNew && one.key === once.key;

/** The response that is stored under a request's key. */
const keptFor = (m: Model, once: ReturnType<typeof keyOf>): StoredResponse | undefined =>
  m.responses.find((one) => isOf(one, once) && one.until > m.now);

const keep = (
  m: Model,
  once: NonNullable<ReturnType<typeof keyOf>>,
  { status }: ModelResponse,
  text: string,
) => {
  m.responses = m.responses.filter((one) => !isOf(one, once));
  const ids = new Map(m.players.map(({ id, alias }) => [alias, id]));
  // For a day, to the second.
  m.responses.push({ ...once, until: Math.floor(m.now / SECOND) * SECOND + DAY, status, text, ids });
};

/** The fields of a response whose players may have left. */
const MAY_HAVE_LEFT = /^(prey|fed|effects|drawn)$/;

/** A stored response with current names. @throws ModelError `player_not_found` when its player has left */
const withNames = (m: Model, kept: StoredResponse): string => {
  const rename = (value: unknown, name: string, within: string, player?: Player): unknown => {
    if (Array.isArray(value)) return value.map((one) => rename(one, name, within, player));
    if (typeof value === "object" && value !== null) {
      const id = "player_id" in value ? value.player_id : undefined;
      const about = m.players.find((one) => one.id === id);
      const inside = within === "effects" || within === "fed" ? within : name;
      const named = new Map(
        Object.entries(value).map(([key, inner]) => [key, rename(inner, key, inside, about)]),
      );
      for (const key of ["actor", "target"]) if (named.get(key) === null) named.set(`${key}_ref`, null);
      return Object.fromEntries(named);
    }
    if (typeof value !== "string") return value;
    if (name === "first_name") return player?.first_name ?? null;
    if (!["alias", "actor", "target", "infected_by", "shared_with", "by_alias"].includes(name)) return value;
    const now = m.players.find(({ id }) => id === kept.ids.get(value))?.alias ?? null;
    if (now === null && name === "alias" && !MAY_HAVE_LEFT.test(within))
      throw new ModelError("player_not_found");
    return now;
  };
  return kept.text === "" ? "" : JSON.stringify(rename(JSON.parse(kept.text), "", ""));
};

/** Copies the ids of recorded events from the service. */
const withIds = (m: Model, events: ServiceFacts["events"]): void => {
  const left = [...events];
  for (const event of m.record.filter(({ id }) => id === "")) {
    const at = left.findIndex(
      ({ kind, at, actor, target }) =>
        kind === event.kind && at === rfc3339(event.at) && actor === event.actor && target === event.target,
    );
    event.id = left.splice(at, at < 0 ? 0 : 1)[0]?.id ?? "not recorded";
  }
};

const errorResponse = ({ status, code, retryAfter }: ModelError): Expected => ({ status, code, retryAfter });

const actionOf = (route: Route): string =>
  route
    .split(/[ /]/)
    .filter((word) => !word.startsWith("{"))
    .at(-1) ?? "";

/** Applies a request to the model. @returns the expected response */
export const step = (m: Model, request: Request, facts: ServiceFacts): Expected => {
  m.step += 1;
  const { access, isLogged } = RULES[request.route];
  const call: Call = { facts, token: request.token, from: request.from, actor: null };
  const log = (outcome: string): void => {
    if (isLogged) m.log.push({ action: actionOf(request.route), actor: call.actor, outcome });
  };

  let caller: Player | null = null;
  try {
    if (access !== "public")
      caller = authenticate(m, request.by ?? "", request.token, access === "administrator");
  } catch (error) {
    if (error instanceof ModelError) return errorResponse(error);
    throw error;
  }
  call.actor = caller?.id ?? null;

  try {
    const once = keyOf(m, request, caller);
    const kept = keptFor(m, once);
    const isSame = kept?.request === once?.request;
    const owner = playerOf(m, kept?.who ?? null);
    if (kept !== undefined && owner !== undefined && request.route === "POST /new") {
      const { status, body } = registerAgain(m, owner, { ...request.body, isSame }, call);
      return { status, body: body?.(m), isRepeated: true };
    }
    if (kept !== undefined) {
      if (!isSame) throw new ModelError("key_reused");
      const text = withNames(m, kept);
      log("done");
      return { status: kept.status, text, isRepeated: true };
    }
    const response = applied(m, request, call, caller);
    if (once !== null) {
      const who = once.isNew ? facts.field("player_id") : once.who;
      keep(m, { ...once, who }, response, facts.text);
    }
    log("done");
    withIds(m, facts.events);
    return { status: response.status, body: response.body?.(m) };
  } catch (error) {
    if (!(error instanceof ModelError)) throw error;
    // A login that has to wait is not logged.
    if (access !== "public" || error.code !== "too_many_attempts") log(error.code);
    return errorResponse(error);
  }
};

/** Applies a sweep to the model. @returns how many starvations it has recorded */
export const sweepStep = (m: Model, events: ServiceFacts["events"]): number => {
  m.step += 1;
  const starved = sweep(m);
  withIds(m, events);
  return starved;
};
