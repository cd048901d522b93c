/** Accounts: registering, logging in and out, passwords, names, administrators, and leaving. */
import { randomUUID } from "node:crypto";
import { NOT_ADMINISTRATOR } from "../../auth/authenticate.ts";
import { isKnownAddress, knownToken, makeDeviceToken, withAddress, withDevice } from "../../auth/devices.ts";
import { type LoginScene, markOf } from "../../auth/loginAttempts.ts";
import { type Cost, hashPassword, isAlias, isOutdated, passwordFault } from "../../auth/password.ts";
import type { Source } from "../../auth/rateLimit.ts";
import { isLive, lifetimeOf, sessionsWrite, withSession } from "../../auth/sessions.ts";
import { makeToken, readToken } from "../../auth/token.ts";
import { aliasFault, normalizeAlias } from "../../domain/alias.ts";
import { succeeded, type Throttles } from "../../domain/backoff.ts";
import type { Game } from "../../domain/clock.ts";
import { invalid, Refusal } from "../../domain/domainError.ts";
import type { Moment } from "../../domain/outcome.ts";
import { type Newcomer, newSpectator, type Player } from "../../domain/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import { asHuman, settle } from "../../domain/transitions.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Changes } from "../../store/changes.ts";
import { AS_LONG_AS_IT_TAKES } from "../../store/decide.ts";
import { annotationsOf } from "../../store/huntNotes.ts";
import type { Administrators, Credential, KnownAddress, Session } from "../../store/items.ts";
import { keys, onceOf } from "../../store/keys.ts";
import { type Effort, removalOf } from "../../store/removal.ts";
import type { Store } from "../../store/store.ts";
import { subscriptionsOf, unsubscribing } from "../../store/subscriptions.ts";

const TAKEN = "This alias is taken, or looks like one that is.";

const requireFreeAlias = async (store: Store, alias: string, self: string | null): Promise<void> => {
  if (await store.aliasTaken(alias, self)) throw new Refusal("alias_taken", TAKEN);
};

/** Passes for a password that is not just the alias. @throws Refusal `invalid_request` */
export const requireOtherThanAlias = (password: string, alias: string, path = "password"): void => {
  if (isAlias(password, alias)) throw invalid({ path, message: "must not be the alias" });
};

const credentialWrite = (playerId: string, read: Credential | null, hash: string): Write => ({
  // A player's own never expires.
  put: { ...keys.credential(playerId), ...read, expires: undefined, rev: (read?.rev ?? 0) + 1, hash },
  expect: read === null ? "absent" : { rev: read.rev },
});

const administratorsWrite = (read: Administrators, ids: string[]): Write => ({
  put: { ...keys.administrators, ...read, rev: read.rev + 1, ids },
  expect: read.rev === 0 ? "absent" : { rev: read.rev },
});

/**
 * Those who are administrators, for one of them to change who is.
 * @param by who changes it; nobody's leave is asked where it is done beside the service
 * @throws Refusal `not_administrator` for somebody who is one no more, though let in as one
 */
const administratorsFor = async (store: Store, by: string | null): Promise<Administrators> => {
  const administrators = await store.administrators();
  if (by === null || administrators.ids.includes(by)) return administrators;
  throw NOT_ADMINISTRATOR();
};

/** The write by which one more player is an administrator. */
const appoint = async (store: Store, id: string, by: string | null): Promise<Write> => {
  const administrators = await administratorsFor(store, by);
  return administratorsWrite(administrators, [...administrators.ids, id]);
};

/** The write by which an administrator is one no more. @throws Refusal `last_administrator`, `not_administrator` */
const resign = async (store: Store, id: string, by: string | null): Promise<Write> => {
  const administrators = await administratorsFor(store, by);
  const others = administrators.ids.filter((other) => other !== id);
  if (others.length === 0) {
    throw new Refusal("last_administrator", "This is the last administrator. Make someone else one first.");
  }
  return administratorsWrite(administrators, others);
};

