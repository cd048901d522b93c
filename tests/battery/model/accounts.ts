/** The model's rules of accounts: joining, login, names, pictures, subscriptions, and leaving. */
import { DAY, HOUR, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import { ownView, plays, staffView } from "./bodies.ts";
import { comeBack, gameInstant, makeHuman, playerOf, recordStarvation } from "./game.ts";
import { clash, foldedOf } from "./names.ts";
import {
  type Call,
  forAll,
  forMasters,
  forPlayers,
  IDEMPOTENT,
  type ModelResponse,
  type Ref,
  type Route,
  type Rules,
} from "./request.ts";
import {
  accountOf,
  deviceBy,
  type From,
  fail,
  ModelError,
  openSession,
  requireNoWait,
  sessionBy,
  succeed,
} from "./sessions.ts";
import type { Model, Player } from "./state.ts";

export const DONE: ModelResponse = { status: 204 };
export const ok = (body: (after: Model) => unknown): ModelResponse => ({ status: 200, body });

/** The player with an alias, in any spelling. */
export const byName = (m: Model, alias: string): Player | undefined =>
  m.players.find((player) => foldedOf(player.alias) === foldedOf(alias));

/** The player whom a request names. @throws ModelError `player_not_found` */
export const named = (m: Model, ref: Ref): Player => {
  const player = "alias" in ref ? byName(m, ref.alias) : playerOf(m, ref.player_id);
  if (player === undefined) throw new ModelError("player_not_found");
  return player;
};

/** A player as they see themselves in the end. */
export const own = (id: string) => (after: Model) => {
  const player = playerOf(after, id);
  return player === undefined ? null : ownView(after, player);
};

/** A player as a game master sees them. A game master who plays sees no tag codes of others. */
export const forStaff = (id: string, caller: Player) => {
  const isWithoutCode = plays(caller) && id !== caller.id;
  return (after: Model) => {
    const view = own(id)(after);
    return view !== null && isWithoutCode ? { ...view, tag_code: null } : view;
  };
};

const requireFree = (m: Model, alias: string, self: string | null): void => {
  const isTakenBy = (player: Player): boolean =>
    player.id !== self && [player.alias, ...player.former].some((one) => clash(one, alias));
  if (m.players.some(isTakenBy)) throw new ModelError("alias_taken");
};

/** Gives a player another alias. @throws ModelError `alias_taken` */
const rename = (m: Model, player: Player, alias: string): void => {
  if (alias === player.alias) return;
  requireFree(m, alias, player.id);
  const given = [player.alias, ...player.former].filter((one) => foldedOf(one) !== foldedOf(alias));
  player.former = given.slice(0, 15);
  player.alias = alias;
};

/** A player renames themselves, at most once a day. @throws ModelError `alias_taken`, `too_many_attempts` */
const renameOneself = (m: Model, player: Player, alias: string): void => {
  if (alias === player.alias) return;
  requireFree(m, alias, player.id);
  const wait = player.renamedAt === null ? 0 : player.renamedAt + DAY - m.now;
  if (wait > 0) throw new ModelError("too_many_attempts", wait);
  rename(m, player, alias);
  player.renamedAt = m.now;
  m.log.push({ action: "edit_player", actor: player.id, outcome: "done" });
};

const requireAnother = (m: Model, player: Player): void => {
  const isLast = player.is_admin && m.players.filter(({ is_admin }) => is_admin).length === 1;
  if (isLast) throw new ModelError("last_administrator");
};

/** Removes all personal data; records stay. @throws ModelError `last_administrator` */
const leave = (m: Model, player: Player): ModelResponse => {
  requireAnother(m, player);
  recordStarvation(m, player);
  const { id } = player;
  m.players = m.players.filter((one) => one !== player);
  const { state, code, codeSince } = player;
  if (state === "human" && code !== null) m.left.set(code, { player: id, at: m.now, codeSince, hunt: null });
  if (state !== "spectator" || player.isWithdrawn) {
    const { deadline, infection, infectedBy } = player;
    const hunger = deadline - gameInstant(m);
    m.tombstones.set(foldedOf(player.alias), { state, hunger, infection, infectedBy, code, codeSince });
  }
  m.sessions = m.sessions.filter((session) => session.player !== id);
  m.recoveries = m.recoveries.filter((recovery) => recovery.player !== id);
  m.responses = m.responses.filter(({ who }) => who !== id);
  m.subscriptions = m.subscriptions.filter((subscription) => subscription.player !== id);
  m.failures = m.failures.filter(({ account }) => account !== id);
  m.devices = m.devices.filter((one) => one.player !== id);
  m.addresses = m.addresses.filter((one) => one.player !== id);
  m.newcomers = m.newcomers.filter(({ account }) => account !== id);
  for (const event of m.record) if (event.actor === id) event.note = null;
  return DONE;
};

/** A player who has not joined the game yet. */
export const newPlayer = (id: string, alias: string, password: string, now: number): Player => ({
  id,
  alias,
  former: [],
  renamedAt: null,
  password,
  first_name: null,
  is_admin: false,
  state: "spectator",
  isWithdrawn: false,
  wantsOriginal: false,
  unrecorded: null,
  code: null,
  codeSince: 0,
  kills: [],
  infection: null,
  infectedBy: null,
  infectedAt: null,
  lastFed: null,
  deadline: 0,
  feedings: [],
  pass: null,
  ended: null,
  picture: null,
  labels: [],
  note: null,
  createdAt: now,
  misses: [],
});

/** Opens a session, for a known device or for a new one. */
const enter = (m: Model, player: Player, { from, device }: From, { facts }: Call): ModelResponse => {
  const { id, is_admin, alias } = player;
  const device_token = deviceBy(m, id, device)?.token ?? facts.field("device_token");
  succeed(m, id, from, device_token);
  const token = facts.field("token");
  const { expiresAt } = openSession(m, player, token, from);
  const expires_at = rfc3339(expiresAt);
  return ok(() => ({
    player_id: id,
    alias,
    is_admin,
    token,
    token_type: "Bearer",
    expires_at,
    device_token,
  }));
};

/**
 * A registration that is sent again with its key: it needs the password that the account has now.
 * @throws ModelError `alias_taken`, `key_reused`, `too_many_attempts`
 */
export const registerAgain = (
  m: Model,
  player: Player,
  { password, isSame }: { password: string; isSame: boolean },
  { from }: Call,
): ModelResponse => {
  const attempt = { from, device: null };
  requireNoWait(m, player.id, attempt);
  if (player.password !== password) {
    fail(m, player.id, attempt);
    m.log.push({ action: "login", actor: null, outcome: "bad_credentials" });
    throw new ModelError(isSame ? "alias_taken" : "key_reused");
  }
  if (!isSame) throw new ModelError("key_reused");
  return { status: 201, body: own(player.id) };
};

export const ACCOUNTS = {
  "POST /new": forAll((m, { alias, password, first_name }, { facts }) => {
    requireFree(m, alias, null);
    const id = facts.field("player_id");
    const player = { ...newPlayer(id, alias, password, m.now), first_name: first_name ?? null };
    m.players.push(player);
    const newCode = () => facts.codeOf(id);
    if (!comeBack(m, player, foldedOf(alias), newCode)) makeHuman(m, player, newCode());
    return { status: 201, body: own(id) };
  }, IDEMPOTENT),

  "POST /login": forAll(
    (m, { alias, password, device_token }, call) => {
      const player = byName(m, alias);
      const account = accountOf(alias, player);
      const attempt = { from: call.from, device: device_token };
      requireNoWait(m, account, attempt);
      if (player?.password !== password) {
        fail(m, account, attempt);
        throw new ModelError("bad_credentials");
      }
      call.actor = player.id;
      return enter(m, player, attempt, call);
    },
    { isLogged: true },
  ),

  "POST /logout": forAll((m, { everywhere }, { token }) => {
    const of = m.sessions.find((session) => session.token === token)?.player ?? null;
    const ended = sessionBy(m, token, playerOf(m, of));
    m.sessions = m.sessions.filter((one) => (everywhere === true ? one.player !== of : one !== ended));
    return DONE;
  }),

  "POST /change_password": forAll(
    (m, { alias, new_password, device_token, ...by }, call) => {
      const player = byName(m, alias);
      const account = accountOf(alias, player);
      const attempt = { from: call.from, device: device_token };
      if ("recovery_code" in by) {
        // A code cannot be guessed, so attempts are neither counted nor delayed.
        const isGood = m.recoveries.some(
          ({ player: id, code, until }) => id === player?.id && code === by.recovery_code && until > m.now,
        );
        if (player === undefined || !isGood) throw new ModelError("bad_credentials");
      } else {
        requireNoWait(m, account, attempt);
        if (player === undefined || player.password !== by.current_password) {
          fail(m, account, attempt);
          throw new ModelError("bad_credentials");
        }
      }
      player.password = new_password;
      m.sessions = m.sessions.filter((session) => session.player !== player.id);
      m.recoveries = m.recoveries.filter((recovery) => recovery.player !== player.id);
      call.actor = player.id;
      if ("recovery_code" in by) return enter(m, player, attempt, call);
      succeed(m, account, call.from, deviceBy(m, account, device_token)?.token);
      return DONE;
    },
    { isLogged: true },
  ),

  "DELETE /delete_player/{url_id}": forPlayers((m, _, caller) => leave(m, caller), { isLogged: true }),

  "POST /edit_player/{url_id}": forPlayers((m, { alias, first_name, wants_original }, caller) => {
    if (alias !== undefined) renameOneself(m, caller, alias);
    caller.wantsOriginal = wants_original ?? caller.wantsOriginal;
    if (first_name !== undefined) caller.first_name = first_name;
    return ok(own(caller.id));
  }, IDEMPOTENT),

  "POST /player/enrol/{url_id}": forPlayers((m, _, caller, { facts }) => {
    if (caller.state !== "spectator" || caller.isWithdrawn) throw new ModelError("wrong_state");
    makeHuman(m, caller, facts.codeOf(caller.id));
    return ok(own(caller.id));
  }, IDEMPOTENT),

  "POST /set_pfp/{url_id}": forPlayers((_m, _body, caller, { facts }) => {
    const picture = JSON.parse(facts.text);
    caller.picture = picture.etag.slice(1, 23);
    return ok(() => ({ ...picture, content_type: "image/webp", width: 1, height: 1 }));
  }, IDEMPOTENT),

  "POST /notifications/subscribe/{url_id}": forPlayers((m, body, caller, { facts }) => {
    m.subscriptions = m.subscriptions.filter(({ endpoint }) => endpoint !== body.endpoint);
    m.subscriptions.push({ player: caller.id, endpoint: body.endpoint });
    const subscription_id = facts.field("subscription_id");
    const created_at = rfc3339(m.now);
    return ok(() => ({ subscription_id, player_id: caller.id, ...body, created_at }));
  }, IDEMPOTENT),

  "DELETE /subscriptions/unsubscribe/{url_id}": forPlayers((m, _, { id }) => {
    m.subscriptions = m.subscriptions.filter(({ player }) => player !== id);
    return DONE;
  }),

  "POST /admin/recover_password/{url_id}": forMasters((m, ref, _asker, { facts }) => {
    const { id, alias } = named(m, ref);
    const code = facts.field("recovery_code");
    // Kept to the second.
    const until = Math.floor((m.now + HOUR) / SECOND) * SECOND;
    m.recoveries = m.recoveries.filter(({ player }) => player !== id);
    m.recoveries.push({ player: id, code, until });
    return ok(() => ({ alias, recovery_code: code, expires_at: rfc3339(until) }));
  }),

  "POST /admin/edit_player/{url_id}": forMasters((m, body, caller) => {
    const player = named(m, body);
    const { alias_to, is_admin, clear_picture, note } = body;
    if (alias_to !== undefined) requireFree(m, alias_to, player.id);
    if (is_admin === false) requireAnother(m, player);
    if (alias_to !== undefined) rename(m, player, alias_to);
    player.is_admin = is_admin ?? player.is_admin;
    if (clear_picture === true) player.picture = null;
    if (body.first_name !== undefined) player.first_name = body.first_name;
    if (note !== undefined) player.note = note;
    return ok((after) => {
      const left = playerOf(after, player.id);
      return left === undefined ? null : staffView(after, left, caller);
    });
  }, IDEMPOTENT),

  "POST /admin/label/{url_id}": forMasters((m, { aliases, add = [], remove = [] }) => {
    const players = [...new Set(aliases.map((alias) => named(m, { alias })))];
    for (const player of players) {
      const all = [...new Set([...player.labels, ...add])].toSorted();
      player.labels = all.filter((label) => !remove.includes(label));
    }
    const labelled = players.map(({ id, labels }) => ({ id, labels }));
    return ok((after) => ({
      players: labelled.map(({ id, labels }) => ({ alias: playerOf(after, id)?.alias ?? null, labels })),
    }));
  }, IDEMPOTENT),

  "POST /admin/remove_player/{url_id}": forMasters((m, ref) => leave(m, named(m, ref)), IDEMPOTENT),
} satisfies Partial<Rules<Route>>;
