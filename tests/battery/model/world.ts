/** Sends every request to the service and to the model, and compares the responses and the table. */
import { DAY } from "../../../lib/domain/time.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { keys } from "../../../lib/store/keys.ts";
import { MANY_PICTURES } from "../../support/constants.ts";
import { driftOf } from "../../support/recount.ts";
import { type Result, type TestEnvironment, testEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import { newMirror } from "../mirror.ts";
import { newPlayer } from "./accounts.ts";
import { differ } from "./differ.ts";
import { pass, playerOf } from "./game.ts";
import type { Expected, Request, ServiceFacts } from "./request.ts";
import { openSession, succeed, UNKNOWN_DEVICE } from "./sessions.ts";
import { type Model, newModel } from "./state.ts";
import type { Stats } from "./stats.ts";
import { step, sweepStep } from "./step.ts";
import { modelFacts, outOfOrder, tableFacts } from "./table.ts";
import { LOCAL_CHANGES } from "./zones.ts";

/** Two days before the local offset changes. */
const BEGINNING = Math.min(...LOCAL_CHANGES) - 2 * DAY;

/** Drift stays, so the table's consistency is checked only after this many writes. */
const MOVES_UNTIL_RECOUNT = 10;

/** An action: a request, passing time, or the scheduled sweep. */
export type Action = Request | { pass: number } | { sweep: true };

export interface World {
  model: () => Model;
  /** Requests with an Idempotency-Key, which may be repeated. */
  sent: Request[];
  /** All tokens, also of ended sessions. */
  tokens: string[];
  /** Returns a new number each time. */
  fresh: () => number;
  /** Does the action on both sides. @throws Error if they differ */
  perform: (action: Action) => Promise<Expected>;
  /** Adds a description of a command to the report. */
  note: (command: string) => void;
  /** Plays the opening of every sequence, on a new table. */
  begin: (play: (world: World) => Promise<void>) => Promise<void>;
  /** Restores the state after the opening. */
  restart: () => Promise<void>;
  /** Checks the whole table by a scan, at the end of a sequence. */
  end: () => Promise<void>;
  /** Lets a test use the service beside the model, and restores the time and the table afterwards. */
  aside: (work: (s: TestEnvironment) => Promise<void>) => Promise<void>;
}

const texts = (item: StoredItem, name: string): string | null => {
  const value = item[name];
  return typeof value === "string" ? value : null;
};

/**
 * Makes a world. To be called where tests are declared.
 * @param period feeding period, in milliseconds
 * @param servesReads whether reads are served from the mirror, which is cheaper than the engine
 */
export const newWorld = (stats: Stats, period: number, servesReads: boolean): World => {
  const mirror = newMirror({ servesReads });
  let model = newModel(BEGINNING, period);
  let first: { model: Model; table: Snapshot; tokens: string[] } | undefined;
  let steps: string[] = [];
  let given = 0;
  let isClean = false;
  /** The number of writes since the table was last checked for consistency. */
  let moves = 1;

  const s: TestEnvironment = testEnvironment({
    services: () => ({
      feedingPeriod: () => period,
      clock: () => model.now,
      queue: { send: async () => {} },
      throttles: MANY_PICTURES,
    }),
    database: mirror.database,
  });

  const nameOf = (id: string | null): string => playerOf(model, id)?.alias ?? "nobody";

  const report = (lines: string[]): Error =>
    new Error([...lines, "", "What was done:", ...steps.map((line, n) => `  ${n + 1}. ${line}`)].join("\n"));

  /** Compares the whole table with the model. Sometimes, and at the end, it also checks the consistency. */
  const checkTable = (isLast = false): void => {
    stats.tableChecks += 1;
    const items = mirror.items();
    const isDue = moves >= MOVES_UNTIL_RECOUNT || (isLast && moves > 0);
    const faults = [
      ...differ("the table:", modelFacts(model), tableFacts(items, model.now)),
      ...outOfOrder(model),
      ...(isDue ? driftOf(items.values()) : []).map((one) => `drift: ${JSON.stringify(one)}`),
    ];
    if (isDue) moves = 0;
    if (faults.length > 0) throw report(faults);
  };

  /** The newly recorded events. */
  const newEvents = (): ServiceFacts["events"] => {
    const known = new Set(model.record.map(({ id }) => id));
    return [...mirror.items().values()]
      .filter(({ pk, sk }) => pk.startsWith("INTERACTIONS#") && !known.has(sk))
      .map((item) => ({
        id: item.sk,
        kind: texts(item, "kind") ?? "",
        at: texts(item, "at") ?? "",
        actor: texts(item, "actor"),
        target: texts(item, "target"),
      }));
  };

  const factsOf = ({ text, body }: Result): ServiceFacts => ({
    text,
    field(field) {
      const value = body?.[field];
      if (typeof value === "string") return value;
      throw new Error(`the response has no ${field}`);
    },
    codeOf(id) {
      const profile = mirror.get(keys.player(id));
      return (profile && texts(profile, "tag_code")) ?? "none";
    },
    events: newEvents(),
  });

  const send = (request: Request): Promise<Result> => {
    const { route, by, token, body, key, from } = request;
    const isGet = route.startsWith("GET ");
    const query = Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]));
    return s.call(route, {
      ...(by === null ? {} : { id: by }),
      ...(token === null ? {} : { headers: { authorization: `Bearer ${token}` } }),
      ...(key === null ? {} : { key }),
      ...(isGet ? { query } : route.startsWith("DELETE ") ? {} : { body }),
      from,
    });
  };

  /** The parts of a response that the model predicts; log entries have more fields. */
  const seen = ({ route }: Request, { body }: Result): unknown => {
    if (route !== "GET /admin/get_logs/{url_id}" || body?.logs === undefined) return body;
    const logs = body.logs.map(({ action, actor, outcome }: Record<string, unknown>) => ({
      action,
      actor,
      outcome,
    }));
    return { ...body, logs };
  };

  const compare = (request: Request, expected: Expected, result: Result): string[] => {
    const { status, code, retryAfter, body, text } = expected;
    const { headers } = result;
    // The errors of a subscription are listed in a sentence.
    const isTold = code !== undefined && !/notifications|subscriptions/.test(request.route);
    return [
      ...differ("the status", status, result.status),
      ...(isTold ? differ("the code", code, result.body?.code) : []),
      ...(status === 204 ? differ("the text", "", result.text) : []),
      ...(retryAfter === undefined
        ? []
        : differ(
            "Retry-After",
            retryAfter === null ? undefined : String(retryAfter),
            headers["retry-after"],
          )),
      ...(body === undefined ? [] : differ("the response:", body, seen(request, result))),
      ...(text === undefined ? [] : differ("the text", text, result.text)),
    ];
  };

  /** Compares the changed items with the model; all items are compared at the end. */
  const follow = async (change: () => string[]): Promise<void> => {
    const isMoved = await mirror.catchUp(s);
    let faults: string[];
    try {
      faults = change();
    } catch (error) {
      faults = [`the model cannot follow: ${String(error)}`];
    }
    if (faults.length > 0) throw report(faults);
    if (!isMoved) return;
    moves += 1;
    checkTable();
  };

  const sweepBoth = async (): Promise<Expected> => {
    steps.push("the sweep");
    const { starved, complete } = await s.sweep();
    await follow(() => {
      const expected = { starved: sweepStep(model, newEvents()), complete: true };
      return differ("the sweep", expected, { starved, complete });
    });
    return { status: 200 };
  };

  const requestBoth = async (request: Request): Promise<Expected> => {
    const { route, by, body, key } = request;
    const result = await send(request);
    const keyed = key === null ? "" : ` with the key ${key}`;
    const words = `${route} by ${nameOf(by)} ${JSON.stringify(body)}${keyed}`;
    steps.push(`${words} -> ${result.status} ${result.body?.code ?? ""}`.trimEnd());
    let expected: Expected = { status: 0 };
    await follow(() => {
      expected = step(model, request, factsOf(result));
      const faults = compare(request, expected, result);
      return faults.length === 0 ? [] : [...faults, `response: ${result.text.slice(0, 2_000)}`];
    });
    if (key !== null && !world.sent.includes(request)) world.sent.push(request);
    world.tokens = [...new Set([...world.tokens, ...model.sessions.map(({ token }) => token)])];
    return expected;
  };

  const world: World = {
    model: () => model,
    sent: [],
    tokens: [],
    fresh: () => {
      given += 1;
      return given;
    },
    note(command) {
      steps.push(`# ${command}`);
    },
    async perform(action) {
      if ("sweep" in action) return sweepBoth();
      if ("route" in action) return requestBoth(action);
      if (action.pass > 0) {
        steps.push(`${action.pass} ms go by`);
        pass(model, action.pass);
      }
      return { status: 200 };
    },
    async begin(play) {
      model = newModel(BEGINNING, period);
      steps = [];
      const alias = "Game Master";
      const master = await s.admin(alias);
      mirror.take(await snapshot(s));
      const player = { ...newPlayer(master.id, alias, master.password, model.now), is_admin: true };
      model.players.push(player);
      succeed(model, master.id, "127.0.0.1", UNKNOWN_DEVICE);
      openSession(model, player, master.token, "127.0.0.1");
      model.log.push({ action: "login", actor: master.id, outcome: "done" });
      checkTable();
      await play(world);
      first = { model, table: await snapshot(s), tokens: [...world.tokens] };
    },
    async restart() {
      if (first === undefined) throw new Error("the world has not begun");
      // After a failure the mirror may be incomplete.
      if (!isClean) mirror.take(await snapshot(s));
      isClean = false;
      await mirror.restore(s, first.table);
      model = structuredClone(first.model);
      steps = [];
      world.sent = [];
      world.tokens = first.tokens;
    },
    async end() {
      const missed = await mirror.differences(s);
      if (missed.length > 0) throw report(missed.map((name) => `not as it was written: ${name}`));
      checkTable(true);
      isClean = true;
    },
    async aside(work) {
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
  return world;
};
