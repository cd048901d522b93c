/**
 * Access: every endpoint with twelve states of the token: none, the right one, and ten that are rejected. Callers without
 * the right are rejected before anything is read or changed; the others are admitted. That their requests succeed is tested
 * with the examples of the endpoints.
 */
import { createHash } from "node:crypto";
import { expect, it } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { goodBody, INVALID_REQUESTS } from "../contract/bodies.ts";
import { ENDPOINTS, type EndpointContract } from "../contract/seed.ts";
import { expectError, expectSecurityHeaders, isTextual, watchedEnvironment } from "../contract/support.ts";
import { drawnFrom, IS_LARGE, part, randomFrom, SEED } from "../support/battery.ts";
import type { RequestOptions, TestPlayer } from "../support/service.ts";
import { restore, snapshot } from "../support/snapshot.ts";

const w = watchedEnvironment();
const { s } = w;

/** A token, as it is sent to an endpoint. */
interface Shown {
  authorization: string | undefined;
  /** The id in the path. */
  id: string;
  /** Whether it is the token of an active session, of any player. */
  lives: boolean;
  /** Whether rejecting it may cost reads: not if it is malformed, or belongs to another player than the path. */
  isLookedUp: boolean;
}

/** The player whose id is in the path. */
const SUBJECTS = ["a player", "a moderator", "an administrator"] as const;
type Subject = (typeof SUBJECTS)[number];

const MOST_SESSIONS = 20;
const bearer = ({ token }: TestPlayer): string => `Bearer ${token}`;
const secretOf = ({ token }: TestPlayer): string => token.slice(-43);

/** Sets the age of a session, and when it was last used. */
const age = async ({ id, token }: TestPlayer, opened: number, used: number, inAll: number) => {
  const [now, hash] = [Date.now(), createHash("sha256").update(token).digest("base64url")];
  const times = { created_at: now - opened, last_used: now - used, expires_at: now - opened + inAll };
  const read = await s.store.sessions(id);
  const sessions = read?.sessions.map((one) => (one.hash === hash ? { ...one, ...times } : one));
  await s.store.db.put({ ...keys.sessions(id), ...read, sessions });
};

/** A player whose name two others had before. Their sessions ended in all possible ways. */
const withPast = async (subject: Subject, alias: string) => {
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
  const later: TestPlayer[] = [];
  for (let n = 0; n < MOST_SESSIONS; n += 1) later.push(await s.login(alias, password));
  const [right = changed, expired = changed, idle = changed] = later;
  const [mostIdle, inAll] = subject === "an administrator" ? [12 * HOUR, 7 * DAY] : [7 * DAY, 30 * DAY];
  await age(expired, inAll, 1_000, inAll);
  await age(idle, mostIdle + HOUR, mostIdle, inAll);
  const revoked = [changed, everywhere, out, crowdedOut];
  return { right: { ...right, code: changed.code }, renamed, gone, expired, idle, revoked };
};

