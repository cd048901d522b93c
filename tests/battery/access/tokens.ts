/**
 * Twelve states of a token: none, the right one, and ten that are rejected. More malformed ones are in unit/password.
 */

import { createHash } from "node:crypto";
import { DAY, HOUR } from "../../../lib/domain/time.ts";
import { keys } from "../../../lib/store/keys.ts";
import type { RequestOptions, Someone, TestEnvironment } from "../../support/service.ts";

export const STATES = [
  "none",
  "two",
  "malformed",
  "forged",
  "expired",
  "idle too long",
  "revoked",
  "another player's",
  "another player's of the same name",
  "another administrator's",
  "a deleted player's",
  "right",
] as const;
export type State = (typeof STATES)[number];

/** A token, as it is sent to an endpoint. */
export interface Shown {
  state: State;
  /** A description. */
  how: string;
  authorization: string | undefined;
  /** The id in the path. */
  id: string;
  /** Whether it is the token of an active session, of any player. */
  lives: boolean;
  /** Whether rejecting it may cost reads: not if it is malformed, or belongs to another player than the path. */
  isLookedUp: boolean;
}

/** The player whose id is in the path. */
export const SUBJECTS = ["a player", "a moderator", "an administrator"] as const;
export type Subject = (typeof SUBJECTS)[number];

export interface Cast {
  ada: Someone;
  mod: Someone;
  gm: Someone;
  /** Another player, and another administrator. */
  ben: Someone;
  kim: Someone;
  shown: Record<Subject, Shown[]>;
}

const PASSWORD = "correct horse battery";
const LIVES: Record<Subject, { idle: number; inAll: number }> = {
  "a player": { idle: 7 * DAY, inAll: 30 * DAY },
  "a moderator": { idle: 7 * DAY, inAll: 30 * DAY },
  "an administrator": { idle: 12 * HOUR, inAll: 7 * DAY },
};
const MOST_SESSIONS = 20;

const bearer = ({ token }: Pick<Someone, "token">): string => `Bearer ${token}`;
const secretOf = ({ token }: Someone): string => token.slice(-43);
const hashOf = ({ token }: Someone): string => createHash("sha256").update(token).digest("base64url");
const reversed = (text: string): string => text.split("").toReversed().join("");

/** Sets the age of a session. */
const age = async (
  s: TestEnvironment,
  one: Someone,
  { opened, used, inAll }: { opened: number; used: number; inAll: number },
): Promise<void> => {
  const now = Date.now();
  const read = await s.store.sessions(one.id);
  const sessions = read?.sessions.map((session) =>
    session.hash === hashOf(one)
      ? { ...session, created_at: now - opened, last_used: now - used, expires_at: now - opened + inAll }
      : session,
  );
  await s.store.db.put({ ...keys.sessions(one.id), ...read, sessions });
};

/** A player whose name two others had before. Their sessions ended in all possible ways. */
const withPast = async (s: TestEnvironment, subject: Subject, alias: string) => {
  // Only a game master may have such a name.
  const join = (name: string) => (subject === "an administrator" ? s.admin(name, true) : s.join(name));
  const renamed = await join(alias);
  await s.must("POST /edit_player/{url_id}", { as: renamed, body: { alias: `${alias} Senior` } });
  await s.freeAliases(renamed);
  const gone = await join(alias.toUpperCase());
  await s.must("DELETE /delete_player/{url_id}", { as: gone });
  const changed = subject === "a moderator" ? await s.moderator(alias) : await join(alias);
  const password = `${PASSWORD} too`;
  const change = { alias, current_password: changed.password, new_password: password };
  await s.must("POST /change_password", { body: change });
  const login = () => s.login(alias, password);
  const everywhere = await login();
  await s.must("POST /logout", { as: everywhere, body: { everywhere: true } });
  const out = await login();
  await s.must("POST /logout", { as: out });
  const crowdedOut = await login();
  const later: Someone[] = [];
  for (let n = 0; n < MOST_SESSIONS; n += 1) later.push(await login());
  const [right = changed, expired = changed, idle = changed] = later;
  const { inAll, idle: mostIdle } = LIVES[subject];
  await age(s, expired, { opened: inAll, used: 1_000, inAll });
  await age(s, idle, { opened: mostIdle + HOUR, used: mostIdle, inAll });
  const revoked = { "after a change of password": changed, "after a logout everywhere": everywhere };
  return {
    right: { ...right, code: changed.code },
    renamed,
    gone,
    expired,
    idle,
    revoked: { ...revoked, "after a logout": out, "after twenty later logins": crowdedOut },
  };
};

