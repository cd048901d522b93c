/**
 * The model: a second, small and simple implementation of the contract, which shares no rule with the service.
 * Deadlines are instants, which the model moves itself. A starved zombie is a corpse immediately, and `unrecorded`
 * until the starvation is recorded.
 */
import { HOUR, rfc3339 } from "../../../lib/domain/time.ts";
import { foldedOf } from "./names.ts";
import { type Ref, requireThat } from "./request.ts";
import { type Away, Event, type Feeding, type Model, type Player, type State } from "./state.ts";

export const playerOf = (m: Model, id: string | null): Player | undefined =>
  m.players.find((player) => player.id === id);

/** The player with an alias, in any spelling. */
export const byName = (m: Model, alias: string): Player | undefined =>
  m.players.find((player) => foldedOf(player.alias) === foldedOf(alias));

/** The player whom a request names. @throws ModelError `player_not_found` */
export const named = (m: Model, { alias, player_id }: Ref): Player => {
  const player = alias === undefined ? playerOf(m, player_id ?? null) : byName(m, alias);
  requireThat(player !== undefined, "player_not_found");
  return player;
};

export const inState = (m: Model, ...states: State[]): Player[] =>
  m.players.filter(({ state }) => states.includes(state));

export const requireState = (player: Player, ...states: State[]): void =>
  requireThat(states.includes(player.state), "wrong_state");

export const eventOf = (m: Model, id: string | null | undefined): Event | undefined =>
  m.record.find((event) => event.id === id);

/** The present by the game's clock. */
export const gameInstant = (m: Model): number => m.pausedAt ?? m.finish?.endsAt ?? m.now;

/** Until when time counts towards the report window: pauses do, and what is after the end of play does not. */
export const playedUntil = (m: Model): number => m.finish?.endsAt ?? m.now;

/** A deadline as it is shown: while the game is paused, as if it resumed now; none after the end of play. */
export const shownDeadline = (m: Model, deadline: number): string | null =>
  m.finish === null ? rfc3339(deadline + m.now - gameInstant(m)) : null;

/** All players, with those who are away. */
const everybody = (m: Model): Player[] => [...m.players, ...m.away.map(({ player }) => player)];

/** Lets time pass: zombies starve whose deadline has come, unless the game is paused. */
export const pass = (m: Model, milliseconds: number): void => {
  m.now += milliseconds;
  for (const player of everybody(m)) {
    if (player.state === "zombie" && player.deadline <= gameInstant(m))
      Object.assign(player, { state: "corpse", unrecorded: player.deadline });
  }
};

/** Records an event; by default it happens now. Its id is that of the same event in the service. */
export const record = (m: Model, kind: string, of: Partial<Event>): Event => {
  const event = new Event({ kind, step: m.step, at: m.now, recorded_at: m.now, ...of });
  const same = m.recorded.find(
    ({ kind, at, actor, target }) =>
      kind === event.kind && at === event.at && actor === event.actor && target === event.target,
  );
  m.recorded = m.recorded.filter((one) => one !== same);
  event.id = same?.id ?? "not recorded";
  m.record.push(event);
  return event;
};

/** Whether a game master sees the tag codes of others: one who has not played, or was shown a code. */
export const maySeeSecrets = ({ is_admin, state, isWithdrawn, sawSecrets }: Player): boolean =>
  is_admin && state === "spectator" && (!isWithdrawn || sawSecrets);

/** Whether a player cannot bring themselves into play. */
export const knowsSecrets = (player: Player): boolean => player.sawSecrets || maySeeSecrets(player);

/** @throws ModelError `wrong_state` for a player who may not bring themselves into play */
export const requireMayEnter = (m: Model, player: Player): void => {
  const isAlone = m.players.every(({ is_admin, id }) => !is_admin || id === player.id);
  requireThat(!player.sawSecrets && (!maySeeSecrets(player) || isAlone), "wrong_state");
};

/** Records a player's starvation, if it is not recorded yet. */
export const recordStarvation = (m: Model, player: Player, more: Partial<Event> = {}): boolean => {
  if (player.unrecorded === null) return false;
  record(m, "starve", { target: player.id, at: player.unrecorded, ...more });
  player.unrecorded = null;
  return true;
};

/** Kills a player by other means than hunger. */
export const kill = (m: Model, player: Player, kind: string, actor: string): Event => {
  player.state = "corpse";
  return record(m, kind, { actor, target: player.id });
};

