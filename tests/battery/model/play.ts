/** The model's rules of the hunt, and of what everybody may look at. */
import { HOUR, MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import { byName, named, ok, own } from "./accounts.ts";
import {
  checkpointView,
  countsView,
  eventView,
  leaderboardView,
  logView,
  nextFeedingView,
  ownView,
  passedAt,
  publicView,
  recordView,
  roster,
  starvationView,
  treeView,
} from "./bodies.ts";
import { feed, makeZombie, record, shownDeadline } from "./game.ts";
import { carrier, requireState } from "./masters.ts";
import { foldedOf } from "./names.ts";
import { type Bodies, forMasters, forPlayers, IDEMPOTENT, type Route, type Rules } from "./request.ts";
import { ModelError } from "./sessions.ts";
import type { Model, Player } from "./state.ts";

type Hunt = Bodies["POST /zombie/hunt/{url_id}"];

const MISSES_ALLOWED = 10;
const MISS_WINDOW = 10 * MINUTE;

/** When the hunt happened. @throws ModelError `invalid_request` for what is wrong whatever the game's state */
const huntedAtOf = (m: Model, { hunted_at, share_with = [] }: Hunt, hunter: Player): number => {
  const huntedAt = hunted_at === undefined ? m.now : Date.parse(hunted_at);
  const fed = [hunter.alias, ...share_with].map(foldedOf);
  if (huntedAt > m.now || huntedAt < m.now - 6 * HOUR || new Set(fed).size < fed.length) {
    throw new ModelError("invalid_request");
  }
  return huntedAt;
};

/** @throws ModelError `too_many_attempts` after too many unknown codes */
const requireFewMisses = (m: Model, hunter: Player): void => {
  hunter.misses = hunter.misses.filter((miss) => miss > m.now - MISS_WINDOW);
  const first = hunter.misses.at(-MISSES_ALLOWED);
  if (first !== undefined) throw new ModelError("too_many_attempts", first + MISS_WINDOW - m.now);
};

/** The player who has this code; an unknown one is counted as a guess. @throws ModelError as {@link carrier} */
const preyOf = (m: Model, { tag_code }: Hunt, hunter: Player): Player => {
  try {
    return carrier(m, tag_code);
  } catch (error) {
    // What cannot be a code at all is no guess.
    const isGuess = /^[2-9A-HJKMNP-Z]{8}$/.test(tag_code.replaceAll(/[- ]/g, "").toUpperCase());
    const isUnknown = error instanceof ModelError && error.code === "unknown_tag_code";
    if (isGuess && isUnknown) hunter.misses.push(m.now);
    throw error;
  }
};

const sharersOf = (m: Model, { share_with = [] }: Hunt): Player[] =>
  share_with.map((alias) => {
    const sharer = named(m, { alias });
    requireState(sharer, "zombie");
    return sharer;
  });

export const PLAY = {
  "POST /zombie/hunt/{url_id}": forPlayers((m, body, hunter) => {
    const at = huntedAtOf(m, body, hunter);
    if (m.pausedAt !== null) throw new ModelError("paused");
    if (m.pauses.some(({ from, until }) => at >= from && at < until)) throw new ModelError("not_running");
    requireState(hunter, "zombie");
    requireFewMisses(m, hunter);
    const prey = preyOf(m, body, hunter);
    if (at < (hunter.infectedAt ?? 0) || at < prey.codeSince) throw new ModelError("too_early");
    const sharers = sharersOf(m, body);
    const event = record(m, "hunt", {
      at,
      actor: hunter.id,
      target: prey.id,
      parent: hunter.infection,
      sharedWith: sharers.map(({ id }) => id),
      note: body.note ?? null,
    });
    makeZombie(m, prey, event, hunter.id);
    hunter.kills.push({ hunt: event.n, at });
    for (const fed of [hunter, ...sharers]) feed(m, fed, Math.max(at, m.changedAt ?? at), event.n);
    const { n } = event;
    return ok((after) => ({
      interaction: after.record.filter((one) => one.n === n).map((one) => eventView(after, one, hunter))[0],
      hunter: { kills: hunter.kills.length, starves_at: shownDeadline(after, hunter.deadline) },
      prey: { alias: prey.alias, state: "zombie" },
    }));
  }, IDEMPOTENT),

  "GET /player/{url_id}": forPlayers((_m, _, { id }) => ok(own(id))),

  "POST /get_player/{url_id}": forPlayers((m, { alias }) => {
    const player = byName(m, alias);
    if (player === undefined) throw new ModelError("player_not_found");
    return ok(() => publicView(player));
  }),

  "GET /users/{url_id}": forPlayers((m, { state }) => {
    const users = roster(m).filter((player) => state === undefined || player.state === state);
    return ok(() => ({ users: users.map(publicView), next_cursor: null }));
  }),

  "GET /checkpoint/{url_id}": forPlayers((m, _, player) => {
    const passed_at = passedAt(m, player);
    return ok(() => ({ checkpoint: checkpointView(m), passed: passed_at !== null, passed_at }));
  }),

  "GET /game/{url_id}": forPlayers((m) =>
    ok(() => ({
      now: rfc3339(m.now),
      ...{ time_zone: "UTC", starts_at: null, ends_at: null, play_hours: null, next_change_at: null },
      ...{ phase: m.pausedAt === null ? "running" : "paused", in_play: m.pausedAt === null },
      paused: m.pausedAt !== null,
      paused_since: m.pausedAt === null ? null : rfc3339(m.pausedAt),
      feeding_period_seconds: m.period / SECOND,
      checkpoint: checkpointView(m),
      counts: countsView(m),
    })),
  ),

  "GET /pfp/{url_id}": forPlayers((_m, _, { hasPicture }) => {
    if (!hasPicture) throw new ModelError("no_picture");
    return { status: 200 };
  }),

  "GET /zombie/next_feeding/{url_id}": forPlayers((m, _, player) => {
    requireState(player, "zombie");
    return ok(() => nextFeedingView(m, player));
  }),

  "GET /zombie/starvation/{url_id}": forPlayers((m) => ok(() => starvationView(m))),

  "GET /interactions/{url_id}": forPlayers((m, { kind }, viewer) =>
    ok(() => ({ interactions: recordView(m, viewer, kind), next_cursor: null })),
  ),

  "GET /interactions/leaderboard/{url_id}": forPlayers((m) => ok(() => ({ players: leaderboardView(m) }))),

  "GET /interactions/tree/{url_id}": forPlayers((m, { root }) => {
    const top = m.record.find(({ id }) => id === root);
    return ok(() => treeView(m, top ?? null));
  }),

  "GET /admin/get_players/{url_id}": forMasters((m, { state, passed }) => {
    const players = roster(m)
      .filter((player) => state === undefined || player.state === state)
      .filter((player) => passed === undefined || (passedAt(m, player) !== null) === passed);
    return ok(() => ({ players: players.map((player) => ownView(m, player)), next_cursor: null }));
  }),

  "GET /admin/player_count/{url_id}": forMasters((m) => ok(() => countsView(m))),

  "GET /admin/get_logs/{url_id}": forMasters((m) => {
    // As they were when they were read: this call's own comes after.
    const logs = logView(m);
    return ok(() => ({ logs, next_cursor: null }));
  }),
} satisfies Partial<Rules<Route>>;
