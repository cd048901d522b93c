/** The hunt and `GET /player` without the service's code: the handlers of the peers `floor` and `express`. */
import { createHash } from "node:crypto";
import { v7 } from "uuid";
import type { Sessions } from "../../../lib/store/accounts/accountItems.ts";
import {
  decideHunt,
  type Game,
  HOUR,
  iso,
  NEW_GAME,
  type Player,
  Rejected,
  requireHunter,
  starvesAt,
  stateOf,
} from "./rules.ts";
import {
  aliasOf,
  countTag,
  get,
  getMany,
  getPlayer,
  put,
  putInteraction,
  putPlayer,
  transact,
} from "./table.ts";

/** A request, independent of the framework. */
export interface Request {
  authorization: string | undefined;
  urlId: string;
  requestId: string;
  /** The parsed JSON body. */
  body: unknown;
}

export interface Response {
  status: number;
  headers: Record<string, string>;
  /** JSON. */
  body: string;
}

const PERIOD = Number(process.env.FEEDING_PERIOD_SECONDS ?? 48 * 3_600) * 1_000;
const DAY = 24 * HOUR;
const MAX_TRIES = 6;
const PUSH_KINDS = ["tagged", "cured", "revived", "killed", "fed", "starving", "checkpoint", "game"];

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
};

const tokenRejected = (): Rejected => new Rejected(403, "token_rejected", "This session has ended.");
const playerNotFound = (): Rejected => new Rejected(404, "player_not_found", "Player not found");

type Loaded = [Sessions | null, Player | null, Game | null];

/** Loads all items in one round trip. For a command all reads are consistent, otherwise only that of the sessions. */
const load = async (id: string, isCommand: boolean): Promise<Loaded> => {
  const [sessions, me, game] = [
    [`SECRET#${id}`, "SESSIONS"],
    [`PLAYER#${id}`, "PROFILE"],
    ["GAME", "STATE"],
  ] as const;
  // Stored items are not validated.
  if (isCommand) return (await getMany([sessions, me, game], true)) as Loaded;
  const [all, rest] = await Promise.all([get<Sessions>(...sessions), getMany([me, game], false)]);
  return [all, ...(rest as [Player | null, Game | null])];
};

/** Checks the token. @returns the caller and the game */
const authenticate = async (
  { authorization = "", urlId }: Request,
  now: number,
  isCommand: boolean,
): Promise<{ me: Player; game: Game }> => {
  const [, token = "", id] = /^bearer +(hvz1\.([0-9a-f-]{36})\.[\w-]{43}) *$/i.exec(authorization) ?? [];
  if (id === undefined || id !== urlId) throw tokenRejected();
  const [all, me, stored] = await load(urlId, isCommand);
  const hash = createHash("sha256").update(token).digest("base64url");
  const session = all?.sessions.find((one) => one.hash === hash);
  const [idle, inAll, notedEvery] = me?.is_admin ? [DAY / 2, 7 * DAY, HOUR] : [7 * DAY, 30 * DAY, DAY];
  if (all === null || session === undefined) throw tokenRejected();
  if (now >= Math.min(session.expires_at, session.created_at + inAll, session.last_used + idle)) {
    throw tokenRejected();
  }
  if (me === null) throw playerNotFound();
  if (now - session.last_used >= notedEvery) {
    session.last_used = now;
    await put({ ...all, rev: all.rev + 1 }, all.rev).catch(() => {});
  }
  const game = stored ?? NEW_GAME;
  return { me, game: me.seen > game.rev ? ((await get<Game>("GAME", "STATE")) ?? NEW_GAME) : game };
};

const invalid = (path: string, issue: string): Rejected =>
  new Rejected(400, "invalid_request", `${path}: ${issue}`);

const parseTagCode = (body: unknown): string => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw invalid("", "is no object");
  const { tag_code: code, ...rest } = Object.fromEntries(Object.entries(body));
  for (const name of Object.keys(rest)) throw invalid(name, "is not known here");
  if (typeof code !== "string" || code === "" || code.length > 64) {
    throw invalid("tag_code", "has 1 to 64 characters");
  }
  return code.replaceAll(/[\s\p{Pd}]/gu, "").toUpperCase();
};

const refOf = ({ player_id }: Player): string =>
  createHash("sha256").update(`player_ref ${player_id}`).digest("base64url").slice(0, 22);

const ownerOf = async (code: string): Promise<{ player_id: string } | null> =>
  /^[2-9A-HJ-KM-NP-Z]{8}$/.test(code) ? get<{ player_id: string }>(`CODE#${code}`, "CODE") : null;

