/** Commands on accounts, and commands without the right. */
import { blackPng } from "../../support/pictures.ts";
import { makeBrowser } from "../../support/webPush.ts";
import {
  type Actions,
  addressBy,
  aliasBy,
  anonymous,
  type Credentials,
  credentialsOf,
  masterCredentials,
  refTo,
  requestOf,
  send,
} from "./actors.ts";
import type { Dice } from "./dice.ts";
import { clash, LABELS, NAMES, NOBODY } from "./names.ts";
import { UNKNOWN_DEVICE } from "./sessions.ts";
import type { Model, Player } from "./state.ts";
import type { World } from "./world.ts";

const PASSWORDS = ["correct horse battery", "analytical engine", "kites and lightning"] as const;
export const [PASSWORD] = PASSWORDS;
const WRONG = "not the password";

/** Usually a free name. */
const nameBy = (m: Model, dice: Dice): string => {
  const free = NAMES.filter((alias) => m.players.every((player) => !clash(player.alias, alias)));
  return dice.of(dice.chance(25) ? NAMES : free) ?? NOBODY;
};

/** The minimum and maximum number of players. */
const FEWEST = 6;
const MOST = 14;

export function* join(world: World, dice: Dice): Actions {
  if (world.model().players.length >= MOST) return yield* leave(world, dice);
  const body = {
    alias: nameBy(world.model(), dice),
    password: dice.pick(PASSWORDS),
    ...(dice.chance(30) ? { first_name: "Ann" } : {}),
  };
  const key = dice.chance(40) ? `key-${world.fresh()}` : null;
  return yield* send("POST /new", anonymous(undefined, key), body);
}

/** The device token of the player, of another player, or none. */
const deviceOf = (m: Model, dice: Dice, player: Player): { device_token?: string | null } => {
  if (dice.chance(40)) return {};
  const devices = m.devices.filter(({ token }) => token !== UNKNOWN_DEVICE);
  const own = devices.filter((device) => device.player === player.id);
  return { device_token: dice.of(dice.chance(80) ? own : devices)?.token ?? null };
};

export function* login(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  return yield* send("POST /login", anonymous(addressBy(dice)), {
    alias: aliasBy(dice, player.alias),
    password: player.password,
    ...deviceOf(world.model(), dice, player),
  });
}

/** Wrong passwords from one or several addresses, until a wait is required. */
export function* guess(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  const alias = dice.chance(15) ? NOBODY : aliasBy(dice, player.alias);
  const times = dice.pick([1, 2, 6]);
  const isEverywhere = dice.chance(40);
  const one = addressBy(dice);
  const device = deviceOf(world.model(), dice, player);
  let failed = false;
  for (let n = 0; n < times; n += 1) {
    const who = anonymous(isEverywhere ? `127.0.0.${n + 1}` : one);
    const change = { alias, current_password: WRONG, new_password: PASSWORD, ...device };
    const { code } = yield dice.chance(25)
      ? requestOf("POST /change_password", who, change)
      : requestOf("POST /login", who, { alias, password: WRONG, ...device });
    failed ||= code === "bad_credentials";
  }
  return failed;
}

export function* logout(world: World, dice: Dice): Actions {
  const { token } = yield* credentialsOf(world, dice, dice.one(world.model().players));
  const shown = dice.chance(10) ? (dice.of(world.tokens) ?? null) : token;
  const body = dice.chance(30) ? { everywhere: true } : {};
  return yield* send("POST /logout", { ...anonymous(), token: shown }, body);
}

/** A new password for a player, with the old one or a recovery code. */
function* changeBy(
  world: World,
  dice: Dice,
  player: Player,
  proof: { current_password: string } | { recovery_code: string },
): Actions {
  return yield* send("POST /change_password", anonymous(addressBy(dice)), {
    alias: aliasBy(dice, player.alias),
    new_password: dice.pick(PASSWORDS),
    ...deviceOf(world.model(), dice, player),
    ...proof,
  });
}

export function* changePassword(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  return yield* changeBy(world, dice, player, { current_password: player.password });
}

export function* recover(world: World, dice: Dice): Actions {
  const body = refTo(dice, dice.one(world.model().players));
  return yield* send("POST /admin/recover_password/{url_id}", yield* masterCredentials(world, dice), body);
}

/** A new password with a recovery code, issued or invented. */
export function* redeem(world: World, dice: Dice): Actions {
  if (world.model().recoveries.length === 0) yield* recover(world, dice);
  const { players, recoveries } = world.model();
  const recovery = dice.of(recoveries);
  const player = players.find(({ id }) => id === recovery?.player) ?? dice.one(players);
  const UNKNOWN = "AAAA-BBBB";
  const recovery_code = dice.chance(15) ? UNKNOWN : (recovery?.code ?? UNKNOWN);
  return yield* changeBy(world, dice, player, { recovery_code });
}

/** Usually a player who is not a game master. */
const leaverOf = ({ players }: Model, dice: Dice): Player => {
  const others = players.filter(({ is_admin }) => !is_admin);
  return dice.prefer(others, players);
};

export function* leave(world: World, dice: Dice): Actions {
  if (world.model().players.length <= FEWEST) return yield* join(world, dice);
  const player = leaverOf(world.model(), dice);
  return yield* send("DELETE /delete_player/{url_id}", yield* credentialsOf(world, dice, player), {});
}

export function* remove(world: World, dice: Dice): Actions {
  if (world.model().players.length <= FEWEST) return yield* join(world, dice);
  const body = refTo(dice, leaverOf(world.model(), dice));
  return yield* send("POST /admin/remove_player/{url_id}", yield* masterCredentials(world, dice), body);
}