const tokensOf = (
  { right, renamed, gone, expired, idle, revoked }: Awaited<ReturnType<typeof withPast>>,
  { player, master, leo }: Record<"player" | "master" | "leo", TestPlayer>,
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
const castTokens = async () => {
  const [kim, ben, leo] = [await s.admin("Kim"), await s.join("Ben"), await s.join("Leo")];
  await s.must("DELETE /delete_player/{url_id}", { as: leo });
  const player = await withPast("a player", "Ada");
  const moderator = await withPast("a moderator", "Mo");
  const administrator = await withPast("an administrator", "Game Master");
  const [ada, gm] = [player.right, administrator.right];
  const shown = {
    "a player": tokensOf(player, { player: ben, master: gm, leo }),
    "a moderator": tokensOf(moderator, { player: ben, master: gm, leo }),
    "an administrator": tokensOf(administrator, { player: ada, master: kim, leo }),
  } satisfies Record<Subject, unknown>;
  return { ada, gm, ben, kim, shown };
};

const STATES = 12;
const DRAWN = drawnFrom(ENDPOINTS, 4, "endpoints with tokens");
const subjectsOf = ({ access }: EndpointContract) =>
  access === "public" ? (["a player"] as const) : SUBJECTS;
const full = DRAWN.flatMap(subjectsOf).length * STATES;
const { ran } = part("access", { full, of: "cells" });

/** Requests for tokens that are looked up, which costs reads. */
const SOME = INVALID_REQUESTS.filter(({ name }) => /nothing|JSON|query/.test(name));
const NOTHING = INVALID_REQUESTS.filter(({ name }) => name === "nothing");

/** A caller is admitted if their rank is at least that of the endpoint. */
const RANK = { public: 0, player: 0, moderator: 1, administrator: 2 } as const;

/** The session, the player and the game. A logout reads the session and the player twice if it finds no session. */
const maxReads = ({ access }: EndpointContract): number => (access === "public" ? 4 : 3);

const play = async () => {
  const cast = { ...(await castTokens()), zed: await s.join("Zed") };
  await s.outbreak(cast.gm, cast.zed);
  return { ...cast, table: await snapshot(s) };
};
type Played = Awaited<ReturnType<typeof play>>;
type State = keyof ReturnType<typeof tokensOf>;

/** How a token is sent. */
const asking = ({ authorization, id }: Shown): RequestOptions => ({
  id,
  headers: authorization === undefined ? {} : { authorization },
});

/** With few cases some of the states, which the seed chooses; the right token last. */
const random = randomFrom(SEED, 8);
const statesOf = (shown: object): State[] => {
  // Object.keys does not know the names.
  const rejected = (Object.keys(shown) as State[]).filter((state) => state !== "right");
  return [...(IS_LARGE ? rejected : random.shuffle(rejected).slice(0, 3)), "right"];
};

/** Expects calls with these tokens to be rejected with few reads, whatever else they contain. */
const expectRejected = async (endpoint: EndpointContract, given: readonly Shown[], state: State) => {
  const { route, access } = endpoint;
  // Without an id in the path, every active token is valid, and every other one is looked up.
  const tokens = route.includes("{url_id}")
    ? given
    : given.filter(({ lives }) => !lives).map((shown) => ({ ...shown, isLookedUp: true }));
  for (const [n, shown] of tokens.entries()) {
    // All tokens of a state are rejected in the same way, so only the first is sent in every way.
    const first = access === "public" ? NOTHING : shown.isLookedUp ? SOME : INVALID_REQUESTS;
    for (const { name, asking: carried } of n === 0 ? first : NOTHING) {
      const before = w.reads();
      const say = `a token (${state}, ${n}) with ${name}`;
      const result = await s.call(route, { ...carried, ...asking(shown) });
      expectError(route, result, 403, "token_rejected", say);
      const reads = w.reads() - before;
      expect(reads, `reads: ${route} ${say}`).toBeLessThanOrEqual(shown.isLookedUp ? maxReads(endpoint) : 0);
    }
  }
};

/** Expects a call not to be rejected for its token. */
const expectAdmitted = async (route: string, request: RequestOptions, say: string): Promise<void> => {
  const result = await s.call(route, request);
  const label = `${route} ${say}: ${result.status} ${result.text}`;
  if (isTextual(route)) expect([401, 403], label).not.toContain(result.status);
  else expect(["token_rejected", "not_administrator"], label).not.toContain(result.body?.code);
  expect(result.status, label).toBeLessThan(500);
  expectSecurityHeaders(result, label);
};

const test = async (endpoint: EndpointContract, on: Played): Promise<void> => {
  const { route, access } = endpoint;
  const example = {
    name: "its example",
    asking: route.startsWith("POST ") ? { body: goodBody(route, on) } : {},
  };
  for (const subject of subjectsOf(endpoint)) {
    for (const state of statesOf(on.shown[subject])) {
      const shown = on.shown[subject][state];
      const say = `by ${subject} with a token (${state})`;
      const isAdmitted = (one: Shown): boolean =>
        access === "public"
          ? // A logout ends only the session of its token.
            route !== "POST /logout" || one.lives
          : state === "right" && RANK[access] <= SUBJECTS.indexOf(subject);
      const isBarred = access !== "public" && state === "right";
      const [admitted, rejected] = [shown.filter(isAdmitted), shown.filter((one) => !isAdmitted(one))];
      w.forget();
      if (!isBarred) await expectRejected(endpoint, rejected, state);
      else {
        for (const one of rejected) {
          for (const { name, asking: carried } of [...INVALID_REQUESTS, example]) {
            const result = await s.call(route, { ...carried, ...asking(one) });
            expectError(route, result, 401, "not_administrator", `${say}, with ${name}`);
          }
        }
      }
      expect(w.writes(), `writes: ${route} ${say}`).toBe(0);
      for (const one of admitted) {
        await expectAdmitted(route, { ...example.asking, ...asking(one) }, say);
        if (w.writes() > 0) await restore(s, on.table);
        w.forget();
      }
      ran();
    }
  }
  expect(await snapshot(s), `the table: ${route}`).toEqual(on.table);
};

it("admits only the right token where one is required, and any token where none is", async () => {
  const on = await play();
  const failures: string[] = [];
  for (const endpoint of DRAWN) {
    await test(endpoint, on).catch((error: unknown) => failures.push(String(error)));
    await restore(s, on.table);
  }
  expect(failures.join("\n\n"), `seed ${SEED}`).toBe("");

  const { ada, ben, gm, kim } = on;
  for (const [mine, as] of [
    [ada, ben],
    [gm, kim],
  ] as const) {
    const see = async (one: typeof ada) => (await s.call("GET /player/{url_id}", { as: one })).status;
    const { status } = await s.call("POST /logout", { as, id: mine.id });
    const say = "a logout with another's token ends that one's session alone";
    expect([status, await see(mine), await see(as)], say).toEqual([204, 200, 403]);
  }
});
