/**
 * Access: every endpoint with twelve states of the token. Callers without the right are rejected before anything is
 * read or changed; the others are admitted. That their requests succeed is tested with the examples of the endpoints.
 */
import { expect, it } from "vitest";
import { goodBody, INVALID_REQUESTS } from "../contract/bodies.ts";
import { ENDPOINTS, type EndpointContract } from "../contract/seed.ts";
import {
  expectError,
  expectProblem,
  expectSecurityHeaders,
  isTextual,
  watchedEnvironment,
} from "../contract/support.ts";
import { drawnFrom, IS_LARGE, part, randomFrom, SEED } from "../support/battery.ts";
import type { RequestOptions, Someone } from "../support/service.ts";
import { restore, type Snapshot, snapshot } from "../support/snapshot.ts";
import {
  asking,
  type Cast,
  castTokens,
  type Shown,
  STATES,
  type State,
  SUBJECTS,
  type Subject,
} from "./access/tokens.ts";

const w = watchedEnvironment();
const { s } = w;

const DRAWN = drawnFrom(ENDPOINTS, 4, "endpoints with tokens");
const GUARDED = DRAWN.filter(({ access }) => access !== "public");
const PUBLIC = DRAWN.filter(({ access }) => access === "public");

const { ran } = part("access", {
  full: (GUARDED.length * SUBJECTS.length + PUBLIC.length) * STATES.length,
  of: "cells",
});

/** Requests for tokens that are looked up, which costs reads. */
const SOME = INVALID_REQUESTS.filter(({ name }) => /nothing|JSON|query/.test(name));
const NOTHING = INVALID_REQUESTS.filter(({ name }) => name === "nothing");

/** A caller is admitted if their rank is at least that of the endpoint. */
const RANK = { public: 0, player: 0, moderator: 1, administrator: 2 } as const;
const RANK_OF = { "a player": 0, "a moderator": 1, "an administrator": 2 } as const satisfies Record<
  Subject,
  number
>;

/** The session, the player and the game. */
const READS_AT_THE_DOOR = 3;

interface Played extends Cast {
  zed: Someone;
}
let played: { on: Played; table: Snapshot };

const restored = (): Promise<void> => restore(s, played.table);

/** The states of the token that are tested: all, or with few cases some that the seed chooses. */
const random = randomFrom(SEED, 8);
const rejectedStates = (): State[] => {
  const all = STATES.filter((state) => state !== "right");
  return IS_LARGE ? all : random.shuffle(all).slice(0, 3);
};

const expectUntouched = async (say: string): Promise<void> => {
  expect(w.writes(), `writes: ${say}`).toBe(0);
  expect(await snapshot(s), `the table: ${say}`).toEqual(played.table);
};

/** The tokens of a state. */
const inState = (on: Played, subject: Subject, state: State): Shown[] => {
  const shown = on.shown[subject].filter((one) => one.state === state);
  expect(shown.length, `tokens: ${state}`).toBeGreaterThan(0);
  return shown;
};

/** Expects calls with these tokens to be rejected with few reads, whatever else they contain. */
const expectRejected = async (route: string, given: readonly Shown[]): Promise<void> => {
  // Without an id in the path, every active token is valid, and every other one is looked up.
  const tokens = route.includes("{url_id}")
    ? given
    : given.filter(({ lives }) => !lives).map((shown) => ({ ...shown, isLookedUp: true }));
  for (const [n, shown] of tokens.entries()) {
    // All tokens of a state are rejected in the same way, so only the first is sent in every way.
    const first = shown.isLookedUp ? SOME : INVALID_REQUESTS;
    for (const { name, asking: carried } of n === 0 ? first : NOTHING) {
      const before = w.reads();
      const say = `a token (${shown.state}: ${shown.how}) with ${name}`;
      const result = await s.call(route, { ...carried, ...asking(shown) });
      expectError(route, result, 403, "token_rejected", say);
      const reads = w.reads() - before;
      expect(reads, `reads: ${route} ${say}`).toBeLessThanOrEqual(shown.isLookedUp ? READS_AT_THE_DOOR : 0);
    }
  }
};