const tryHunt = async (me: Player, game: Game, request: Request, now: number): Promise<object> => {
  const code = parseTagCode(request.body);
  requireHunter(me, game, now);
  const owner = await ownerOf(code);
  if (owner === null) throw new Rejected(404, "unknown_tag_code", "No player has this tag code.");
  const before = await getPlayer(owner.player_id);
  const context = { code, id: v7(), now, period: PERIOD };
  const { hunter, prey, interaction } = decideHunt({ game, hunter: me, prey: before }, context);
  const shard = Math.floor(Math.random() * game.shards);
  await transact([
    putPlayer(me, hunter, game.rev),
    putPlayer(before ?? prey, prey, game.rev),
    putInteraction(interaction, shard),
    countTag(shard),
  ]);
  const { interaction_id, kind, at, recorded_at, parent } = interaction;
  const names = { actor: me.alias, actor_ref: refOf(me), target: prey.alias, target_ref: refOf(prey) };
  const details = { infection_id: interaction_id, parent_infection_id: parent, shared_with: [] };
  return {
    interaction: { interaction_id, kind, at, recorded_at, ...names, details },
    hunter: { kills: hunter.kills, starves_at: starvesAt(hunter, game, now) },
    prey: { alias: prey.alias, state: prey.state },
  };
};

const reportHunt = async (request: Request, now: number): Promise<object> => {
  let { me, game } = await authenticate(request, now, true);
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryHunt(me, game, request, now);
    } catch (error) {
      const isConflict = error instanceof Error && error.name === "TransactionCanceledException";
      if (!isConflict || tries === MAX_TRIES) throw error;
      const [player, stored] = await Promise.all([getPlayer(me.player_id), get<Game>("GAME", "STATE")]);
      if (player === null) throw playerNotFound();
      [me, game] = [player, stored ?? NEW_GAME];
    }
  }
};

const showPlayer = async (request: Request, now: number): Promise<object> => {
  const { me, game } = await authenticate(request, now, false);
  const state = stateOf(me, game, now);
  const isInfected = me.infection_id !== null;
  const { player_id, alias, first_name, last_name, email, is_admin, kills, last_fed_at } = me;
  const profile = { player_id, alias, first_name, last_name, email, is_admin, kills, last_fed_at };
  const player_ref = refOf(me);
  return {
    ...profile,
    player_ref,
    picture_url: typeof me.target === "string" ? `/pictures/${player_ref}.${me.target}` : null,
    role: is_admin ? "game_master" : "player",
    state,
    pending: state === "spectator" && me.held === "pending",
    tag_code: state === "human" ? me.tag_code : null,
    infected_at: isInfected ? me.infected_at : null,
    infected_by: isInfected && me.infected_by !== null ? await aliasOf(me.infected_by) : null,
    starves_at: starvesAt(me, game, now),
    wants_original: me.wants_original,
    passed_at: game.checkpoint?.checkpoint_id === me.checkpoint_id ? me.passed_at : null,
    has_pfp: me.has_pfp,
    push_kinds: PUSH_KINDS.filter((kind) => me.push_kinds?.includes(kind) ?? true),
    created_at: me.created_at,
  };
};

/** Returns a handler that responds to every request, also after an error, and logs one line. */
const responder =
  (route: string, work: (request: Request, now: number) => Promise<object>) =>
  async (request: Request): Promise<Response> => {
    const [started, now] = [performance.now(), Date.now()];
    const request_id = request.requestId;
    const respond = (status: number, type: string, body: object): Response => {
      const duration_ms = Math.round((performance.now() - started) * 10) / 10;
      const line = { timestamp: iso(Date.now()), request_id, route, status, duration_ms };
      console.log(JSON.stringify({ level: "INFO", message: "request", ...line }));
      const headers = { ...HEADERS, "content-type": `${type}; charset=utf-8`, "x-request-id": request_id };
      return { status, headers, body: JSON.stringify(body) };
    };
    try {
      return respond(200, "application/json", await work(request, now));
    } catch (error) {
      const rejected = error instanceof Rejected ? error : new Rejected(500, "internal", "Internal error.");
      if (rejected !== error) console.error(error);
      const { status, code, message: detail } = rejected;
      const type = `urn:zombie-game:problem:${code}`;
      const problem = { type, title: code, status, detail, code, request_id };
      return respond(status, "application/problem+json", problem);
    }
  };

export const hunt = responder("POST /zombie/hunt/{url_id}", reportHunt);
export const ownPlayer = responder("GET /player/{url_id}", showPlayer);
