/** Commands on accounts. */
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import { blackPng } from "../../support/pictures.ts";
import {
  type Actions,
  anonymous,
  byMaster,
  byPlayer,
  credentialsOf,
  insteadIf,
  mastersOf,
  maybeKey,
  refTo,
  requestOf,
  send,
  spellAlias,
} from "./actors.ts";
import type { Dice } from "./dice.ts";
import { clash, isAmong, LABELS, NAMES, NOBODY } from "./names.ts";
import { UNKNOWN_DEVICE } from "./sessions.ts";
import type { Model, Player } from "./state.ts";

const PASSWORDS = ["correct horse battery", "analytical engine", "kites and lightning"] as const;
export const [PASSWORD] = PASSWORDS;
const WRONG = "not the password";

const anybody = ({ players }: Model, dice: Dice): Player => dice.one(players);

/** Whether an alias is that of somebody who is away, of whom the model does not know what they are by now. */
const isDisturbed = (m: Model, alias: string): boolean =>
  m.away.some((one) => one.isDisturbed && isAmong(one.names, alias));

/** Usually a free name, often of somebody who has left. */
const chooseName = (m: Model, dice: Dice): string => {
  const free = NAMES.filter((alias) => m.players.every((player) => !clash(player.alias, alias)));
  const left = free.filter((alias) => m.away.some(({ names }) => isAmong(names, alias)));
  const among = dice.chance(25) ? NAMES : dice.chance(60) && left.length > 0 ? left : free;
  return dice.maybeOne(among.filter((alias) => !isDisturbed(m, alias))) ?? NOBODY;
};

const MIN_PLAYERS = 6;
const MAX_PLAYERS = 14;

export function* join(m: Model, dice: Dice): Actions {
  if (m.players.length >= MAX_PLAYERS) return yield* leave(m, dice);
  const alias = chooseName(m, dice);
  const away = m.away.find(({ names }) => isAmong(names, alias));
  return yield* send("POST /new", anonymous(maybeKey(m, dice)), {
    alias,
    password: away !== undefined && dice.chance(60) ? away.player.password : dice.pick(PASSWORDS),
    ...dice.maybe(30, { first_name: "Ann" }),
  });
}

/** The device token of the player, of another player, or none. */
const maybeDevice = (m: Model, dice: Dice, player: Player): { device_token?: string | null } => {
  if (dice.chance(40)) return {};
  const devices = m.devices.filter(({ token }) => token !== UNKNOWN_DEVICE);
  const own = devices.filter((device) => device.player === player.id);
  return { device_token: dice.maybeOne(dice.chance(80) ? own : devices)?.token ?? null };
};

export function* login(m: Model, dice: Dice): Actions {
  const player = anybody(m, dice);
  return yield* send("POST /login", anonymous(), {
    alias: spellAlias(dice, player.alias),
    password: player.password,
    ...maybeDevice(m, dice, player),
  });
}

/** Wrong passwords, sometimes until a wait is required. */
export function* guess(m: Model, dice: Dice): Actions {
  const player = anybody(m, dice);
  const alias = dice.chance(15) ? NOBODY : spellAlias(dice, player.alias);
  const device = maybeDevice(m, dice, player);
  let failed = false;
  for (let times = dice.pick([1, 2, 6, 8]); times > 0; times -= 1) {
    const change = { alias, current_password: WRONG, new_password: PASSWORD, ...device };
    const { code } = yield dice.chance(25)
      ? requestOf("POST /change_password", anonymous(), change)
      : requestOf("POST /login", anonymous(), { alias, password: WRONG, ...device });
    failed ||= code === "bad_credentials";
  }
  return failed;
}

export function* logout(m: Model, dice: Dice): Actions {
  const { token } = yield* credentialsOf(m, dice, anybody(m, dice));
  const shown = dice.chance(10) ? (dice.maybeOne(m.tokens) ?? null) : token;
  return yield* send("POST /logout", { ...anonymous(), token: shown }, dice.maybe(30, { everywhere: true }));
}

/** A new password for a player, with the old one or a recovery code. */
const setPassword = (m: Model, dice: Dice, player: Player, proof: object): Actions =>
  send("POST /change_password", anonymous(), {
    alias: spellAlias(dice, player.alias),
    new_password: dice.pick(PASSWORDS),
    ...maybeDevice(m, dice, player),
    ...proof,
  });

export const changePassword = (m: Model, dice: Dice): Actions => {
  const player = anybody(m, dice);
  return setPassword(m, dice, player, { current_password: player.password });
};

export const recover = byMaster("recover_password", (m, dice) => refTo(dice, anybody(m, dice)));

/** A new password with a recovery code, issued or invented. */
export function* redeem(m: Model, dice: Dice): Actions {
  if (m.recoveries.length === 0) yield* recover(m, dice);
  const recovery = dice.maybeOne(m.recoveries);
  const player = m.players.find(({ id }) => id === recovery?.player) ?? anybody(m, dice);
  const recovery_code = (dice.chance(15) ? undefined : recovery?.code) ?? "AAAA-BBBB";
  // Another password makes the code useless.
  if (dice.chance(30)) yield* setPassword(m, dice, player, { current_password: player.password });
  return yield* setPassword(m, dice, player, { recovery_code });
}

