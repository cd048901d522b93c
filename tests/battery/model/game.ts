/**
 * The model: a second, small and simple implementation of the contract, which shares no rule with the service.
 * Deadlines are instants, which the model moves itself. A starved zombie is a corpse immediately, and `unrecorded`
 * until the starvation is recorded.
 */
import { DAY, HOUR, rfc3339 } from "../../../lib/domain/time.ts";
import type { Event, Feeding, Model, Player } from "./state.ts";

export const playerOf = (m: Model, id: string | null): Player | undefined =>
  m.players.find((player) => player.id === id);

export const eventOf = (m: Model, n: number): Event | undefined => m.record.find((event) => event.n === n);

/** The present by the game's clock. */
export const gameInstant = (m: Model): number => m.pausedAt ?? m.now;

/** A deadline as it is shown: while the game is paused, as if it resumed now. */
export const shownDeadline = (m: Model, deadline: number): string =>
  rfc3339(deadline + m.now - gameInstant(m));

const die = (player: Player): void => {
  player.state = "corpse";
};

/** Lets zombies starve whose deadline has passed, unless the game is paused. */
const starve = (m: Model): void => {
  for (const player of m.players) {
    if (player.state !== "zombie" || player.deadline > gameInstant(m)) continue;
    die(player);
    player.unrecorded = player.deadline;
  }
};

/** Lets time pass. */
export const pass = (m: Model, milliseconds: number): void => {
  m.now += milliseconds;
  starve(m);
};

/** Records an event; by default it happens now. */
export const record = (
  m: Model,
  kind: string,
  of: Pick<Event, "actor" | "target"> & Partial<Event>,
): Event => {
  const event: Event = {
    n: m.record.length,
    id: "",
    step: m.step,
    kind,
    at: m.now,
    recordedAt: m.now,
    parent: null,
    sharedWith: [],
    note: null,
    isWithdrawal: false,
    isReturn: false,
    isDrawn: false,
    waitingSince: null,
    suspect: null,
    voided: false,
    completedAt: null,
    isEntered: false,
    voids: null,
    ...of,
  };
  m.record.push(event);
  return event;
};

/** Records a player's starvation, if it is not recorded yet. */
export const recordStarvation = (m: Model, player: Player): boolean => {
  if (player.unrecorded === null) return false;
  record(m, "starve", { actor: null, target: player.id, at: player.unrecorded });
  player.unrecorded = null;
  return true;
};

/** Kills a player by other means than hunger. */
export const kill = (m: Model, player: Player, kind: string, actor: string): Event => {
  die(player);
  return record(m, kind, { actor, target: player.id });
};

/** Kills a player who has missed a checkpoint. */
export const enforce = (m: Model, player: Player, checkpoint: string, actor: string): void => {
  const hunger = player.state === "zombie" ? player.deadline - gameInstant(m) : null;
  const { n } = kill(m, player, "checkpoint_kill", actor);
  const { code, infection } = player;
  player.ended = { checkpoint, n, code, infection, hunger };
};

/** Whether an undo of a checkpoint restores a player; `null` for one whom it does not concern. */
export const isRestorable = (
  { ended, state, code, infection }: Player,
  checkpoint: string,
): boolean | null =>
  ended?.checkpoint !== checkpoint
    ? null
    : state === "corpse" && code === ended.code && infection === ended.infection;

/** Makes a player what they were before the checkpoint, and records that. */
export const restore = (m: Model, player: Player, reason: string, actor: string): void => {
  const { ended } = player;
  if (ended === null) throw new Error(`${player.alias} did not miss a checkpoint`);
  const { n, hunger, checkpoint } = ended;
  player.ended = null;
  player.state = hunger === null ? "human" : "zombie";
  if (hunger !== null) {
    player.deadline = gameInstant(m) + hunger;
    player.feedings = [{ hunt: null, at: player.lastFed, ends: player.deadline, ran: [] }];
  }
  for (const event of m.record.filter((one) => one.n === n)) event.voided = true;
  const voids = { hunt: n, hunter: null, reason, checkpoint };
  record(m, "void", { actor, target: player.id, voids });
};

