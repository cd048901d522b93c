/** The hunt and a player's own view by hand: what the floor, Express and Hono all answer with. */
import { createHash } from "node:crypto";
import { v7 } from "uuid";
import {
  Forbidden,
  type Game,
  HOUR,
  iso,
  judgeHunt,
  mayHunt,
  missed,
  NEW_GAME,
  type Player,
  type Report,
  starvesAt,
  stateOf,
  UNKNOWN_CODE,
} from "./rules.ts";
import {
  aliasOf,
  countTag,
  get,
  getMany,
  player,
  put,
  putInteraction,
  putPlayer,
  transact,
} from "./table.ts";

/** What a request says, whatever framework it came through. */
export interface Asked {
  authorization: string | undefined;
  urlId: string;
  requestId: string;
  /** The body as JSON. */
  body: unknown;
}

export interface Answer {
  status: number;
  headers: Record<string, string>;
  /** JSON. */
  body: string;
}

const PERIOD = Number(process.env.FEEDING_PERIOD_SECONDS ?? 48 * 3_600) * 1_000;
export const DAY = 24 * HOUR;
const PUSH_KINDS = ["tagged", "cured", "revived", "killed", "fed", "starving", "checkpoint", "game"];

const HEADERS = {
  "cache-control": "no-store",
  "content-security-policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "strict-transport-security": "max-age=31536000",
  "x-content-type-options": "nosniff",
};

const REJECTED = (): Forbidden => new Forbidden(403, "token_rejected", "This session has ended.");

export interface Sessions {
  rev: number;
  sessions: { hash: string; created_at: number; last_used: number; expires_at: number }[];
}

/** What a request begins with, from one round trip: all fresh by one call where it decides, else the sessions alone. */
const begin = async (
  id: string,
  decides: boolean,
): Promise<[Sessions | null, Player | null, Game | null]> => {
  const [sessions, me, game] = [
    [`SECRET#${id}`, "SESSIONS"],
    [`PLAYER#${id}`, "PROFILE"],
    ["GAME", "STATE"],
  ] as const;
  // Whoever writes a handler by hand trusts what lies in the table.
  if (decides)
    return (await getMany([sessions, me, game], true)) as [Sessions | null, Player | null, Game | null];
  const [all, rest] = await Promise.all([get<Sessions>(...sessions), getMany([me, game], false)]);
  return [all, ...(rest as [Player | null, Game | null])];
};

/** Who asks, and the game. */
const enter = async (
  { authorization = "", urlId }: Asked,
  now: number,
  decides: boolean,
): Promise<{ me: Player; game: Game }> => {
  const [, token = "", id] = /^bearer +(hvz1\.([0-9a-f-]{36})\.[\w-]{43}) *$/i.exec(authorization) ?? [];
  if (id === undefined || id !== urlId) throw REJECTED();
  const [all, me, stored] = await begin(urlId, decides);
  const hash = createHash("sha256").update(token).digest("base64url");
  const session = all?.sessions.find((one) => one.hash === hash);
  const [idle, inAll, notedEvery] = me?.is_admin ? [DAY / 2, 7 * DAY, HOUR] : [7 * DAY, 30 * DAY, DAY];
  if (all === null || session === undefined) throw REJECTED();
  if (now >= Math.min(session.expires_at, session.created_at + inAll, session.last_used + idle))
    throw REJECTED();
  if (me === null) throw new Forbidden(404, "player_not_found", "Player not found");
  if (now - session.last_used >= notedEvery) {
    session.last_used = now;
    await put({ ...all, rev: all.rev + 1 }, all.rev).catch(() => {});
  }
  const game = stored ?? NEW_GAME;
  return { me, game: me.seen > game.rev ? ((await get<Game>("GAME", "STATE")) ?? NEW_GAME) : game };
};

export const bad = (path: string, fault: string): Forbidden =>
  new Forbidden(400, "invalid_request", `${path}: ${fault}`);

const FIELDS = ["tag_code", "hunted_at", "share_with", "latitude", "longitude", "note"];
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/;

