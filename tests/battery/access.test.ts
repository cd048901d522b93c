/**
 * Access: the example of every endpoint is sent with twelve states of the token. Callers who have the right are
 * admitted; the others are rejected without a write, after four reads at most. tests/contract/access.test.ts tests that
 * rejections come before any check of the request.
 */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { keys, TOMBSTONES } from "../../lib/store/keys.ts";
import { goodBody } from "../contract/bodies.ts";
import { ENDPOINTS, type EndpointContract } from "../contract/endpoints.ts";
import { expectError, expectSecurityHeaders, isTextual, watchedEnvironment } from "../contract/support.ts";
import { IS_LARGE, part } from "../support/battery.ts";
import type { TestPlayer } from "../support/service.ts";
import { restore, snapshot } from "../support/snapshot.ts";
import { scan } from "../support/table.ts";

const w = watchedEnvironment();
const { s } = w;

/** A token, as it is sent to an endpoint. */
interface Shown {
  authorization?: string;
  /** The id in the path. */
  id: string;
  /** Whether it is the token of an active session, of any player. */
  lives: boolean;
}

/** The player whose id is in the path. */
const SUBJECTS = ["a player", "a moderator", "an administrator"] as const;
type Subject = (typeof SUBJECTS)[number];

const bearer = ({ token }: TestPlayer): string => `Bearer ${token}`;
const secretOf = ({ token }: TestPlayer): string => token.slice(-43);

/** Sets the age of a session, and when it was last used. */
const age = async ({ id, token }: TestPlayer, opened: number, used: number, lifetime: number) => {
  const [now, hash] = [Date.now(), createHash("sha256").update(token).digest("base64url")];
  const times = { created_at: now - opened, last_used: now - used, expires_at: now - opened + lifetime };
  const read = await s.store.sessions(id);
  const sessions = read?.sessions.map((one) => (one.hash === hash ? { ...one, ...times } : one));
  await s.store.db.put({ ...keys.sessions(id), ...read, sessions });
};

/** A player whose name two others had before, and whose other sessions ended in every possible way. */
const withPast = async (subject: Subject, alias: string) => {
  // Only a game master may have such a name.
  const join = (name: string) => (subject === "an administrator" ? s.admin(name, true) : s.join(name));
  const renamed = await join(alias);
  await s.must("POST /edit_player/{url_id}", { as: renamed, body: { alias: `${alias} Senior` } });
  await s.freeAliases(renamed);
  const gone = await join(alias.toUpperCase());
  await s.must("DELETE /delete_player/{url_id}", { as: gone });
  // As with a new season: the next one of this name is somebody else.
  const departed = (await scan(s)).filter(({ pk }) => pk.startsWith(TOMBSTONES));
  await s.store.commit(
    departed.map(({ pk, sk }) => ({ remove: { pk, sk } })),
    () => 10_000,
  );
  const out = subject === "a moderator" ? await s.moderator(alias) : await join(alias);
  const { password } = out;
  await s.must("POST /logout", { as: out });
  const login = () => s.login(alias, password);
  const [elsewhere, last] = [await login(), await login()];
  await s.must("POST /logout", { as: last, body: { everywhere: true } });
  const [right, expired, idle] = [await login(), await login(), await login()];
  const [mostIdle, lifetime] = subject === "an administrator" ? [12 * HOUR, 7 * DAY] : [7 * DAY, 30 * DAY];
  await age(expired, lifetime, 1_000, lifetime);
  await age(idle, mostIdle + HOUR, mostIdle, lifetime);
  return { right: { ...right, code: out.code }, renamed, gone, expired, idle, revoked: [out, elsewhere] };
};

const tokensOf = (
  { right, renamed, gone, expired, idle, revoked }: Awaited<ReturnType<typeof withPast>>,
  { player, master, leo }: Record<"player" | "master" | "leo", TestPlayer>,
) => {
  const { id } = right;
  const as = (authorization: string, path = id): Shown => ({ authorization, id: path, lives: false });
  const living = (of: TestPlayer, path = id): Shown => ({ ...as(bearer(of), path), lives: true });
  const [own, head] = [bearer(right), `Bearer hvz1.${id}.`];
  const foreign = `Bearer hvz1.${player.id}.${secretOf(right)}`;
  const others = ["A".repeat(43), secretOf(right).toLowerCase(), secretOf(player), secretOf(master)];
  return {
    none: [{ id, lives: false }],
    two: [as(`${own}, ${own}`), as(`${own},${bearer(player)}`)],
    malformed: [as("Bearer"), as(`${own}x`)],
    forged: [...others.map((secret) => as(head + secret)), as(foreign, player.id)],
    expired: [as(bearer(expired))],
    "idle too long": [as(bearer(idle))],
    revoked: revoked.map((one) => as(bearer(one))),
    "another player's": [living(player)],
    "another player's of the same name": [
      ...[living(renamed), as(bearer(gone)), as(head + secretOf(gone))],
      ...[renamed, gone].map((one) => living(right, one.id)),
    ],
    "another administrator's": [living(master)],
    "a deleted player's": [as(bearer(leo), leo.id), as(bearer(leo))],
    right: [living(right)],
  };
};

