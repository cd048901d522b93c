/** The model's rules of missions (decisions 123 and 124). */
import { rfc3339 } from "../../../lib/domain/time.ts";
import { AFTER, give, takeBack } from "./codes.ts";
import * as game from "./game.ts";
import { lifeBetween } from "./hunts.ts";
import { byAlias } from "./names.ts";
import { type Input, ModelError, ok, type Rules, requireThat } from "./request.ts";
import { closingOf, shortOf } from "./requirement.ts";
import type { Attended, Event, Mission, Model, Player, State } from "./state.ts";
import { pick } from "./views.ts";

/** What a player was at a time, or when they joined if that was later. What a voided tag began counts as human. */
const stateThen = (m: Model, player: Player, time: number): State => {
  const at = Math.max(time, player.created_at);
  const { state: present, unrecorded, code_since, infected_at } = player;
  if (present === "human" && code_since <= at) return present;
  if (present === "zombie" && (infected_at ?? 0) <= at) return present;
  const own = m.record
    .filter(({ kind, target }) => target === player.id && kind in AFTER)
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
  const [first] = own;
  const stored = unrecorded === null ? present : "zombie";
  let state: State = first === undefined ? stored : "human";
  if (first?.kind.startsWith("revive") === true && !first.drawn) state = "spectator";
  // The void of the tag that began the life. What happened after the void happened to a human.
  let voidOfLife: string | null = null;
  let last = player.created_at;
  let then = state;
  const become = (time: number, after: State, isVoided = false): void => {
    last = Math.max(time, last);
    state = isVoided ? "human" : after;
    if (last <= at) then = state;
  };
  for (const event of own) {
    const after = event.withdrawn ? "spectator" : (AFTER[event.kind] ?? "corpse");
    if (event.voided_by !== null && after !== "zombie") continue;
    if (after !== "corpse") voidOfLife = after === "zombie" ? event.voided_by : null;
    become(event.at, after, voidOfLife !== null && event.id < voidOfLife);
  }
  if (unrecorded !== null) become(unrecorded, "corpse");
  return then;
};

const find = (m: Model, id: string | undefined): Mission => {
  const mission = m.missions.find((one) => one.id === id);
  requireThat(mission !== undefined, "not_found");
  return mission;
};

/** What somebody got by attending, and nobody took back. */
const inForce = (m: Model, { events }: Attended): Event[] =>
  events.flatMap((id) => game.eventOf(m, id) ?? []).filter(({ voided_by }) => voided_by === null);

const isFor = (audience: string, { state }: Player): boolean =>
  audience === "all" || audience === `${state}s`;

const earnedOf = ({ kind, reward }: Event) => ({
  ...(reward?.fed === true ? { fed: true } : {}),
  ...(kind === "cure" ? { cured: true } : {}),
  ...(reward?.points === undefined ? {} : { points: reward.points }),
  ...(reward?.badge === undefined ? {} : { badge: reward.badge }),
  ...(reward?.message === undefined ? {} : { message: reward.message }),
});

/** A mission as a player sees it; `null` if they may not know of it. */
const missionView = (m: Model, mission: Mission, viewer: Player, isList: boolean) => {
  const { is_admin } = viewer;
  const briefings = mission.briefings.filter(
    ({ audience, reveal_at }) => is_admin || (reveal_at <= m.now && isFor(audience, viewer)),
  );
  if (briefings.length === 0) return null;
  const closing = closingOf(mission);
  const own = isList ? mission.attended.find(({ player }) => player === viewer.id) : undefined;
  const hasOutcome = is_admin || closing !== null;
  return {
    ...{ mission_id: mission.id, title: mission.title },
    ...{ starts_at: rfc3339(mission.starts), ends_at: rfc3339(mission.ends) },
    ...{ place: null, latitude: null, longitude: null, picture_url: null },
    ...{ attendance: mission.hasDesk ? "desk" : "none", required: mission.required, required_to_play: false },
    briefings: briefings.map(({ audience, text, reveal_at, outcome_text }) => ({
      ...{ audience, text, reveal_at: rfc3339(reveal_at), outcome_text: hasOutcome ? outcome_text : null },
    })),
    rewards: mission.rewards.filter(({ audience }) => is_admin || isFor(audience, viewer)),
    ...{ result: closing?.result ?? null, note: closing?.note ?? null },
    closed_at: closing === null ? null : rfc3339(closing.at),
    attended: own !== undefined,
    earned: own === undefined ? [] : inForce(m, own).map(earnedOf),
    ...(is_admin ? staffFields(mission, isList) : {}),
  };
};

