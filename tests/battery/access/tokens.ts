/** Twelve states of a token: none, the right one, and ten that are rejected. */
import { createHash } from "node:crypto";
import { DAY, HOUR } from "../../../lib/domain/time.ts";
import { keys } from "../../../lib/store/keys.ts";
import type { Someone, TestEnvironment } from "../../support/service.ts";

export type State = keyof ReturnType<typeof tokensOf>;

/** A token, as it is sent to an endpoint. */
export interface Shown {
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

const MOST_SESSIONS = 20;
const bearer = ({ token }: Someone): string => `Bearer ${token}`;
const secretOf = ({ token }: Someone): string => token.slice(-43);

/** Sets the age of a session, and when it was last used. */
const age = async (
  s: TestEnvironment,
  { id, token }: Someone,
  opened: number,
  used: number,
  inAll: number,
) => {
  const [now, hash] = [Date.now(), createHash("sha256").update(token).digest("base64url")];
  const times = { created_at: now - opened, last_used: now - used, expires_at: now - opened + inAll };
  const read = await s.store.sessions(id);
  const sessions = read?.sessions.map((one) => (one.hash === hash ? { ...one, ...times } : one));
  await s.store.db.put({ ...keys.sessions(id), ...read, sessions });
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
  const password = `${changed.password} too`;
  const change = { alias, current_password: changed.password, new_password: password };
  await s.must("POST /change_password", { body: change });
  const everywhere = await s.login(alias, password);
  await s.must("POST /logout", { as: everywhere, body: { everywhere: true } });
  const out = await s.login(alias, password);
  await s.must("POST /logout", { as: out });
  const crowdedOut = await s.login(alias, password);
  const later: Someone[] = [];
  for (let n = 0; n < MOST_SESSIONS; n += 1) later.push(await s.login(alias, password));
  const [right = changed, expired = changed, idle = changed] = later;
  const [mostIdle, inAll] = subject === "an administrator" ? [12 * HOUR, 7 * DAY] : [7 * DAY, 30 * DAY];
  await age(s, expired, inAll, 1_000, inAll);
  await age(s, idle, mostIdle + HOUR, mostIdle, inAll);
  const revoked = [changed, everywhere, out, crowdedOut];
  return { right: { ...right, code: changed.code }, renamed, gone, expired, idle, revoked };
};

const tokensOf = (
  { right, renamed, gone, expired, idle, revoked }: Awaited<ReturnType<typeof withPast>>,
  { player, master, leo }: Record<"player" | "master" | "leo", Someone>,
) => {
  const as = (authorization: string | undefined, more: Partial<Shown> = {}): Shown => ({
    ...{ authorization, id: right.id, lives: false, isLookedUp: false },
    ...more,
  });
  const [looked, lives] = [{ isLookedUp: true }, { lives: true }];
  const [own, head] = [bearer(right), `Bearer hvz1.${right.id}.`];
  const backwards = secretOf(right).split("").toReversed().join("");
  return {
    none: [as(undefined)],
    two: [as(`${own}, ${own}`), as(`${own},${bearer(player)}`)],
    malformed: [as("Bearer"), as(`${own}x`)],
    forged: [
      ...["A".repeat(43), backwards, secretOf(player), secretOf(master)].map((secret) =>
        as(head + secret, looked),
      ),
      as(`Bearer hvz1.${player.id}.${secretOf(right)}`, { ...looked, id: player.id }),
    ],
    expired: [as(bearer(expired), looked)],
    "idle too long": [as(bearer(idle), looked)],
    revoked: revoked.map((one) => as(bearer(one), looked)),
    "another player's": [as(bearer(player), lives)],
    "another player's of the same name": [
      ...[as(bearer(renamed), lives), as(bearer(gone)), as(head + secretOf(gone), looked)],
      ...[renamed, gone].map(({ id }) => as(own, { ...lives, id })),
    ],
    "another administrator's": [as(bearer(master), lives)],
    "a deleted player's": [as(bearer(leo), { ...looked, id: leo.id }), as(bearer(leo))],
    right: [as(own, { ...lives, ...looked })],
  };
};

/** Plays until there is a token in each of these states. */
export const castTokens = async (s: TestEnvironment) => {
  const [kim, ben, leo] = [await s.admin("Kim"), await s.join("Ben"), await s.join("Leo")];
  await s.must("DELETE /delete_player/{url_id}", { as: leo });
  const player = await withPast(s, "a player", "Ada");
  const moderator = await withPast(s, "a moderator", "Mo");
  const administrator = await withPast(s, "an administrator", "Game Master");
  const [ada, gm] = [player.right, administrator.right];
  const shown = {
    "a player": tokensOf(player, { player: ben, master: gm, leo }),
    "a moderator": tokensOf(moderator, { player: ben, master: gm, leo }),
    "an administrator": tokensOf(administrator, { player: ada, master: kim, leo }),
  } satisfies Record<Subject, unknown>;
  return { ada, gm, ben, kim, shown };
};
