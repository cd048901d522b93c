/**
 * Access: every endpoint by twelve states of the token. Whoever may not call is refused before anything has been
 * looked at or done; whoever may is served. By the wrong method: `tests/http/access.test.ts`.
 */
import { describe, expect, it } from "vitest";
import { INVALID_REQUESTS } from "../contract/bodies.ts";
import { ENDPOINTS, type EndpointContract } from "../contract/seed.ts";
import {
  expectError,
  expectProblem,
  expectSecurityHeaders,
  watchedEnvironment,
} from "../contract/support.ts";
import { part } from "../support/battery.ts";
import type { RequestOptions, Result } from "../support/service.ts";
import { restore, type Snapshot, snapshot } from "../support/snapshot.ts";
import { carriedOut, type Played, playOn } from "./access/right.ts";
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

let calls = 0;
const { ran } = part("access", {
  full: (GUARDED.length * SUBJECTS.length + PUBLIC.length) * STATES.length,
  of: "cells",
  always: true,
  also: () => `${calls} calls`,
});

/** What a token that is looked up is sent with: the table is read each time. */
const SOME = INVALID_REQUESTS.filter(({ name }) => /nothing|JSON|query/.test(name));
const NOTHING = INVALID_REQUESTS.filter(({ name }) => name === "nothing");

/** The session, the player and the game. */
const READS_AT_THE_DOOR = 3;

let played: { on: Played; table: Snapshot } | undefined;

/** The game, as it was when it had been played. */
const theGame = async (): Promise<Played> => {
  if (played !== undefined) {
    await restore(s, played.table);
    return played.on;
  }
  const on = await playOn(s, await castTokens(s));
  played = { on, table: await snapshot(s) };
  return on;
};

const again = async (): Promise<void> => {
  if (played !== undefined) await restore(s, played.table);
};

const expectUntouched = async (say: string): Promise<void> => {
  expect(w.writes(), `writes: ${say}`).toBe(0);
  expect(await snapshot(s), `the table: ${say}`).toEqual(played?.table);
};

const ask = (route: string, what: RequestOptions): Promise<Result> => {
  calls += 1;
  return s.call(route, what);
};

/** The tokens of a state. */
const inState = (on: Played, subject: Subject, state: State): Shown[] => {
  const shown = on.shown[subject].filter((one) => one.state === state);
  expect(shown.length, `tokens: ${state}`).toBeGreaterThan(0);
  return shown;
};

/** Whatever else it carries, a call with such a token is refused, and costs no more than it may. */
const expectRejected = async (route: string, tokens: readonly Shown[]): Promise<void> => {
  for (const [n, shown] of tokens.entries()) {
    // Whatever form it has, it is refused alike: the first of a state is sent with everything.
    const first = shown.isLookedUp ? SOME : INVALID_REQUESTS;
    for (const { name, asking: carried } of n === 0 ? first : NOTHING) {
      const before = w.reads();
      const say = `a token (${shown.state}: ${shown.how}) with ${name}`;
      const result = await ask(route, { ...carried, ...asking(shown) });
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

describe.each(GUARDED.map((one) => ({ ...one })))("$route", (promised) => {
  const { route, access } = promised;

  it("is for whoever holds the right token, and for nobody else", async () => {
    const on = await theGame();
    w.forget();
    for (const subject of SUBJECTS) {
      for (const state of STATES.filter((one) => one !== "right")) {
        await expectRejected(route, inState(on, subject, state));
        ran();
      }
    }
    await expectUntouched(route);
    for (const subject of SUBJECTS) {
      const [right] = inState(on, subject, "right");
      if (right === undefined) continue;
      const say = `by ${subject} with the right token`;
      if (access === "administrator" && subject === "a player") {
        for (const { name, asking: carried } of [
          ...INVALID_REQUESTS,
          { name: "all that it needs", asking: carriedOut(route, on) },
        ]) {
          const result = await ask(route, { ...carried, ...asking(right) });
          expectError(route, result, 401, "not_administrator", `${say}, with ${name}`);
        }
        await expectUntouched(`${route} ${say}`);
      } else {
        expectServed(promised, await ask(route, { ...carriedOut(route, on), ...asking(right) }), say);
        if (subject === "a player") await again();
        w.forget();
      }
      ran();
    }
  });
});

describe.each(PUBLIC.map((one) => ({ ...one })))("$route", (promised) => {
  const { route } = promised;

  it("is for everybody, whatever token they show", async () => {
    const on = await theGame();
    w.forget();
    const isLogout = route === "POST /logout";
    for (const state of STATES) {
      const tokens = SUBJECTS.flatMap((subject) => inState(on, subject, state));
      for (const shown of isLogout ? tokens : tokens.slice(0, 1)) {
        const say = `with a token (${shown.state}: ${shown.how})`;
        const { headers = {} } = asking(shown);
        const result = await ask(route, { ...carriedOut(route, on), headers });
        // Of a logout the token says whose it is: any that lives ends its own session, and no other does anything.
        if (isLogout && !shown.lives) {
          expectProblem(result, 403, "token_rejected", say);
          expect(w.writes(), say).toBe(0);
        } else expectServed(promised, result, say);
        if (w.writes() > 0) await again();
        w.forget();
      }
      ran();
    }
  });
});

describe("a logout with another's token", () => {
  it("ends that one's session, and not that of whoever is named beside it", async () => {
    const { ada, ben, gm, kim } = await theGame();
    for (const [mine, other] of [
      [ada, ben],
      [gm, kim],
    ] as const) {
      const see = async (as: typeof ada): Promise<number> =>
        (await ask("GET /player/{url_id}", { as })).status;
      expect((await ask("POST /logout", { as: other, id: mine.id })).status).toBe(204);
      expect([await see(mine), await see(other)]).toEqual([200, 403]);
    }
  });
});
