/** Plays a scene: once without a fault, then with every fault at every call in turn, and asks again each time. */
import { expect } from "vitest";
import { SECOND } from "../../../lib/domain/time.ts";
import type { Part } from "../../support/battery.ts";
import { differences, type Mask, maskSince, type Normal } from "../../support/normal.ts";
import { driftOf } from "../../support/recount.ts";
import type { Result } from "../../support/service.ts";
import { restore, type Snapshot, snapshot } from "../../support/snapshot.ts";
import { type Call, type Cell, inWords, type Manner } from "./calls.ts";
import {
  expectSameAnswer,
  isUnderWay,
  judgeAnswer,
  requireLogged,
  requireNoDrift,
  requireSame,
  tableOf,
} from "./judge.ts";
import { DIED } from "./process.ts";
import { type Counted, chosenFaults } from "./run.ts";
import { askingOf, isFree, promisedOf, type Scene, statusOf, titleOf } from "./scene.ts";
import type { Stand } from "./stand.ts";

/** Where faults strike. */
export interface Level {
  /** The faults that fit a call. */
  faultsAt: (call: Call) => readonly string[];
  mannerOf: (fault: string) => Manner;
  /** Lets a fresh process do its work, with what is planned to befall it; throws when the call did not come. */
  live: (
    plan: Cell | null,
    work: () => Promise<Result>,
  ) => Promise<{ result: Result | typeof DIED; calls: readonly Call[]; struck: boolean }>;
}

const NO_FAULT: Manner = { passes: true, lasts: false, lags: "never" };
/** Longer than any lease. */
const LEASE = 31 * SECOND;
/** Whoever asks this often gets an answer. */
const PATIENCE = 4;

/** The tables of a scene: at its beginning, after one request, and after the same once more. */
type Tables = Record<"start" | "once" | "twice", Normal>;

/** A scene as it lies there, and what comes of it when nothing goes wrong. */
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
  on: Stand;
  level: Level;
  scene: Scene;
  now: number;
}

const ask = ({ on, scene }: Playing): Promise<Result> => {
  on.freshProcess();
  return on.s.call(scene.route, askingOf(scene, on.cast));
};

/** Whether its success is kept; what is no success is judged anew. */
const isKept = (scene: Scene): boolean => promisedOf(scene).once && scene.again === undefined;

/** Plays the scene twice without a fault. */
const rehearse = async (playing: Playing): Promise<Known> => {
  const { on, level, scene, now } = playing;
  const say = titleOf(scene);
  const start = await snapshot(on.s);
  const mask = maskSince(start, now);
  const drift = driftOf(start.values());
  const clean = async () => {
    const { result, calls } = await level.live(null, () => ask(playing));
    if (result === DIED) throw new Error("a process died by itself");
    const table = await snapshot(on.s);
    requireNoDrift(table, drift, say);
    return { answer: result, table, calls };
  };
  const first = await clean();
  expect(first.answer.status, `${say}: ${first.answer.text}`).toBe(statusOf(scene));
  const second = await clean();
  expect(second.answer.status, `${say}, again: ${second.answer.text}`).toBe(scene.again ?? statusOf(scene));
  const tablesOf = (manner: Manner): Tables => ({
    start: tableOf(start, mask, manner),
    once: tableOf(first.table, mask, manner),
    twice: tableOf(second.table, mask, manner),
  });
  const tables = tablesOf(NO_FAULT);
  if (isKept(scene)) {
    expect(second.answer.text, `${say}, again`).toBe(first.answer.text);
    requireSame(tables.twice, tables.once, `${say}, again`);
  }
  return {
    ...{ start, drift, mask, calls: first.calls, first: first.answer, second: second.answer },
    ...{ tables, late: tablesOf({ ...NO_FAULT, lags: "once" }) },
  };
};