const staffFields = ({ version, closings, attended }: Mission, isList: boolean) => ({
  ...{ version, draft: false, complete: true },
  closings: closings.map(({ at, result, note, reopened_at }) => ({
    ...{ at: rfc3339(at), result, note },
    ...pick({ reopened_at }, "reopened_at"),
  })),
  ...(isList ? { attended_count: attended.length } : {}),
});

type SetRequest = Input<"POST /admin/set_mission/{url_id}">;

/** A mission with what a request changes of it. */
const changed = (before: Mission, wanted: SetRequest): Mission => ({
  ...before,
  title: wanted.title ?? before.title,
  starts: wanted.starts_at === undefined ? before.starts : Date.parse(wanted.starts_at),
  ends: wanted.ends_at === undefined ? before.ends : Date.parse(wanted.ends_at),
  briefings:
    wanted.briefings?.map(({ audience, text, reveal_at, outcome_text = null }) => ({
      ...{ audience, text, reveal_at: Date.parse(reveal_at), outcome_text },
    })) ?? before.briefings,
  hasDesk: wanted.attendance === undefined ? before.hasDesk : wanted.attendance === "desk",
  rewards: wanted.rewards ?? before.rewards,
  required: wanted.required ?? before.required,
  version: before.version + 1,
});

/** Whom a closing rewards, in the order of their ids, with their side at the start and what is for it. */
const rewardedBy = (m: Model, { attended, rewards, starts }: Mission, result: string) => {
  const isNothing = result === "cancelled" || rewards.length === 0;
  const selected = isNothing ? [] : attended.toSorted((one, other) => (one.player < other.player ? -1 : 1));
  const present = selected.flatMap((one) => {
    const player = game.playerOf(m, one.player);
    if (player === undefined) return [];
    const side = stateThen(m, player, Math.min(starts, m.now));
    const given = rewards.filter(({ audience }) => ["all", `${side}s`].includes(audience));
    return [{ one, player, side, given }];
  });
  return { selected, present };
};

/** Gives what a mission gives. @returns the ids of the events */
const reward = (m: Model, player: Player, given: Mission["rewards"], code: () => string): string[] =>
  given.flatMap(({ effect }) => {
    const life = player.state === "zombie" ? lifeBetween(m, player, { from: m.now, until: m.now }) : null;
    return give(m, player, { effect, source: "mission" }, life, m.now, code)?.id ?? [];
  });

/** Whether something could not be taken back. */
const isKept = ({ kind }: Event, effects: readonly { effect: string }[]): boolean =>
  (kind === "cure" && effects.every(({ effect }) => effect !== "zombie_again")) ||
  (kind !== "reward" && effects.some(({ effect }) => effect === "meal_kept" || effect === "unchanged"));