/** Usually a player who is not a game master. */
const chooseLeaver = ({ players }: Model, dice: Dice): Player => {
  const others = players.filter(({ is_admin }) => !is_admin);
  return dice.prefer(others, players);
};

const isSmall = ({ players }: Model): boolean => players.length <= MIN_PLAYERS;

const deleteAccount = byPlayer("DELETE /delete_player/{url_id}", chooseLeaver, () => ({}));
export const leave = insteadIf(isSmall, join, deleteAccount);

/** A player leaves and comes back, twice; meanwhile time passes, and mostly the clock is changed. */
export const comeAndGo = insteadIf(isSmall, join, function* (m, dice) {
  const others = m.players.filter(({ is_admin }) => !is_admin);
  const player = dice.prefer(
    others.filter(({ state }) => state === "zombie"),
    others,
  );
  const { alias, password } = player;
  let done = true;
  for (let times = 2; times > 0 && done && m.players.includes(player); times -= 1) {
    const credentials = yield* credentialsOf(m, dice, player);
    yield* send("DELETE /delete_player/{url_id}", credentials, {});
    yield { pass: dice.pick([5 * HOUR, 20 * HOUR, MINUTE]) };
    const change = m.pausedAt === null ? dice.pick(["zombies_add_day", "pause_game"]) : "resume_game";
    if (dice.chance(70)) yield* byMaster(change, () => ({}))(m, dice);
    yield { pass: dice.pick([MINUTE, 2 * HOUR]) };
    done = !isDisturbed(m, alias) && (yield* send("POST /new", anonymous(), { alias, password }));
  }
  return done;
});

const removePlayer = byMaster("remove_player", (m, dice) => refTo(dice, chooseLeaver(m, dice)));
export const remove = insteadIf(isSmall, join, removePlayer);

/** Usually another name; sometimes another spelling of the same. */
const renamed = (m: Model, dice: Dice, { alias }: Player): string =>
  dice.chance(25) ? spellAlias(dice, alias) : chooseName(m, dice);

const isFirstMaster = ({ alias }: Player): boolean => alias === "Game Master";

export const edit = byPlayer("POST /edit_player/{url_id}", anybody, (m, dice, player) => ({
  ...(dice.chance(60) && !isFirstMaster(player) ? { alias: renamed(m, dice, player) } : {}),
  first_name: dice.pick(["Ann", null, "Bea"]),
}));

export const editAnother = byMaster("edit_player", (m, dice) => {
  const change = dice.pick(["right", "alias", "picture", "all"]);
  const has = (what: string): boolean => change === what || change === "all";
  const target = dice.one(change === "right" && dice.chance(40) ? mastersOf(m) : m.players);
  const isRenamed = has("alias") && !isFirstMaster(target);
  return {
    ...refTo(dice, target),
    ...(isRenamed ? { alias_to: renamed(m, dice, target) } : { clear_picture: dice.chance(50) }),
    ...(has("right") ? { is_admin: target.is_admin ? false : dice.chance(60) } : {}),
    ...(has("picture") ? { clear_picture: true } : {}),
    ...dice.maybe(20, { first_name: dice.pick(["Anna", null]) }),
    ...dice.maybe(30, { note: dice.pick([null, "Lent a bandana.", "Hurt an ankle."]) }),
  };
});

/** Adds labels to a few players, or removes them. */
export const label = byMaster("label", (m, dice) => {
  const targets = Array.from({ length: dice.pick([1, 1, 2, 3]) }, () => anybody(m, dice));
  const aliases = targets.map(({ alias }) => (dice.chance(3) ? NOBODY : spellAlias(dice, alias)));
  const [one, other] = [dice.pick(LABELS), dice.pick(LABELS)];
  if (!dice.chance(60)) return { aliases, remove: [other] };
  return { aliases, add: [one], ...(one === other ? {} : { remove: [other] }) };
});

const image = blackPng(1, 1).toString("base64");

export const setPicture = byPlayer("POST /set_pfp/{url_id}", anybody, () => ({ image }));

/** Repeats an earlier request with its key, or sends another one with that key. */
export function* repeatRequest(m: Model, dice: Dice): Actions {
  const sent = dice.maybeOne(
    m.sent.filter(({ body }) => !("alias" in body && isDisturbed(m, String(body.alias)))),
  );
  if (sent === undefined) return yield* edit(m, dice);
  const owner = "tag_code" in sent.body ? m.codes.get(String(sent.body.tag_code)) : undefined;
  const prey = m.players.find(({ id, is_admin }) => id === owner && !is_admin);
  if (prey !== undefined && !isSmall(m) && dice.chance(50))
    yield* byMaster("remove_player", () => ({ player_id: prey.id }))(m, dice);
  const player = m.players.find(({ id }) => id === sent.by);
  const token = player === undefined ? null : (yield* credentialsOf(m, dice, player)).token;
  const isOther = dice.chance(25);
  const another = { first_name: "Another" };
  const changed = dice.chance(50) ? another : { password: "not the one it was" };
  const { isRepeated, code } = yield sent.route === "POST /new"
    ? { ...sent, body: { ...sent.body, ...(isOther ? changed : {}) } }
    : isOther
      ? requestOf("POST /edit_player/{url_id}", { ...sent, token }, another)
      : { ...sent, token };
  return isRepeated === true || code === "key_reused";
}
