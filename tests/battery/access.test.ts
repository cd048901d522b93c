/**
 * Access: every endpoint with twelve states of the token. Callers without the right are rejected before anything is
 * read or changed; the others are admitted. That their requests succeed is tested with the examples of the endpoints.
 */
import { expect, it } from "vitest";
import { goodBody, INVALID_REQUESTS } from "../contract/bodies.ts";
import { ENDPOINTS, type EndpointContract } from "../contract/seed.ts";
import { expectError, expectSecurityHeaders, isTextual, watchedEnvironment } from "../contract/support.ts";
import { drawnFrom, IS_LARGE, part, randomFrom, SEED } from "../support/battery.ts";
import type { RequestOptions } from "../support/service.ts";
import { restore, snapshot } from "../support/snapshot.ts";
import { castTokens, type Shown, type State, SUBJECTS } from "./access/tokens.ts";

const w = watchedEnvironment();
const { s } = w;

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

/** The session, the player and the game. */
const READS_AT_THE_DOOR = 3;

const play = async () => {
  const cast = { ...(await castTokens(s)), zed: await s.join("Zed") };
  await s.outbreak(cast.gm, cast.zed);
  return { ...cast, table: await snapshot(s) };
};
type Played = Awaited<ReturnType<typeof play>>;

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
const expectRejected = async ({ route, access }: EndpointContract, given: readonly Shown[], state: State) => {
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
      expect(reads, `reads: ${route} ${say}`).toBeLessThanOrEqual(shown.isLookedUp ? READS_AT_THE_DOOR : 0);
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
      for (const one of admitted) await expectAdmitted(route, { ...example.asking, ...asking(one) }, say);
      if (w.writes() > 0) await restore(s, on.table);
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