/** Whether a living player's life began before a time. Somebody tagged since was concerned as a human. */
export const hasOldLife = (m: Model, player: Player, time: number): boolean => {
  const { state, created_at, code_since, infected_at, infected_by, infection_id } = player;
  const { waiting_since = null, completed_at = null } = eventOf(m, infection_id) ?? {};
  const wasTagged = infected_by !== null || waiting_since !== null || completed_at !== null;
  const isOld = state === "human" ? code_since <= time : wasTagged || (infected_at ?? 0) <= time;
  return isOld && created_at <= time;
};

/** Kills a player who has missed a checkpoint, or too many missions. */
export const enforce = (
  m: Model,
  player: Player,
  checkpoint: string,
  actor: string,
  of_missions = false,
): void => {
  const hunger = player.state === "zombie" ? player.deadline - gameInstant(m) : null;
  const death = kill(m, player, "checkpoint_kill", actor);
  Object.assign(death, { of_missions });
  const { id: event } = death;
  const { tag_code, infection_id } = player;
  player.killing = { checkpoint, event, tag_code, infection_id, hunger };
};

/** Whether an undo of a checkpoint restores a player; `null` for one whom it does not concern. */
export const isRestorable = ({ killing, ...player }: Player, checkpoint: string): boolean | null => {
  if (killing?.checkpoint !== checkpoint) return null;
  const { state, tag_code, infection_id } = player;
  return state === "corpse" && tag_code === killing.tag_code && infection_id === killing.infection_id;
};

/** Makes a player what they were before the checkpoint, and records that. */
export const restore = (m: Model, player: Player, reason: string, actor: string): void => {
  const { killing } = player;
  const death = eventOf(m, killing?.event);
  if (killing === null || death === undefined) throw new Error(`${player.alias} did not miss a checkpoint`);
  const { hunger, checkpoint: checkpoint_id } = killing;
  player.killing = null;
  player.state = hunger === null ? "human" : "zombie";
  if (hunger !== null) {
    player.deadline = gameInstant(m) + hunger;
    player.feedings = [{ hunt: null, at: player.last_fed_at, ends: player.deadline, endedBefore: [] }];
  }
  const { id } = record(m, "void", { actor, target: player.id, voids: death.id, reason, checkpoint_id });
  death.voided_by = id;
};

const IN_PLAY = { isWithdrawn: false, sawSecrets: false, isPending: false, waitsToSign: false };
const NOT_ZOMBIE = { infection_id: null, infected_by: null, last_fed_at: null, feedings: [] };

/** Makes a player human, with a new tag code. */
export const makeHuman = (m: Model, player: Player, tag_code: string): void => {
  if (!/^[2-9A-HJKMNP-Z]{8}$/.test(tag_code) || m.codes.has(tag_code)) {
    throw new Error(`${player.alias} should have a new tag code, and has ${tag_code}`);
  }
  m.codes.set(tag_code, player.id);
  const human = { ...IN_PLAY, state: "human", tag_code, code_since: m.now } as const;
  Object.assign(player, { ...NOT_ZOMBIE, ...human } satisfies Partial<Player>);
};

/** Makes a player a zombie by an event, with a full feeding period from now. */
export const makeZombie = (m: Model, player: Player, by: Event, hunter: string | null) => {
  const deadline = gameInstant(m) + m.period;
  Object.assign(player, {
    ...IN_PLAY,
    state: "zombie",
    tag_code: null,
    infection_id: by.id,
    infected_at: by.at,
    infected_by: hunter,
    last_fed_at: null,
    deadline,
    feedings: [{ hunt: null, at: null, ends: deadline, endedBefore: [] }],
  } satisfies Partial<Player>);
};

/** What may have changed players who are away in a way that the model does not follow. */
export const disturb = (m: Model): void => {
  for (const one of m.away) one.isDisturbed = true;
};

/** Brings a player back who was away, as they are by now. */
export const comeBack = (m: Model, { player }: Away, account: Partial<Player>): void => {
  m.away = m.away.filter((one) => one.player !== player);
  const unsigned = { waitsToSign: false, signed: null, signature: null, earlierSignatures: [] };
  Object.assign(player, account, { former: [], is_admin: false, picture: null, labels: [], note: null });
  Object.assign(player, unsigned);
  m.players.push(player);
  if (player.tag_code !== null) m.left.delete(player.tag_code);
  recordStarvation(m, player, { returned: true });
  forget(m, player);
};

/** When a feeding ends, or ended, as long as the clock stores that. */
const endOf = ({ ends, endedBefore }: Feeding): number => endedBefore[0]?.at ?? ends;

