/**
 * Fuzz, from the schemas: every endpoint is sent valid, nearly valid and hostile requests, by players and by game
 * masters. No response is a 5xx. Each has its declared shape or is an error of the contract, and no
 * response or log entry contains anything that its reader may not know.
 */
import { beforeAll, expect, it, vi } from "vitest";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import type { Handler } from "../../lib/http/definition.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import { loadEndpoints } from "../../scripts/local/inProcess.ts";
import { ENDPOINTS, type EndpointContract } from "../contract/seed.ts";
import { drawnFrom, IS_LARGE, part } from "../support/battery.ts";
import { MANY_PICTURES } from "../support/constants.ts";
import { logLines } from "../support/logLines.ts";
import { trustedPushService } from "../support/pushService.ts";
import { type Result, type Someone, testEnvironment } from "../support/service.ts";
import { canariesIn, KEY_MARK, openItems, SECRET_MARK, TEXT_MARK, unfolded } from "./fuzz/canaries.ts";
import { type Case, casesOf } from "./fuzz/cases.ts";
import { type Fixture, JOIN_CODE, makeFixture } from "./fuzz/fixture.ts";
import { readPictures } from "./fuzz/hostile.ts";
import { expectLawful, expectNoCanary } from "./fuzz/responses.ts";
import { newMirror } from "./mirror.ts";

// Decoding in this process has the same results, and a child process for each picture would take most of the time.
vi.mock("../../lib/images/decodeInChild.ts", async () => {
  const { decodeHere } = await import("../support/decoders.ts");
  return { decodeInChild: decodeHere };
});

const push = trustedPushService();
const mirror = newMirror();
const s = testEnvironment({
  services: (usual) => ({ ...push.services(usual), injectSqlWrites: true, throttles: MANY_PICTURES }),
  database: mirror.database,
});
const lines = logLines();

const EACH = 1_000;
/** Concurrent requests. */
const AT_ONCE = 5;
/** The game is restored after this many requests, so that players stay alive and nobody has to wait. */
const FRESH_AFTER = 20;

/** The minimum shares of an endpoint's requests that succeed, and that have status 400. */
const LEAST = 0.05;

/** A part of the endpoints, because each costs more than its first twenty requests. */
const DRAWN = drawnFrom(ENDPOINTS, 4, "endpoints with random requests");

const { cases, seed, ran } = part("fuzz", {
  full: EACH * ENDPOINTS.length,
  of: "requests",
});
const each = Math.ceil(cases / DRAWN.length);

let handlers: Map<string, Handler>;
let pictures: Buffer[];

beforeAll(async () => {
  handlers = await loadEndpoints();
  pictures = await readPictures();
});

/** Plays a game in which everything has happened. */
const begin = async (): Promise<Fixture> => {
  const on = await makeFixture(s, push.current().origin);
  expectTableClean(on, mirror.versions(), [], "the game played");
  mirror.take(on.table);
  s.services.joinCode = JOIN_CODE;
  return on;
};

/** Requests after which the token of their caller is rejected. */
const SPENDING = new Set([
  "POST /logout",
  "DELETE /delete_player/{url_id}",
  "POST /player/report_tagged/{url_id}",
]);

/** The callers: half players and half game masters; at the admin endpoints a tenth are players. */
const callersOf = (
  { route, access }: EndpointContract,
  { gm, dee, ada, zed, ben, prey, corpses }: Fixture,
): (Someone | null)[] => {
  if (SPENDING.has(route)) return prey;
  if (access === "public") return [null];
  // These may make a player a game master.
  if (route.includes("/edit_player/") && access === "administrator") return [gm];
  if (access === "administrator") return [...Array.from({ length: 9 }, () => gm), ada];
  if (route.includes("/zombie/")) return [zed, gm, ben, gm, zed, gm, ada, gm];
  return [ada, gm, zed, gm, dee, gm, corpses[0] ?? dee, gm];
};

const shortly = (text: string): string =>
  text.length > 700 ? `${text.slice(0, 700)}… (${text.length})` : text;