/**
 * The player with the administrator's right, or without it, and what that takes.
 * @param by the administrator who changes it; `null` where nobody has logged in
 * @throws Refusal `last_administrator`, `not_administrator`
 */
export const withRight = async (
  store: Store,
  player: Player,
  isAdmin: boolean,
  by: string | null,
): Promise<{ player: Player; writes: Write[] }> => {
  if (player.is_admin === isAdmin) return { player, writes: [] };
  const { player_id: id } = player;
  const write = isAdmin ? await appoint(store, id, by) : await resign(store, id, by);
  return { player: { ...player, is_admin: isAdmin }, writes: [write] };
};

/** What is wrong with the alias of a game master; whoever sets up the game may be called `gm`. */
export const gameMasterAliasFault = (alias: string): string | null => aliasFault(alias, 2);

/** A new account and what it takes to make it; the password has been hashed. */
export interface Registration {
  player: Player;
  changes: Changes & { writes: Write[] };
}

/**
 * Registers a newcomer as a human with a tag code, or as a spectator.
 * @throws Refusal `alias_taken`
 */
export const register = async (
  store: Store,
  newcomer: Newcomer & { hash: string },
  moment: Moment,
  as: "human" | "spectator" = "human",
): Promise<Registration> => {
  await requireFreeAlias(store, newcomer.alias, null);
  const shard = Math.floor(Math.random() * store.shards());
  const spectator = newSpectator(randomUUID(), shard, newcomer, rfc3339(moment.now));
  const player = as === "human" ? asHuman(spectator, moment) : spectator;
  return {
    player,
    changes: {
      players: [{ before: null, after: player }],
      writes: [credentialWrite(player.player_id, null, newcomer.hash)],
    },
  };
};

/** What carrying out a command beside a request needs. */
export interface Registry {
  store: Store;
  cost: Cost;
  clock: () => number;
}

const carryOut = async <T>(
  { store, clock }: Registry,
  attempt: () => Promise<{ changes: Changes; value: T }>,
): Promise<T> => {
  let value: T | undefined;
  await store.decide(
    async () => {
      const decided = await attempt();
      value = decided.value;
      return { changes: decided.changes, answer: { status: 200, body: null } };
    },
    { timeLeft: AS_LONG_AS_IT_TAKES, now: clock() },
  );
  if (value === undefined) throw new Error("a command ended without a decision");
  return value;
};

/**
 * Creates an account with the administrator's right: a spectator, or a human who plays.
 * @throws Refusal `alias_taken`; `invalid_request` for an alias or a password that will not do
 */
export const createAdministrator = async (
  registry: Registry,
  wanted: { alias: string; password: string; playing: boolean },
  moment: Moment,
): Promise<{ player_id: string; alias: string }> => {
  const { store, cost } = registry;
  const alias = normalizeAlias(wanted.alias);
  const fault = gameMasterAliasFault(wanted.alias);
  if (fault !== null) throw invalid({ path: "alias", message: fault });
  const weakness = await passwordFault(wanted.password);
  if (weakness !== null) throw invalid({ path: "password", message: weakness });
  requireOtherThanAlias(wanted.password, alias);
  await store.game();
  await requireFreeAlias(store, alias, null);
  const hash = await hashPassword(wanted.password, cost);
  return carryOut(registry, async () => {
    const as = wanted.playing ? "human" : "spectator";
    const { player, changes } = await register(store, { alias, hash }, moment, as);
    const { player: after, writes } = await withRight(store, player, true, null);
    return {
      changes: { players: [{ before: null, after }], writes: [...changes.writes, ...writes] },
      value: { player_id: after.player_id, alias: after.alias },
    };
  });
};

/**
 * Gives an existing account the administrator's right.
 * @throws Refusal `player_not_found`
 */
