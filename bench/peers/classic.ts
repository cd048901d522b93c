/**
 * The classic server that a student would write: one process, Fastify, and SQLite through better-sqlite3. It plays
 * the same hunt by the same rules, but nobody shares a meal, and nothing is kept that would let a hunt be taken back.
 */
import { createHash, randomBytes, randomInt, randomUUID } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import fastify from "fastify";
import { v7 } from "uuid";
import type { Prey, Someone } from "../support/scene.ts";
import { HUNT_BODY, HUNT_REPLY, PLAYER_REPLY, TABLES } from "./classicSchema.ts";
import { Forbidden, HOUR, iso } from "./hand/rules.ts";

const PERIOD = 48 * HOUR;
const DAY = 24 * HOUR;
const PUSH_KINDS = ["tagged", "cured", "revived", "killed", "fed", "starving", "checkpoint", "game"];

interface PlayerRow {
  id: string;
  alias: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  is_admin: 0 | 1;
  state: string;
  tag_code: string | null;
  code_since: number | null;
  kills: number;
  last_kill_at: number | null;
  infection_id: string | null;
  infected_at: number | null;
  infected_by: string | null;
  last_fed_at: number | null;
  deadline: number | null;
  passed_at: number | null;
  has_pfp: 0 | 1;
  created_at: number;
}

interface Body {
  tag_code: string;
  hunted_at?: string;
  note?: string;
  latitude?: number;
  longitude?: number;
}

const sha256 = (text: string): string => createHash("sha256").update(text).digest("base64url");
const time = (instant: number | null): string | null => (instant === null ? null : iso(instant));

