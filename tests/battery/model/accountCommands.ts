/** Commands on accounts. */
import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import { blackPng } from "../../support/pictures.ts";
import { clash, isAmong, LABELS, NAMES, NOBODY } from "./names.ts";
import { UNKNOWN_DEVICE } from "./sessions.ts";
import type { Model, Player } from "./state.ts";
import { type Actions, anonymous, insteadIf, type Plan, requestOf, send, type Turn } from "./turn.ts";
import { signatureIn, signWaiver } from "./waiverCommands.ts";

const PASSWORDS = ["correct horse battery", "analytical engine", "kites and lightning"] as const;
export const [PASSWORD] = PASSWORDS;
const WRONG = "not the password";

/** Whether an alias is that of somebody who is away, of whom the model does not know what they are by now. */
const isDisturbed = ({ m }: Turn, alias: string): boolean =>
  m.away.some((one) => one.isDisturbed && isAmong(one.names, alias));

/** Usually a free name, often of somebody who has left. */
const chooseName = (t: Turn): string => {
  const { players, away } = t.m;
  const free = NAMES.filter((alias) => players.every((player) => !clash(player.alias, alias)));
  const left = free.filter((alias) => away.some(({ names }) => isAmong(names, alias)));
  const among = t.chance(25) ? NAMES : t.chance(60) && left.length > 0 ? left : free;
  return t.maybeOne(among.filter((alias) => !isDisturbed(t, alias))) ?? NOBODY;
};

const MIN_PLAYERS = 6;
const MAX_PLAYERS = 14;
const isSmall = ({ players }: Model): boolean => players.length <= MIN_PLAYERS;

export const join: Plan = (t) => {
  if (t.m.players.length >= MAX_PLAYERS) return leave(t);
  const alias = chooseName(t);
  const away = t.m.away.find(({ names }) => isAmong(names, alias));
  return send("POST /new", anonymous(t.maybeKey()), {
    alias,
    password: away !== undefined && t.chance(60) ? away.player.password : t.pick(PASSWORDS),
    ...t.maybe(30, { first_name: "Ann" }),
    ...(t.chance(t.m.waiver.text === null ? 3 : 60) ? { signature: signatureIn(t) } : {}),
  });
};

/** The device token of the player, of another player, or none. */
const maybeDevice = (t: Turn, player: Player): { device_token?: string | null } => {
  if (t.chance(40)) return {};
  const devices = t.m.devices.filter(({ token }) => token !== UNKNOWN_DEVICE);
  const own = devices.filter((device) => device.player === player.id);
  return { device_token: t.maybeOne(t.chance(80) ? own : devices)?.token ?? null };
};

export const login: Plan = (t) => {
  const player = t.one(t.m.players);
  const { alias, password } = player;
  return send("POST /login", anonymous(), { alias: t.spell(alias), password, ...maybeDevice(t, player) });
};

/** Wrong passwords, sometimes until a wait is required. */
export function* guess(t: Turn): Actions {
  const player = t.one(t.m.players);
  const named = { alias: t.chance(15) ? NOBODY : t.spell(player.alias), ...maybeDevice(t, player) };
  let failed = false;
  for (let times = t.pick([1, 2, 6, 8]); times > 0; times -= 1) {
    const change = { ...named, current_password: WRONG, new_password: PASSWORD };
    const { code } = yield t.chance(25)
      ? requestOf("POST /change_password", anonymous(), change)
      : requestOf("POST /login", anonymous(), { ...named, password: WRONG });
    failed ||= code === "bad_credentials";
  }
  return failed;
}

export function* logout(t: Turn): Actions {
  const { token } = yield* t.credentialsOf(t.one(t.m.players));
  const shown = t.chance(10) ? (t.maybeOne(t.m.tokens) ?? null) : token;
  return yield* send("POST /logout", { ...anonymous(), token: shown }, t.maybe(30, { everywhere: true }));
}

/** A new password for a player, with the old one or a recovery code. */
const setPassword = (t: Turn, player: Player, proof: object): Actions =>
  send("POST /change_password", anonymous(), {
    ...{ alias: t.spell(player.alias), new_password: t.pick(PASSWORDS) },
    ...maybeDevice(t, player),
    ...proof,
  });

export const changePassword: Plan = (t) => {
  const player = t.one(t.m.players);
  return setPassword(t, player, { current_password: player.password });
};

export const recover: Plan = (t) => t.master("recover_password", t.ref(t.one(t.m.players)));

/** A new password with a recovery code, issued or invented. */
export function* redeem(t: Turn): Actions {
  const { m } = t;
  if (m.recoveries.length === 0) yield* recover(t);
  const recovery = t.maybeOne(m.recoveries);
  const player = m.players.find(({ id }) => id === recovery?.player) ?? t.one(m.players);
  const recovery_code = (t.chance(15) ? undefined : recovery?.code) ?? "AAAA-BBBB";
  // Another password makes the code useless.
  if (t.chance(30)) yield* setPassword(t, player, { current_password: player.password });
  return yield* setPassword(t, player, { recovery_code });
}

/** Usually a player who is not a game master. */
const chooseLeaver = (t: Turn): Player => {
  const others = t.m.players.filter(({ is_admin }) => !is_admin);
  return t.prefer(others, t.m.players);
};

const LEAVE = "DELETE /delete_player/{url_id}";
export const leave: Plan = insteadIf(isSmall, join, (t) => t.by(chooseLeaver(t), LEAVE, {}));