/** Asks again until it is answered, as whoever got no answer would. */
const insist = async (playing: Playing, say: string): Promise<{ answer: Result; calls: number }> => {
  const { on, scene } = playing;
  for (let calls = 1; ; calls += 1) {
    const answer = await ask(playing);
    const isTaken = answer.status === 409 && scene.isJob === true;
    // On a busy machine even a request without a fault may exceed the client's time limits: it may be sent again.
    const isBusy = answer.status === 503;
    if (!isTaken && !isBusy && !isUnderWay(scene, answer)) return { answer, calls };
    if (calls === PATIENCE) throw new Error(`${say}: asked ${calls} times: ${answer.status} ${answer.text}`);
    if (isTaken) {
      expect(answer.headers["retry-after"], say).toMatch(/^[1-9]\d*$/);
      on.clock.now += LEASE;
    }
  }
};

/** One fault at one call: what comes of it, and of asking again. Resolves to the table as it lies then. */
const playCell = async (playing: Playing, known: Known, cell: Cell): Promise<Snapshot> => {
  const { on, level, scene } = playing;
  const { mask, drift } = known;
  const manner = level.mannerOf(cell.fault);
  const say = `${titleOf(scene)}: ${inWords(cell)}`;
  const { start, once, twice } = manner.lags === "never" ? known.tables : known.late;

  const { result, struck } = await level.live(cell, () => ask(playing));
  expect(struck, `${say}: the call did not come`).toBe(true);
  const after = await snapshot(on.s);
  requireNoDrift(after, drift, say);
  const left = tableOf(after, mask, manner);
  const judged = { cell, clean: known.first, manner, mask, say };
  const isDone = result !== DIED && judgeAnswer(scene, result, judged);
  const isOpen = isFree(scene, manner);
  const wasCarriedOut = differences(left, once).length === 0 && differences(once, start).length > 0;
  if (scene.isJob !== true && !isOpen) {
    // All of it or nothing, and all of it when it says so.
    if (isDone) requireSame(left, once, `${say}: answered as done`);
    else if (!wasCarriedOut) requireSame(left, start, `${say}: neither done nor not`);
  }
  // What a job has done cannot be taken back: where its end cannot be written, whoever asks again writes it.
  if (isDone && scene.isJob !== true) requireLogged(left, { start, clean: once, calls: 1, least: once }, say);

  const again = `${say}, then asked again`;
  const { answer, calls } = await insist(playing, again);
  const end = await snapshot(on.s);
  requireNoDrift(end, drift, again);
  const isRepeat = wasCarriedOut && !isKept(scene);
  if (isDone && isKept(scene)) expect(answer.text, again).toBe(result.text);
  else if (!isOpen) expectSameAnswer(mask, answer, isRepeat ? known.second : known.first, again);
  const ended = tableOf(end, mask, manner);
  if (!isOpen) requireSame(ended, isRepeat ? twice : once, again);
  const logged = wasCarriedOut && scene.isLoggedApart === true ? start : once;
  requireLogged(ended, { start, clean: once, calls: calls + 1, least: logged }, again);
  if (!isOpen) await scene.works?.(on, answer, again);
  return end;
};

/** Plays a scene; says how many calls it had, and how many faults they could meet. */
export const play = async (
  on: Stand,
  level: Level,
  scene: Scene,
  { faults, place }: Playbill,
): Promise<Counted> => {
  await on.begin();
  await scene.prepare?.(on);
  const playing: Playing = { on, level, scene, now: on.clock.now };
  const known = await rehearse(playing);
  const cells = known.calls.flatMap((call) => level.faultsAt(call).map((fault): Cell => ({ call, fault })));
  if (scene.isBare === true) expect(known.calls, titleOf(scene)).toEqual([]);
  else expect(cells.length, `${titleOf(scene)}: faults that fit its calls`).toBeGreaterThan(5);
  let lying: Snapshot | undefined;
  for (const cell of chosenFaults(cells, faults, place)) {
    await restore(on.s, known.start, lying);
    on.clock.now = playing.now;
    on.outbox.length = 0;
    on.push().reset();
    const end = await playCell(playing, known, cell);
    // What was tried out after it has left its own.
    lying = scene.works === undefined ? end : undefined;
    faults.ran();
  }
  return { calls: known.calls.length, faults: cells.length };
};
