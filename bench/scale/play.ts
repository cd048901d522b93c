/** The operations of a game, played on the embedded engine and written down. */
import { randomUUID } from "node:crypto";
import { queueMessagesFor } from "../../lib/app/notifications/queueMessages.ts";
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { sweep } from "../../lib/app/workers/sweep.ts";
import { foldAlias } from "../../lib/domain/alias.ts";
import { recipientsOf } from "../../lib/domain/gameEvents.ts";
import { HOUR } from "../../lib/domain/time.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { MAX_PLAYERS_PER_BATCH } from "../../lib/jobs/bulk.ts";
import { keys } from "../../lib/store/keys.ts";
import { type Scene, sceneOf } from "../capacity/crowd.ts";
import { openGame, PASSWORD, type Someone } from "../capacity/game.ts";
import { type Access, makeRecorder, type Recorder } from "./recorder.ts";
import type { Person, Recording } from "./roles.ts";
import { indexesOf } from "./sizes.ts";

/** How much is recorded. */
export interface Script {
  hunts: number;
  /** Of every other operation. */
  others: number;
  /** How many there are beside those who play: their lists have full pages where they are many. */
  crowd: number;
}

const must = (condition: boolean, what: string): void => {
  if (!condition) throw new Error(`a wrong answer: ${what}`);
};

/** The ids of players whose items were touched. */
const touchedIn = (accesses: readonly Access[]): Set<string> => {
  const { pk: prefix } = keys.player("");
  const all = accesses.flatMap(({ touches }) => touches.map(({ pk }) => pk));
  return new Set(all.filter((pk) => pk.startsWith(prefix)).map((pk) => pk.slice(prefix.length)));
};

interface Stage {
  scene: Scene;
  recorder: Recorder;
  person: (as: string, someone: Someone) => Promise<Person>;
  note: (operation: string, people: readonly Person[], work: () => Promise<unknown>) => Promise<void>;
}

/** So few that some hunt often: who has fed many times has a larger item. */
const HUNTERS = 6;

const playHunts = async ({ scene, person, note }: Stage, { hunts, others }: Script): Promise<void> => {
  const { game, human, zombie } = scene;
  const hunters: Someone[] = [];
  while (hunters.length < HUNTERS) hunters.push(await zombie());
  for (let n = 0; n < hunts + others; n += 1) {
    const [hunter, ...sharers] = [0, 1, 2].flatMap((at) => hunters.at((n + at) % HUNTERS) ?? []);
    if (hunter === undefined) throw new Error("nobody hunts");
    const isShared = n >= hunts;
    const prey = await human();
    const people = [
      await person("hunter", hunter),
      await person("prey", prey),
      ...(isShared ? await Promise.all(sharers.map((one) => person("hunter", one))) : []),
    ];
    const share = isShared ? { share_with: sharers.map(({ alias }) => alias) } : {};
    await note(isShared ? "hunt, shared by three" : "hunt", people, async () => {
      const body = { tag_code: prey.code, ...share };
      const asked = { as: hunter, body, key: randomUUID() };
      const answer = await game.call("POST /zombie/hunt/{url_id}", asked);
      must(answer.prey.state === "zombie" && answer.hunter.kills > 0, JSON.stringify(answer));
    });
    const after = await game.services.store.player(prey.id);
    must(after?.state === "zombie" && after.infected_by === hunter.id, `${prey.alias} was not infected`);
  }
};

const LISTS = {
  "GET /player": "GET /player/{url_id}",
  "GET /game": "GET /game/{url_id}",
  "leaderboard of 100": "GET /interactions/leaderboard/{url_id}",
  "page of 100 users": "GET /users/{url_id}",
  "page of 100 starving": "GET /zombie/starvation/{url_id}",
  "page of 100 interactions": "GET /interactions/{url_id}",
} as const;
const MASTERS_LISTS = {
  "page of 100 players, for game masters": "GET /admin/get_players/{url_id}",
  "player count, for game masters": "GET /admin/player_count/{url_id}",
} as const;

const playOthers = async ({ scene, person, note }: Stage, { others }: Script): Promise<void> => {
  const { game, gm, zombie } = scene;
  for (let n = 0; n < others; n += 1) {
    const someone = await zombie();
    const player = await person("player", someone);
    await note("login", [player], () =>
      game.call("POST /login", { body: { alias: someone.alias, password: PASSWORD } }),
    );
    for (const [name, route] of Object.entries(LISTS)) {
      const query = name.includes("100") ? { query: { limit: "100" } } : {};
      await note(name, [player], () => game.call(route, { as: someone, ...query }));
    }
    const master = await person("master", gm);
    for (const [name, route] of Object.entries(MASTERS_LISTS)) {
      const query = name.includes("100") ? { query: { limit: "100" } } : {};
      await note(name, [master], () => game.call(route, { as: gm, ...query }));
    }
  }
};

