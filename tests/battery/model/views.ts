/** What the model's players see: the responses to reading, and the parts of other responses. */
import { createHash } from "node:crypto";
import { HOUR, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import * as game from "./game.ts";
import { byAlias } from "./names.ts";
import { ok, type Rules, requireThat } from "./request.ts";
import { isShort } from "./requirement.ts";
import type { Dispute, Event, Model, Player, State } from "./state.ts";

/** Some fields by their names, with instants as text and `null` for what is missing. */
export const pick = (thing: object, names: string): Record<string, unknown> => {
  const values = new Map<string, unknown>(Object.entries(thing));
  const shown = names.split(" ").map((name) => {
    const value = values.get(name) ?? null;
    const isTime = typeof value === "number" && /(^|_)(at|since)$/.test(name);
    return [name, isTime ? rfc3339(value) : value];
  });
  return Object.fromEntries(shown);
};

const aliasOf = (m: Model, id: string | null): string | null => game.playerOf(m, id)?.alias ?? null;

const isPassed = ({ checkpoint }: Model, { checkpoint_id }: Player): boolean =>
  checkpoint !== null && checkpoint_id === checkpoint.checkpoint_id;

export const refOf = (id: string): string =>
  createHash("sha256").update(`player_ref ${id}`).digest("base64url").slice(0, 22);

const identityOf = ({ id, picture }: Player) => ({
  player_ref: refOf(id),
  picture_url: picture === null ? null : `/pictures/${refOf(id)}.${picture}`,
});

/** A player as others see them. */
const publicView = (player: Player) => ({
  ...identityOf(player),
  ...pick(player, "alias state created_at"),
  kills: player.kills.length,
  has_pfp: player.picture !== null,
  role: player.is_admin ? "game_master" : "player",
});

/** Each badge once. */
const badgesOf = ({ badges }: Player) => {
  const shown = badges.map(({ name, symbol }) => ({ name, symbol }));
  return shown.filter((one, at) => shown.findIndex(({ name }) => name === one.name) === at);
};

/** A player as others see them on their own page. */
const profileView = (player: Player) => ({
  ...publicView(player),
  points: player.points,
  badges: badgesOf(player),
});

/** Whether a player has not signed the waiver as it counts now. Game masters who do not play need not. */
export const mustSign = ({ waiver: { versions } }: Model, { signed, state, is_admin }: Player): boolean =>
  versions.length > 0 && !versions.includes(signed ?? "") && !(state === "spectator" && is_admin);

/** Whether a player has no place in the game yet, or not any more. A paused game without a set start has not begun. */
const isShownPending = (m: Model, player: Player): boolean =>
  player.isPending ||
  (player.state !== "spectator" && mustSign(m, player) && m.pausedAt !== null && m.finish === null);

/** A player as they see themselves. A game master who plays, or has played, sees no other tag code. */
export const ownView = (m: Model, player: Player, viewer: Player = player) => {
  const { state, infection_id } = player;
  const seesCode = state === "human" && (viewer.id === player.id || game.maySeeSecrets(viewer));
  return {
    ...profileView(player),
    ...pick(player, "first_name last_name email is_admin wants_original last_fed_at"),
    // Nobody confirms an address in the model.
    ...{ email_confirmed: false, pending_email: null },
    player_id: player.id,
    pending: isShownPending(m, player),
    ...(mustSign(m, player) ? { must_sign: true } : {}),
    tag_code: seesCode ? player.tag_code : null,
    ...pick(infection_id === null ? {} : player, "infected_at"),
    infected_by: infection_id === null ? null : aliasOf(m, player.infected_by),
    starves_at: state === "zombie" ? game.shownDeadline(m, player.deadline) : null,
    ...pick(isPassed(m, player) ? player : {}, "passed_at"),
    push_kinds: ["tagged", "cured", "revived", "killed", "fed", "starving", "checkpoint", "missions", "game"],
    mail_kinds: ["announcement"],
  };
};

/** A player as game masters see them. */
export const staffView = (m: Model, player: Player, viewer: Player) => ({
  ...ownView(m, player, viewer),
  ...pick(player, "labels note"),
});

export const roster = (m: Model): Player[] => m.players.toSorted(byAlias);

/** A number for each state, by its plural. */
export const byState = (count: (state: State, name: string) => number): Record<string, number> => {
  const states = ["human", "zombie", "corpse", "spectator"] as const;
  return Object.fromEntries(states.map((state) => [`${state}s`, count(state, `${state}s`)]));
};

export const countsView = (m: Model) => ({
  total: m.players.length,
  ...byState((state) => game.inState(m, state).length),
});

const OF_CHECKPOINT =
  "checkpoint_id name description latitude longitude closes_at applies_to set_at enforced_at undone_at";

/** A model's game has no schedule: before its first zombie, it has not begun. */
const situationOf = (m: Model): string => {
  if (m.finish !== null) return m.now < m.finish.finalAt ? "last_tags" : "ended";
  if (m.pausedAt !== null) return "paused";
  return game.inState(m, "zombie").length + game.inState(m, "corpse").length > 0
    ? "running"
    : "between_seasons";
};

export const checkpointView = ({ checkpoint }: Model) => checkpoint && pick(checkpoint, OF_CHECKPOINT);

export const isInfection = ({ kind }: Event): boolean => kind === "hunt" || kind === "revive_zombie";

/** The result in a finish of the season, if it was known before a game master took it back. */
const resultIn = (m: Model, { id }: Event) => {
  const finish = m.seasonEnd?.finishes.find(({ event }) => event === id);
  if (finish === undefined || Math.min(m.now, finish.reopened_at ?? m.now) < finish.finalAt) return {};
  return { season_result: finish.result, season_note: finish.note ?? undefined };
};

/** Whether a player may know of an event. */
export const mayKnow = ({ is_private, target }: Event, { id, is_admin }: Player): boolean =>
  !is_private || is_admin || id === target;

/** An event as a player sees it. Only the hunter and game masters see its note, and only those concerned its reason. */
export const eventView = (m: Model, event: Event, { id: viewer, is_admin }: Player) => {
  const { id, kind, actor, target, parent, shared_with, note, voids, hunter, reason, dispute } = event;
  const isVoided = event.voided_by !== null;
  const refIfHere = (of: string | null): string | null => (aliasOf(m, of) === null ? null : refOf(of ?? ""));
  const isParty = is_admin || viewer === actor || viewer === target;
  const { points, badge, message } = event.reward ?? {};
  const details = {
    ...(isInfection(event) ? { infection_id: id, parent_infection_id: parent } : {}),
    shared_with: shared_with?.map((sharer) => aliasOf(m, sharer)),
    note: is_admin || viewer === actor ? (note ?? undefined) : undefined,
    withdrawn: event.withdrawn || undefined,
    returned: event.returned || undefined,
    drawn: event.drawn || undefined,
    voided: isVoided || undefined,
    voided_interaction_id: voids ?? undefined,
    late_tag_id: event.late_tag ?? undefined,
    checkpoint_id: event.checkpoint_id ?? undefined,
    of_missions: event.of_missions || undefined,
    waiting: (event.waiting_since !== null && !isVoided) || undefined,
    hunted_at: event.hunted_at !== null && isParty ? rfc3339(event.hunted_at) : undefined,
    by_alias: event.suspect !== null && is_admin ? aliasOf(m, event.suspect) : undefined,
    dispute: isParty ? dispute?.status : undefined,
    dispute_note: isParty ? dispute?.resolved?.note : undefined,
    entered_by_game_master: event.entered_by !== null || undefined,
    ...resultIn(m, event),
    reward:
      event.reward === null
        ? undefined
        : { source: event.reward.source, ...(isParty ? { points, badge, message } : {}) },
    reason: is_admin || viewer === target || viewer === hunter ? (reason ?? undefined) : undefined,
  };
  return {
    interaction_id: id,
    kind,
    ...pick(event, "at recorded_at"),
    ...{ actor: aliasOf(m, actor), actor_ref: refIfHere(actor) },
    ...{ target: aliasOf(m, target), target_ref: refIfHere(target) },
    details: JSON.parse(JSON.stringify(details)),
  };
};

/** An event in a list, which has the pictures of its players. */
const listedEvent = (m: Model, event: Event, viewer: Player) => {
  const pictures = (["actor", "target"] as const).flatMap((side) => {
    const player = game.playerOf(m, event[side]);
    return player?.picture == null ? [] : [[`${side}_picture_url`, identityOf(player).picture_url]];
  });
  return { ...eventView(m, event, viewer), ...Object.fromEntries(pictures) };
};

const byId = (one: { id: string }, other: { id: string }): number => (one.id < other.id ? -1 : 1);

/** The events, newest first: ids are in the order of recording. */
const newestFirst = (m: Model): Event[] => m.record.toSorted((one, other) => byId(other, one));

interface Node {
  children: Node[];
  [field: string]: unknown;
}

const infectionsBelow = (m: Model, parent: string | null): Event[] =>
  m.record
    .filter((event) => isInfection(event) && event.parent === parent)
    .toSorted((one, other) => one.at - other.at || byId(one, other));

const nodeOf = (m: Model, event: Event): Node => {
  const children = infectionsBelow(m, event.id);
  const player = game.playerOf(m, event.target);
  return {
    ...{ infection_id: event.id, infected_at: rfc3339(event.at), voided: event.voided_by !== null },
    ...(player === undefined ? { player_ref: null, picture_url: null } : identityOf(player)),
    ...pick(player ?? {}, "alias state"),
    kills: children.filter(({ voided_by }) => voided_by === null).length,
    children: children.map((child) => nodeOf(m, child)),
  };
};

const sizeOf = (nodes: readonly Node[]): number =>
  nodes.reduce((sum, { children }) => sum + 1 + sizeOf(children), 0);

export const lastKillOf = ({ kills }: Player): number | null =>
  kills.length === 0 ? null : Math.max(...kills.map(({ at }) => at));

/** Whether a value is the wanted one, if one is wanted. */
const fits = (wanted: string | undefined, value: string): boolean => wanted === undefined || wanted === value;

/** Living zombies, hungriest first, then by id. */
export const hungriest = (m: Model): Player[] =>
  game.inState(m, "zombie").toSorted((one, other) => one.deadline - other.deadline || byId(one, other));

const secondsLeft = (m: Model, { deadline }: Player): number =>
  Math.floor((deadline - game.gameInstant(m)) / SECOND);

export const VIEWS = {
  "GET /player/{url_id}": (m, _, player) => ok(ownView(m, player)),

  "POST /get_player/{url_id}": (m, { alias = "" }) => {
    const player = game.byName(m, alias);
    requireThat(player !== undefined, "player_not_found");
    return ok(profileView(player));
  },

  "GET /users/{url_id}": (m, { state }) => {
    const users = roster(m).filter((player) => fits(state, player.state));
    return ok({ users: users.map(publicView), next_cursor: null });
  },

  "GET /checkpoint/{url_id}": (m, _, player) => {
    const passed = isPassed(m, player);
    return ok({ checkpoint: checkpointView(m), passed, ...pick(passed ? player : {}, "passed_at") });
  },

  "GET /game/{url_id}": (m, _body, _caller, { text }) => {
    const paused = m.pausedAt !== null;
    const { finish } = m;
    const known = finish !== null && m.now >= finish.finalAt ? finish : null;
    // The id stays the same for the season.
    if (known !== null) m.seasonId ??= JSON.parse(text).season_id;
    return ok({
      ...{ name: "Humans vs Zombies", now: rfc3339(m.now), time_zone: "UTC", counts: countsView(m) },
      ...pick({ ends_at: finish?.endsAt }, "starts_at ends_at play_hours next_change_at"),
      ...pick({ result: known?.result, result_note: known?.note }, "result result_note"),
      season_id: known === null ? null : m.seasonId,
      grace_until: finish === null || known !== null ? null : rfc3339(finish.finalAt),
      ...{ phase: finish === null ? (paused ? "paused" : "running") : "ended" },
      ...{ in_play: !paused && finish === null, paused, situation: situationOf(m) },
      ...pick({ paused_since: m.pausedAt }, "paused_since"),
      ...{ feeding_period_seconds: m.period / SECOND, report_window_seconds: 21_600, sharers: 2 },
      sends_mail: false,
      stores_mail: false,
      checkpoint: checkpointView(m),
    });
  },

  "GET /pfp/{url_id}": (_m, _, { picture }) => {
    requireThat(picture !== null, "no_picture");
    return { status: 200 };
  },

  "GET /zombie/next_feeding/{url_id}": (m, _, player) => {
    game.requireState(player, "zombie");
    return ok({
      next_feeding: game.shownDeadline(m, player.deadline),
      seconds_left: secondsLeft(m, player),
      ...pick(player, "last_fed_at"),
    });
  },

  "GET /zombie/starvation/{url_id}": (m) => {
    const zombies = hungriest(m);
    const under = (hours: number): number =>
      zombies.filter(({ deadline }) => deadline - game.gameInstant(m) < hours * HOUR).length;
    return ok({
      zombies: zombies.map((player) => ({
        ...identityOf(player),
        alias: player.alias,
        starves_at: game.shownDeadline(m, player.deadline),
        seconds_left: secondsLeft(m, player),
      })),
      next_cursor: null,
      counts: { fed: zombies.length - under(24), hungry: under(24) - under(6), starving: under(6) },
    });
  },

  "GET /interactions/{url_id}": (m, { kind }, viewer) => {
    const events = newestFirst(m).filter((event) => fits(kind, event.kind) && mayKnow(event, viewer));
    return ok({ interactions: events.map((event) => listedEvent(m, event, viewer)), next_cursor: null });
  },

  // All who are or were zombies, by kills and then by who reached them first. Equal players share a rank.
  "GET /interactions/leaderboard/{url_id}": (m) => {
    const standing = m.players
      .filter(({ infected_at }) => infected_at !== null)
      .map((player) => ({ player, kills: player.kills.length, last_kill_at: lastKillOf(player) }))
      .toSorted(
        (one, other) =>
          other.kills - one.kills ||
          (one.last_kill_at ?? 0) - (other.last_kill_at ?? 0) ||
          byId(one.player, other.player),
      );
    const players = standing.map(({ player, kills, last_kill_at }) => ({
      rank: 1 + standing.findIndex((one) => one.kills === kills && one.last_kill_at === last_kill_at),
      kills,
      ...identityOf(player),
      ...pick({ ...player, last_kill_at }, "alias state infected_at last_kill_at"),
    }));
    return ok({ players, next_cursor: null });
  },

  "GET /interactions/tree/{url_id}": (m, { root }) => {
    const top = game.eventOf(m, root);
    const roots = (top === undefined ? infectionsBelow(m, null) : [top]).map((event) => nodeOf(m, event));
    return ok({ roots, size: sizeOf(roots), truncated: false });
  },

  "GET /admin/get_players/{url_id}": (m, { state, passed, label, missions_below: min }, caller) => {
    const players = roster(m)
      .filter((player) => fits(state, player.state) && fits(passed, String(isPassed(m, player))))
      .filter((player) => label === undefined || player.labels.some((one) => one === label))
      .filter((player) => min === undefined || isShort(m, player, Number(min)));
    return ok({ players: players.map((player) => staffView(m, player, caller)), next_cursor: null });
  },

  "GET /admin/player_count/{url_id}": (m) => ok(countsView(m)),

  "GET /admin/readiness/{url_id}": (m, { lacks: lack }) => {
    const players = roster(m).flatMap((player) => {
      const { id, alias, state, picture, signature } = player;
      if (state === "spectator" && !player.isPending) return [];
      const lacks = [
        ...(mustSign(m, player) ? ["signature"] : []),
        ...(picture === null ? ["picture"] : []),
        "code",
      ];
      if (lack !== undefined && !lacks.includes(lack)) return [];
      const { full_name = null, signed_at = null, by = null, photo_consent = null } = signature ?? {};
      return {
        ...{ ...identityOf(player), player_id: id, alias, state, has_pfp: picture !== null, full_name },
        ...{ pending: isShownPending(m, player), signed: !mustSign(m, player) },
        ...pick({ signed_at }, "signed_at"),
        ...{ on_paper: by !== null, has_guardian: false, photo_consent, orientations: 0, lacks },
      };
    });
    return ok({ orientations_needed: 0, players, next_cursor: null });
  },

  // The log as it was read, before this call is logged itself.
  "GET /admin/get_logs/{url_id}": (m) => {
    const logs = m.log.toReversed().map((entry) => ({ ...entry, actor: aliasOf(m, entry.actor) }));
    return ok({ logs, next_cursor: null });
  },

  // Open ones first, then the newest.
  "GET /admin/disputes/{url_id}": (m, { status: wanted }, viewer) => {
    const all = newestFirst(m).flatMap((event) =>
      event.dispute === null ? [] : { ...event.dispute, event },
    );
    const isOpen = ({ status }: Dispute): number => Number(status === "open");
    const disputes = all
      .filter(({ status }) => fits(wanted, status))
      .toSorted((one, other) => isOpen(other) - isOpen(one))
      .map(({ status, openedAt, entries, resolved, event }) => {
        const said = entries.map(({ speaker: side, by, at, text }) => {
          const alias = aliasOf(m, by);
          return { side, alias, at: rfc3339(at), statement: alias === null ? null : text };
        });
        return {
          ...{ dispute_id: event.id, status, opened_at: rfc3339(openedAt) },
          interaction: listedEvent(m, event, viewer),
          ...pick({ resolved_at: resolved?.at, note: resolved?.note }, "resolved_at note"),
          resolved_by: aliasOf(m, resolved?.by ?? null),
          statements: said.filter(({ side }) => side !== "comment"),
          comments: said
            .filter(({ side }) => side === "comment")
            .map(({ side: _, statement: comment, ...rest }) => ({ ...rest, comment })),
        };
      });
    return ok({ disputes, next_cursor: null });
  },
} satisfies Rules;