const degrees = (path: string, value: unknown, most: number): number => {
  if (typeof value !== "number" || Math.abs(value) > most) throw bad(path, "is no such number");
  return Math.round(value * 1e7) / 1e7 + 0;
};

/** The body of a hunt. @throws Forbidden `invalid_request` */
const reportOf = (body: unknown, now: number): Report & { aliases: string[] } => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw bad("", "is no object");
  const given = new Map<string, unknown>(Object.entries(body));
  for (const name of given.keys()) if (!FIELDS.includes(name)) throw bad(name, "is not known here");
  const code = given.get("tag_code");
  if (typeof code !== "string" || code === "" || code.length > 64)
    throw bad("tag_code", "has 1 to 64 characters");
  const time = given.get("hunted_at");
  if (time !== undefined && (typeof time !== "string" || !TIME.test(time)))
    throw bad("hunted_at", "is no time");
  const shared = given.get("share_with") ?? [];
  if (!Array.isArray(shared) || shared.length > 2) throw bad("share_with", "has up to two aliases");
  const aliases = shared.map((alias: unknown) => {
    if (typeof alias !== "string" || alias === "") throw bad("share_with", "has up to two aliases");
    return alias;
  });
  const note = given.get("note");
  if (note !== undefined && (typeof note !== "string" || [...note.trim()].length > 280)) {
    throw bad("note", "has 1 to 280 characters");
  }
  const [latitude, longitude] = [given.get("latitude"), given.get("longitude")];
  if ((latitude === undefined) !== (longitude === undefined)) throw bad("latitude", "is half a place");
  return {
    code: code.replaceAll(/[\s\p{Pd}]/gu, "").toUpperCase(),
    huntedAt: time === undefined ? now : Date.parse(time),
    aliases,
    ...(note === undefined ? {} : { note: note.trim() }),
    ...(latitude === undefined ? {} : { latitude: degrees("latitude", latitude, 90) }),
    ...(longitude === undefined ? {} : { longitude: degrees("longitude", longitude, 180) }),
  };
};

const byCode = async (code: string): Promise<Player | null | "unknown"> => {
  const known = /^[2-9A-HJ-KM-NP-Z]{8}$/.test(code)
    ? await get<{ player_id: string }>(`CODE#${code}`, "CODE")
    : null;
  return known === null ? "unknown" : player(known.player_id);
};

export const folded = (alias: string): string =>
  alias.normalize("NFKC").toUpperCase().toLowerCase().replaceAll("ς", "σ").normalize("NFKC");

const byAlias = async (alias: string): Promise<{ alias: string; player: Player | null }> => {
  const guard = await get<{ player_id: string }>(`ALIAS#${folded(alias)}`, "ALIAS");
  return { alias, player: guard === null ? null : await player(guard.player_id) };
};

const isStale = (error: unknown): boolean =>
  error instanceof Error && error.name === "TransactionCanceledException";

const tryHunt = async (me: Player, game: Game, asked: Asked, now: number): Promise<object> => {
  const { code, aliases, ...report } = reportOf(asked.body, now);
  mayHunt(me, game, now);
  const [prey, ...sharers] = await Promise.all([byCode(code), ...aliases.map(byAlias)]);
  if (prey === "unknown") {
    await transact([putPlayer(me, missed(me, now), game.rev)]);
    throw UNKNOWN_CODE();
  }
  const scene = { game, hunter: me, prey, sharers };
  const outcome = judgeHunt(scene, { ...report, code }, { id: v7(), now, period: PERIOD });
  const { hunter, interaction } = outcome;
  const { note, latitude, longitude } = report;
  const annotation = note === undefined && latitude === undefined ? null : { note, latitude, longitude };
  const shared = outcome.sharers.flatMap((after, n) => {
    const before = sharers[n]?.player;
    return before ? [putPlayer(before, after, game.rev)] : [];
  });
  await transact([
    putPlayer(me, hunter, game.rev),
    ...(prey === null ? [] : [putPlayer(prey, outcome.prey, game.rev)]),
    ...shared,
    ...putInteraction(interaction, annotation, Math.floor(Math.random() * game.shards)),
    countTag(),
  ]);
  const { interaction_id, kind, at, recorded_at, parent } = interaction;
  return {
    interaction: {
      interaction_id,
      kind,
      at,
      recorded_at,
      actor: me.alias,
      target: outcome.prey.alias,
      details: {
        infection_id: interaction_id,
        parent_infection_id: parent,
        shared_with: sharers.map((one) => one.player?.alias ?? null),
        note,
        latitude,
        longitude,
      },
    },
    hunter: { kills: hunter.kills, starves_at: starvesAt(hunter, game, now) },
    prey: { alias: outcome.prey.alias, state: outcome.prey.state },
  };
};

