/** The model's rules for game masters' commands in the game, and of disputes. */
import { createHash } from "node:crypto";
import { DAY, rfc3339 } from "../../../lib/domain/time.ts";
import * as game from "./game.ts";
import { carrier, voidHunt } from "./hunts.ts";
import { byAlias } from "./names.ts";
import { type Call, type Input, type ModelResponse, ok, type Rules, requireThat } from "./request.ts";
import type { Dispute, Event, Model, Player, State } from "./state.ts";
import {
  checkpointView,
  eventView,
  hungriest,
  mayKnow,
  mustSign,
  ownView,
  pick,
  roster,
  staffView,
} from "./views.ts";

/** A rule for one player in one of several states; `change` records its event. */
const onPlayer =
  (states: State[], change: (m: Model, target: Player, actor: string, call: Call) => Event) =>
  (m: Model, ref: Input<"POST /admin/corpsify/{url_id}">, caller: Player, call: Call): ModelResponse => {
    const target = game.named(m, ref);
    game.requireState(target, ...states);
    // A spectator enters play.
    if (states.includes("spectator") && target === caller) game.requireMayEnter(m, target);
    const before = { ...caller };
    // An unrecorded starvation is recorded too.
    game.recordStarvation(m, target);
    const event = change(m, target, caller.id, call);
    return ok({ player: ownView(m, target, before), interaction: eventView(m, event, caller) });
  };

const feedNow = (m: Model, target: Player, actor: string): Event => {
  game.feed(m, target, m.now, null);
  return game.record(m, "feed", { actor, target: target.id });
};

const revive = (m: Model, target: Player, actor: string): Event => {
  const event = game.record(m, "revive_zombie", { actor, target: target.id });
  game.makeZombie(m, target, event, null);
  return event;
};

const asHuman =
  (kind: string) =>
  (m: Model, target: Player, actor: string, { codeOf }: Call): Event => {
    game.makeHuman(m, target, codeOf(target.id));
    return game.record(m, kind, { actor, target: target.id });
  };

type Group = Omit<Input<"POST /admin/revive_all/{url_id}">, "as" | "state"> & { state?: State };

/** Does something to each player of a group who is in a state. */
const onGroup = (
  m: Model,
  { aliases, label, dry_run, state }: Group,
  from: State,
  change: (target: Player) => unknown,
  mayChange = (_: Player): boolean => true,
): ModelResponse => {
  const chosen = aliases?.map((alias) => game.named(m, { alias })) ?? m.players;
  const group = roster(m)
    .filter((player) => chosen.includes(player))
    .filter(({ labels }) => label === undefined || labels.includes(label));
  const changed = group.filter((player) => player.state === from && mayChange(player));
  const skipped = state === undefined ? group.length - changed.length : 0;
  const counts = { count: changed.length, skipped, complete: true, job_id: null };
  if (dry_run === true) {
    const players = changed.map(({ alias }) => ({ alias, state: from }));
    return ok({ ...counts, players, next_cursor: null });
  }
  for (const target of changed) {
    game.recordStarvation(m, target);
    change(target);
  }
  return ok(counts);
};

const pauseResponse = (m: Model): ModelResponse =>
  ok({ paused: m.pausedAt !== null, since: m.pausedAt === null ? null : rfc3339(m.pausedAt) });

/** An open dispute. @throws ModelError `not_found`, `wrong_state` */
const openDispute = (m: Model, id: string): { event: Event; dispute: Dispute } => {
  const event = game.eventOf(m, id);
  const dispute = event?.dispute ?? null;
  requireThat(event !== undefined && dispute !== null, "not_found");
  requireThat(dispute.status === "open", "wrong_state");
  return { event, dispute };
};