/** Takes a player out of the game; the record stays. */
export const withdraw = (m: Model, player: Player, actor: string): Event => {
  Object.assign(player, { state: "spectator", isWithdrawn: true } satisfies Partial<Player>);
  return record(m, "corpsify", { actor, target: player.id, isWithdrawal: true });
};

/** Makes a player human, with a new tag code. */
export const makeHuman = (m: Model, player: Player, code: string): void => {
  if (!/^[2-9A-HJKMNP-Z]{8}$/.test(code) || m.codes.has(code)) {
    throw new Error(`${player.alias} should have a new tag code, and has ${code}`);
  }
  m.codes.set(code, player.id);
  Object.assign(player, {
    state: "human",
    isWithdrawn: false,
    code,
    codeSince: m.now,
    infection: null,
    infectedBy: null,
    lastFed: null,
    feedings: [],
  } satisfies Partial<Player>);
};

/** Makes a player a zombie by an event, with a full feeding period from now. */
export const makeZombie = (m: Model, player: Player, by: Event, hunter: string | null): void => {
  const deadline = gameInstant(m) + m.period;
  Object.assign(player, {
    state: "zombie",
    isWithdrawn: false,
    code: null,
    infection: by.n,
    infectedAt: by.at,
    infectedBy: hunter,
    lastFed: null,
    deadline,
    feedings: [{ hunt: null, at: null, ends: deadline, ran: [] }],
  } satisfies Partial<Player>);
};

/** A newcomer who had left is the zombie that they were, in a life below the former one. */
const returnAsZombie = (
  m: Model,
  player: Player,
  { parent, by, hunger }: { parent: number | null; by: string | null; hunger: number },
): void => {
  const facts = { actor: null, target: player.id, parent, isReturn: true };
  makeZombie(m, player, record(m, "revive_zombie", facts), by);
  const deadline = gameInstant(m) + hunger;
  Object.assign(player, { deadline, feedings: [{ hunt: null, at: null, ends: deadline, ran: [] }] });
};

/** Lets a newcomer come back as they left. @returns whether they had left */
export const comeBack = (m: Model, player: Player, foldedAlias: string, newCode: () => string): boolean => {
  const tombstone = m.tombstones.get(foldedAlias);
  if (tombstone === undefined) return false;
  const { state, hunger, infection, infectedBy, code, codeSince } = tombstone;
  const left = m.left.get(code ?? "");
  const hunt = eventOf(m, left?.hunt ?? -1);
  if (state === "human" && hunt !== undefined && !hunt.voided)
    returnAsZombie(m, player, { parent: hunt.n, by: hunt.actor, hunger: m.period });
  else if (state === "zombie") returnAsZombie(m, player, { parent: infection, by: infectedBy, hunger });
  else if (state !== "human") Object.assign(player, { state, isWithdrawn: state === "spectator" });
  else if (code === null || left?.hunt !== null) makeHuman(m, player, newCode());
  else {
    m.left.delete(code);
    m.codes.set(code, player.id);
    Object.assign(player, { state, code, codeSince });
  }
  return true;
};

/** When a feeding ends, or ended, as long as the clock stores that. */
export const endOf = ({ ends, ran }: Feeding): number => ran[0]?.at ?? ends;

const latest = (...times: (number | null)[]): number | null => {
  const known = times.filter((time) => time !== null);
  return known.length > 0 ? Math.max(...known) : null;
};

const longer = (one: Feeding, other: Feeding): Feeding => (endOf(other) > endOf(one) ? other : one);

/** The number of hunts that can be voided. With more, the feeding that ends first becomes permanent. */
const HUNTS_REMEMBERED = 8;

