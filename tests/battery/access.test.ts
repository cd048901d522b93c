/**
 * Access: every endpoint with twelve states of the token. Callers without the right are rejected before anything is
 * read or changed; the others are served.
 */
import { expect, it } from "vitest";
import { resetForSeason } from "../../lib/domain/season.ts";
import { MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { NO_DEADLINE } from "../../lib/store/commit.ts";
import { INVALID_REQUESTS } from "../contract/bodies.ts";
import { ENDPOINTS, type EndpointContract } from "../contract/seed.ts";
import {
  expectError,
  expectProblem,
  expectSecurityHeaders,
  watchedEnvironment,
} from "../contract/support.ts";
import { IS_LARGE, part, randomFrom, SEED } from "../support/battery.ts";
import type { RequestOptions, Result } from "../support/service.ts";
import { restore, type Snapshot, snapshot } from "../support/snapshot.ts";
import { type Played, playOn, validRequest } from "./access/fixture.ts";
import {
  asking,
  castTokens,
  type Shown,
  STATES,
  type State,
  SUBJECTS,
  type Subject,
} from "./access/tokens.ts";

const w = watchedEnvironment();
const { s } = w;

const GUARDED = ENDPOINTS.filter(({ access }) => access !== "public");
const PUBLIC = ENDPOINTS.filter(({ access }) => access === "public");

const { ran } = part("access", {
  full: (GUARDED.length * SUBJECTS.length + PUBLIC.length) * STATES.length,
  of: "cells",
});

/** Requests for tokens that are looked up, which costs reads. */
const SOME = INVALID_REQUESTS.filter(({ name }) => /nothing|JSON|query/.test(name));
const NOTHING = INVALID_REQUESTS.filter(({ name }) => name === "nothing");

/** A caller is served if their rank is at least that of the endpoint. */
const RANK = { public: 0, player: 0, moderator: 1, administrator: 2 } as const;
const RANK_OF = { "a player": 0, "a moderator": 1, "an administrator": 2 } as const satisfies Record<
  Subject,
  number
>;

/** The session, the player and the game. */
const READS_AT_THE_DOOR = 3;

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

const expectServed = ({ route, status }: EndpointContract, result: Result, say: string): void => {
  expect(result.status, `${route} ${say}: ${result.status} ${result.text}`).toBe(status);
  expectSecurityHeaders(result, `${route} ${say}`);
};

/** The callers are zombies, who cannot report to be tagged, and who play already; each disputes a hunt of their own. */
const makeReady = async (on: Played, subject: Subject, route: string): Promise<RequestOptions> => {
  const who = ({ "a player": "ada", "a moderator": "mod", "an administrator": "gm" } as const)[subject];
  const { id } = on[who];
  if (route.includes("/enrol/")) {
    const before = await s.store.player(id);
    const context = commandContext(s.services, s.services.clock());
    const after = before && resetForSeason(before, before.shard, context, "opt_in");
    await s.store.commit(await writesOf({ players: [{ before, after }] }), NO_DEADLINE);
  }
  if (route.includes("/interactions/dispute/"))
    return { body: { interaction_id: on.own[who], reason: "He lied." } };
  // Players see the awards only after the game.
  if (route.includes("/interactions/awards/")) {
    const ends_at = rfc3339(s.services.clock() - MINUTE);
    await s.must("POST /admin/settings/{url_id}", { as: on.gm, body: { ends_at } });
  }
  if (route.includes("/report_tagged/"))
    await s.must("POST /admin/cure/{url_id}", { as: on.gm, body: { player_id: id } });
  return {};
};

const testGuarded = async (promised: EndpointContract): Promise<void> => {
  const { on } = played;
  const { route, access } = promised;
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
      const complete = { name: "all that it needs", asking: validRequest(route, on) };
      for (const { name, asking: carried } of [...INVALID_REQUESTS, complete]) {
        const result = await s.call(route, { ...carried, ...asking(right) });
        expectError(route, result, 401, "not_administrator", `${say}, with ${name}`);
      }
      await expectUntouched(`${route} ${say}`);
    } else {
      const own = await makeReady(on, subject, route);
      const request = { ...validRequest(route, on), ...own, ...asking(right) };
      expectServed(promised, await s.call(route, request), say);
      if (subject !== "an administrator") await restored();
      w.forget();
    }
    ran();
  }
};

const testPublic = async (promised: EndpointContract): Promise<void> => {
  const { on } = played;
  const { route } = promised;
  await restored();
  w.forget();
  const isLogout = route === "POST /logout";
  for (const state of [...rejectedStates(), "right" as const]) {
    const tokens = SUBJECTS.flatMap((subject) => inState(on, subject, state));
    for (const shown of isLogout ? tokens : tokens.slice(0, 1)) {
      const say = `with a token (${shown.state}: ${shown.how})`;
      const { headers = {} } = asking(shown);
      const result = await s.call(route, { ...validRequest(route, on), headers });
      // A logout ends only the session of its token.
      if (isLogout && !shown.lives) {
        expectProblem(result, 403, "token_rejected", say);
        expect(w.writes(), say).toBe(0);
      } else expectServed(promised, result, say);
      if (w.writes() > 0) await restored();
      w.forget();
    }
    ran();
  }
};

it("serves only the right token where one is required, and any token where none is", async () => {
  const on = await playOn(s, await castTokens(s));
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