/** The request of the endpoint's example. */
const exampleOf = (route: string, { gm, ada, ben, zed }: Played): RequestOptions =>
  route.startsWith("POST ") ? { body: goodBody(route, { gm, ada, ben, zed }) } : {};

/** Expects a call not to be rejected for its token. */
const expectAdmitted = async (route: string, request: RequestOptions, say: string): Promise<void> => {
  const result = await s.call(route, request);
  const label = `${route} ${say}: ${result.status} ${result.text}`;
  if (isTextual(route)) expect([401, 403], label).not.toContain(result.status);
  else expect(["token_rejected", "not_administrator"], label).not.toContain(result.body?.code);
  expect(result.status, label).toBeLessThan(500);
  expectSecurityHeaders(result, label);
};

const testGuarded = async ({ route, access }: EndpointContract): Promise<void> => {
  const { on } = played;
  await restored();
  w.forget();
  for (const subject of SUBJECTS) {
    for (const state of rejectedStates()) {
      await expectRejected(route, inState(on, subject, state));
      ran();
    }
  }
  await expectUntouched(route);
  for (const subject of SUBJECTS) {
    const [right] = inState(on, subject, "right");
    if (right === undefined) continue;
    const say = `by ${subject} with the right token`;
    if (RANK[access] > RANK_OF[subject]) {
      const complete = { name: "all that it needs", asking: exampleOf(route, on) };
      for (const { name, asking: carried } of [...INVALID_REQUESTS, complete]) {
        const result = await s.call(route, { ...carried, ...asking(right) });
        expectError(route, result, 401, "not_administrator", `${say}, with ${name}`);
      }
      await expectUntouched(`${route} ${say}`);
    } else {
      await expectAdmitted(route, { ...exampleOf(route, on), ...asking(right) }, say);
      if (w.writes() > 0 && subject !== "an administrator") await restored();
      w.forget();
    }
    ran();
  }
};

const testPublic = async ({ route }: EndpointContract): Promise<void> => {
  const { on } = played;
  await restored();
  w.forget();
  const isLogout = route === "POST /logout";
  for (const state of [...rejectedStates(), "right" as const]) {
    const tokens = SUBJECTS.flatMap((subject) => inState(on, subject, state));
    for (const shown of isLogout ? tokens : tokens.slice(0, 1)) {
      const say = `with a token (${shown.state}: ${shown.how})`;
      const { headers = {} } = asking(shown);
      // A logout ends only the session of its token.
      if (isLogout && !shown.lives) {
        expectProblem(await s.call(route, { headers }), 403, "token_rejected", say);
        expect(w.writes(), say).toBe(0);
      } else await expectAdmitted(route, { ...exampleOf(route, on), headers }, say);
      if (w.writes() > 0) await restored();
      w.forget();
    }
    ran();
  }
};

it("admits only the right token where one is required, and any token where none is", async () => {
  const on = { ...(await castTokens(s)), zed: await s.join("Zed") };
  await s.outbreak(on.gm, on.zed);
  played = { on, table: await snapshot(s) };
  const failures: string[] = [];
  const note = (error: unknown): void => {
    failures.push(String(error));
  };
  for (const promised of GUARDED) await testGuarded(promised).catch(note);
  for (const promised of PUBLIC) await testPublic(promised).catch(note);
  expect(failures.join("\n\n"), `seed ${SEED}`).toBe("");

  await restored();
  const { ada, ben, gm, kim } = on;
  for (const [mine, other] of [
    [ada, ben],
    [gm, kim],
  ] as const) {
    const see = async (as: typeof ada): Promise<number> =>
      (await s.call("GET /player/{url_id}", { as })).status;
    const { status } = await s.call("POST /logout", { as: other, id: mine.id });
    const say = "a logout with another's token ends that one's session alone";
    expect([status, await see(mine), await see(other)], say).toEqual([204, 200, 403]);
  }
});