/** Usually another name; sometimes another spelling of the same. */
const renamed = (m: Model, dice: Dice, { alias }: Player): string =>
  dice.chance(25) ? aliasBy(dice, alias) : nameBy(m, dice);

const isMaster = ({ alias }: Player): boolean => alias === "Game Master";

export function* edit(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  const isRenamed = dice.chance(60) && !isMaster(player);
  return yield* send("POST /edit_player/{url_id}", yield* credentialsOf(world, dice, player), {
    ...(isRenamed ? { alias: renamed(world.model(), dice, player) } : {}),
    first_name: dice.pick(["Ann", null, "Bea"]),
  });
}

export function* editAnother(world: World, dice: Dice): Actions {
  const m = world.model();
  const change = dice.pick(["right", "alias", "picture", "all"]);
  const masters = m.players.filter(({ is_admin }) => is_admin);
  const target = dice.one(change === "right" && dice.chance(40) ? masters : m.players);
  const isAll = change === "all";
  const alias_to = change === "alias" || isAll ? renamed(m, dice, target) : undefined;
  return yield* send("POST /admin/edit_player/{url_id}", yield* masterCredentials(world, dice), {
    ...refTo(dice, target),
    ...(alias_to === undefined || isMaster(target) ? { clear_picture: dice.chance(50) } : { alias_to }),
    ...(change === "right" || isAll ? { is_admin: target.is_admin ? false : dice.chance(60) } : {}),
    ...(change === "picture" || isAll ? { clear_picture: true } : {}),
    ...(dice.chance(20) ? { first_name: dice.pick(["Anna", null]) } : {}),
    ...(dice.chance(30) ? { note: dice.pick([null, "Lent a bandana.", "Hurt an ankle."]) } : {}),
  });
}

/** Adds labels to a few players, or removes them. */
export function* label(world: World, dice: Dice): Actions {
  const { players } = world.model();
  const targets = Array.from({ length: dice.pick([1, 1, 2, 3]) }, () => dice.one(players));
  const aliases = targets.map(({ alias }) => (dice.chance(3) ? NOBODY : aliasBy(dice, alias)));
  const [one, other] = [dice.pick(LABELS), dice.pick(LABELS)];
  const isAdded = dice.chance(60);
  return yield* send("POST /admin/label/{url_id}", yield* masterCredentials(world, dice), {
    aliases,
    ...(isAdded ? { add: [one] } : {}),
    ...(isAdded && one === other ? {} : { remove: [other] }),
  });
}

const PICTURE = blackPng(1, 1).toString("base64");

export function* setPicture(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  return yield* send("POST /set_pfp/{url_id}", yield* credentialsOf(world, dice, player), { image: PICTURE });
}

const { p256dh, auth } = makeBrowser();
const ENDPOINTS = ["one", "two", "three", "four"] as const;

export function* subscribe(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${dice.pick(ENDPOINTS)}`;
  const body = { endpoint, p256dh, auth };
  return yield* send(
    "POST /notifications/subscribe/{url_id}",
    yield* credentialsOf(world, dice, player),
    body,
  );
}

export function* unsubscribe(world: World, dice: Dice): Actions {
  const { players, subscriptions } = world.model();
  const some = players.filter(({ id }) => subscriptions.some(({ player }) => player === id));
  const player = dice.prefer(some, players);
  return yield* send(
    "DELETE /subscriptions/unsubscribe/{url_id}",
    yield* credentialsOf(world, dice, player),
    {},
  );
}

/** Repeats an earlier request with its key, or sends another one with that key. */
export function* again(world: World, dice: Dice): Actions {
  const sent = dice.of(world.sent);
  if (sent === undefined) return yield* edit(world, dice);
  const player = world.model().players.find(({ id }) => id === sent.by);
  const token = player === undefined ? null : (yield* credentialsOf(world, dice, player)).token;
  const isOther = dice.chance(25);
  const changed = dice.chance(50) ? { first_name: "Another" } : { password: "not the one it was" };
  const another = { first_name: "Another" };
  const { isRepeated, code } = yield sent.route === "POST /new"
    ? { ...sent, body: { ...sent.body, ...(isOther ? changed : {}) } }
    : isOther
      ? requestOf("POST /edit_player/{url_id}", { ...sent, token }, another)
      : { ...sent, token };
  return isRepeated === true || code === "key_reused";
}

/** A request without the right: to a game master's endpoint, another player's path, or without a valid token. */
export function* trespass(world: World, dice: Dice): Actions {
  const m = world.model();
  const player = dice.of(m.players.filter(({ is_admin }) => !is_admin));
  if (player === undefined) return yield* join(world, dice);
  const other = dice.one(m.players);
  const own = yield* credentialsOf(world, dice, player);
  const ref = refTo(dice, other);
  const asMaster = [
    requestOf("POST /admin/corpsify/{url_id}", own, ref),
    requestOf("POST /admin/revive_z/{url_id}", own, ref),
    requestOf("POST /admin/edit_player/{url_id}", own, { ...ref, is_admin: true }),
    requestOf("POST /admin/zombies_add_day/{url_id}", own, {}),
    requestOf("GET /admin/get_players/{url_id}", own, {}),
  ];
  const wrong = dice.pick<Partial<Credentials>>([
    { by: other.id },
    { token: dice.of(world.tokens) ?? null },
    { token: null },
  ]);
  const { code } = yield dice.chance(40)
    ? dice.one(asMaster)
    : requestOf("POST /edit_player/{url_id}", { ...own, ...wrong }, { first_name: "Mallory" });
  return code === "not_administrator" || code === "token_rejected";
}