type Past = Awaited<ReturnType<typeof withPast>>;

interface Others {
  player: Someone;
  administrator: Someone;
  leo: Someone;
}

const tokensOf = (past: Past, { player, administrator, leo }: Others): Shown[] => {
  const { right, renamed, gone } = past;
  const show = (
    state: State,
    how: string,
    authorization: string | undefined,
    more: Partial<Shown> = {},
  ): Shown => ({
    ...{ state, how, authorization, id: right.id, lives: false, isLookedUp: false },
    ...more,
  });
  const looked = { isLookedUp: true };
  const lives = { lives: true };
  const own = bearer(right);
  const [secret, head] = [secretOf(right), `Bearer hvz1.${right.id}.`];
  return [
    show("none", "no header", undefined),
    show("two", "the right one twice", `${own}, ${own}`),
    show("two", "the right one and another's", `${own},${bearer(player)}`),
    show("malformed", "no token", "Bearer"),
    show("malformed", "a letter too many", `${own}x`),
    show("forged", "a secret made up", `${head}${"A".repeat(43)}`, looked),
    show("forged", "the secret backwards", `${head}${reversed(secret)}`, looked),
    show("forged", "another player's secret", `${head}${secretOf(player)}`, looked),
    show("forged", "an administrator's secret", `${head}${secretOf(administrator)}`, looked),
    show("forged", "one's own secret in another's", `Bearer hvz1.${player.id}.${secret}`, {
      ...looked,
      id: player.id,
    }),
    show("expired", "used a moment ago", bearer(past.expired), looked),
    show("idle too long", "opened not long ago", bearer(past.idle), looked),
    ...Object.entries(past.revoked).map(([how, one]) => show("revoked", how, bearer(one), looked)),
    show("another player's", "a player's", bearer(player), lives),
    show("another player's of the same name", "of one who has another name now", bearer(renamed), lives),
    show("another player's of the same name", "of one who has left", bearer(gone)),
    show("another player's of the same name", "with the id of one who has another name now", own, {
      ...lives,
      id: renamed.id,
    }),
    show("another player's of the same name", "with the id of one who has left", own, {
      ...lives,
      id: gone.id,
    }),
    show(
      "another player's of the same name",
      "the secret of one who has left",
      `${head}${secretOf(gone)}`,
      looked,
    ),
    show("another administrator's", "an administrator's", bearer(administrator), lives),
    show("a deleted player's", "with their own id", bearer(leo), { ...looked, id: leo.id }),
    show("a deleted player's", "with this id", bearer(leo)),
    show("right", "as it is", own, { ...lives, ...looked }),
  ];
};

/** Plays until there is a token in each of these states. */
export const castTokens = async (s: TestEnvironment): Promise<Cast> => {
  const [kim, ben, leo] = [await s.admin("Kim"), await s.join("Ben"), await s.join("Leo")];
  await s.must("DELETE /delete_player/{url_id}", { as: leo });
  const player = await withPast(s, "a player", "Ada");
  const moderator = await withPast(s, "a moderator", "Mo");
  const administrator = await withPast(s, "an administrator", "Game Master");
  const [ada, mod, gm] = [player.right, moderator.right, administrator.right];
  return {
    ...{ ada, mod, gm, ben, kim },
    shown: {
      "a player": tokensOf(player, { player: ben, administrator: gm, leo }),
      "a moderator": tokensOf(moderator, { player: ben, administrator: gm, leo }),
      "an administrator": tokensOf(administrator, { player: ada, administrator: kim, leo }),
    },
  };
};

/** How a token is sent. */
export const asking = ({ authorization, id }: Shown): RequestOptions => ({
  id,
  headers: authorization === undefined ? {} : { authorization },
});