/** A player leaves and comes back, twice; meanwhile time passes, and mostly the clock is changed. */
export const comeAndGo = insteadIf(isSmall, join, function* (t) {
  const { m } = t;
  const others = m.players.filter(({ is_admin }) => !is_admin);
  const zombies = others.filter(({ state }) => state === "zombie");
  const player = t.prefer(zombies, others);
  const { alias, password } = player;
  let done = true;
  for (let times = 2; times > 0 && done && m.players.includes(player); times -= 1) {
    yield* t.by(player, LEAVE, {});
    yield { pass: t.pick([5 * HOUR, 20 * HOUR, MINUTE]) };
    const change = m.pausedAt === null ? t.pick(["zombies_add_day", "pause_game"]) : "resume_game";
    if (t.chance(70)) yield* t.master(change, {});
    yield { pass: t.pick([MINUTE, 2 * HOUR]) };
    done = !isDisturbed(t, alias) && (yield* send("POST /new", anonymous(), { alias, password }));
  }
  return done;
});

export const remove = insteadIf(isSmall, join, (t) => t.master("remove_player", t.ref(chooseLeaver(t))));

/** Usually another name; sometimes another spelling of the same. */
const renamed = (t: Turn, { alias }: Player): string => (t.chance(25) ? t.spell(alias) : chooseName(t));

const isFirstMaster = ({ alias }: Player): boolean => alias === "Game Master";

export const edit: Plan = (t) => {
  const player = t.one(t.m.players);
  return t.by(player, "POST /edit_player/{url_id}", {
    ...(t.chance(60) && !isFirstMaster(player) ? { alias: renamed(t, player) } : {}),
    first_name: t.pick(["Ann", null, "Bea"]),
  });
};

export const editAnother: Plan = (t) => {
  const change = t.pick(["right", "alias", "picture", "all"]);
  const has = (what: string): boolean => change === what || change === "all";
  const target = t.one(change === "right" && t.chance(40) ? t.masters : t.m.players);
  const isRenamed = has("alias") && !isFirstMaster(target);
  return t.master("edit_player", {
    ...t.ref(target),
    ...(isRenamed ? { alias_to: renamed(t, target) } : { clear_picture: t.chance(50) }),
    ...(has("right") ? { is_admin: target.is_admin ? false : t.chance(60) } : {}),
    ...(has("picture") ? { clear_picture: true } : {}),
    ...t.maybe(20, { first_name: t.pick(["Anna", null]) }),
    ...t.maybe(30, { note: t.pick([null, "Lent a bandana.", "Hurt an ankle."]) }),
  });
};

/** Adds labels to a few players, or removes them. */
export const label: Plan = (t) => {
  const targets = Array.from({ length: t.pick([1, 1, 2, 3]) }, () => t.one(t.m.players));
  const aliases = targets.map(({ alias }) => (t.chance(3) ? NOBODY : t.spell(alias)));
  const [one, other] = [t.pick(LABELS), t.pick(LABELS)];
  const added = { aliases, add: [one], ...(one === other ? {} : { remove: [other] }) };
  return t.master("label", t.chance(60) ? added : { aliases, remove: [other] });
};

const image = blackPng(1, 1).toString("base64");
export const setPicture = (t: Turn, player = t.one(t.m.players)): Actions =>
  t.by(player, "POST /set_pfp/{url_id}", { image });

/** Somebody shows a picture and withdraws the consent to photos, or gives it; mostly one who has signed. */
export function* answerPhotos(t: Turn): Actions {
  const signed = t.m.players.filter(({ signature }) => signature !== null);
  if (signed.length === 0) return yield* signWaiver(t);
  const player = t.prefer(signed, t.m.players);
  if (player.picture === null && t.chance(60)) yield* setPicture(t, player);
  const answer = { photo_consent: t.chance(30), ...t.maybe(20, { first_name: "Ann" }) };
  return yield* t.by(player, "POST /edit_player/{url_id}", answer);
}

/** Repeats an earlier request with its key, or sends another one with that key. */
export function* repeatRequest(t: Turn): Actions {
  const { m } = t;
  const sent = t.maybeOne(
    // A season that is finished again after a day would stay so.
    m.sent.filter(
      ({ route, body }) =>
        !/(finish|reopen)_season/.test(route) && !("alias" in body && isDisturbed(t, String(body.alias))),
    ),
  );
  if (sent === undefined) return yield* edit(t);
  const owner = "tag_code" in sent.body ? m.codes.get(String(sent.body.tag_code)) : undefined;
  const prey = m.players.find(({ id, is_admin }) => id === owner && !is_admin);
  if (prey !== undefined && !isSmall(m) && t.chance(50))
    yield* t.master("remove_player", { player_id: prey.id });
  const player = m.players.find(({ id }) => id === sent.by);
  const token = player === undefined ? null : (yield* t.credentialsOf(player)).token;
  const isOther = t.chance(25);
  const another = { first_name: "Another" };
  const changed = t.chance(50) ? another : { password: "not the one it was" };
  const { isRepeated, code } = yield sent.route === "POST /new"
    ? { ...sent, body: { ...sent.body, ...(isOther ? changed : {}) } }
    : isOther
      ? requestOf("POST /edit_player/{url_id}", { ...sent, token }, another)
      : { ...sent, token };
  return isRepeated === true || code === "key_reused";
}
