/** The model's rules of accounts: joining, login, names, pictures, and leaving. */
import { DAY, HOUR, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import * as game from "./game.ts";
import { clash, foldedOf, isAmong } from "./names.ts";
import { type Call, DONE, ModelError, type ModelResponse, ok, type Rules, requireThat } from "./request.ts";
import * as login from "./sessions.ts";
import { type Away, type Model, Player } from "./state.ts";
import { mustSign, ownView, staffView } from "./views.ts";
import { consent, keepSignatures, requireSignable, sign } from "./waiver.ts";

const requireFree = (m: Model, alias: string, self: string | null): void => {
  const isTakenBy = (player: Player): boolean =>
    player.id !== self && [player.alias, ...player.former].some((one) => clash(one, alias));
  requireThat(!m.players.some(isTakenBy), "alias_taken");
};

/** The former aliases of a player who takes another one. */
const formerWith = ({ alias, former }: Player, next: string): string[] =>
  [alias, ...former].filter((one) => foldedOf(one) !== foldedOf(next));

/** Gives a player another alias. @throws ModelError `alias_taken` */
const rename = (m: Model, player: Player, alias: string): void => {
  requireFree(m, alias, player.id);
  if (alias === player.alias) return;
  player.former = formerWith(player, alias).slice(0, 15);
  player.alias = alias;
};

/** Players rename themselves at most once a day. @throws ModelError `too_many_attempts` */
const requireDayPassed = (m: Model, { renamedAt }: Player): void => {
  const wait = renamedAt === null ? 0 : renamedAt + DAY - m.now;
  if (wait > 0) throw new ModelError("too_many_attempts", wait);
};

const requireAnotherAdministrator = (m: Model, player: Player): void => {
  const isAnother = ({ id, is_admin }: Player): boolean => is_admin && id !== player.id;
  requireThat(m.players.some(isAnother), "last_administrator");
};

/** The account of a player who is away, at which failed attempts count. */
const departedAccount = (id: string): string => `departed ${id}`;

/** Whether a registration has the password of somebody who is away; a wrong one counts as a failure. */
const isProved = (m: Model, { player }: Away, password: string | undefined): boolean => {
  const account = departedAccount(player.id);
  try {
    login.requireNoWait(m, account, null);
  } catch {
    return false;
  }
  if (player.password === password) return true;
  login.fail(m, account, null);
  return false;
};

/** Brings a player back. Another alias than the last is a renaming. @throws ModelError `too_many_attempts` */
const restore = (m: Model, away: Away, account: Partial<Player> & { alias: string }): void => {
  const { player, last } = away;
  const isRenamed = foldedOf(account.alias) !== last;
  if (isRenamed) requireDayPassed(m, player);
  game.comeBack(m, away, { ...account, ...(isRenamed ? { renamedAt: m.now } : {}) });
  m.failures.delete(departedAccount(player.id));
};

/** Removes all personal data; records stay. @throws ModelError `last_administrator` */
const leave = (m: Model, player: Player): ModelResponse => {
  if (player.is_admin) requireAnotherAdministrator(m, player);
  game.recordStarvation(m, player);
  const { id, alias, former, earlier, isWithdrawn, state, tag_code, code_since } = player;
  if (state === "human" && tag_code !== null)
    m.left.set(tag_code, { player: id, at: m.now, codeSince: code_since, hunt: null });
  const failures = m.failures.get(id);
  // Others who are pending are said to be somebody who has left.
  const isClaimant = player.isPending && !player.waitsToSign;
  if (state !== "spectator" || isWithdrawn || isClaimant || game.maySeeSecrets(player)) {
    player.earlier = [alias, ...former, ...earlier];
    const names = new Set(player.earlier);
    m.away.push({ player, leftAt: m.now, names, last: foldedOf(alias), isDisturbed: false });
    if (failures !== undefined) m.failures.set(departedAccount(id), failures);
  }
  const ofOthers = <T extends { player: string }>(all: readonly T[]): T[] =>
    all.filter((one) => one.player !== id);
  m.players = m.players.filter((one) => one !== player);
  m.sessions = ofOthers(m.sessions);
  m.recoveries = ofOthers(m.recoveries);
  m.devices = ofOthers(m.devices);
  for (const name of m.responses.keys()) if (name.startsWith(id)) m.responses.delete(name);
  m.failures.delete(id);
  keepSignatures(m, player);
  for (const event of m.record) if (event.actor === id) event.note = null;
  for (const entry of m.record.flatMap(({ dispute }) => dispute?.entries ?? []))
    if (entry.by === id) entry.text = null;
  return DONE;
};

/** Opens a session, for a known device or for a new one. */
const logIn = (m: Model, player: Player, device: login.Token, { field }: Call): ModelResponse => {
  const { id: player_id, is_admin, alias } = player;
  const device_token = login.deviceBy(m, player_id, device)?.token ?? field("device_token");
  login.succeed(m, player_id, device_token);
  const token = field("token");
  const expires_at = rfc3339(login.openSession(m, player, token).expires_at);
  return ok({ player_id, alias, is_admin, token, token_type: "Bearer", expires_at, device_token });
};

/** Checks a password. @throws ModelError `bad_credentials`, `too_many_attempts` */
const requirePassword = (m: Model, alias: string, password: string | undefined, device: login.Token) => {
  const player = game.byName(m, alias);
  const account = login.accountOf(alias, player);
  login.requireNoWait(m, account, device);
  if (player !== undefined && player.password === password) return player;
  login.fail(m, account, device);
  throw new ModelError("bad_credentials");
};

/**
 * A registration that is sent again with its key: it needs the password that the account has now.
 * @throws ModelError `alias_taken`, `key_reused`, `too_many_attempts`
 */
export const registerAgain = (
  m: Model,
  { alias, password }: { alias: string; password: string },
  isSame: boolean,
): ModelResponse => {
  try {
    const player = requirePassword(m, alias, password, null);
    requireThat(isSame, "key_reused");
    return { status: 201, body: ownView(m, player) };
  } catch (error) {
    if (!(error instanceof ModelError) || error.code !== "bad_credentials") throw error;
    m.log.push({ action: "login", actor: null, outcome: "bad_credentials" });
    throw new ModelError(isSame ? "alias_taken" : "key_reused");
  }
};

export const ACCOUNTS = {
  "POST /new": (m, { alias, password, first_name = null, signature }, _, { field, codeOf }) => {
    requireFree(m, alias, null);
    if (signature !== undefined) requireSignable(m, signature);
    const signIfAsked = (player: Player): void => {
      if (signature !== undefined) sign(m, player, signature, null, () => codeOf(player.id));
    };
    const [claimed] = m.away
      .filter(({ names }) => isAmong(names, alias))
      .toSorted(
        (one, other) =>
          Number(one.player.isPending) - Number(other.player.isPending) ||
          one.leftAt - other.leftAt ||
          (one.player.id < other.player.id ? -1 : 1),
      );
    if (claimed !== undefined && isProved(m, claimed, password)) {
      restore(m, claimed, { alias, password, first_name });
      signIfAsked(claimed.player);
      return { status: 201, body: ownView(m, claimed.player) };
    }
    const id = field("player_id");
    // The game has no set start, so the alias counts as no change.
    const player = new Player({ id, alias, password, first_name, created_at: m.now });
    m.players.push(player);
    signIfAsked(player);
    if (claimed === undefined && !mustSign(m, player)) game.makeHuman(m, player, codeOf(id));
    else Object.assign(player, { isPending: true, waitsToSign: claimed === undefined });
    return { status: 201, body: ownView(m, player) };
  },

  "POST /login": (m, { alias, password, device_token }, _, call) => {
    const player = requirePassword(m, alias, password, device_token);
    call.actor = player.id;
    return logIn(m, player, device_token, call);
  },

  "POST /logout": (m, { everywhere }, _, { token }) => {
    const of = m.sessions.find((session) => session.token === token)?.player ?? null;
    const ended = login.sessionBy(m, token, game.playerOf(m, of));
    m.sessions = m.sessions.filter((one) => (everywhere === true ? one.player !== of : one !== ended));
    return DONE;
  },

  "POST /change_password": (m, body, _, call) => {
    const { alias, new_password, device_token, current_password, recovery_code } = body;
    // A code cannot be guessed, so attempts are neither counted nor delayed.
    const recovery = m.recoveries.find(
      ({ player, code, until }) =>
        player === game.byName(m, alias)?.id && code === recovery_code && until > m.now,
    );
    const isByCode = recovery_code !== undefined;
    requireThat(!isByCode || recovery !== undefined, "bad_credentials");
    const player = isByCode
      ? game.named(m, { alias })
      : requirePassword(m, alias, current_password, device_token);
    const { id } = player;
    player.password = new_password;
    m.sessions = m.sessions.filter((session) => session.player !== id);
    m.recoveries = m.recoveries.filter((recovery) => recovery.player !== id);
    call.actor = id;
    if (isByCode) return logIn(m, player, device_token, call);
    login.succeed(m, id, login.deviceBy(m, id, device_token)?.token);
    return DONE;
  },

  "DELETE /delete_player/{url_id}": (m, _, caller) => leave(m, caller),

  "POST /edit_player/{url_id}": (m, { alias, first_name, wants_original, photo_consent: photos }, caller) => {
    const isRenamed = alias !== undefined && alias !== caller.alias;
    if (isRenamed) {
      requireFree(m, alias, caller.id);
      requireThat(formerWith(caller, alias).length <= 15, "ask_game_master");
      requireDayPassed(m, caller);
    }
    requireThat(photos === undefined || caller.signature !== null, "wrong_state");
    if (photos !== undefined) consent(m, caller, photos);
    if (isRenamed) {
      rename(m, caller, alias);
      caller.renamedAt = m.now;
      m.log.push({ action: "edit_player", actor: caller.id, outcome: "done" });
    }
    caller.wants_original = wants_original ?? caller.wants_original;
    if (first_name !== undefined) caller.first_name = first_name;
    return ok(ownView(m, caller));
  },

  "POST /player/enrol/{url_id}": (m, _, caller, { codeOf }) => {
    const isWaiting = caller.isWithdrawn || (caller.isPending && !caller.waitsToSign) || mustSign(m, caller);
    requireThat(caller.state === "spectator" && !isWaiting, "wrong_state");
    game.requireMayEnter(m, caller);
    game.makeHuman(m, caller, codeOf(caller.id));
    if (caller.is_admin) m.log.push({ action: "enrol", actor: caller.id, outcome: "done" });
    return ok(ownView(m, caller));
  },

  "POST /set_pfp/{url_id}": (_m, _body, caller, { text }) => {
    const picture = JSON.parse(text);
    caller.picture = picture.etag.slice(1, 23);
    return ok({ ...picture, content_type: "image/webp", width: 1, height: 1 });
  },

  "POST /admin/recover_password/{url_id}": (m, ref, _, { field }) => {
    const { id: player, alias } = game.named(m, ref);
    const recovery_code = field("recovery_code");
    // Stored to the second.
    const until = Math.floor((m.now + HOUR) / SECOND) * SECOND;
    m.recoveries = m.recoveries.filter((one) => one.player !== player);
    m.recoveries.push({ player, code: recovery_code, until });
    return ok({ alias, recovery_code, expires_at: rfc3339(until) });
  },

  "POST /admin/edit_player/{url_id}": (m, body, caller) => {
    const player = game.named(m, body);
    const { alias_to, is_admin, clear_picture, first_name, note } = body;
    if (alias_to !== undefined) requireFree(m, alias_to, player.id);
    if (is_admin === false && player.is_admin) requireAnotherAdministrator(m, player);
    if (alias_to !== undefined) rename(m, player, alias_to);
    if (is_admin === false && game.maySeeSecrets(player))
      Object.assign(player, { isWithdrawn: true, sawSecrets: true });
    player.is_admin = is_admin ?? player.is_admin;
    if (clear_picture === true) player.picture = null;
    if (first_name !== undefined) player.first_name = first_name;
    if (note !== undefined) player.note = note;
    return ok(staffView(m, player, caller));
  },

  "POST /admin/label/{url_id}": (m, { aliases, add = [], remove = [] }) => {
    const players = [...new Set(aliases.map((alias) => game.named(m, { alias })))];
    for (const player of players) {
      const all = [...new Set([...player.labels, ...add])].toSorted();
      player.labels = all.filter((label) => !remove.includes(label));
    }
    return ok({ players: players.map(({ alias, labels }) => ({ alias, labels })) });
  },

  "POST /admin/remove_player/{url_id}": (m, ref) => leave(m, game.named(m, ref)),
} satisfies Rules;
