/** Plays a setup: once without a fault, then with every fault at every call in turn, and sends the request again each time. */
import { expect } from "vitest";
import { SECOND } from "../../../lib/domain/time.ts";
import type { Part } from "../../support/battery.ts";
import { differences, type Mask, maskSince, type Normal } from "../../support/normal.ts";
import { driftOf } from "../../support/recount.ts";
import type { Result } from "../../support/service.ts";
import { restore, type Snapshot, snapshot } from "../../support/snapshot.ts";
import { type Call, type Effect, type Injection, inWords } from "./calls.ts";
import {
  checkResponse,
  expectSameResponse,
  isUnderWay,
  requireLogged,
  requireNoDrift,
  requireSame,
  tableOf,
} from "./checks.ts";
import type { FaultEnvironment } from "./environment.ts";
import { DIED } from "./process.ts";
import { type Counted, chosenFaults } from "./run.ts";
import { askingOf, isFree, promisedOf, type Setup, statusOf, titleOf } from "./setup.ts";

/** Where faults strike. */
export interface Level {
  /** The faults that fit a call. */
  faultsAt: (call: Call) => readonly string[];
  effectOf: (fault: string) => Effect;
  /** Runs work in a fresh process, with at most one fault. */
  live: (
    plan: Injection | null,
    work: () => Promise<Result>,
  ) => Promise<{ result: Result | typeof DIED; calls: readonly Call[]; hasStruck: boolean }>;
}

const NO_FAULT: Effect = { passes: true, lasts: false, lags: "never" };
/** Longer than any lease. */
const LEASE = 31 * SECOND;
/** A request that is sent this often has a final response. */
const PATIENCE = 4;

/** The tables of a setup: at its beginning, after one request, and after the same once more. */
type Tables = Record<"start" | "once" | "twice", Normal>;

/** A setup's table, and its responses and tables without a fault. */
interface Known {
  start: Snapshot;
  drift: ReturnType<typeof driftOf>;
  mask: Mask;
  calls: readonly Call[];
  /** The answers to the first request, and to the same once more. */
  first: Result;
  second: Result;
  /** The tables, and what they are to be compared by where an index lagged. */
  tables: Tables;
  late: Tables;
}

/** The part of the battery for which a setup is played, and the setup's place in it. */
export interface Playbill {
  faults: Part;
  place: number;
}

interface Playing {
  on: FaultEnvironment;
  level: Level;
  setup: Setup;
  now: number;
}

const sendRequest = ({ on, setup }: Playing): Promise<Result> => {
  on.freshProcess();
  return on.s.call(setup.route, askingOf(setup, on.players));
};

/** Whether its response is stored for retries; errors are not. */
const isKept = (setup: Setup): boolean => promisedOf(setup).once && setup.statusOnRetry === undefined;

/** Plays the setup twice without a fault. */
const playWithoutFault = async (playing: Playing): Promise<Known> => {
  const { on, level, setup, now } = playing;
  const label = titleOf(setup);
  const start = await snapshot(on.s);
  const mask = maskSince(start, now);
  const drift = driftOf(start.values());
  const clean = async () => {
    const { result, calls } = await level.live(null, () => sendRequest(playing));
    if (result === DIED) throw new Error("a process died by itself");
    const table = await snapshot(on.s);
    requireNoDrift(table, drift, label);
    return { response: result, table, calls };
  };
  const first = await clean();
  expect(first.response.status, `${label}: ${first.response.text}`).toBe(statusOf(setup));
  const second = await clean();
  expect(second.response.status, `${label}, again: ${second.response.text}`).toBe(
    setup.statusOnRetry ?? statusOf(setup),
  );
  const tablesOf = (effect: Effect): Tables => ({
    start: tableOf(start, mask, effect),
    once: tableOf(first.table, mask, effect),
    twice: tableOf(second.table, mask, effect),
  });
  const tables = tablesOf(NO_FAULT);
  if (isKept(setup)) {
    expect(second.response.text, `${label}, again`).toBe(first.response.text);
    requireSame(tables.twice, tables.once, `${label}, again`);
  }
  return {
    ...{ start, drift, mask, calls: first.calls, first: first.response, second: second.response },
    ...{ tables, late: tablesOf({ ...NO_FAULT, lags: "once" }) },
  };
};

