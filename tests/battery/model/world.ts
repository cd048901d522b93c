/** Runs the service and the model side by side: every request goes to both, and responses and tables are compared. */
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import type { Services } from "../../../lib/lambda/services.ts";
import { keys } from "../../../lib/store/keys.ts";
import { MANY_PICTURES } from "../../support/constants.ts";
import { driftOf } from "../../support/recount.ts";
import { type Result, type TestEnvironment, testEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import { newMirror } from "../mirror.ts";
import { newPlayer } from "./accounts.ts";
import { differ } from "./differ.ts";
import { later, playerOf } from "./game.ts";
import type { Expected, Request, ServiceFacts } from "./request.ts";
import { openSession, succeed, UNKNOWN_DEVICE } from "./sessions.ts";
import { type Model, newModel } from "./state.ts";
import type { Stats } from "./stats.ts";
import { step, sweepStep } from "./step.ts";
import { modelFacts, outOfOrder, tableFacts } from "./table.ts";

/** Long after any real time: nothing that expires goes by itself while this runs. */
export const BEGINNING = Date.parse("2040-01-02T08:00:00.000Z");

/** Drift stays, so the table's consistency is checked only after this many writes. */
const MOVES_UNTIL_RECOUNT = 5;

/** What a command does: a request, or time that goes by, or the scheduled sweep. */
export type Action = Request | { pass: number } | { sweep: true };

export interface World {
  model: () => Model;
  /** Requests that came with a key, to be sent again. */
  sent: Request[];
  /** Every token that there was. */
  tokens: string[];
  /** Instants at which waiting may stop, in addition to the game's own. */
  stops: readonly number[];
  /** A number that was never given before. */
  fresh: () => number;
  /** Does it on both sides. @throws Error when they do not agree */
  perform: (action: Action) => Promise<Expected>;
  /** Lets a command speak of what it does, for the report. */
  note: (command: string) => void;
  /** Plays the beginning of every sequence, on a new table. */
  begin: (play: (world: World) => Promise<void>) => Promise<void>;
  /** Restores that beginning. @param period another feeding period */
  restart: (period?: number) => Promise<void>;
  /** The last look at a sequence: the whole table, by a scan. */
  end: () => Promise<void>;
}

const texts = (item: StoredItem, name: string): string | null => {
  const value = item[name];
  return typeof value === "string" ? value : null;
};

/**
 * A world of its own; to be called where tests are declared.
 * @param period feeding period, in milliseconds
 * @param options other services; whether reads are served from the mirror, which is cheaper than the engine
 */
export const newWorld = (
  stats: Stats,
  period: number,
  {
    services = () => ({}),
    servesReads = false,
  }: { services?: (usual: Services) => Partial<Services>; servesReads?: boolean } = {},
): World => {
  const mirror = newMirror({ servesReads });
  let model = newModel(BEGINNING, period);
  let first: { model: Model; table: Snapshot; tokens: string[] } | undefined;
  let steps: string[] = [];
  let given = 0;
  let isClean = false;
  /** How often something was written since the table was last held against itself. */
  let moves = 1;

  const s: TestEnvironment = testEnvironment({
    services: (usual) => ({
      ...services(usual),
      feedingPeriod: () => period,
      clock: () => model.now,
      queue: { send: async () => {} },
      throttles: MANY_PICTURES,
    }),
    database: mirror.database,
  });

  const nameOf = (id: string | null): string => playerOf(model, id)?.alias ?? "nobody";

  const inWords = (action: Action): string => {
    if ("pass" in action) return `${action.pass} ms go by`;
    if ("sweep" in action) return "the sweep";
    const { route, by, body, key } = action;
    return `${route} by ${nameOf(by)} ${JSON.stringify(body)}${key === null ? "" : ` with the key ${key}`}`;
  };

  const report = (lines: string[]): Error =>
    new Error([...lines, "", "What was done:", ...steps.map((line, n) => `  ${n + 1}. ${line}`)].join("\n"));

  /** The whole table against the model; now and then, and in the end, against itself. */
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

  /** What is recorded now and was not before. */
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
    // What is wrong with a subscription is steps in a sentence.
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

  const requestBoth = async (request: Request): Promise<Expected> => {
    stats.requests += 1;
    if (request.route.startsWith("GET ")) stats.looks += 1;
    const result = await send(request);
    steps.push(`${inWords(request)} -> ${result.status} ${result.body?.code ?? ""}`.trimEnd());
    if (await mirror.catchUp(s)) moves += 1;
    let stepped: ReturnType<typeof step>;
    try {
      stepped = step(model, request, factsOf(result));
    } catch (error) {
      throw report([
        `the model does not bear it: ${String(error)}`,
        `response: ${result.status} ${result.text}`,
      ]);
    }
    const { after, expected } = stepped;
    model = after;
    const faults = compare(request, expected, result);
    if (faults.length > 0)
      throw report([...faults, `response: ${result.status} ${result.text.slice(0, 2_000)}`]);
    return expected;
  };

  const world: World = {
    model: () => model,
    sent: [],
    tokens: [],
    stops: [],
    fresh: () => {
      given += 1;
      return given;
    },
    note(command) {
      steps.push(`# ${command}`);
    },
    async perform(action) {
      if ("pass" in action) {
        if (action.pass > 0) {
          steps.push(inWords(action));
          model = later(model, action.pass);
        }
        return { status: 200 };
      }
      if ("sweep" in action) {
        steps.push(inWords(action));
        const { starved, complete } = await s.sweep();
        if (await mirror.catchUp(s)) moves += 1;
        const swept = sweepStep(model, newEvents());
        model = swept.after;
        const faults = differ("the sweep", { starved: swept.starved, complete: true }, { starved, complete });
        if (faults.length > 0) throw report(faults);
        checkTable();
        return { status: 200 };
      }
      const expected = await requestBoth(action);
      if (action.key !== null && !world.sent.includes(action)) world.sent.push(action);
      const known = new Set([...world.tokens, ...model.sessions.map(({ token }) => token)]);
      world.tokens = [...known];
      checkTable();
      return expected;
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
    async restart(other = period) {
      if (first === undefined) throw new Error("the world has not begun");
      // After a failure the mirror may have missed something.
      if (!isClean) mirror.take(await snapshot(s));
      isClean = false;
      await mirror.restore(s, first.table);
      model = { ...first.model, period: other };
      s.services.feedingPeriod = () => other;
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
  };
  return world;
};
