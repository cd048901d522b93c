/** Sends a setup's request without a fault, then with each fault at each call, each time with a client's retries. */
import { expect } from "vitest";
import { SECOND } from "../../../lib/domain/time.ts";
import { differences, maskSince } from "../../support/maskTables.ts";
import { driftOf } from "../../support/recount.ts";
import type { Result } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import * as checks from "./checks.ts";
import type { FaultEnvironment, Rehearsal } from "./environment.ts";
import { injectionsAt } from "./faults.ts";
import { canDiffer, DIED, type Effect, type Injection, inWords, runProcess } from "./process.ts";
import { contractOf, isUnderWay, requestOf, type Setup, statusOf, titleOf } from "./setups.ts";

/** In milliseconds. */
const LONGER_THAN_LEASE = 31 * SECOND;
/** After this many attempts, the response must be final. */
const MAX_ATTEMPTS = 4;

const sendRequest = (on: FaultEnvironment, setup: Setup): Promise<Result> => {
  on.freshProcess();
  return on.s.call(setup.route, requestOf(setup, on.players));
};

/** Sends the request again until the response is final, as a client would. */
const retry = async (on: FaultEnvironment, setup: Setup): Promise<{ response: Result; calls: number }> => {
  for (let calls = 1; ; calls += 1) {
    const response = await sendRequest(on, setup);
    const isTaken = response.status === 409 && setup.isJob === true;
    if (!isTaken && !isUnderWay(setup, response)) return { response, calls };
    if (calls === MAX_ATTEMPTS)
      throw new Error(`after ${calls} attempts: ${response.status} ${response.text}`);
    if (isTaken) {
      expect(response.headers["retry-after"]).toMatch(/^[1-9]\d*$/);
      on.clock.now += LONGER_THAN_LEASE;
    }
  }
};

/** Sends a setup's request without a fault, to record its calls: each call can have a fault. */
export const sendingRequest = (setup: Setup): Rehearsal => ({
  title: titleOf(setup),
  async rehearse(on) {
    await setup.prepare?.(on);
    const { now } = on.clock;
    const start = await snapshot(on.s);
    const mask = maskSince(start, now);
    const drift = driftOf(start.values());
    /** Whether its response is stored for retries; errors are not. */
    const isKept = contractOf(setup).isIdempotent && setup.statusOnRetry === undefined;

    const readTable = async (isEnd = true): Promise<Snapshot> => {
      const table = await snapshot(on.s);
      if (isEnd || setup.disagreesMeanwhile !== true) checks.requireNoDrift(table, drift);
      return table;
    };
    const sendClean = async (status: number) => {
      const { result, calls } = await runProcess(null, () => sendRequest(on, setup));
      if (result === DIED) throw new Error("a process died by itself");
      expect(result.status, result.text).toBe(status);
      return { response: result, calls, table: await readTable() };
    };
    const first = await sendClean(statusOf(setup));
    const second = await sendClean(setup.statusOnRetry ?? statusOf(setup));
    const tablesFor = (effect: Effect) => ({
      start: checks.tableOf(start, mask, effect),
      once: checks.tableOf(first.table, mask, effect),
      twice: checks.tableOf(second.table, mask, effect),
    });
    const [tables, late] = [tablesFor({}), tablesFor({ lags: "once" })];
    if (isKept) {
      expect(second.response.text, "the second response").toBe(first.response.text);
      checks.requireSame(tables.twice, tables.once, "the second time");
    }

    let current: Snapshot | undefined;
    const inject = async (injection: Injection): Promise<void> => {
      await on.restart({ start, now }, current);
      const { effect } = injection;
      const should = effect.lags === undefined ? tables : late;
      const { result, wasInjected } = await runProcess(injection, () => sendRequest(on, setup));
      expect(wasInjected, "the call was made").toBe(true);
      const left = checks.tableOf(await readTable(false), mask, effect);
      const isDone = result !== DIED && checks.checkResponse(setup, result, injection, first.response, mask);
      const mayDiffer = canDiffer(setup, effect);
      const wasCarriedOut =
        differences(left, should.once).length === 0 && differences(should.once, should.start).length > 0;
      if (setup.isJob !== true && !mayDiffer) {
        // Everything was written or nothing, and everything after a success.
        if (isDone) checks.requireSame(left, should.once, "after a success");
        else if (!wasCarriedOut) checks.requireSame(left, should.start, "partly carried out");
      }
      // A job is not rolled back: if its end cannot be written, the retry writes it.
      if (isDone && setup.isJob !== true) checks.requireLogged(left, { ...should, calls: 1 });

      const { response, calls } = await retry(on, setup);
      const end = await readTable();
      const ended = checks.tableOf(end, mask, effect);
      const isRepeat = wasCarriedOut && !isKept;
      if (isDone && isKept) expect(response.text, "after the retry").toBe(result.text);
      else if (!mayDiffer)
        checks.expectSameResponse(mask, response, isRepeat ? second.response : first.response);
      if (!mayDiffer) checks.requireSame(ended, isRepeat ? should.twice : should.once, "after the retry");
      checks.requireLogged(ended, { ...should, calls: calls + 1 });
      if (!mayDiffer) await setup.verify?.(on, response);
      // The checks of `verify` have written entries of their own.
      current = setup.verify === undefined ? end : undefined;
    };

    const injections = first.calls.flatMap(injectionsAt);
    expect(injections.length, "faults that fit its calls").toBeGreaterThan(5);
    return injections.map((injection) => ({ name: inWords(injection), inject: () => inject(injection) }));
  },
});