/** Sends the request again until the response is final, as a client would. */
const retry = async (playing: Playing, label: string): Promise<{ response: Result; calls: number }> => {
  const { on, setup } = playing;
  for (let calls = 1; ; calls += 1) {
    const response = await sendRequest(playing);
    const isTaken = response.status === 409 && setup.isJob === true;
    // On a busy machine even a request without a fault may exceed the client's time limits: it may be sent again.
    const isBusy = response.status === 503;
    if (!isTaken && !isBusy && !isUnderWay(setup, response)) return { response, calls };
    if (calls === PATIENCE)
      throw new Error(`${label}: asked ${calls} times: ${response.status} ${response.text}`);
    if (isTaken) {
      expect(response.headers["retry-after"], label).toMatch(/^[1-9]\d*$/);
      on.clock.now += LEASE;
    }
  }
};

/** Injects one fault at one call, and sends the request again. @returns the table at the end */
const playInjection = async (playing: Playing, known: Known, injection: Injection): Promise<Snapshot> => {
  const { on, level, setup } = playing;
  const { mask, drift } = known;
  const effect = level.effectOf(injection.fault);
  const label = `${titleOf(setup)}: ${inWords(injection)}`;
  const { start, once, twice } = effect.lags === "never" ? known.tables : known.late;

  const { result, hasStruck } = await level.live(injection, () => sendRequest(playing));
  expect(hasStruck, `${label}: the call did not come`).toBe(true);
  const after = await snapshot(on.s);
  requireNoDrift(after, drift, label);
  const left = tableOf(after, mask, effect);
  const judged = { injection, clean: known.first, effect, mask, label };
  const isDone = result !== DIED && checkResponse(setup, result, judged);
  const isOpen = isFree(setup, effect);
  const wasCarriedOut = differences(left, once).length === 0 && differences(once, start).length > 0;
  if (setup.isJob !== true && !isOpen) {
    // All of it or nothing, and all of it after a success.
    if (isDone) requireSame(left, once, `${label}: answered as done`);
    else if (!wasCarriedOut) requireSame(left, start, `${label}: neither done nor not`);
  }
  // A job is not rolled back: where its end cannot be written, the retry writes it.
  if (isDone && setup.isJob !== true)
    requireLogged(left, { start, clean: once, calls: 1, least: once }, label);

  const again = `${label}, then asked again`;
  const { response, calls } = await retry(playing, again);
  const end = await snapshot(on.s);
  requireNoDrift(end, drift, again);
  const isRepeat = wasCarriedOut && !isKept(setup);
  if (isDone && isKept(setup)) expect(response.text, again).toBe(result.text);
  else if (!isOpen) expectSameResponse(mask, response, isRepeat ? known.second : known.first, again);
  const ended = tableOf(end, mask, effect);
  if (!isOpen) requireSame(ended, isRepeat ? twice : once, again);
  const logged = wasCarriedOut && setup.isLoggedApart === true ? start : once;
  requireLogged(ended, { start, clean: once, calls: calls + 1, least: logged }, again);
  if (!isOpen) await setup.verify?.(on, response, again);
  return end;
};

/** Plays a setup. @returns its calls, and the faults that they could have */
export const play = async (
  on: FaultEnvironment,
  level: Level,
  setup: Setup,
  { faults, place }: Playbill,
): Promise<Counted> => {
  await on.begin();
  await setup.prepare?.(on);
  const playing: Playing = { on, level, setup, now: on.clock.now };
  const known = await playWithoutFault(playing);
  const injections = known.calls.flatMap((call) =>
    level.faultsAt(call).map((fault): Injection => ({ call, fault })),
  );
  if (setup.isBare === true) expect(known.calls, titleOf(setup)).toEqual([]);
  else expect(injections.length, `${titleOf(setup)}: faults that fit its calls`).toBeGreaterThan(5);
  let lying: Snapshot | undefined;
  for (const injection of chosenFaults(injections, faults, place)) {
    await restore(on.s, known.start, lying);
    on.clock.now = playing.now;
    on.outbox.length = 0;
    on.push().reset();
    const end = await playInjection(playing, known, injection);
    // What was tried out after it has left its own.
    lying = setup.verify === undefined ? end : undefined;
    faults.ran();
  }
  return { calls: known.calls.length, faults: injections.length };
};
