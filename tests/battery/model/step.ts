/** One step of the model: applies a request, and predicts its response. */
import { DAY, SECOND } from "../../../lib/domain/time.ts";
import { ACCOUNTS, registerAgain } from "./accounts.ts";
import { CODES } from "./codes.ts";
import { byName, playerOf } from "./game.ts";
import { HUNTS } from "./hunts.ts";
import { MASTERS } from "./masters.ts";
import { MISSIONS } from "./missions.ts";
import {
  type Call,
  type Expected,
  ModelError,
  type ModelResponse,
  type Request,
  type Route,
  type Rules,
  requireThat,
  type ServiceFacts,
} from "./request.ts";
import { requireOpen, SEASON_END } from "./seasonEnd.ts";
import { authenticate } from "./sessions.ts";
import { type Model, Player, type StoredResponse } from "./state.ts";
import { VIEWS } from "./views.ts";
import { WAIVER } from "./waiver.ts";

const RULES: Rules = {
  ...ACCOUNTS,
  ...CODES,
  ...HUNTS,
  ...MASTERS,
  ...MISSIONS,
  ...SEASON_END,
  ...VIEWS,
  ...WAIVER,
};

/** Applies the endpoint's rule. */
const apply = <R extends Route>(m: Model, request: Request<R>, caller: Player, call: Call): ModelResponse => {
  const rule = RULES[request.route];
  if (rule === undefined) throw new Error(`the model has no rule of ${request.route}`);
  return rule(m, request.body, caller, call);
};

/** Who may call an endpoint, by its path. */
const accessOf = (route: Route) =>
  route.includes(" /admin/") ? "administrator" : route.includes("{url_id}") ? "player" : "public";

/** The POST requests of which no response is stored. */
const WITHOUT_KEY = /^POST \/(login|logout|change_password|get_player|admin\/recover_password)\b/;

/** What is logged besides game masters' calls. */
const LOGGED = /^(POST \/login|POST \/change_password|DELETE \/delete_player\/\{url_id\})$/;

/** The name under which the response of a request is stored. @param player the caller, or the new player */
const nameOf = ({ route, key }: Request, player: string): string | null => {
  if (key === null || !route.startsWith("POST ") || WITHOUT_KEY.test(route)) return null;
  return `${player} ${route === "POST /new" ? "NEW" : "KEY"}#${key}`;
};

/** The fields of a response that name a player. */
const NAMES = /^(alias|actor|target|infected_by|by_alias)$/;

/** A stored response with current names. @throws ModelError `player_not_found` when its player has left */
const withNames = (m: Model, { text, ids }: StoredResponse): string => {
  if (text === "") return "";
  const presentAlias = (alias: string): string | null => playerOf(m, ids.get(alias) ?? null)?.alias ?? null;
  const body = JSON.parse(text, (key, value) => {
    if (typeof value === "string" && NAMES.test(key)) return presentAlias(value);
    if (key === "shared_with") return value.map(presentAlias);
    for (const side of ["actor", "target"]) if (value?.[side] === null) value[`${side}_ref`] = null;
    // The note of a player, not that of a hunt, which names no player.
    for (const field of ["first_name", "note"] as const)
      if (value?.player_id !== undefined && value[field] != null)
        value[field] = playerOf(m, value.player_id)?.[field] ?? null;
    return value;
  });
  // Lists of players have `null` for one who has left.
  requireThat(body?.alias !== null && body?.player?.alias !== null, "player_not_found");
  return JSON.stringify(body);
};

const errorResponse = (error: unknown): Expected => {
  if (!(error instanceof ModelError)) throw error;
  const { status, code, retryAfter } = error;
  return { status, code, retryAfter };
};

/** The last word of a path: the action in the log. */
const actionOf = (route: Route): string => /([^/ ]+)(\/\{\w+\})?$/.exec(route)?.[1] ?? "";

/** Applies a request to the model. @returns the expected response */
export const step = (m: Model, request: Request, facts: ServiceFacts): Expected => {
  m.step += 1;
  m.recorded = [...facts.recorded];
  const { route, by, token } = request;
  const access = accessOf(route);
  const call: Call = { ...facts, token, actor: null };
  const log = (outcome: string): void => {
    if (access === "administrator" || LOGGED.test(route))
      m.log.push({ action: actionOf(route), actor: call.actor, outcome });
  };

  let caller = new Player({});
  try {
    if (access !== "public") caller = authenticate(m, by, token, access === "administrator");
  } catch (error) {
    return errorResponse(error);
  }
  call.actor = access === "public" ? null : caller.id;

  try {
    const isRegistration = request.route === "POST /new";
    const owner = isRegistration ? byName(m, request.body.alias)?.id : caller.id;
    const kept = m.responses.get(nameOf(request, owner ?? "") ?? "");
    const fingerprint = JSON.stringify([route, by, request.body]);
    if (kept !== undefined && kept.until > m.now) {
      const isSame = kept.request === fingerprint;
      if (isRegistration) return { ...registerAgain(m, request.body, isSame), isRepeated: true };
      requireThat(isSame, "key_reused");
      const text = withNames(m, kept);
      log("done");
      return { status: kept.status, text, isRepeated: true };
    }
    requireOpen(m, route);
    const response = apply(m, request, caller, call);
    const { status } = response;
    const name = nameOf(request, isRegistration ? facts.field("player_id") : caller.id);
    const ids = new Map(m.players.map(({ id, alias }) => [alias, id]));
    // For a day, to the second.
    const until = Math.floor(m.now / SECOND) * SECOND + DAY;
    if (name !== null) m.responses.set(name, { request: fingerprint, until, status, text: facts.text, ids });
    log("done");
    return response;
  } catch (error) {
    const response = errorResponse(error);
    // A login that has to wait is not logged, nor one of nobody.
    const isAttempt = "alias" in request.body && byName(m, String(request.body.alias)) !== undefined;
    if (access !== "public" || (isAttempt && response.code !== "too_many_attempts")) log(response.code ?? "");
    return response;
  }
};
