/** Sends every request to the service and to the model, and compares the responses and the table. */
import { isDeepStrictEqual } from "node:util";
import { v7 } from "uuid";
import { DAY } from "../../../lib/domain/time.ts";
import { keys } from "../../../lib/store/keys.ts";
import { MANY_PICTURES } from "../../support/constants.ts";
import { driftOf } from "../../support/recount.ts";
import { type Result, type TestEnvironment, testEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import { newMirror } from "../mirror.ts";
import { opening } from "./commands.ts";
import { pass, playerOf, sweep } from "./game.ts";
import type { Expected, Request, ServiceFacts } from "./request.ts";
import { openSession, succeed, UNKNOWN_DEVICE } from "./sessions.ts";
import { Model, Player, type RecordedEvent } from "./state.ts";
import { step } from "./step.ts";
import { kindIn, modelFacts, outOfOrder, tableFacts } from "./table.ts";
import type { Action, Actions } from "./turn.ts";
import { pick } from "./views.ts";
import { LOCAL_CHANGES } from "./zones.ts";

/** Two days before the local offset changes. */
const BEGINNING = Math.min(...LOCAL_CHANGES) - 2 * DAY;

/** An inconsistency does not go away by itself, so one check after this many writes is enough. */
const WRITES_UNTIL_RECOUNT = 10;

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

/** Describes each difference between two values, one per line. */
const differ = (where: string, should: unknown, is: unknown): string[] => {
  if (isDeepStrictEqual(should, is)) return [];
  const short = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, 300);
  if (!isRecord(should) || !isRecord(is)) return [`${where} should be ${short(should)}, and is ${short(is)}`];
  const names = new Set([...Object.keys(should), ...Object.keys(is)]);
  return [...names].flatMap((name) => differ(`${where} ${name}`, should[name], is[name]));
};

/** The differences between the expected response and the result. */
const compare = ({ route }: Request, expected: Expected, result: Result): string[] => {
  const { status, headers, body, text } = result;
  // Log entries have more fields than the model has.
  const isLog = route === "GET /admin/get_logs/{url_id}" && status === 200;
  const logs = isLog ? body.logs.map((entry: object) => pick(entry, "action actor outcome")) : [];
  const retryAfter = Number(headers["retry-after"] ?? 0);
  const is = { status, code: body?.code, retryAfter, body: isLog ? { ...body, logs } : body, text };
  const should = { ...expected, ...(expected.status === 204 ? { text: "" } : {}) };
  return (["status", "code", "retryAfter", "body", "text"] as const).flatMap((name) =>
    should[name] === undefined ? [] : differ(`the ${name}`, should[name], is[name]),
  );
};

/** Counts what has run: sequences, commands, checks of the table, and the commands that succeeded by kind. */
export const newStats = () => ({ sequences: 0, commands: 0, checks: 0, success: new Map<string, number>() });

/**
 * Makes a service and a model that carry out the same commands. Call it outside of tests: it registers hooks.
 * @param period feeding period, in milliseconds
 * @param servesReads whether reads are served from the mirror, which is cheaper than the engine
 */