/** Feeds a zombie from an instant on, by a hunt or by a game master. */
export const feed = (m: Model, player: Player, instant: number, hunt: number | null): void => {
  // While the game is paused, a feeding counts from the pause.
  const ends = Math.min(instant, gameInstant(m)) + m.period;
  player.deadline = Math.max(player.deadline, ends);
  player.lastFed = latest(player.lastFed, instant);
  const [lasting, ...hunts] = player.feedings;
  if (lasting === undefined) throw new Error(`${player.alias} has never eaten`);
  const feeding: Feeding = { hunt, at: instant, ends, ran: [] };
  const into = (one: Feeding): Feeding => ({
    ...longer(lasting, one),
    hunt: null,
    at: latest(lasting.at, one.at),
  });
  if (hunt === null) player.feedings = [into(feeding), ...hunts];
  else if (hunts.length < HUNTS_REMEMBERED) player.feedings = [lasting, ...hunts, feeding];
  else {
    const all = [...hunts, feeding];
    const least = all.reduce((one, other) => (longer(one, other) === one ? other : one));
    player.feedings = [into(least), ...all.filter((one) => one !== least)];
  }
};

/** The result of removing a feeding. */
export type Unfed = "taken" | "kept" | "none";

/** Removes the feeding of a hunt. If all others have ended, the player starved when the last one did. */
export const unfeed = (m: Model, player: Player, hunt: Event): Unfed => {
  const taken = player.feedings.find((feeding) => feeding.hunt === hunt.n);
  if (taken === undefined) {
    const isThatLife =
      player.infection !== null &&
      (player.id === hunt.actor ? player.infection === hunt.parent : player.infection < hunt.n);
    const lasting = player.feedings[0];
    const livesByIt = player.state === "zombie" && lasting?.ends === player.deadline;
    return isThatLife && livesByIt ? "kept" : "none";
  }
  player.feedings = player.feedings.filter((feeding) => feeding !== taken);
  player.lastFed = latest(...player.feedings.map(({ at }) => at));
  if (player.state !== "zombie") return "taken";
  const left = player.feedings.reduce(longer);
  player.deadline = left.ends;
  if (left.ran.length > 0 || left.ends <= gameInstant(m)) {
    die(player);
    player.unrecorded = endOf(left);
  }
  return "taken";
};

/** Moves all deadlines, and the ends of all feedings, except those that have passed already. */
const move = (m: Model, by: number): void => {
  m.moves += 1;
  m.remembered.push({ shift: m.moves, madeAt: m.now });
  for (const player of m.players) {
    for (const feeding of player.feedings) {
      if (feeding.ends <= gameInstant(m)) feeding.ran.push({ shift: m.moves, at: feeding.ends });
      feeding.ends += by;
    }
    player.deadline += by;
  }
  m.changedAt = m.now;
};

export const addDay = (m: Model): void => move(m, DAY);

/** Stops the clock, if it runs. */
export const pause = (m: Model): boolean => {
  if (m.pausedAt !== null) return false;
  m.pausedAt = m.now;
  m.changedAt = m.now;
  return true;
};

/** Starts the clock, if it is stopped. */
export const resume = (m: Model): boolean => {
  if (m.pausedAt === null) return false;
  move(m, m.now - m.pausedAt);
  m.pauses.push({ from: m.pausedAt, until: m.now });
  m.pausedAt = null;
  return true;
};

/** The sweep: records starvations, and drops moves of the clock after an hour. @returns how many were recorded */
export const sweep = (m: Model): number => {
  const starved = m.players.filter((player) => recordStarvation(m, player)).length;
  if (starved > 0) m.log.push({ action: "sweep", actor: null, outcome: "done" });
  m.remembered = m.remembered.filter(({ madeAt }) => madeAt > m.now - HOUR);
  const isRemembered = new Set(m.remembered.map(({ shift }) => shift));
  for (const player of m.players) {
    for (const feeding of player.feedings)
      feeding.ran = feeding.ran.filter(({ shift }) => isRemembered.has(shift));
  }
  return starved;
};