/** Opens it on a database in a folder, and listens. */
export const openClassic = async (folder: string) => {
  const db = new Database(join(folder, "classic.db"));
  db.pragma("journal_mode = WAL");
  db.exec(TABLES);
  const sql = {
    session: db.prepare("SELECT player_id, last_used, expires_at FROM sessions WHERE hash = ?"),
    used: db.prepare("UPDATE sessions SET last_used = ? WHERE hash = ?"),
    player: db.prepare("SELECT * FROM players WHERE id = ?"),
    alias: db.prepare("SELECT alias FROM players WHERE id = ?"),
    code: db.prepare("SELECT player_id FROM codes WHERE code = ?"),
    game: db.prepare("SELECT paused_at, clock_offset FROM game"),
    misses: db.prepare("SELECT count(*) AS n FROM misses WHERE hunter = ? AND at > ?"),
    miss: db.prepare("INSERT INTO misses (hunter, at) VALUES (?, ?)"),
    fed: db.prepare(
      "UPDATE players SET kills = ?, last_kill_at = ?, last_fed_at = ?, deadline = ? WHERE id = ?",
    ),
    tagged: db.prepare(
      `UPDATE players SET state = 'zombie', tag_code = NULL, code_since = NULL, infection_id = ?, infected_at = ?,
         infected_by = ?, last_fed_at = NULL, deadline = ? WHERE id = ?`,
    ),
    interaction: db.prepare(
      `INSERT INTO interactions (id, kind, at, recorded_at, actor, target, parent, note, latitude, longitude)
         VALUES (?, 'hunt', ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    count: db.prepare("UPDATE counts SET humans = humans - 1, zombies = zombies + 1"),
    newPlayer: db.prepare(
      `INSERT INTO players (id, alias, state, tag_code, code_since, infection_id, infected_at, deadline, created_at)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ),
    newCode: db.prepare("INSERT INTO codes (code, player_id) VALUES (?, ?)"),
    newSession: db.prepare(
      "INSERT INTO sessions (hash, player_id, created_at, last_used, expires_at) VALUES (?, ?, ?, ?, ?)",
    ),
  };
  // better-sqlite3 tells no types: a row is what the statement asks for.
  const row = <T>(found: unknown): T | undefined => found as T | undefined;
  const playerOf = (id: string): PlayerRow | undefined => row<PlayerRow>(sql.player.get(id));

  /** Game time, in milliseconds, and whether it stands still. */
  const clock = (now: number): { gameNow: number; offset: number; isPaused: boolean } => {
    const game = row<{ paused_at: number | null; clock_offset: number }>(sql.game.get());
    const { paused_at = null, clock_offset: offset = 0 } = game ?? {};
    return { gameNow: (paused_at ?? now) - offset, offset, isPaused: paused_at !== null };
  };

  const enter = (authorization: string | undefined, urlId: string, now: number): PlayerRow => {
    const [, token = ""] = /^bearer +(\S+) *$/i.exec(authorization ?? "") ?? [];
    const hash = sha256(token);
    const session = row<{ player_id: string; last_used: number; expires_at: number }>(sql.session.get(hash));
    const isLive = session !== undefined && now < Math.min(session.expires_at, session.last_used + 7 * DAY);
    if (!isLive || session.player_id !== urlId) {
      throw new Forbidden(403, "token_rejected", "This session has ended.");
    }
    const me = playerOf(urlId);
    if (me === undefined) throw new Forbidden(404, "player_not_found", "Player not found");
    if (now - session.last_used >= DAY) sql.used.run(now, hash);
    return me;
  };

  const stateOf = ({ state, deadline }: PlayerRow, gameNow: number): string =>
    state === "zombie" && deadline !== null && deadline <= gameNow ? "corpse" : state;

  const requireHunter = (hunter: PlayerRow, now: number): void => {
    const { gameNow, isPaused } = clock(now);
    if (isPaused) throw new Forbidden(409, "paused", "The game is paused.");
    const state = stateOf(hunter, gameNow);
    if (state !== "zombie") throw new Forbidden(409, "wrong_state", `${hunter.alias} is a ${state}.`);
    const misses = row<{ n: number }>(sql.misses.get(hunter.id, now - HOUR / 6))?.n ?? 0;
    if (misses >= 10) throw new Forbidden(429, "too_many_attempts", "Too many tag codes.");
  };

  const unknown = (hunter: PlayerRow, now: number): null => {
    sql.miss.run(hunter.id, now);
    return null;
  };

  /** Judges and writes, all or nothing; `null` for a code that nobody has, which is counted. */
  const hunt = db.transaction((authorization: string | undefined, urlId: string, body: Body) => {
    const now = Date.now();
    const hunter = enter(authorization, urlId, now);
    requireHunter(hunter, now);
    const code = body.tag_code.replaceAll(/[\s\p{Pd}]/gu, "").toUpperCase();
    const owner = row<{ player_id: string }>(sql.code.get(code));
    if (owner === undefined) return unknown(hunter, now);
    const prey = playerOf(owner.player_id);
    if (prey === undefined) throw new Forbidden(409, "wrong_state", "The player has left the game.");
    if (prey.tag_code !== code) throw new Forbidden(409, "already_tagged", "This tag code has been used.");
    if (prey.state !== "human") throw new Forbidden(409, "wrong_state", `${prey.alias} is a ${prey.state}.`);
    const at = body.hunted_at === undefined ? now : Date.parse(body.hunted_at);
    if (at > now || at < now - 6 * HOUR) throw new Forbidden(400, "invalid_request", "hunted_at");
    if (at < Math.max(hunter.infected_at ?? 0, prey.code_since ?? 0)) {
      throw new Forbidden(409, "too_early", "You were no zombie yet, or your prey had another code.");
    }
    const { offset } = clock(now);
    const id = v7();
    const kills = hunter.kills + 1;
    const deadline = Math.max(hunter.deadline ?? 0, at - offset + PERIOD);
    const lastKill = Math.max(hunter.last_kill_at ?? 0, at);
    const lastFed = Math.max(hunter.last_fed_at ?? 0, at);
    sql.fed.run(kills, lastKill, lastFed, deadline, hunter.id);
    sql.tagged.run(id, at, hunter.id, now - offset + PERIOD, prey.id);
    const { note = null, latitude = null, longitude = null } = body;
    const parent = hunter.infection_id;
    sql.interaction.run(id, at, now, hunter.id, prey.id, parent, note, latitude, longitude);
    sql.count.run();
    return {
      interaction: {
        interaction_id: id,
        kind: "hunt",
        at: iso(at),
        recorded_at: iso(now),
        actor: hunter.alias,
        target: prey.alias,
        details: { infection_id: id, parent_infection_id: parent, shared_with: [], ...body },
      },
      hunter: { kills, starves_at: iso(deadline + offset) },
      prey: { alias: prey.alias, state: "zombie" },
    };
  });

  const ownPlayer = (authorization: string | undefined, urlId: string) => {
    const now = Date.now();
    const me = enter(authorization, urlId, now);
    const { gameNow } = clock(now);
    const state = stateOf(me, gameNow);
    const infector =
      me.infected_by === null ? undefined : row<{ alias: string }>(sql.alias.get(me.infected_by));
    const isHungry = state === "zombie" && me.deadline !== null;
    return {
      ...me,
      player_id: me.id,
      is_admin: me.is_admin === 1,
      state,
      tag_code: state === "human" ? me.tag_code : null,
      infected_at: time(me.infected_at),
      infected_by: infector?.alias ?? null,
      last_fed_at: time(me.last_fed_at),
      starves_at: isHungry ? iso(now + (me.deadline ?? 0) - gameNow) : null,
      passed_at: time(me.passed_at),
      has_pfp: me.has_pfp === 1,
      push_kinds: PUSH_KINDS,
      created_at: iso(me.created_at),
    };
  };

  const app = fastify();
  app.setErrorHandler((error, _request, reply) => {
    const { status, code } = error instanceof Forbidden ? error : { status: 400, code: "invalid_request" };
    const detail = error instanceof Error ? error.message : "";
    reply.code(status).type("application/problem+json").send(JSON.stringify({ status, code, detail }));
  });
  interface Params {
    url_id: string;
  }
  app.get<{ Params: Params }>("/player/:url_id", { schema: { response: { 200: PLAYER_REPLY } } }, (request) =>
    Promise.resolve(ownPlayer(request.headers.authorization, request.params.url_id)),
  );
  app.post<{ Params: Params; Body: Body }>(
    "/zombie/hunt/:url_id",
    { schema: { body: HUNT_BODY, response: { 200: HUNT_REPLY } } },
    async ({ headers, params, body }) => {
      const answer = hunt.immediate(headers.authorization, params.url_id, body);
      if (answer === null) throw new Forbidden(404, "unknown_tag_code", "No player has this tag code.");
      return answer;
    },
  );
  const url = await app.listen({ host: "127.0.0.1", port: 0 });

  const codeOf = (): string =>
    Array.from({ length: 8 }, () => "23456789ABCDEFGHJKMNPQRSTUVWXYZ"[randomInt(31)]).join("");
  const put = <T>(count: number, one: (id: string, alias: string, now: number) => T): T[] =>
    db
      .transaction(() =>
        Array.from({ length: count }, () => {
          const id = randomUUID();
          return one(id, `Player ${id.slice(0, 13)}`, Date.now() - HOUR);
        }),
      )
      .immediate();

  return {
    url,
    putHunters: (count: number): Someone[] =>
      put(count, (id, alias, now) => {
        sql.newPlayer.run(id, alias, "zombie", null, null, v7(), now, now + PERIOD, now - DAY);
        const token = `hvz1.${id}.${randomBytes(32).toString("base64url")}`;
        sql.newSession.run(sha256(token), id, now, now, now + 30 * DAY);
        return { id, alias, token };
      }),
    putPrey: (count: number): Prey[] =>
      put(count, (id, alias, now) => {
        const code = codeOf();
        sql.newPlayer.run(id, alias, "human", code, now, null, null, null, now - DAY);
        sql.newCode.run(code, id);
        return { id, alias, code };
      }),
    /** Who infected a player who is a zombie. */
    infectorOf: (id: string): string | null => {
      const player = playerOf(id);
      return player?.state === "zombie" ? player.infected_by : null;
    },
  };
};
