/**
 * Access by the wrong method: every path by every method that it does not have, with the states of the token, is the
 * gateway's own 404 and changes nothing. The right methods are in `tests/battery/access.test.ts`.
 */
import { expect, inject, it } from "vitest";
import { chunk } from "../../lib/runtime/chunk.ts";
import { keys } from "../../lib/store/keys.ts";
import { asking, castTokens, type Shown, STATES } from "../battery/access/tokens.ts";
import { ENDPOINTS } from "../contract/seed.ts";
import { IS_LARGE, part, randomFrom, SEED } from "../support/battery.ts";
import { testEnvironment } from "../support/service.ts";
import { snapshot } from "../support/snapshot.ts";

const s = testEnvironment();

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
const AT_ONCE = 8;

/** Every path and the methods that it has. */
const paths = Map.groupBy(ENDPOINTS, ({ route }) => route.split(" ")[1] ?? "");
const wrong = [...paths].flatMap(([path, promised]) => {
  const right = promised.map(({ route }) => route.split(" ")[0]);
  return METHODS.filter((method) => !right.includes(method)).map((method) => ({ method, path }));
});

const { ran } = part("access, wrong methods", { full: wrong.length * STATES.length, of: "cells" });

/** The states of the token: all, or with few cases the right one and three that the seed chooses. */
const rejected = STATES.filter((state) => state !== "right");
const states = IS_LARGE ? STATES : ["right", ...randomFrom(SEED, 8).shuffle(rejected).slice(0, 3)];

type Cell = (typeof wrong)[number] & { token: Shown };

const ask = async (method: string, { path, token }: Cell): Promise<{ status: number; text: string }> => {
  const { id = "", headers = {} } = asking(token);
  const reply = await fetch(`${inject("base")}${path.replace("{url_id}", id)}`, { method, headers });
  return { status: reply.status, text: await reply.text() };
};

/** The table without the clock of the sweep, which runs every minute. */
const itemsOfGame = async () =>
  [...(await snapshot(s)).values()].filter(({ sk }) => sk !== keys.sweepClock.sk);

const expectNotServed = async (cell: Cell): Promise<void> => {
  const { method, path, token } = cell;
  const what = `${method} ${path} with a token (${token.state}: ${token.how})`;
  const { status, text } = await ask(method, cell);
  if (method === "HEAD" && (paths.get(path) ?? []).some(({ route }) => route.startsWith("GET "))) {
    // Only the local gateway treats HEAD as GET without the body.
    expect(status, what).toBe((await ask("GET", cell)).status);
    expect(text, what).toBe("");
  } else expect(status, what).toBe(404);
  expect(text, what).not.toContain(token.authorization?.slice(-43) || "hvz1.");
  ran();
};

it("is the gateway's own 404, whatever the token, and changes nothing", async () => {
  const { shown } = await castTokens(s);
  const tokens = states.map((state) => shown["a player"].find((one) => one.state === state));
  const before = await itemsOfGame();
  const cells = wrong.flatMap((one) =>
    tokens.flatMap((token): Cell[] => (token === undefined ? [] : [{ ...one, token }])),
  );
  for (const some of chunk(cells, AT_ONCE)) await Promise.all(some.map(expectNotServed));
  expect(await itemsOfGame()).toEqual(before);
});
