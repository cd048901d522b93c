/** The model's rules of what game masters do to the game. */
import { rfc3339 } from "../../../lib/domain/time.ts";
import { named, ok, own } from "./accounts.ts";
import { Refused } from "./door.ts";
import { addDay, bury, feed, kill, makeHuman, makeZombie, pause, record, resume, shown } from "./game.ts";
import { type Answer, type Call, forMasters, ONCE, type Ref, type Rule, type Rules } from "./request.ts";
import { checkpointView, countsView, eventView, hungriest } from "./shown.ts";
import type { Event, Model, Player, State } from "./state.ts";
import { takeBack } from "./void.ts";

export const requireState = (player: Player, ...states: State[]): void => {
  if (!states.includes(player.state)) throw new Refused("wrong_state");
};

/** A rule upon one player in one of some states; `change` records the one event that it is. */
const upon = (
  states: State[],
  change: (m: Model, target: Player, asker: Player, call: Call) => Event,
): Rule<Ref> =>
  forMasters((m, ref, asker, call) => {
    const target = named(m, ref);
    requireState(target, ...states);
    // One who has starved is met as the corpse that they are, and that is recorded too.
    bury(m, target);
    const { n } = change(m, target, asker, call);
    return ok((after) => ({
      player: own(target.id)(after),
      interaction: after.record
        .filter((event) => event.n === n)
        .map((event) => eventView(after, event, asker))[0],
    }));
  }, ONCE);

const pauseAnswer = (m: Model): Answer => {
  const since = m.pausedAt === null ? null : rfc3339(m.pausedAt);
  return ok(() => ({ paused: since !== null, since }));
};

/** Whose tag code this is now. @throws Refused `unknown_tag_code`, `wrong_state`, `already_tagged` */
export const carrier = (m: Model, written: string): Player => {
  const code = written.replaceAll(/[\s-]/g, "").toUpperCase();
  const owner = m.codes.get(code);
  if (owner === undefined) throw new Refused("unknown_tag_code");
  const player = m.players.find(({ id }) => id === owner);
  if (player === undefined) throw new Refused("wrong_state");
  if (player.code !== code) throw new Refused("already_tagged");
  requireState(player, "human");
  return player;
};

export const MASTERS: Rules<
  | "POST /admin/corpsify/{url_id}"
  | "POST /admin/cure/{url_id}"
  | "POST /admin/revive_h/{url_id}"
  | "POST /admin/revive_z/{url_id}"
  | "POST /admin/feed_player/{url_id}"
  | "POST /admin/feed/{url_id}"
  | "POST /admin/zombies_add_day/{url_id}"
  | "POST /admin/pause_game/{url_id}"
  | "POST /admin/resume_game/{url_id}"
  | "POST /admin/set_checkpoint/{url_id}"
  | "POST /admin/player_at_checkpoint/{url_id}"
  | "POST /admin/kill_all_not_at_checkpoint/{url_id}"
  | "POST /admin/void_hunt/{url_id}"
