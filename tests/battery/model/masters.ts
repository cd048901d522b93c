/** The model's rules for game masters' commands. */
import { createHash } from "node:crypto";
import { rfc3339 } from "../../../lib/domain/time.ts";
import { forStaff, named, ok } from "./accounts.ts";
import { checkpointView, countsView, eventView, hungriest, roster } from "./bodies.ts";
import {
  addDay,
  enforce,
  eventOf,
  feed,
  isRestorable,
  kill,
  makeHuman,
  makeZombie,
  pause,
  playerOf,
  record,
  recordStarvation,
  restore,
  resume,
  shownDeadline,
  withdraw,
} from "./game.ts";
import { byAlias, foldedOf } from "./names.ts";
import {
  type Call,
  forMasters,
  type Group,
  IDEMPOTENT,
  type ModelResponse,
  type Ref,
  type Route,
  type Rule,
  type Rules,
} from "./request.ts";
import { ModelError } from "./sessions.ts";
import type { Event, Model, Player, State } from "./state.ts";
import { lifeOf, reportedTime, tag } from "./tag.ts";
import { voidHunt } from "./void.ts";

export const requireState = (player: Player, ...states: State[]): void => {
  if (!states.includes(player.state)) throw new ModelError("wrong_state");
};

/** A rule for one player in one of several states; `change` records its event. */
const upon = (
  states: State[],
  change: (m: Model, target: Player, caller: Player, call: Call) => Event,
): Rule<Ref> =>
  forMasters((m, ref, caller, call) => {
    const target = named(m, ref);
    requireState(target, ...states);
    // An unrecorded starvation is recorded too.
    recordStarvation(m, target);
    const view = forStaff(target.id, caller);
    const { n } = change(m, target, caller, call);
    return ok((after) => ({
      player: view(after),
      interaction: after.record
        .filter((event) => event.n === n)
        .map((event) => eventView(after, event, caller))[0],
    }));
  }, IDEMPOTENT);

const pauseAnswer = (m: Model): ModelResponse => {
  const since = m.pausedAt === null ? null : rfc3339(m.pausedAt);
  return ok(() => ({ paused: since !== null, since }));
};

export const bareCode = (written: string): string => written.replaceAll(/[\s-]/g, "").toUpperCase();

/** Whose tag code this is now. @throws ModelError `unknown_tag_code`, `wrong_state`, `already_tagged` */
export const carrier = (m: Model, written: string): Player => {
  const code = bareCode(written);
  const owner = m.codes.get(code);
  if (owner === undefined) throw new ModelError("unknown_tag_code");
  const player = m.players.find(({ id }) => id === owner);
  if (m.replaced.has(code)) throw new ModelError("code_replaced");
  if (player === undefined) throw new ModelError("wrong_state");
  if (player.code !== code) throw new ModelError("already_tagged");
  requireState(player, "human");
  return player;
};

/** Does something to each player of a group who is in a state. */
const uponGroup = (
  m: Model,
  { aliases, label, dry_run, state }: Group & { state?: State },
  from: State,
  change: (target: Player) => unknown,
): ModelResponse => {
  const chosen = aliases?.map((alias) => named(m, { alias })) ?? m.players;
  const group = roster(m)
    .filter((player) => chosen.includes(player))
    .filter(({ labels }) => label === undefined || labels.includes(label));
  const changed = group.filter((player) => player.state === from);
  const skipped = state === undefined ? group.length - changed.length : 0;
  const counts = { count: changed.length, skipped, complete: true };
  if (dry_run === true) {
    const players = changed.map(({ alias }) => ({ alias, state: from }));
    return ok(() => ({ ...counts, job_id: null, players, next_cursor: null }));
  }
  for (const target of changed) {
    recordStarvation(m, target);
    change(target);
  }
  return ok(() => ({ ...counts, job_id: null }));
};
/** A zombie with whom a feeding is shared. */
export const sharerOf = (m: Model, alias: string): Player => {
  const sharer = named(m, { alias });
  requireState(sharer, "zombie");
  return sharer;
};

/** The response to a tag that a game master has entered. */
const entered = (player: (after: Model) => unknown, { n }: Event, caller: Player): ModelResponse =>
  ok((after) => ({
    player: player(after),
    interaction: after.record.filter((one) => one.n === n).map((one) => eventView(after, one, caller))[0],
  }));

