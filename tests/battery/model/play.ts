/** The model's rules for hunts, and for what everybody may read. */
import { HOUR, MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import { byName, named, ok, own } from "./accounts.ts";
import {
  checkpointView,
  countsView,
  eventView,
  leaderboardView,
  logView,
  nextFeedingView,
  passedAt,
  publicView,
  recordView,
  roster,
  staffView,
  starvationView,
  treeView,
} from "./bodies.ts";
import { makeZombie, record, shownDeadline } from "./game.ts";
import { bareCode, carrier, requireState, sharerOf } from "./masters.ts";
import { foldedOf } from "./names.ts";
import { type Bodies, forMasters, forPlayers, IDEMPOTENT, type Route, type Rules } from "./request.ts";
import { ModelError } from "./sessions.ts";
import type { Model, Player } from "./state.ts";
import { earlierTag, reportedTime, type Tag, tag } from "./tag.ts";

type Hunt = Bodies["POST /zombie/hunt/{url_id}"];

const MISSES_ALLOWED = 10;
const MISS_WINDOW = 10 * MINUTE;

/** When the hunt happened. @throws ModelError `invalid_request` for errors that do not depend on the game's state */
const huntedAtOf = (m: Model, { hunted_at, share_with = [] }: Hunt, hunter: Player): number => {
  const huntedAt = reportedTime(m, hunted_at);
  const fed = [hunter.alias, ...share_with].map(foldedOf);
  if (new Set(fed).size < fed.length) throw new ModelError("invalid_request");
  return huntedAt;
};

/** @throws ModelError `too_many_attempts` after too many unknown codes */
const requireFewMisses = (m: Model, hunter: Player): void => {
  hunter.misses = hunter.misses.filter((miss) => miss > m.now - MISS_WINDOW);
  const first = hunter.misses.at(-MISSES_ALLOWED);
  if (first !== undefined) throw new ModelError("too_many_attempts", first + MISS_WINDOW - m.now);
};

/** The tag of this code. An unknown code counts as a guess. @throws ModelError as {@link carrier} */
const tagOf = (m: Model, { tag_code }: Hunt, hunter: Player, at: number): Tag => {
  const earlier = earlierTag(m, bareCode(tag_code), at);
  if (earlier !== null) return earlier;
  try {
    const prey = carrier(m, tag_code);
    return { prey, target: prey.id, at, codeSince: prey.codeSince };
  } catch (error) {
    // An invalid code does not count as a guess.
    const isGuess = /^[2-9A-HJKMNP-Z]{8}$/.test(bareCode(tag_code));
    const isUnknown = error instanceof ModelError && error.code === "unknown_tag_code";
    if (isGuess && isUnknown) hunter.misses.push(m.now);
    throw error;
  }
};

const sharersOf = (m: Model, { share_with = [] }: Hunt): Player[] =>
  share_with.map((alias) => sharerOf(m, alias));

export const PLAY = {
  "POST /zombie/hunt/{url_id}": forPlayers((m, body, hunter) => {
    const at = huntedAtOf(m, body, hunter);
    if (m.pausedAt !== null) throw new ModelError("paused");
    if (m.pauses.some(({ from, until }) => at >= from && at < until)) throw new ModelError("not_running");
    requireState(hunter, "zombie");
    requireFewMisses(m, hunter);
    const tagged = tagOf(m, body, hunter, at);
    const event = tag(m, hunter, tagged, { sharing: () => sharersOf(m, body), note: body.note ?? null });
    const left = m.left.get(bareCode(body.tag_code));
    if (left !== undefined) left.hunt = event.n;
    const { prey } = tagged;
    const { n } = event;
    return ok((after) => ({
      interaction: after.record.filter((one) => one.n === n).map((one) => eventView(after, one, hunter))[0],
      hunter: { kills: hunter.kills.length, starves_at: shownDeadline(after, hunter.deadline) },
      prey: { alias: prey?.alias ?? null, state: prey?.state ?? null },
    }));
  }, IDEMPOTENT),

  "POST /player/report_tagged/{url_id}": forPlayers((m, { tagged_at, by_alias }, player) => {
    const at = reportedTime(m, tagged_at);
    if (by_alias !== undefined && foldedOf(by_alias) === foldedOf(player.alias))
      throw new ModelError("invalid_request");
    if (m.pausedAt !== null) throw new ModelError("paused");
    if (m.pauses.some(({ from, until }) => at >= from && at < until)) throw new ModelError("not_running");
    const suspect = by_alias === undefined ? null : named(m, { alias: by_alias }).id;
    requireState(player, "human");
    if (at < player.codeSince) throw new ModelError("too_early");
    const { code, codeSince } = player;
    const event = record(m, "hunt", { at, actor: null, target: player.id, waitingSince: m.now, suspect });
    if (code !== null) m.reported.set(code, { event: event.n, codeSince });
    makeZombie(m, player, event, null);
    const { n } = event;
    return ok((after) => ({
      player: own(player.id)(after),
      interaction: after.record.filter((one) => one.n === n).map((one) => eventView(after, one, player))[0],
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
      name: "Humans vs Zombies",
      ...{ time_zone: "UTC", starts_at: null, ends_at: null, play_hours: null, next_change_at: null },
      ...{ phase: m.pausedAt === null ? "running" : "paused", in_play: m.pausedAt === null },
      paused: m.pausedAt !== null,
      paused_since: m.pausedAt === null ? null : rfc3339(m.pausedAt),
      feeding_period_seconds: m.period / SECOND,
      ...{ report_window_seconds: (6 * HOUR) / SECOND, sharers: 2 },
      checkpoint: checkpointView(m),
      counts: countsView(m),
    })),
  ),

  "GET /pfp/{url_id}": forPlayers((_m, _, { picture }) => {
    if (picture === null) throw new ModelError("no_picture");
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

  "GET /interactions/leaderboard/{url_id}": forPlayers((m) =>
    ok(() => ({ players: leaderboardView(m), next_cursor: null })),
  ),

  "GET /interactions/tree/{url_id}": forPlayers((m, { root }) => {
    const top = m.record.find(({ id }) => id === root);
    return ok(() => treeView(m, top ?? null));
  }),

  "GET /admin/get_players/{url_id}": forMasters((m, { state, passed, label }, caller) => {
    const players = roster(m)
      .filter((player) => state === undefined || player.state === state)
      .filter((player) => passed === undefined || (passedAt(m, player) !== null) === passed)
      .filter((player) => label === undefined || player.labels.includes(label));
    return ok(() => ({ players: players.map((player) => staffView(m, player, caller)), next_cursor: null }));
  }),

  "GET /admin/player_count/{url_id}": forMasters((m) => ok(() => countsView(m))),

  "GET /admin/get_logs/{url_id}": forMasters((m) => {
    // The log as it was read, before this call is logged itself.
    const logs = logView(m);
    return ok(() => ({ logs, next_cursor: null }));
  }),
} satisfies Partial<Rules<Route>>;