> = {
  "POST /admin/corpsify/{url_id}": upon(["human", "zombie"], (m, target, asker) =>
    kill(m, target, "corpsify", asker.id),
  ),

  "POST /admin/cure/{url_id}": upon(["zombie"], (m, target, asker, { facts }) => {
    makeHuman(m, target, facts.codeOf(target.id));
    return record(m, "cure", { actor: asker.id, target: target.id });
  }),

  "POST /admin/revive_h/{url_id}": upon(["corpse", "spectator"], (m, target, asker, { facts }) => {
    makeHuman(m, target, facts.codeOf(target.id));
    return record(m, "revive_human", { actor: asker.id, target: target.id });
  }),

  "POST /admin/revive_z/{url_id}": upon(["corpse", "spectator"], (m, target, asker) => {
    const event = record(m, "revive_zombie", { actor: asker.id, target: target.id });
    makeZombie(m, target, event, null);
    return event;
  }),

  "POST /admin/feed_player/{url_id}": upon(["zombie"], (m, target, asker) => {
    feed(m, target, m.now, null);
    return record(m, "feed", { actor: asker.id, target: target.id });
  }),

  "POST /admin/feed/{url_id}": forMasters((m, { n }, asker) => {
    const fed = hungriest(m).slice(0, n);
    for (const player of fed) {
      feed(m, player, m.now, null);
      record(m, "feed", { actor: asker.id, target: player.id });
    }
    const told = fed.map(({ alias, deadline }) => ({ alias, starves_at: shown(m, deadline) }));
    return ok(() => ({ fed: told, count: fed.length }));
  }, ONCE),

  "POST /admin/zombies_add_day/{url_id}": forMasters((m, _, asker) => {
    const { zombies } = countsView(m);
    addDay(m);
    record(m, "add_day", { actor: asker.id, target: null });
    return ok(() => ({ zombies, added_seconds: 86_400 }));
  }, ONCE),

  "POST /admin/pause_game/{url_id}": forMasters((m, _, asker) => {
    if (pause(m)) record(m, "pause", { actor: asker.id, target: null });
    return pauseAnswer(m);
  }, ONCE),

  "POST /admin/resume_game/{url_id}": forMasters((m, _, asker) => {
    if (resume(m)) record(m, "resume", { actor: asker.id, target: null });
    return pauseAnswer(m);
  }, ONCE),

  "POST /admin/set_checkpoint/{url_id}": forMasters((m, body, _asker, { facts }) => {
    m.checkpoint =
      "clear" in body
        ? null
        : {
            id: facts.told("checkpoint_id"),
            name: body.name,
            closesAt: body.closes_at === undefined ? null : Date.parse(body.closes_at),
            appliesTo: body.applies_to ?? "all",
            setAt: m.now,
          };
    return ok(checkpointView);
  }, ONCE),

  "POST /admin/player_at_checkpoint/{url_id}": forMasters((m, body) => {
    const player = "tag_code" in body ? carrier(m, body.tag_code) : named(m, body);
    const { checkpoint } = m;
    if (checkpoint === null) throw new Refused("no_checkpoint");
    requireState(player, "human", "zombie");
    if (player.pass?.checkpoint !== checkpoint.id) {
      if (checkpoint.closesAt !== null && checkpoint.closesAt <= m.now) throw new Refused("closed");
      player.pass = { checkpoint: checkpoint.id, at: m.now };
    }
    const { alias, pass } = player;
    return ok(() => ({ alias, checkpoint_id: checkpoint.id, passed_at: rfc3339(pass.at) }));
  }, ONCE),

  "POST /admin/kill_all_not_at_checkpoint/{url_id}": forMasters((m, body, asker, { facts }) => {
    const { checkpoint } = m;
    if (checkpoint === null) throw new Refused("no_checkpoint");
    const { id, appliesTo } = checkpoint;
    if (body.checkpoint_id !== undefined && body.checkpoint_id !== id)
      throw new Refused("checkpoint_changed");
    const concerned = m.players.filter(
      ({ state }) =>
        (state === "human" && appliesTo !== "zombies") || (state === "zombie" && appliesTo !== "humans"),
    );
    const spared = concerned.filter(({ pass }) => pass?.checkpoint === id);
    const missing = concerned.filter((player) => !spared.includes(player));
    const counts = { killed: missing.length, spared: spared.length, complete: true };
    if (body.dry_run === true) return ok(() => ({ ...counts, job_id: null }));
    for (const player of missing) kill(m, player, "checkpoint_kill", asker.id);
    const job_id = facts.told("job_id");
    return ok(() => ({ ...counts, job_id }));
  }, ONCE),

  "POST /admin/void_hunt/{url_id}": forMasters((m, { interaction_id, reason, dry_run }, asker, { facts }) => {
    const isDry = dry_run === true;
    // A dry run is the same upon a copy.
    const on = isDry ? structuredClone(m) : m;
    const hunt = on.record.find(({ id }) => id === interaction_id);
    if (hunt === undefined) throw new Refused("not_found");
    const newCode = (): string => (isDry ? "ZZZZZZZZ" : facts.codeOf(hunt.target ?? ""));
    const { event, effects } = takeBack(on, { hunt, actor: asker.id, reason, newCode });
    return ok((after) => {
      const done = after.record.find(({ n, kind }) => n === event.n && kind === "void");
      const interaction = isDry || done === undefined ? null : eventView(after, done, asker);
      return { interaction, dry_run: isDry, effects };
    });
  }, ONCE),
};
