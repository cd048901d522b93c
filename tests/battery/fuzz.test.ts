/**
 * Fuzz, from the schemas: every endpoint is sent valid, nearly valid and hostile requests, by players and by game
 * masters. No response is a 5xx. Each has its declared shape or is an error of the contract, and no
 * response or log entry contains anything that its reader may not know.
 */
import { inspect } from "node:util";
import { expect, it, vi } from "vitest";
import { type EndpointInfo, isForStaff } from "../../lib/http/definition.ts";
import { chunk } from "../../lib/runtime/chunk.ts";
import type { Documented } from "../../scripts/openapi/document.ts";
import { DOCUMENTED } from "../contract/endpoints.ts";
import { IS_LARGE, part } from "../support/battery.ts";
import { MANY_PICTURES } from "../support/constants.ts";
import { logLines } from "../support/logLines.ts";
import { trustedPushService } from "../support/pushService.ts";
import { testEnvironment } from "../support/service.ts";
import * as canary from "./fuzz/canaries.ts";
import { type Fixture, makeFixture } from "./fuzz/fixture.ts";
import { type Case, casesOf, readPictures } from "./fuzz/requests.ts";
import { expectLawful, expectNoCanary } from "./fuzz/responses.ts";
import { newMirror } from "./mirror.ts";

// Decoding in this process has the same results, and a child process for each picture would take most of the time.
vi.mock("../../lib/images/decodeInChild.ts", async () => ({
  decodeInChild: (await import("../support/decoders.ts")).decodeHere,
}));

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

/** The minimum shares of an endpoint's requests that succeed and that are 400. Some can succeed only once in a game. */
const LEAST = { success: 0.5 / FRESH_AFTER, invalid: 0.05 };

/** In this game there is no enforcement to undo, and no spectator to enrol. */
const WITHOUT_SUCCESS = /undo_checkpoint|enrol/;

const { cases, seed, ran } = part("fuzz", { full: EACH * DOCUMENTED.length, of: "requests" });
const each = Math.ceil(cases / DOCUMENTED.length);

/** Requests that can succeed only once for each caller. */
const SPENDING = /\/(logout$|delete_player|player\/report_tagged)/;

/** The callers: half players and half game masters; at the admin endpoints a tenth are players. */
const callersOf = ({ route, access }: EndpointInfo, { gm, max, ada, ben, zed, prey, dead }: Fixture) => {
  if (SPENDING.test(route)) return prey;
  if (access === "public") return [null];
  // These may make a player a game master.
  if (route.includes("/edit_player/") && access === "administrator") return [gm];
  // One game master plays, the other may see everything.
  if (isForStaff(access)) return [...Array.from({ length: 9 }, (_, n) => (n % 3 === 0 ? gm : max)), ada];
  if (/\/(zombie|dispute)\//.test(route)) return [zed, gm, zed, gm, zed, gm, ada, gm];
  return [ada, gm, zed, gm, ben, gm, dead[0] ?? ben, gm];
};

/** Expects neither canaries nor these marks in a text. */
const expectClean = (text: string, canaries: canary.Canaries, marks: readonly string[]): void => {
  const leaked = canary.canariesIn(text, canaries).map(({ name }) => name);
  leaked.push(...marks.filter((mark) => text.includes(mark)));
  expect(leaked, `canaries in the log or an item: ${text.slice(0, 2_000)}`).toEqual([]);
};

/** Expects no secret in any item that a game master's statement could read, audit log entries included. */
const expectTableClean = (on: Fixture, given: readonly string[]): void => {
  for (const text of canary.openItems(mirror.versions()))
    expectClean(text, on.secrets, [canary.SECRET_MARK, ...given]);
};

const test = async (on: Fixture, own: Documented, pictures: Buffer[]): Promise<void> => {
  const { route } = own.info;
  const callers = callersOf(own.info, on);
  const table = own.docs.example.finished === true ? on.finished : on.table;
  const freshAfter = SPENDING.test(route) ? callers.length : FRESH_AFTER;
  const tally = { success: 0, rejected: 0, invalid: 0 };
  /** Secrets that responses have given to their callers. */
  const given: string[] = [];

  const send = async (sent: Case): Promise<void> => {
    const caller = callers[sent.turn % callers.length] ?? null;
    const result = await s.call(route, { as: caller, ...sent.asking });
    try {
      expectLawful(own.info, result, { on, caller, sent });
      expectNoCanary(route, result, { on, caller, sent });
    } catch (error) {
      const raw = String(sent.asking.raw?.body);
      const said = { BATTERY_SEED: seed, caller: caller?.alias, sent, raw, result };
      throw new Error(`${String(error)}\n${inspect(said, { depth: 4, maxStringLength: 700 })}`, {
        cause: error,
      });
    }
    const { status, body } = result;
    const secrets = status < 300 ? [body?.token?.slice(-43), body?.recovery_code] : [];
    given.push(...secrets.filter((one) => typeof one === "string"));
    tally[status < 400 ? "success" : status === 400 ? "invalid" : "rejected"] += 1;
  };

  const all = casesOf(own, on, { cases: each, seed: seed + route.length, pictures });
  await mirror.restore(s, table);
  for (const some of chunk(all, freshAfter)) {
    for (const wave of chunk(some, AT_ONCE)) {
      const since = lines.length;
      await Promise.all(wave.map(send));
      expect(lines.length - since, "log lines").toBeGreaterThanOrEqual(wave.length);
      const logged = canary.unfolded(lines.slice(since).join("\n"));
      expectClean(logged, on.canaries, [canary.SECRET_MARK, canary.TEXT_MARK, canary.KEY_MARK, ...given]);
    }
    ran(some.length);
    expectTableClean(on, given);
    await mirror.restore(s, table);
  }
  if (!IS_LARGE) return;
  const tallied = JSON.stringify(tally);
  if (!WITHOUT_SUCCESS.test(route))
    expect(tally.success, `too few requests succeeded: ${tallied}`).toBeGreaterThan(each * LEAST.success);
  expect(tally.invalid, `too few requests were invalid: ${tallied}`).toBeGreaterThan(each * LEAST.invalid);
};

it("responds to any request as the contract says, and reveals nobody's secrets", async () => {
  const pictures = await readPictures();
  const on = await makeFixture(s, push.current().origin);
  expectTableClean(on, []);
  mirror.take(on.table);
  const failures: string[] = [];
  for (const own of DOCUMENTED) {
    await test(on, own, pictures).catch((error: unknown) => failures.push(`${own.name}: ${String(error)}`));
  }
  expect(failures.join("\n\n")).toBe("");
});