export const promote = (
  registry: Registry,
  { alias }: { alias: string },
): Promise<{ player_id: string; alias: string; already: boolean }> =>
  carryOut(registry, async () => {
    const { store } = registry;
    const before = await store.playerByAlias(alias);
    if (before === null) throw new Refusal("player_not_found", `No player is called ${alias}.`);
    const { player: after, writes } = await withRight(store, before, true, null);
    return {
      changes: { players: [{ before, after }], writes },
      value: { player_id: after.player_id, alias: after.alias, already: before.is_admin },
    };
  });

/** Where the right password, or code, was given. */
export interface GivenAt {
  source: Source;
  /** The token of the device, which is known from then on. */
  deviceToken?: string | undefined;
  now: number;
}

/** A credential whose password was just given: failures from there are forgotten, and the place is known. */
const asGiven = (
  credential: Credential,
  { source, deviceToken, now }: GivenAt,
  throttles: Throttles,
): Credential => {
  const from = markOf(source);
  return {
    ...credential,
    ...succeeded(credential, from, now, throttles),
    addresses: withAddress(credential.addresses ?? [], from, now),
    ...(deviceToken === undefined ? {} : { devices: withDevice(credential, deviceToken, now) }),
  };
};

/**
 * The write with which an attempt ends whose password was right. It takes place only while the credential is as read: of
 * attempts that are made at once one after the other is let through.
 */
const givenWrite = (
  id: string,
  credential: Credential,
  at: GivenAt,
  throttles: Throttles,
  hash = credential.hash,
): Write => credentialWrite(id, asGiven(credential, at, throttles), hash);