const describeCase = (
  route: string,
  caller: Someone | null,
  { what, asking, turn }: Case,
  result: Result,
): string => {
  const { raw, ...rest } = asking;
  const body =
    raw === undefined ? "" : ` with ${JSON.stringify(raw.type)} ${shortly(JSON.stringify(String(raw.body)))}`;
  return [
    `${route}, request ${turn} (BATTERY_SEED=${seed}), ${what}`,
    `  sent by ${caller?.alias ?? "nobody"}: ${shortly(JSON.stringify(rest))}${body}`,
    `  response ${result.status} ${JSON.stringify(result.headers)} ${shortly(result.text)}`,
  ].join("\n");
};

/** Secrets that a response gives to its caller. */
const newSecrets = ({ status, body }: Result): string[] =>
  status < 300 ? [body?.token?.slice(-43), body?.recovery_code].filter((one) => typeof one === "string") : [];

/** Expects no secret or private data, and nothing that was sent, in the log. */
const expectLogClean = (
  on: Fixture,
  since: number,
  given: readonly string[],
  said: readonly string[],
): void => {
  const text = unfolded(lines.slice(since).join("\n"));
  const flown = canariesIn(text, on.canaries);
  for (const mark of [SECRET_MARK, TEXT_MARK, KEY_MARK, ...given]) if (text.includes(mark)) flown.push(mark);
  expect(flown, `canaries in the log, after one of\n${said.join("\n")}\n${text.slice(0, 2_000)}`).toEqual([]);
};

/** Expects no secret where a game master's statement could read it, which includes the log. */
const expectTableClean = (
  on: Fixture,
  items: Iterable<StoredItem>,
  given: readonly string[],
  route: string,
): void => {
  const secrets = on.canaries.filter(({ kind }) => kind === "secret");
  for (const { place, text } of openItems(items)) {
    const flown = canariesIn(text, secrets);
    for (const secret of given) if (text.includes(secret)) flown.push(secret);
    if (text.includes(SECRET_MARK)) flown.push("a secret of a request's own");
    expect(flown, `${route}: canaries in the item ${place}: ${text}`).toEqual([]);
  }
};

const test = async (on: Fixture, promised: EndpointContract): Promise<void> => {
  const { route } = promised;
  const own = handlers.get(route)?.endpoint;
  if (own === undefined) throw new Error(`no endpoint ${route}`);
  const callers = callersOf(promised, on);
  const freshAfter = SPENDING.has(route) ? callers.length : FRESH_AFTER;
  const tally = { success: 0, rejected: 0, invalid: 0 };
  const secrets: string[] = [];

  const send = async (one: Case): Promise<string> => {
    const caller = callers[one.turn % callers.length] ?? null;
    const result = await s.call(route, { as: caller, ...one.asking });
    const say = describeCase(route, caller, one, result);
    expectLawful(own, result, { on, caller, sent: one }, say);
    expectNoCanary(on, route, result, caller, one, say);
    secrets.push(...newSecrets(result));
    if (result.status < 400) tally.success += 1;
    else if (result.status === 400) tally.invalid += 1;
    else tally.rejected += 1;
    return say;
  };

  const all = casesOf(own, on, { cases: each, seed: seed + ENDPOINTS.indexOf(promised), pictures });
  for (const some of chunk(all, freshAfter)) {
    for (const wave of chunk(some, AT_ONCE)) {
      const since = lines.length;
      const said = await Promise.all(wave.map(send));
      expect(lines.length - since, "log lines").toBeGreaterThanOrEqual(wave.length);
      expectLogClean(on, since, secrets, said);
    }
    ran(some.length);
    expectTableClean(on, mirror.versions(), secrets, route);
    await mirror.restore(s, on.table);
  }
  if (!IS_LARGE) return;
  const tallied = `${route}: ${JSON.stringify(tally)}`;
  expect(tally.success, `too few requests succeeded: ${tallied}`).toBeGreaterThan(each * LEAST);
  expect(tally.invalid, `too few requests were invalid: ${tallied}`).toBeGreaterThan(each * LEAST);
};

it("responds to any request as the contract says, and reveals nobody's secrets", async () => {
  const on = await begin();
  const failures: string[] = [];
  for (const promised of DRAWN) {
    await test(on, promised).catch((error: unknown) => failures.push(String(error)));
    await mirror.restore(s, on.table);
  }
  expect(failures.join("\n\n")).toBe("");
});