export const newWorld = (stats: ReturnType<typeof newStats>, period: number, servesReads: boolean) => {
  const mirror = newMirror({ servesReads });
  let model = new Model(BEGINNING, period);
  let first: { model: Model; table: Snapshot } | undefined;
  let steps: string[] = [];
  let isClean = false;
  let ids = 0;
  /** The number of writes since the table was last checked for consistency. */
  let writes = 1;

  const s: TestEnvironment = testEnvironment({
    services: () => ({
      feedingPeriod: () => period,
      clock: () => model.now,
      // Statistics depend on the times in ids.
      newId: () => {
        ids += 1;
        return v7({ msecs: model.now, seq: ids });
      },
      queue: { send: async () => {} },
      throttles: MANY_PICTURES,
    }),
    database: mirror.database,
  });

  const report = (lines: string[]): Error =>
    new Error([...lines, "", "What was done:", ...steps.map((line, n) => `  ${n + 1}. ${line}`)].join("\n"));

  /** Compares the whole table with the model. Sometimes, and at the end, it also checks the consistency. */
  const checkTable = (isLast = false): void => {
    stats.checks += 1;
    const items = mirror.items();
    const isDue = writes >= WRITES_UNTIL_RECOUNT || (isLast && writes > 0);
    const faults = [
      ...differ("the table:", modelFacts(model), tableFacts(items, model.now)),
      ...outOfOrder(model),
      ...(isDue ? driftOf(items.values()) : []).map((one) => `drift: ${JSON.stringify(one)}`),
    ];
    if (isDue) writes = 0;
    if (faults.length > 0) throw report(faults);
  };

  /** The newly recorded events. */
  const newEvents = (): RecordedEvent[] => {
    const known = new Set(model.record.map(({ id }) => id));
    const items = [...mirror.items().values()].filter(
      ({ pk, sk }) => pk.startsWith("INTERACTIONS#") && !known.has(sk),
    );
    // A player can get several things at once, in this order.
    const inOrder = items.toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
    return inOrder.map((item) => {
      const { sk: id, at, actor, target } = item;
      const [by, of] = [actor, target].map((player) => (typeof player === "string" ? player : null));
      return { id, kind: kindIn(item), at: Date.parse(String(at)), actor: by ?? null, target: of ?? null };
    });
  };

  const factsOf = ({ text, body }: Result): ServiceFacts => ({
    text,
    field(field) {
      const value = body?.[field];
      if (typeof value === "string") return value;
      throw new Error(`the response has no ${field}`);
    },
    codeOf: (id) => String(mirror.get(keys.player(id))?.tag_code ?? "none"),
    recorded: newEvents(),
  });

  const send = ({ route, by, token, body, key }: Request): Promise<Result> =>
    s.call(route, {
      ...(by === null ? {} : { id: by }),
      ...(token === null ? {} : { headers: { authorization: `Bearer ${token}` } }),
      ...(key === null ? {} : { key }),
      ...(route.startsWith("POST ") ? { body } : { query: Object(body) }),
    });

  /** Applies a change to the model. If the table has changed too, compares the two. */
  const follow = async (change: () => string[]): Promise<void> => {
    const hasChanged = await mirror.catchUp(s);
    let faults: string[];
    try {
      faults = change();
    } catch (error) {
      faults = [`the model cannot follow: ${String(error)}`];
    }
    if (faults.length > 0) throw report(faults);
    if (!hasChanged) return;
    writes += 1;
    checkTable();
  };

  const sweepBoth = async (): Promise<Expected> => {
    steps.push("the sweep");
    const { starved, complete } = await s.sweep();
    await follow(() => {
      model.step += 1;
      model.recorded = newEvents();
      return differ("the sweep", { starved: sweep(model), complete: true }, { starved, complete });
    });
    return { status: 200 };
  };

  const requestBoth = async (request: Request): Promise<Expected> => {
    const { route, by, body, key } = request;
    const result = await send(request);
    const keyed = key === null ? "" : ` with the key ${key}`;
    const words = `${route} by ${playerOf(model, by)?.alias ?? "nobody"} ${JSON.stringify(body)}${keyed}`;
    steps.push(`${words} -> ${result.status} ${result.body?.code ?? ""}`.trimEnd());
    let expected: Expected = { status: 0 };
    await follow(() => {
      expected = step(model, request, factsOf(result));
      const faults = compare(request, expected, result);
      return faults.length === 0 ? [] : [...faults, `response: ${result.text.slice(0, 2_000)}`];
    });
    if (key !== null) model.sent.push(request);
    return expected;
  };

  const perform = async (action: Action): Promise<Expected> => {
    if ("sweep" in action) return sweepBoth();
    if ("route" in action) return requestBoth(action);
    if (action.pass > 0) steps.push(`${action.pass} ms go by`);
    pass(model, action.pass);
    return { status: 200 };
  };

  /** Carries out a command on the service and on the model. @throws Error if they differ */
  const play = async (name: string, plan: (m: Model) => Actions): Promise<void> => {
    steps.push(`# ${name}`);
    const actions = plan(model);
    let next = actions.next();
    while (next.done !== true) next = actions.next(await perform(next.value));
    stats.commands += 1;
    stats.success.set(name, (stats.success.get(name) ?? 0) + (next.value ? 1 : 0));
  };

  return {
    now: () => model.now,
    play,
    /** Plays the opening, with which every sequence begins, on a new table. */
    async begin() {
      model = new Model(BEGINNING, period);
      steps = [];
      const { id, alias, password, token } = await s.admin();
      mirror.take(await snapshot(s));
      const player = new Player({ id, alias, password, created_at: model.now, is_admin: true });
      model.players.push(player);
      succeed(model, id, UNKNOWN_DEVICE);
      openSession(model, player, token);
      model.log.push({ action: "login", actor: id, outcome: "done" });
      checkTable();
      await play("opening", opening);
      first = { model, table: await snapshot(s) };
    },
    /** Restores the state after the opening. */
    async restart() {
      if (first === undefined) throw new Error("call begin() before restart()");
      // After a failure the mirror may be incomplete.
      if (!isClean) mirror.take(await snapshot(s));
      isClean = false;
      await mirror.restore(s, first.table);
      model = structuredClone(first.model);
      steps = [];
    },
    /** Checks the whole table by a scan, at the end of a sequence. */
    async end() {
      const missed = await mirror.differences(s);
      if (missed.length > 0) throw report(missed.map((name) => `not as it was written: ${name}`));
      checkTable(true);
      isClean = true;
    },
    /** Lets a test use the service without the model, and restores the time and the table afterwards. */
    async aside(what: string, work: (s: TestEnvironment) => Promise<void>) {
      steps.push(`# ${what}`);
      const [{ now }, table] = [model, new Map(mirror.items())];
      try {
        await work(s);
      } catch (error) {
        throw report([error instanceof Error ? (error.stack ?? error.message) : String(error)]);
      }
      await mirror.restore(s, table);
      model.now = now;
    },
  };
};

export type World = ReturnType<typeof newWorld>;