export const MASTERS = {
  "POST /admin/corpsify/{url_id}": upon(["human", "zombie"], (m, target, caller) =>
    kill(m, target, "corpsify", caller.id),
  ),

  "POST /admin/make_spectator/{url_id}": upon(["human", "zombie", "corpse"], (m, target, caller) =>
    withdraw(m, target, caller.id),
  ),

  "POST /admin/cure/{url_id}": upon(["zombie"], (m, target, caller, { facts }) => {
    makeHuman(m, target, facts.codeOf(target.id));
    return record(m, "cure", { actor: caller.id, target: target.id });
  }),

  "POST /admin/revive_h/{url_id}": upon(["corpse", "spectator"], (m, target, caller, { facts }) => {
    makeHuman(m, target, facts.codeOf(target.id));
    return record(m, "revive_human", { actor: caller.id, target: target.id });
  }),

  "POST /admin/revive_z/{url_id}": upon(["corpse", "spectator"], (m, target, caller) => {
    const event = record(m, "revive_zombie", { actor: caller.id, target: target.id });
    makeZombie(m, target, event, null);
    return event;
  }),

  "POST /admin/draw_originals/{url_id}": forMasters(
    (m, { n, dry_run = false, seed: given }, caller, { facts }) => {
      const volunteers = m.players.filter(({ state, wantsOriginal }) => state === "human" && wantsOriginal);
      if (volunteers.length < n) throw new ModelError("too_few_volunteers");
      const seed = given ?? facts.field("seed");
      const lots = volunteers.map((player) => ({
        player,
        lot: createHash("sha256").update(`${seed} ${player.id}`).digest("hex"),
      }));
      const inOrder = lots.toSorted((one, other) => (one.lot < other.lot ? -1 : 1));
      const drawn = inOrder.slice(0, n).map(({ player }) => player);
      for (const target of dry_run ? [] : drawn) {
        const event = record(m, "revive_zombie", { actor: caller.id, target: target.id, isDrawn: true });
        makeZombie(m, target, event, null);
      }
      const aliases = drawn.map(({ alias }) => ({ alias }));
      return ok(() => ({ volunteers: volunteers.length, drawn: aliases, seed, dry_run }));
    },
    IDEMPOTENT,
  ),

  "POST /admin/feed_player/{url_id}": upon(["zombie"], (m, target, caller) => {
    feed(m, target, m.now, null);
    return record(m, "feed", { actor: caller.id, target: target.id });
  }),

  "POST /admin/feed/{url_id}": forMasters((m, { n }, caller) => {
    const fed = hungriest(m).slice(0, n);
    for (const player of fed) {
      feed(m, player, m.now, null);
      record(m, "feed", { actor: caller.id, target: player.id });
    }
    const reported = fed.map(({ alias, deadline }) => ({ alias, starves_at: shownDeadline(m, deadline) }));
    return ok(() => ({ fed: reported, count: fed.length }));
  }, IDEMPOTENT),

  "POST /admin/feed_group/{url_id}": forMasters(
    (m, body, caller) =>
      uponGroup(m, body, "zombie", (target) => {
        feed(m, target, m.now, null);
        record(m, "feed", { actor: caller.id, target: target.id });
      }),
    IDEMPOTENT,
  ),

  "POST /admin/revive_all/{url_id}": forMasters(
    (m, body, caller, call) =>
      uponGroup(m, body, body.state ?? "corpse", (target) => {
        const isHuman = body.as !== "zombie";
        if (isHuman) makeHuman(m, target, call.facts.codeOf(target.id));
        const kind = isHuman ? "revive_human" : "revive_zombie";
        const event = record(m, kind, { actor: caller.id, target: target.id });
        if (!isHuman) makeZombie(m, target, event, null);
      }),
    IDEMPOTENT,
  ),

  "POST /admin/zombies_add_day/{url_id}": forMasters((m, _, caller) => {
    const { zombies } = countsView(m);
    addDay(m);
    record(m, "add_day", { actor: caller.id, target: null });
    return ok(() => ({ zombies, added_seconds: 86_400 }));
  }, IDEMPOTENT),

  "POST /admin/pause_game/{url_id}": forMasters((m, _, caller) => {
    if (pause(m)) record(m, "pause", { actor: caller.id, target: null });
    return pauseAnswer(m);
  }, IDEMPOTENT),

  "POST /admin/resume_game/{url_id}": forMasters((m, _, caller) => {
    if (resume(m)) record(m, "resume", { actor: caller.id, target: null });
    return pauseAnswer(m);
  }, IDEMPOTENT),

  "POST /admin/set_checkpoint/{url_id}": forMasters((m, body, _asker, { facts }) => {
    const closesAt = "clear" in body || body.closes_at === undefined ? null : Date.parse(body.closes_at);
    // A request is repeated after its closing time, when its key has expired.
    if (closesAt !== null && closesAt < m.now) throw new ModelError("invalid_request");
    m.checkpoint =
      "clear" in body
        ? null
        : {
            id: facts.field("checkpoint_id"),
            name: body.name,
            closesAt,
            appliesTo: body.applies_to ?? "all",
            setAt: m.now,
            enforcedAt: null,
            undoneAt: null,
          };
    return ok(checkpointView);
  }, IDEMPOTENT),

  "POST /admin/player_at_checkpoint/{url_id}": forMasters((m, body) => {
    const player = "tag_code" in body ? carrier(m, body.tag_code) : named(m, body);
    const { checkpoint } = m;
    if (checkpoint === null) throw new ModelError("no_checkpoint");
    requireState(player, "human", "zombie");
    const { alias, pass: earlier } = player;
    const repeated = earlier?.checkpoint === checkpoint.id;
    if (!repeated && checkpoint.closesAt !== null && checkpoint.closesAt <= m.now)
      throw new ModelError("closed");
    const pass = repeated ? earlier : { checkpoint: checkpoint.id, at: m.now };
    player.pass = pass;
    return ok(() => ({ alias, checkpoint_id: checkpoint.id, passed_at: rfc3339(pass.at), repeated }));
  }, IDEMPOTENT),

  "POST /admin/kill_all_not_at_checkpoint/{url_id}": forMasters((m, body, caller, { facts }) => {
    const { checkpoint } = m;
    if (checkpoint === null) throw new ModelError("no_checkpoint");
    const { id, appliesTo } = checkpoint;
    if (body.checkpoint_id !== undefined && body.checkpoint_id !== id)
      throw new ModelError("checkpoint_changed");
    const began = checkpoint.enforcedAt ?? m.now;
    const wasReported = (infection: number | null): boolean =>
      m.record.some(
        ({ n, waitingSince, completedAt }) =>
          n === infection && (waitingSince !== null || completedAt !== null),
      );
    const concerned = m.players.filter(
      ({ state, createdAt, codeSince, infection, infectedAt, infectedBy }) =>
        createdAt <= began &&
        ((state === "human" && appliesTo !== "zombies" && codeSince <= began) ||
          (state === "zombie" &&
            appliesTo !== "humans" &&
            (infectedBy !== null || wasReported(infection) || (infectedAt ?? 0) <= began))),
    );
    const spared = concerned.filter(({ pass }) => pass?.checkpoint === id);
    const missing = concerned.filter((player) => !spared.includes(player));
    const counts = { killed: missing.length, spared: spared.length, complete: true };
    if (body.dry_run === true) {
      const players = missing
        .toSorted(byAlias)
        .map(({ alias, state }) => ({ alias, state, becomes: "corpse" }));
      return ok(() => ({ ...counts, job_id: null, players, next_cursor: null }));
    }
    Object.assign(checkpoint, { enforcedAt: began, undoneAt: null });
    for (const player of missing) enforce(m, player, id, caller.id);
    const job_id = facts.field("job_id");
    return ok(() => ({ ...counts, job_id }));
  }, IDEMPOTENT),

  "POST /admin/undo_checkpoint/{url_id}": forMasters((m, body, caller, { facts }) => {
    const { checkpoint_id: id, reason, dry_run } = body;
    const { checkpoint } = m;
    if (checkpoint?.id === id && checkpoint.enforcedAt === null) throw new ModelError("wrong_state");
    const concerned = m.players
      .map((player) => ({ player, isIt: isRestorable(player, id) }))
      .filter(({ isIt }) => isIt !== null);
    const ended = concerned.filter(({ isIt }) => isIt).map(({ player }) => player);
    const counts = {
      ...{ restored: ended.length, changed: concerned.length - ended.length, complete: true },
    };
    if (dry_run === true) {
      const players = concerned
        .toSorted((one, other) => byAlias(one.player, other.player))
        .map(({ player: { alias, state }, isIt }) => ({
          ...{ alias, state, outcome: isIt ? "restored" : "changed" },
        }));
      return ok(() => ({ ...counts, job_id: null, players, next_cursor: null }));
    }
    for (const player of ended) restore(m, player, reason, caller.id);
    if (checkpoint?.id === id) checkpoint.undoneAt = m.now;
    const job_id = facts.field("job_id");
    return ok(() => ({ ...counts, job_id }));
  }, IDEMPOTENT),

  "POST /admin/void_hunt/{url_id}": forMasters(
    (m, { interaction_id, reason, dry_run }, caller, { facts }) => {
      const isDry = dry_run === true;
      // A dry run does the same on a copy.
      const on = isDry ? structuredClone(m) : m;
      const hunt = on.record.find(({ id }) => id === interaction_id);
      if (hunt === undefined) throw new ModelError("not_found");
      const newCode = (): string => (isDry ? "ZZZZZZZZ" : facts.codeOf(hunt.target ?? ""));
      const { event, effects } = voidHunt(on, { hunt, actor: caller.id, reason, newCode });
      return ok((after) => {
        const done = after.record.find(({ n, kind }) => n === event.n && kind === "void");
        const interaction = isDry || done === undefined ? null : eventView(after, done, caller);
        return { interaction, dry_run: isDry, effects };
      });
    },
    IDEMPOTENT,
  ),

  "POST /admin/name_hunter/{url_id}": forMasters((m, { interaction_id, ...ref }, caller) => {
    const hunter = named(m, ref);
    const event = m.record.find(({ id }) => id === interaction_id);
    if (event === undefined) throw new ModelError("not_found");
    if (event.waitingSince === null || event.voided) throw new ModelError("wrong_state");
    const { at } = event;
    const life = lifeOf(m, hunter, at);
    const view = forStaff(hunter.id, caller);
    tag(m, hunter, { event, prey: playerOf(m, event.target), target: event.target ?? "", at }, { life });
    return entered(view, event, caller);
  }, IDEMPOTENT),

  "POST /admin/hunt/{url_id}": forMasters(
    (m, { hunter: by, prey: of, hunted_at, share_with = [] }, caller) => {
      const [hunter, prey] = [named(m, { alias: by }), named(m, { player_id: of })];
      const huntedAt = reportedTime(m, hunted_at, true);
      const fed = [hunter.alias, ...share_with].map(foldedOf);
      if (hunter === prey || new Set(fed).size < fed.length) throw new ModelError("invalid_request");
      if (m.pausedAt !== null) throw new ModelError("paused");
      if (m.pauses.some(({ from, until }) => huntedAt >= from && huntedAt < until))
        throw new ModelError("not_running");
      const infection = eventOf(m, prey.infection ?? -1);
      const event = infection?.waitingSince == null ? undefined : infection;
      const at = Math.min(huntedAt, event?.at ?? huntedAt);
      const life = lifeOf(m, hunter, at);
      if (event === undefined) requireState(prey, "human");
      const codeSince = event === undefined ? prey.codeSince : at;
      const view = forStaff(hunter.id, caller);
      const sharing = () => share_with.map((alias) => sharerOf(m, alias));
      const tagged = tag(
        m,
        hunter,
        { event, prey, target: prey.id, at, codeSince },
        { life, sharing, isEntered: true },
      );
      return entered(view, tagged, caller);
    },
    IDEMPOTENT,
  ),

  "POST /admin/new_tag_code/{url_id}": forMasters((m, ref, caller, { facts }) => {
    const player = named(m, ref);
    requireState(player, "human");
    if (player.code !== null) m.replaced.add(player.code);
    player.code = facts.codeOf(player.id);
    if (m.codes.has(player.code)) throw new Error("the code is not new");
    m.codes.set(player.code, player.id);
    return ok(forStaff(player.id, caller));
  }, IDEMPOTENT),

  "POST /admin/lift_lockout/{url_id}": forMasters((m, ref, caller) => {
    const player = named(m, ref);
    player.misses = [];
    return ok(forStaff(player.id, caller));
  }, IDEMPOTENT),
} satisfies Partial<Rules<Route>>;