export const MASTERS = {
  "POST /admin/corpsify/{url_id}": onPlayer(["human", "zombie"], (m, target, actor) =>
    game.kill(m, target, "corpsify", actor),
  ),

  "POST /admin/make_spectator/{url_id}": onPlayer(["human", "zombie", "corpse"], (m, target, actor) => {
    Object.assign(target, { state: "spectator", isWithdrawn: true });
    return game.record(m, "corpsify", { actor, target: target.id, withdrawn: true });
  }),

  "POST /admin/show_secrets/{url_id}": (m, ref, caller) => {
    const target = game.named(m, ref);
    requireThat(target.id !== caller.id, "wrong_state");
    const withdrawn = caller.state !== "spectator";
    game.recordStarvation(m, caller);
    if (withdrawn) game.record(m, "corpsify", { actor: caller.id, target: caller.id, withdrawn: true });
    Object.assign(caller, { state: "spectator", isWithdrawn: true, sawSecrets: true });
    return ok({ player: staffView(m, target, caller), withdrawn });
  },

  "POST /admin/cure/{url_id}": onPlayer(["zombie"], asHuman("cure")),
  "POST /admin/revive_h/{url_id}": onPlayer(["corpse", "spectator"], asHuman("revive_human")),
  "POST /admin/revive_z/{url_id}": onPlayer(["corpse", "spectator"], revive),
  "POST /admin/feed_player/{url_id}": onPlayer(["zombie"], feedNow),

  "POST /admin/draw_originals/{url_id}": (m, { n, dry_run = false }, { id }, { field }) => {
    const humans = game.inState(m, "human");
    const volunteers = humans.filter((one) => one.wants_original && !mustSign(m, one));
    requireThat(volunteers.length >= n, "too_few_volunteers");
    if (dry_run) return ok({ volunteers: volunteers.length, drawn: [], seed: null, dry_run });
    const seed = field("seed");
    const lotOf = ({ id }: Player): string => createHash("sha256").update(`${seed} ${id}`).digest("hex");
    const drawn = volunteers.toSorted((one, other) => (lotOf(one) < lotOf(other) ? -1 : 1)).slice(0, n);
    for (const target of drawn) revive(m, target, id).drawn = true;
    const aliases = drawn.map(({ alias }) => ({ alias }));
    return ok({ volunteers: volunteers.length, drawn: aliases, seed, dry_run });
  },

  "POST /admin/feed/{url_id}": (m, { n }, { id }) => {
    const hungry = hungriest(m).slice(0, n);
    for (const player of hungry) feedNow(m, player, id);
    const fed = hungry.map(({ alias, deadline }) => ({ alias, starves_at: game.shownDeadline(m, deadline) }));
    return ok({ fed, count: fed.length });
  },

  "POST /admin/feed_group/{url_id}": (m, body, { id }) =>
    onGroup(m, body, "zombie", (target) => feedNow(m, target, id)),

  "POST /admin/revive_all/{url_id}": (m, { as, ...group }, { id }, call) => {
    const change = as === "zombie" ? revive : asHuman("revive_human");
    const mayChange = (target: Player) => target.id !== id || !game.knowsSecrets(target);
    return onGroup(m, group, group.state ?? "corpse", (target) => change(m, target, id, call), mayChange);
  },

  "POST /admin/zombies_add_day/{url_id}": (m, _, { id: actor }) => {
    const zombies = game.inState(m, "zombie").length;
    game.move(m, DAY);
    game.record(m, "add_day", { actor });
    return ok({ zombies, added_seconds: 86_400 });
  },

  "POST /admin/pause_game/{url_id}": (m, _, { id: actor }) => {
    if (m.pausedAt === null) {
      Object.assign(m, { pausedAt: m.now, changedAt: m.now });
      game.record(m, "pause", { actor });
    }
    return pauseResponse(m);
  },

  "POST /admin/resume_game/{url_id}": (m, _, { id: actor }) => {
    if (m.pausedAt !== null) {
      game.move(m, m.now - m.pausedAt);
      m.pauses.push({ from: m.pausedAt, until: m.now });
      m.pausedAt = null;
      game.record(m, "resume", { actor });
    }
    return pauseResponse(m);
  },

  "POST /admin/set_checkpoint/{url_id}": (m, body, _, { field }) => {
    const { clear, name = "", applies_to = "all" } = body;
    const closes_at = body.closes_at === undefined ? null : Date.parse(body.closes_at);
    // A request that is repeated after its key has expired may name a closing time that has passed.
    requireThat(closes_at === null || closes_at >= m.now, "invalid_request");
    const set = { name, closes_at, applies_to, set_at: m.now, enforced_at: null, undone_at: null };
    m.checkpoint = clear === true ? null : { checkpoint_id: field("checkpoint_id"), ...set };
    return ok(checkpointView(m));
  },

  "POST /admin/player_at_checkpoint/{url_id}": (m, { tag_code, ...ref }) => {
    const player = tag_code === undefined ? game.named(m, ref) : carrier(m, tag_code);
    const { checkpoint } = m;
    requireThat(checkpoint !== null, "no_checkpoint");
    game.requireState(player, "human", "zombie");
    const { checkpoint_id, closes_at } = checkpoint;
    const repeated = player.checkpoint_id === checkpoint_id;
    requireThat(repeated || closes_at === null || closes_at > m.now, "closed");
    const passedAt = (repeated ? player.passed_at : null) ?? m.now;
    Object.assign(player, { checkpoint_id, passed_at: passedAt });
    const { alias, state } = player;
    const applies = checkpoint.applies_to === "all" || checkpoint.applies_to === `${state}s`;
    return ok({ alias, checkpoint_id, passed_at: rfc3339(passedAt), repeated, state, applies });
  },

  "POST /admin/kill_all_not_at_checkpoint/{url_id}": (m, body, caller, { field }) => {
    const { checkpoint } = m;
    requireThat(checkpoint !== null, "no_checkpoint");
    const { checkpoint_id: id, applies_to } = checkpoint;
    requireThat(body.checkpoint_id === undefined || body.checkpoint_id === id, "checkpoint_changed");
    const began = checkpoint.enforced_at ?? m.now;
    const concerned = game
      .inState(m, "human", "zombie")
      .filter((player) => game.hasOldLife(m, player, began))
      .filter(({ state }) => ["all", `${state}s`].includes(applies_to));
    const missing = concerned.filter(({ checkpoint_id }) => checkpoint_id !== id);
    const counts = { killed: missing.length, spared: concerned.length - missing.length, complete: true };
    if (body.dry_run === true) {
      const listed = missing.toSorted(byAlias);
      const players = listed.map((one) => ({ ...pick(one, "alias state"), becomes: "corpse" }));
      return ok({ ...counts, job_id: null, players, next_cursor: null });
    }
    Object.assign(checkpoint, { enforced_at: began, undone_at: null });
    game.disturb(m);
    for (const player of missing) game.enforce(m, player, id, caller.id);
    return ok({ ...counts, job_id: field("job_id") });
  },

  "POST /admin/undo_checkpoint/{url_id}": (m, { checkpoint_id, reason = "", dry_run }, caller, { field }) => {
    const current = m.checkpoint?.checkpoint_id === checkpoint_id ? m.checkpoint : null;
    requireThat(current === null || current.enforced_at !== null, "wrong_state");
    const concerned = roster(m).filter((player) => game.isRestorable(player, checkpoint_id) !== null);
    const ended = concerned.filter((player) => game.isRestorable(player, checkpoint_id));
    const counts = { restored: ended.length, changed: concerned.length - ended.length, complete: true };
    if (dry_run === true) {
      const outcomeOf = (player: Player) => (ended.includes(player) ? "restored" : "changed");
      const players = concerned.map((one) => ({ ...pick(one, "alias state"), outcome: outcomeOf(one) }));
      return ok({ ...counts, job_id: null, players, next_cursor: null });
    }
    game.disturb(m);
    for (const player of ended) game.restore(m, player, reason, caller.id);
    if (current !== null) current.undone_at = m.now;
    return ok({ ...counts, job_id: field("job_id") });
  },

  "POST /admin/new_tag_code/{url_id}": (m, ref, caller, { codeOf }) => {
    const player = game.named(m, ref);
    game.requireState(player, "human");
    if (player.tag_code !== null) m.replaced.add(player.tag_code);
    player.tag_code = codeOf(player.id);
    if (m.codes.has(player.tag_code)) throw new Error("the code is not new");
    m.codes.set(player.tag_code, player.id);
    return ok(ownView(m, player, caller));
  },

  "POST /admin/lift_lockout/{url_id}": (m, ref, caller) => {
    const player = game.named(m, ref);
    player.misses = [];
    return ok(ownView(m, player, caller));
  },

  "POST /interactions/dispute/{url_id}": (m, { interaction_id, reason }, caller) => {
    const event = game.eventOf(m, interaction_id);
    requireThat(event !== undefined && mayKnow(event, caller), "not_found");
    const { kind, voided_by, actor, target, recorded_at, completed_at } = event;
    const isSide = caller.id === actor || caller.id === target;
    const isLate = m.now > (completed_at ?? recorded_at) + DAY;
    const isOpen = event.dispute !== null || !isLate;
    requireThat(kind === "hunt" && voided_by === null && isSide && isOpen, "wrong_state");
    const dispute = event.dispute ?? { status: "open", openedAt: m.now, entries: [], resolved: null };
    const speaker = caller.id === actor ? "hunter" : "prey";
    const hasSpoken = dispute.entries.some((one) => one.by === caller.id && one.speaker !== "comment");
    requireThat(dispute.status === "open" && !hasSpoken, "wrong_state");
    event.dispute = dispute;
    dispute.entries.push({ speaker, by: caller.id, at: m.now, text: reason });
    const [opened_at, interaction] = [rfc3339(dispute.openedAt), eventView(m, event, caller)];
    return ok({ dispute_id: interaction_id, status: "open", opened_at, interaction });
  },

  "POST /admin/comment_dispute/{url_id}": (m, { dispute_id, comment }, { id }) => {
    const { dispute } = openDispute(m, dispute_id);
    dispute.entries.push({ speaker: "comment", by: id, at: m.now, text: comment });
    const comments = dispute.entries.filter(({ speaker }) => speaker === "comment").length;
    return ok({ dispute_id, status: "open", comments });
  },

  "POST /admin/resolve_dispute/{url_id}": (m, { dispute_id, outcome, note }, { id }, { codeOf }) => {
    const { dispute, event } = openDispute(m, dispute_id);
    const newCode = (): string => codeOf(event.target ?? "");
    const effects = outcome === "void" ? voidHunt(m, event, id, note, newCode).effects : [];
    Object.assign(dispute, { status: outcome, resolved: { at: m.now, by: id, note } });
    return ok({ dispute_id, status: outcome, resolved_at: rfc3339(m.now), effects });
  },
} satisfies Rules;