const latest = (...times: (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.max(...known) : null;
};

const longer = (one: Feeding, other: Feeding): Feeding => (endOf(other) > endOf(one) ? other : one);

/** The number of hunts whose feedings a void can remove. With more, the feeding that ends first becomes permanent. */
const HUNTS_REMEMBERED = 8;

/** Feeds a zombie from an instant on, by a hunt, a code or a game master. @param period how long it lasts */
export const feed = (
  m: Model,
  player: Player,
  instant: number,
  hunt: string | null,
  period = m.period,
): void => {
  // While the game is paused, a feeding counts from the pause.
  const ends = Math.min(instant, gameInstant(m)) + period;
  player.deadline = Math.max(player.deadline, ends);
  player.last_fed_at = latest(player.last_fed_at, instant);
  const [lasting, ...hunts] = player.feedings;
  if (lasting === undefined) throw new Error(`${player.alias} has never eaten`);
  const feeding: Feeding = { hunt, at: instant, ends, endedBefore: [] };
  const all = [...hunts, feeding];
  player.feedings = [lasting, ...all];
  if (hunt !== null && all.length <= HUNTS_REMEMBERED) return;
  const shorter = (one: Feeding, other: Feeding) => (longer(one, other) === one ? other : one);
  const merged = hunt === null ? feeding : all.reduce(shorter);
  const permanent = { ...longer(lasting, merged), hunt: null, at: latest(lasting.at, merged.at) };
  player.feedings = [permanent, ...all.filter((one) => one !== merged)];
};

/** What a player who has starved had eaten. All of it had ended by then, also what the clock no longer knows to have. */
export const reopen = (player: Player, diedAt: number): void => {
  player.deadline = diedAt;
  player.feedings = player.feedings.map((feeding) => ({
    ...feeding,
    ends: Math.min(endOf(feeding), diedAt),
    endedBefore: [],
  }));
};

/** Removes the feeding of a hunt. If all others have ended, the player has starved. @returns the effect or `null` */
export const unfeed = (m: Model, player: Player, hunt: Event): "meal_taken_back" | "meal_kept" | null => {
  const { infection_id, feedings } = player;
  const taken = feedings.find((feeding) => feeding.hunt === hunt.id);
  if (taken === undefined) {
    const isThatLife =
      infection_id !== null &&
      (player.id === hunt.actor ? infection_id === hunt.parent : infection_id < hunt.id);
    const livesByIt = player.state === "zombie" && feedings[0]?.ends === player.deadline;
    return isThatLife && livesByIt ? "meal_kept" : null;
  }
  player.feedings = feedings.filter((feeding) => feeding !== taken);
  player.last_fed_at = latest(...player.feedings.map(({ at }) => at));
  const left = player.feedings.reduce(longer);
  // What the clock knows to have ended does not begin again when it has forgotten that.
  for (const one of player.feedings)
    if (one !== left && one.endedBefore.length > 0) Object.assign(one, { ends: endOf(one), endedBefore: [] });
  if (player.state !== "zombie") return "meal_taken_back";
  player.deadline = left.ends;
  if (left.endedBefore.length > 0 || left.ends <= gameInstant(m))
    Object.assign(player, { state: "corpse", unrecorded: endOf(left) });
  return "meal_taken_back";
};

/** Moves all deadlines and the ends of all feedings. Of feedings that have ended, `endedBefore` has the actual ends. */
export const move = (m: Model, by: number): void => {
  m.moves += 1;
  m.remembered.push({ shift: m.moves, madeAt: m.now });
  for (const player of everybody(m)) {
    for (const feeding of player.feedings) {
      if (feeding.ends <= gameInstant(m)) feeding.endedBefore.push({ shift: m.moves, at: feeding.ends });
      feeding.ends += by;
    }
    player.deadline += by;
  }
  m.changedAt = m.now;
};

/** Drops moves of the clock that are not stored any more. */
const forget = (m: Model, { feedings }: Player): void => {
  const isRemembered = new Set(m.remembered.map(({ shift }) => shift));
  for (const feeding of feedings)
    feeding.endedBefore = feeding.endedBefore.filter(({ shift }) => isRemembered.has(shift));
};

/** The sweep: records starvations, and drops moves of the clock after an hour. @returns how many were recorded */
export const sweep = (m: Model): number => {
  const starved = m.players.filter((player) => recordStarvation(m, player)).length;
  if (starved > 0) m.log.push({ action: "sweep", actor: null, outcome: "done" });
  m.remembered = m.remembered.filter(({ madeAt }) => madeAt > m.now - HOUR);
  for (const player of m.players) forget(m, player);
  return starved;
};