export const MISSIONS = {
  "POST /admin/set_mission/{url_id}": (m, body, caller, { field }) => {
    const { mission_id, version } = body;
    const blank: Mission = {
      ...{ id: "", version: 0, title: "", starts: 0, ends: 0, briefings: [], hasDesk: false },
      ...{ rewards: [], required: false, closings: [], attended: [] },
    };
    const before = mission_id === undefined ? blank : find(m, mission_id);
    requireThat(version === undefined || version === before.version, "changed_meanwhile");
    const after = changed(before, body);
    const isMoved = after.starts !== before.starts || after.ends !== before.ends;
    const isOther = isMoved || after.hasDesk !== before.hasDesk || body.rewards !== undefined;
    requireThat(closingOf(before) === null || !isOther, "wrong_state");
    requireThat((!after.required || after.hasDesk) && after.ends > after.starts, "invalid_request");
    if (mission_id === undefined) m.missions.push({ ...after, id: field("mission_id") });
    else Object.assign(before, after);
    return ok(missionView(m, find(m, mission_id ?? field("mission_id")), caller, false));
  },

  "POST /admin/mission_attendance/{url_id}": (m, body, { id: by }) => {
    const { mission_id, alias, aliases = [alias ?? ""], undo = false, late = false } = body;
    const mission = find(m, mission_id);
    requireThat(mission.hasDesk && closingOf(mission) === null, "wrong_state");
    requireThat(late || m.now < mission.ends, "closed");
    const players = aliases.map((one) => game.named(m, { alias: one }));
    const shown = players.map((player) => {
      const known = mission.attended.find((one) => one.player === player.id);
      const isRepeated = (known !== undefined) !== undo;
      const at = undo ? null : (known?.at ?? m.now);
      if (!isRepeated && undo) mission.attended = mission.attended.filter((one) => one !== known);
      if (!isRepeated && !undo) mission.attended.push({ player: player.id, at: m.now, by, events: [] });
      const { alias, state } = player;
      return { alias, state, ...pick({ attended_at: at }, "attended_at"), repeated: isRepeated };
    });
    const repeated_count = shown.filter(({ repeated }) => repeated).length;
    const counts = { count: shown.length, repeated_count, repeated: repeated_count === shown.length };
    return ok({ mission_id, ...counts, players: shown });
  },

  "POST /admin/close_mission/{url_id}": (m, body, _, { field, codeOf }) => {
    const { mission_id, result, note = null, dry_run = false } = body;
    // A dry run does the same on a copy.
    const on = dry_run ? structuredClone(m) : m;
    const mission = find(on, mission_id);
    requireThat(closingOf(mission) === null, "wrong_state");
    const { selected, present } = rewardedBy(on, mission, result);
    const players = present.flatMap(({ one, player, side, given }) => {
      const { alias, state } = player;
      // A dry run makes no code.
      const newCode = () =>
        dry_run ? `A${player.id.slice(-7)}`.toUpperCase().replaceAll(/[01OIL]/g, "2") : codeOf(player.id);
      one.events = reward(on, player, given, newCode);
      return one.events.length === 0 ? [] : [{ alias, state, becomes: player.state, side, rewards: given }];
    });
    const counts = { count: players.length, skipped: selected.length - players.length, complete: true };
    if (dry_run) return ok({ mission_id, ...counts, job_id: null, players, next_cursor: null });
    mission.closings.push({ at: m.now, result, note, reopened_at: null });
    return ok({ mission_id, ...counts, job_id: field("job_id") });
  },

  "POST /admin/reopen_mission/{url_id}": (m, { mission_id }, { id: actor }, { field }) => {
    const mission = find(m, mission_id);
    const closing = closingOf(mission);
    requireThat(closing !== null, "wrong_state");
    const rewarded = mission.attended
      .filter(({ events }) => events.length > 0)
      .toSorted((one, other) => (one.player < other.player ? -1 : 1));
    let [count, kept] = [0, 0];
    for (const one of rewarded) {
      const player = game.playerOf(m, one.player);
      if (player === undefined) continue;
      const all = inForce(m, one).toReversed();
      const isSomethingKept = all.map((event) =>
        isKept(event, takeBack(m, event, player, actor, undefined).effects),
      );
      one.events = [];
      count += 1;
      if (isSomethingKept.includes(true)) kept += 1;
    }
    closing.reopened_at = m.now;
    const counts = { count, skipped: rewarded.length - count, kept, complete: true };
    return ok({ mission_id, ...counts, job_id: field("job_id") });
  },

  "POST /admin/enforce_missions/{url_id}": (m, { min, exempt = [], dry_run = false }, { id }, { field }) => {
    // No game of the model has the setting.
    if (min === undefined) throw new ModelError("invalid_request");
    const spared = exempt.map((alias) => game.named(m, { alias }));
    const { concerned, short, needed } = shortOf(m, min, spared);
    const counts = { killed: short.length, spared: concerned.length - short.length, needed, complete: true };
    if (dry_run) {
      const listed = short.toSorted(byAlias);
      const players = listed.map((one) => ({ ...pick(one, "alias state"), becomes: "corpse" }));
      return ok({ ...counts, job_id: null, players, next_cursor: null });
    }
    game.disturb(m);
    const job_id = field("job_id");
    for (const player of short) game.enforce(m, player, job_id, id, true);
    return ok({ ...counts, job_id });
  },

  "GET /missions/{url_id}": (m, _, viewer) =>
    ok({
      missions: m.missions.toReversed().flatMap((one) => missionView(m, one, viewer, true) ?? []),
      ...{ missions_required: null, missions_counted_from: null, next_cursor: null },
    }),
} satisfies Rules;
