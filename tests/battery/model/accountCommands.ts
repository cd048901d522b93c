/** Commands on accounts, and unauthorized ones. */
import { blackPng } from "../../support/pictures.ts";
import { makeBrowser } from "../../support/webPush.ts";
import {
  type Actions,
  addressBy,
  aliasBy,
  credentialsOf,
  HOME,
  hasSucceeded,
  masterCredentials,
  refTo,
} from "./actors.ts";
import type { Dice } from "./dice.ts";
import { clash, NAMES, NOBODY } from "./names.ts";
import type { Request } from "./request.ts";
import { UNKNOWN_DEVICE } from "./sessions.ts";
import type { Model, Player } from "./state.ts";
import type { World } from "./world.ts";

const PASSWORDS = ["correct horse battery", "analytical engine", "kites and lightning"] as const;
export const [PASSWORD] = PASSWORDS;
const WRONG = "not the password";

/** Mostly a free name. */
const nameBy = (m: Model, dice: Dice): string => {
  const all = NAMES.map(({ alias }) => alias);
  const free = all.filter((alias) => m.players.every((player) => !clash(player.alias, alias)));
  return dice.of(dice.chance(25) ? all : free) ?? NOBODY.alias;
};

/** The fewest and the most players. */
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
  return hasSucceeded(yield { route: "POST /new", by: null, token: null, key, from: HOME, body });
}

export function* login(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  const body = {
    alias: aliasBy(dice, player.alias),
    password: player.password,
    ...deviceOf(world.model(), dice, player),
  };
  return hasSucceeded(
    yield { route: "POST /login", by: null, token: null, key: null, from: addressBy(dice), body },
  );
}

/** The token of the player's device, of another's, or none. */
const deviceOf = (m: Model, dice: Dice, player: Player | undefined): { device_token?: string | null } => {
  if (dice.chance(40)) return {};
  const devices = m.devices.filter(({ token }) => token !== UNKNOWN_DEVICE);
  const own = devices.filter((device) => device.player === player?.id);
  return { device_token: dice.of(dice.chance(80) ? own : devices)?.token ?? null };
};

/** Wrong passwords, from one address or from several, until there is a wait. */
export function* guess(world: World, dice: Dice): Actions {
  const player = dice.prefer(world.model().players, []);
  const alias = player === undefined || dice.chance(15) ? NOBODY.alias : aliasBy(dice, player.alias);
  const times = dice.pick([1, 2, 6]);
  const isEverywhere = dice.chance(40);
  const one = addressBy(dice);
  const device = deviceOf(world.model(), dice, player);
  let failed = false;
  for (let n = 0; n < times; n += 1) {
    const from = isEverywhere ? `127.0.0.${n + 1}` : one;
    const anonymous = { by: null, token: null, key: null, from };
    const { code } = dice.chance(25)
      ? yield {
          route: "POST /change_password",
          ...anonymous,
          body: { alias, current_password: WRONG, new_password: PASSWORD, ...device },
        }
      : yield { route: "POST /login", ...anonymous, body: { alias, password: WRONG, ...device } };
    failed ||= code === "bad_credentials";
  }
  return failed;
}

export function* logout(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  const { token } = yield* credentialsOf(world, dice, player);
  const shown = dice.chance(10) ? (dice.of(world.tokens) ?? null) : token;
  const body = dice.chance(30) ? { everywhere: true } : {};
  return hasSucceeded(yield { route: "POST /logout", by: null, token: shown, key: null, from: HOME, body });
}

export function* changePassword(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  const body = {
    alias: aliasBy(dice, player.alias),
    current_password: player.password,
    new_password: dice.pick(PASSWORDS),
    ...deviceOf(world.model(), dice, player),
  };
  const anonymous = { by: null, token: null, key: null, from: addressBy(dice) };
  return hasSucceeded(yield { route: "POST /change_password", ...anonymous, body });
}

export function* recover(world: World, dice: Dice): Actions {
  const target = dice.one(world.model().players);
  const credentials = yield* masterCredentials(world, dice);
  const body = refTo(dice, target);
  return hasSucceeded(yield { route: "POST /admin/recover_password/{url_id}", ...credentials, body });
}

/** A new password by a code: by one that was issued, or by one that never was. */
export function* redeem(world: World, dice: Dice): Actions {
  if (world.model().recoveries.length === 0) yield* recover(world, dice);
  const { players, recoveries } = world.model();
  const recovery = dice.of(recoveries);
  const player = players.find(({ id }) => id === recovery?.player) ?? dice.of(players);
  if (player === undefined) return false;
  const code = dice.chance(15) ? "AAAA-BBBB" : (recovery?.code ?? "AAAA-BBBB");
  const body = {
    alias: aliasBy(dice, player.alias),
    recovery_code: code,
    new_password: dice.pick(PASSWORDS),
    ...deviceOf(world.model(), dice, player),
  };
  const anonymous = { by: null, token: null, key: null, from: addressBy(dice) };
  return hasSucceeded(yield { route: "POST /change_password", ...anonymous, body });
}

export function* leave(world: World, dice: Dice): Actions {
  const { players } = world.model();
  if (players.length <= FEWEST) return yield* join(world, dice);
  const player = dice.prefer(
    players.filter(({ is_admin }) => !is_admin),
    players,
  );
  if (player === undefined) return false;
  const credentials = yield* credentialsOf(world, dice, player);
  return hasSucceeded(yield { route: "DELETE /delete_player/{url_id}", ...credentials, body: {} });
}

export function* remove(world: World, dice: Dice): Actions {
  const { players } = world.model();
  if (players.length <= FEWEST) return yield* join(world, dice);
  const target = dice.prefer(
    players.filter(({ is_admin }) => !is_admin),
    players,
  );
  if (target === undefined) return false;
  const credentials = yield* masterCredentials(world, dice);
  return hasSucceeded(
    yield { route: "POST /admin/remove_player/{url_id}", ...credentials, body: refTo(dice, target) },
  );
}