/** Plays until there is a token in each of these states. */
const play = async () => {
  const kim = await s.admin("Kim");
  const [ben, leo, zed] = await s.joinAll("Ben", "Leo", "Zed");
  await s.must("DELETE /delete_player/{url_id}", { as: leo });
  const others = { player: ben, master: kim, leo };
  const past = {
    "a player": await withPast("a player", "Ada"),
    "a moderator": await withPast("a moderator", "Mo"),
    "an administrator": await withPast("an administrator", "Game Master"),
  };
  const [ada, gm] = [past["a player"].right, past["an administrator"].right];
  await s.outbreak(gm, zed);
  const shownBy = (subject: Subject) => tokensOf(past[subject], others);
  return { ada, gm, ben, zed, shownBy, table: await snapshot(s) };
};
type Played = Awaited<ReturnType<typeof play>>;
type State = keyof ReturnType<typeof tokensOf>;

const STATES = 12;
const subjectsOf = ({ access }: EndpointContract) =>
  access === "public" ? (["a player"] as const) : SUBJECTS;
const full = ENDPOINTS.flatMap(subjectsOf).length * STATES;
const { ran } = part("access", { full, of: "cells" });

/** A caller is admitted if their rank is at least that of the endpoint. */
const RANK = { public: 0, visitor: 0, player: 0, moderator: 1, administrator: 2 } as const;

/**
 * All states in a large run; otherwise the rejected ones are spread over the subjects, so that each endpoint is shown every
 * one. The right token is last in both.
 */
const statesOf = (shown: object, subject: number, subjects: number): State[] => {
  // The type of Object.keys is only `string[]`.
  const rejected = (Object.keys(shown) as State[]).filter((state) => state !== "right");
  return [...rejected.filter((_, n) => IS_LARGE || n % subjects === subject), "right"];
};

/** Sends the endpoint's example with a token, and expects it to be admitted, or rejected without a write. */
const show = async (endpoint: EndpointContract, on: Played, subject: Subject, state: State, one: Shown) => {
  const { route, access } = endpoint;
  const isRanked = RANK[access] <= SUBJECTS.indexOf(subject);
  // A logout ends only the session of its token.
  const admitted =
    access === "public" ? route !== "POST /logout" || one.lives : state === "right" && isRanked;
  // Without an id in the path, every active token is valid.
  if (!admitted && !route.includes("{url_id}") && one.lives) return;
  w.forget();
  const result = await s.call(route, {
    ...(route.startsWith("POST ") ? { body: goodBody(route, on) } : {}),
    ...(one.authorization === undefined ? {} : { headers: { authorization: one.authorization } }),
    id: one.id,
  });
  const say = `${route} by ${subject} with a token (${state}): ${result.status} ${result.text}`;
  if (admitted) {
    const rejections = isTextual(route) ? [401, 403] : ["token_rejected", "not_administrator"];
    expect(rejections, say).not.toContain(isTextual(route) ? result.status : result.body?.code);
    expect(result.status, say).toBeLessThan(500);
    expectSecurityHeaders(result, say);
    if (w.writes() > 0) await restore(s, on.table);
    return;
  }
  expect(w.writes(), `writes: ${say}`).toBe(0);
  expect(w.reads(), `reads: ${say}`).toBeLessThanOrEqual(
    // The game says whether visitors need a token.
    /^(none|two|malformed)$/.test(state) ? Number(access === "visitor") : 4,
  );
  if (state === "right" && !isRanked) expectError(route, result, 401, "not_administrator", say);
  else expectError(route, result, 403, "token_rejected", say);
};

it("admits only the right token where one is required, and any or none elsewhere", async () => {
  const on = await play();
  const failures: string[] = [];
  for (const endpoint of ENDPOINTS) {
    try {
      const subjects = subjectsOf(endpoint);
      for (const [at, subject] of subjects.entries()) {
        const shown = on.shownBy(subject);
        for (const state of statesOf(shown, at, subjects.length)) {
          for (const one of shown[state]) await show(endpoint, on, subject, state, one);
          ran();
        }
      }
      expect(await snapshot(s), `the table: ${endpoint.route}`).toEqual(on.table);
    } catch (error) {
      failures.push(String(error));
      await restore(s, on.table);
    }
  }
  expect(failures.join("\n\n")).toBe("");
});