/** What comes of players beside what they ask for in the game: their account, and what they are told. */
const playAround = async ({ scene, person, note }: Stage, { others }: Script): Promise<void> => {
  const { game, human, zombie } = scene;
  const hunter = await zombie();
  for (let n = 0; n < others; n += 1) {
    await note("new account", [], () =>
      game.call("POST /new", { body: { alias: `Stranger ${n} z`, password: PASSWORD } }),
    );
    const prey = await human();
    const body = { tag_code: prey.code };
    const { interaction } = await game.call("POST /zombie/hunt/{url_id}", { as: hunter, body });
    const recorded = await game.services.store.interaction(interaction.interaction_id);
    if (recorded === null) throw new Error("a hunt was not recorded");
    const messages = queueMessagesFor(recipientsOf(recorded), game.services.clock());
    must(messages.length === 1, `${messages.length} messages of a hunt`);
    const people = [await person("hunter", hunter), await person("prey", prey)];
    const run = { services: game.services, requestId: "bench", timeLeft: () => 60_000 };
    await note("hunt announced", people, async () => {
      for (const message of messages) await processMessage(run, message);
    });
  }
};

/** The work between two batches of deaths, and the second of them: as it goes on while there are any. */
const batchesIn = (accesses: readonly Access[]): Access[][] => {
  const isBatch = ({ kind, touches }: Access): boolean =>
    kind === "transaction" && touches.length > MAX_PLAYERS_PER_BATCH;
  const ends = accesses.flatMap((access, at) => (isBatch(access) ? [at] : []));
  // What comes before the first is the beginning of the whole; and the last is seldom a full one.
  return ends.slice(1, -1).map((end, n) => accesses.slice((ends[n] ?? 0) + 1, end + 1));
};

/** Batches of deaths, each of whom is "somebody". */
const bulkRecordings = async (
  operation: string,
  accesses: readonly Access[],
  { scene }: Stage,
): Promise<Recording[]> => {
  const { store } = scene.game.services;
  const recordings: Recording[] = [];
  for (const batch of batchesIn(accesses)) {
    const found = await store.players(touchedIn(batch));
    const people = [...found.values()].map(({ player_id: id, shard, state }): Person => {
      must(state === "corpse", `${operation}: a ${state} is left`);
      return { as: "somebody", shard, names: [id] };
    });
    must(people.length === MAX_PLAYERS_PER_BATCH, `${operation}: ${people.length} in a batch`);
    recordings.push({ operation, people, accesses: batch });
  }
  must(recordings.length > 1, `${operation}: ${recordings.length} batches`);
  return recordings;
};

/** The game as it is shown while the starved wait for the sweep. */
export const UNSWEPT = "GET /game, before the sweep";

const playBulk = async (stage: Stage): Promise<{ recordings: Recording[]; due: number }> => {
  const { scene, recorder, note, person } = stage;
  const { game, gm, human } = scene;
  const { store } = game.services;
  const run = { services: game.services, requestId: "bench", timeLeft: () => 600_000 };
  for (let n = 0; n < 2; n += 1) await note("sweep, nobody due", [], () => sweep(run));
  await game.pass(120 * HOUR);
  const { length: due } = await store.dueEntries(await store.game(), game.services.clock());
  for (let n = 0; n < 2; n += 1) {
    const someone = await human();
    await note(UNSWEPT, [await person("player", someone)], () =>
      game.call("GET /game/{url_id}", { as: someone }),
    );
  }
  const sweeping = await recorder.recorded(() => sweep(run));
  const swept = await bulkRecordings("sweep, batch of 48", sweeping, stage);
  await game.call("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Bridge" } });
  const killing = await recorder.recorded(async () => {
    const { complete } = await game.call("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: gm });
    must(complete === true, "the checkpoint was not enforced");
  });
  const killed = await bulkRecordings("kill all, batch of 48", killing, stage);
  return { recordings: [...swept, ...killed], due };
};

/** What was played. */
export interface Played {
  recordings: Recording[];
  /** How many zombies had starved, and were not recorded as dead yet, when {@link UNSWEPT} was asked for. */
  due: number;
}

/** Plays every operation in a game of so many shards. */
export const play = async (shards: number, script: Script): Promise<Played> => {
  const recorder = makeRecorder();
  const { between, consumed } = recorder;
  const game = await openGame({ shards, between, consumed, timeLeft: () => 600_000 });
  try {
    const { endpoint, table } = game.place;
    const indexes = await indexesOf(endpoint, table);
    recorder.look({ plain: openDatabase({ endpoint, table }), indexes });
    const recordings: Recording[] = [];
    const scene = await sceneOf(game, script.crowd);
    const stage: Stage = {
      scene,
      recorder,
      person: async (as, { id, alias, code }) => {
        const player = await game.services.store.player(id);
        const names = [id, foldAlias(alias), code, player?.infection_id ?? ""].filter((name) => name !== "");
        return { as, shard: player?.shard ?? 0, names };
      },
      note: async (operation, people, work) => {
        const accesses = await recorder.recorded(work);
        const known = new Set(people.flatMap(({ names }) => names));
        const others = [...touchedIn(accesses)].filter((id) => !known.has(id));
        const listed = others.map((id): Person => ({ as: "listed", shard: Number.NaN, names: [id] }));
        recordings.push({ operation, people: [...people, ...listed], accesses });
      },
    };
    await playHunts(stage, script);
    await playOthers(stage, script);
    await playAround(stage, script);
    const { recordings: bulk, due } = await playBulk(stage);
    return { recordings: [...recordings, ...bulk], due };
  } finally {
    await game.close();
  }
};