/** A token that somebody logs in with, shown once; and the token of the device from which they did. */
export interface Opened {
  token: string;
  deviceToken: string;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/** An attempt that has succeeded, and from where it was made. */
export interface Success {
  scene: LoginScene & { player: Player; credential: Credential };
  source: Source;
  /** The device token that came with it. One that is not known is replaced by a new one. */
  givenDevice: string | null | undefined;
  now: number;
}

const newSession = ({
  scene,
  source,
  givenDevice,
  now,
}: Success): { opened: Opened; session: Session; at: GivenAt } => {
  const { player, credential } = scene;
  const { token, hash } = makeToken(player.player_id);
  const expiresAt = now + lifetimeOf(player).inAll;
  const deviceToken = knownToken(credential, givenDevice, now) ?? makeDeviceToken();
  return {
    opened: { token, deviceToken, expiresAt },
    session: { hash, created_at: now, last_used: now, expires_at: expiresAt, from: markOf(source) },
    at: { source, deviceToken, now },
  };
};

/** A new session for a player whose password was right. */
export const openSession = async (
  success: Success,
  password: string,
  { cost, throttles }: { cost: Cost; throttles: Throttles },
): Promise<{ writes: Write[]; opened: Opened }> => {
  const { scene, now } = success;
  const { player, credential, sessions } = scene;
  const { player_id: id } = player;
  const { opened, session, at } = newSession(success);
  const hash = isOutdated(credential.hash, cost) ? await hashPassword(password, cost) : credential.hash;
  const all = withSession(sessions?.sessions ?? [], session, lifetimeOf(player));
  const writes = [sessionsWrite(id, sessions, all, now), givenWrite(id, credential, at, throttles, hash)];
  return { writes, opened };
};

/** The known addresses, with those of sessions that are about to end: earlier versions have noted them there alone. */
const addressesOf = ({ credential, sessions }: Success["scene"], now: number): KnownAddress[] => {
  let { addresses = [] } = credential;
  for (const { from, last_used } of sessions?.sessions ?? []) {
    const isNew = from !== undefined && !isKnownAddress(credential, from, now);
    if (isNew) addresses = withAddress(addresses, from, last_used);
  }
  return addresses;
};

/**
 * Sets a password and ends every session, also one that a login is just making. Known devices and addresses stay known.
 * @param hash of the new password
 * @param redemption uses up the recovery code that allowed it, and opens a session; without one every code is void
 */
export const passwordWrites = (
  success: Success,
  hash: string,
  throttles: Throttles,
  redemption?: Write,
): { writes: Write[]; opened: Opened | null } => {
  const { scene, source, givenDevice, now } = success;
  const { id, sessions } = scene;
  const credential = { ...scene.credential, addresses: addressesOf(scene, now) };
  if (redemption === undefined) {
    const at = { source, deviceToken: knownToken(credential, givenDevice, now), now };
    const ended: Write[] = [{ remove: keys.sessions(id) }, { remove: keys.recovery(id) }];
    return { writes: [givenWrite(id, credential, at, throttles, hash), ...ended], opened: null };
  }
  const { opened, session, at } = newSession(success);
  return {
    writes: [
      givenWrite(id, credential, at, throttles, hash),
      sessionsWrite(id, sessions, [session], now),
      redemption,
    ],
    opened,
  };
};

/**
 * Ends the session of a token, or all of its player's.
 * @param options.again whether a write upon what this read has found it moved
 * @throws Refusal `token_rejected`
 */
export const closeSession = async (
  store: Store,
  authorization: string | undefined,
  { everywhere, again }: { everywhere: boolean; again: boolean },
  now: number,
): Promise<{ playerId: string; writes: Write[] }> => {
  const token = readToken(authorization);
  const find = async (playerId: string, hash: string, consistent: boolean) => {
    const [sessions, player] = await Promise.all([
      store.sessions(playerId, { consistent }),
      store.player(playerId, { consistent }),
    ]);
    const session = sessions?.sessions.find((one) => one.hash === hash);
    const isThere = sessions !== null && session !== undefined && isLive(session, lifetimeOf(player), now);
    return isThere ? { sessions, session } : null;
  };
  const { playerId = "", hash = "" } = token ?? {};
  // Sessions are written on condition that they are as read; one that is not found may have been opened just now.
  const found =
    token === null
      ? null
      : ((again ? null : await find(playerId, hash, false)) ?? (await find(playerId, hash, true)));
  if (found === null) {
    throw new Refusal("token_rejected", "There is no such session: it has ended, or never was.");
  }
  const { sessions, session } = found;
  const left = everywhere ? [] : sessions.sessions.filter((other) => other !== session);
  return { playerId, writes: [sessionsWrite(playerId, sessions, left, now)] };
};

/** What a player changes of their account; `null` clears. */
export interface Edit {
  alias?: string | undefined;
  first_name?: string | null | undefined;
  last_name?: string | null | undefined;
  email?: string | null | undefined;
  push_kinds?: string[] | null | undefined;
}

/**
 * The player with an edit made.
 * @throws Refusal `alias_taken`
 */
export const edited = async (store: Store, player: Player, edit: Edit): Promise<Player> => {
  if (edit.alias !== undefined) await requireFreeAlias(store, edit.alias, player.player_id);
  const given = Object.entries(edit).filter(([, value]) => value !== undefined);
  return { ...player, ...Object.fromEntries(given) };
};

/**
 * What the deletion of an account takes: everything personal goes; interactions and infections keep the id,
 * which resolves to no alias any more.
 * @param by the administrator who removes another; `null` for whoever leaves by themselves
 * @throws Refusal `last_administrator`, `not_administrator`; `unavailable` when there is more to remove than there is time for
 */
export const removal = async (
  store: Store,
  player: Player,
  game: Game,
  moment: Moment,
  effort: Effort,
  by: string | null,
): Promise<Changes> => {
  const { player_id: id, is_admin } = player;
  const resignation = is_admin ? [await resign(store, id, by)] : [];
  return {
    players: [{ before: player, after: null }],
    // A death that nobody has recorded yet is part of the game's history.
    interactions: settle(player, game, moment).deaths,
    seen: game.rev,
    writes: [
      { remove: keys.credential(id) },
      { remove: keys.sessions(id) },
      { remove: keys.recovery(id) },
      { remove: keys.picture(id) },
      ...(await removalOf(store, annotationsOf(id), effort)),
      ...(await removalOf(store, { pk: onceOf(id) }, effort)),
      ...unsubscribing(await subscriptionsOf(store.db, id)),
      ...resignation,
    ],
  };
};