/** Another name, mostly; now and then the same in another way. */
const renamed = (m: Model, dice: Dice, { alias }: Player): string =>
  dice.chance(25) ? aliasBy(dice, alias) : nameBy(m, dice);

const isMaster = ({ alias }: Player): boolean => alias === "Game Master";

export function* edit(world: World, dice: Dice): Actions {
  const m = world.model();
  const player = dice.one(m.players);
  const alias = dice.chance(60) && !isMaster(player) ? { alias: renamed(m, dice, player) } : {};
  const first_name = dice.pick(["Ann", null, "Bea"]);
  const credentials = yield* credentialsOf(world, dice, player);
  return hasSucceeded(
    yield { route: "POST /edit_player/{url_id}", ...credentials, body: { ...alias, first_name } },
  );
}

export function* editAnother(world: World, dice: Dice): Actions {
  const m = world.model();
  const change = dice.pick(["right", "alias", "picture", "all"]);
  const masters = m.players.filter(({ is_admin }) => is_admin);
  const target = dice.one(change === "right" && dice.chance(40) ? masters : m.players);
  const credentials = yield* masterCredentials(world, dice);
  const isAll = change === "all";
  const alias_to = change === "alias" || isAll ? renamed(m, dice, target) : undefined;
  const body = {
    ...refTo(dice, target),
    ...(alias_to === undefined || isMaster(target) ? { clear_picture: dice.chance(50) } : { alias_to }),
    ...(change === "right" || isAll ? { is_admin: target.is_admin ? false : dice.chance(60) } : {}),
    ...(change === "picture" || isAll ? { clear_picture: true } : {}),
  };
  return hasSucceeded(yield { route: "POST /admin/edit_player/{url_id}", ...credentials, body });
}

const PICTURE = blackPng(1, 1).toString("base64");

export function* setPicture(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  const credentials = yield* credentialsOf(world, dice, player);
  return hasSucceeded(yield { route: "POST /set_pfp/{url_id}", ...credentials, body: { image: PICTURE } });
}

const { p256dh, auth } = makeBrowser();
const ENDPOINTS = ["one", "two", "three", "four"] as const;

export function* subscribe(world: World, dice: Dice): Actions {
  const player = dice.one(world.model().players);
  const credentials = yield* credentialsOf(world, dice, player);
  const endpoint = `https://updates.push.services.mozilla.com/wpush/v2/${dice.pick(ENDPOINTS)}`;
  const body = { endpoint, p256dh, auth };
  return hasSucceeded(yield { route: "POST /notifications/subscribe/{url_id}", ...credentials, body });
}

export function* unsubscribe(world: World, dice: Dice): Actions {
  const { players, subscriptions } = world.model();
  const some = players.filter(({ id }) => subscriptions.some(({ player }) => player === id));
  const player = dice.prefer(some, players);
  if (player === undefined) return false;
  const credentials = yield* credentialsOf(world, dice, player);
  return hasSucceeded(
    yield { route: "DELETE /subscriptions/unsubscribe/{url_id}", ...credentials, body: {} },
  );
}

/** An earlier request with its key once more; or another one with that key. */
export function* again(world: World, dice: Dice): Actions {
  const sent = dice.of(world.sent);
  if (sent === undefined) return yield* edit(world, dice);
  const player = world.model().players.find(({ id }) => id === sent.by);
  const token = player === undefined ? null : (yield* credentialsOf(world, dice, player)).token;
  const anonymous = { by: sent.by, token, key: sent.key, from: HOME };
  const isOther = dice.chance(25);
  const body = dice.chance(50) ? { first_name: "Another" } : { password: "not the one it was" };
  const other: Request =
    sent.route === "POST /new"
      ? { ...sent, body: { ...sent.body, ...body } }
      : { route: "POST /edit_player/{url_id}", ...anonymous, body: { first_name: "Another" } };
  const same: Request = sent.route === "POST /new" ? sent : { ...sent, token };
  const { isRepeated, code } = yield isOther ? other : same;
  return isRepeated === true || code === "key_reused";
}

/** What is not theirs: a game master's endpoint, another's path, a token that has ended, or none. */
export function* trespass(world: World, dice: Dice): Actions {
  const m = world.model();
  const player = dice.of(m.players.filter(({ is_admin }) => !is_admin));
  const other = dice.of(m.players);
  if (player === undefined || other === undefined) return yield* join(world, dice);
  const credentials = yield* credentialsOf(world, dice, player);
  const ref = refTo(dice, other);
  const how = dice.pick(["master", "master", "another", "ended", "none"]);
  const anonymous =
    how === "another"
      ? { ...credentials, by: other.id }
      : how === "ended"
        ? { ...credentials, token: dice.of(world.tokens) ?? null }
        : how === "none"
          ? { ...credentials, token: null }
          : credentials;
  const { code } =
    how === "master"
      ? yield dice.pick<Request>([
          { route: "POST /admin/corpsify/{url_id}", ...anonymous, body: ref },
          { route: "POST /admin/revive_z/{url_id}", ...anonymous, body: ref },
          { route: "POST /admin/edit_player/{url_id}", ...anonymous, body: { ...ref, is_admin: true } },
          { route: "POST /admin/zombies_add_day/{url_id}", ...anonymous, body: {} },
          { route: "GET /admin/get_players/{url_id}", ...anonymous, body: {} },
        ])
      : yield { route: "POST /edit_player/{url_id}", ...anonymous, body: { first_name: "Mallory" } };
  return code === "not_administrator" || code === "token_rejected";
}