const takeHunt = async (asked: Asked, now: number): Promise<object> => {
  const { me, game } = await enter(asked, now, true);
  for (let [tries, hunter, current] = [0, me, game]; ; tries += 1) {
    try {
      return await tryHunt(hunter, current, asked, now);
    } catch (error) {
      if (!isStale(error) || tries > 4) throw error;
      const [again, stored] = await Promise.all([player(me.player_id), get<Game>("GAME", "STATE")]);
      if (again === null) throw new Forbidden(404, "player_not_found", "Player not found");
      [hunter, current] = [again, stored ?? NEW_GAME];
    }
  }
};

const showPlayer = async (asked: Asked, now: number): Promise<object> => {
  const { me, game } = await enter(asked, now, false);
  const state = stateOf(me, game, now);
  const infected = me.infection_id !== null;
  const by = infected && me.infected_by !== null ? await aliasOf(me.infected_by) : null;
  return {
    player_id: me.player_id,
    alias: me.alias,
    first_name: me.first_name,
    last_name: me.last_name,
    email: me.email,
    is_admin: me.is_admin,
    state,
    tag_code: state === "human" ? me.tag_code : null,
    kills: me.kills,
    infected_at: infected ? me.infected_at : null,
    infected_by: by,
    last_fed_at: me.last_fed_at,
    starves_at: starvesAt(me, game, now),
    passed_at: game.checkpoint?.checkpoint_id === me.checkpoint_id ? me.passed_at : null,
    has_pfp: me.has_pfp,
    push_kinds: PUSH_KINDS.filter((kind) => me.push_kinds?.includes(kind) ?? true),
    created_at: me.created_at,
  };
};

/** Answers a request whatever happens, and leaves one line in the log. */
export const answering =
  (route: string, work: (asked: Asked, now: number) => Promise<object>) =>
  async (asked: Asked): Promise<Answer> => {
    const [started, now] = [performance.now(), Date.now()];
    const request_id = asked.requestId;
    const finish = (status: number, type: string, body: object): Answer => {
      const duration_ms = Math.round((performance.now() - started) * 10) / 10;
      const timestamp = iso(Date.now());
      console.log(
        JSON.stringify({
          level: "INFO",
          message: "request",
          timestamp,
          request_id,
          route,
          status,
          duration_ms,
        }),
      );
      const headers = { ...HEADERS, "content-type": `${type}; charset=utf-8`, "x-request-id": request_id };
      return { status, headers, body: JSON.stringify(body) };
    };
    try {
      return finish(200, "application/json", await work(asked, now));
    } catch (error) {
      const known = error instanceof Forbidden;
      if (!known) console.error(error);
      const { status, code, message } = known
        ? error
        : { status: 500, code: "internal", message: "It broke." };
      const problem = {
        type: `urn:zombie-game:problem:${code}`,
        title: code,
        status,
        detail: message,
        code,
        request_id,
      };
      return finish(status, "application/problem+json", problem);
    }
  };

export const hunt = answering("POST /zombie/hunt/{url_id}", takeHunt);
export const ownPlayer = answering("GET /player/{url_id}", showPlayer);
export const HEALTH: Answer = {
  status: 200,
  headers: { ...HEADERS, "content-type": "application/json; charset=utf-8" },
  body: JSON.stringify({ ok: true }),
};
