/** Runs every operation on the embedded engine and records its calls of the database. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import {
  MAX_ANNOUNCEMENTS_PER_MESSAGE,
  queueMessagesFor,
} from "../../lib/app/notifications/queueMessages.ts";
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { sweep } from "../../lib/app/workers/sweep.ts";
import { type Recipient, recipientsOf } from "../../lib/domain/events/eventRecipients.ts";
import { HOUR, MINUTE } from "../../lib/domain/time.ts";
import { MAX_PLAYERS_PER_BATCH } from "../../lib/jobs/bulk.ts";
import { type Account, PASSWORD } from "../support/game.ts";
import { type Fixture, withPlayers } from "../support/players.ts";
import { type Call, makeRecorder, type Recorder } from "./recorder.ts";
import type { Recording } from "./requests.ts";
import { readIndexes } from "./sizes.ts";

export interface RecordingPlan {
  hunts: number;
  /** The number of recordings of each other operation, except those of the sweep. */
  others: number;
  /** The number of players in the game before the recordings begin. It must be large enough to fill the pages of lists. */
  players: number;
}

interface Context extends Fixture {
  plan: RecordingPlan;
  recorder: Recorder;
  recordings: Recording[];
  record: (operation: string, work: () => Promise<unknown>, hunters?: readonly Account[]) => Promise<void>;
}

/** Few hunters hunt often: the item of a player grows with the number of feedings. */
const HUNTERS = 6;

const recordHunts = async ({ game, human, zombie, record, plan }: Context): Promise<void> => {
  const hunters: Account[] = [];
  while (hunters.length < HUNTERS) hunters.push(await zombie());
  for (let n = 0; n < plan.hunts + plan.others; n += 1) {
    const [hunter, ...sharers] = [0, 1, 2].flatMap((at) => hunters.at((n + at) % HUNTERS) ?? []);
    if (hunter === undefined) throw new Error("there is no hunter");
    const isShared = n >= plan.hunts;
    const prey = await human();
    const share = isShared ? { share_with: sharers.map(({ alias }) => alias) } : {};
    const hunt = async (): Promise<void> => {
      const request = { as: hunter, body: { tag_code: prey.code, ...share }, key: randomUUID() };
      const response = await game.call("POST /zombie/hunt/{url_id}", request);
      assert(response.prey.state === "zombie" && response.hunter.kills > 0, JSON.stringify(response));
    };
    if (isShared) await record("hunt, shared by three", hunt, [hunter, ...sharers]);
    else await record("hunt", hunt, [hunter]);
    const after = await game.services.store.player(prey.id);
    assert(after?.state === "zombie" && after.infected_by === hunter.id, `${prey.alias} was not infected`);
  }
};

const LIVE = "GET /live/{url_id}";
const LISTS = {
  "GET /player": "GET /player/{url_id}",
  "GET /game": "GET /game/{url_id}",
  "leaderboard of 100": "GET /interactions/leaderboard/{url_id}",
  "page of 100 users": "GET /users/{url_id}",
  "page of 100 starving": "GET /zombie/starvation/{url_id}",
  "page of 100 interactions": "GET /interactions/{url_id}",
  "page of 100 players, for game masters": "GET /admin/get_players/{url_id}",
  "player count, for game masters": "GET /admin/player_count/{url_id}",
};

const recordLists = async ({ game, gm, zombie, record, plan }: Context): Promise<void> => {
  for (let n = 0; n < plan.others; n += 1) {
    const player = await zombie();
    const credentials = { alias: player.alias, password: PASSWORD };
    // An open page asks what has happened since its last request, which is mostly nothing. A minute later, the request does
    // not read the latest interactions again (OVERLAP_MS in lib/app/live.ts).
    const { clock } = game.services;
    const { next_after: after } = await game.call(LIVE, { as: player });
    game.services.clock = () => clock() + MINUTE;
    await record("GET /live", () => game.call(LIVE, { as: player, query: { after: String(after) } }));
    game.services.clock = clock;
    await record("login", () => game.call("POST /login", { body: credentials }));
    for (const [name, route] of Object.entries(LISTS)) {
      const as = route.includes("/admin/") ? gm : player;
      const query = name.includes("100") ? { query: { limit: "100" } } : {};
      await record(name, () => game.call(route, { as, ...query }));
    }
  }
};

/** A full message: the stream's batches of 100 become such messages during a burst. */
export const ANNOUNCEMENT = `${MAX_ANNOUNCEMENTS_PER_MESSAGE} hunts announced`;

const recordOtherOperations = async ({ game, human, zombie, record, plan }: Context): Promise<void> => {
  const hunter = await zombie();
  const run = { services: game.services, requestId: "bench", timeLeft: () => 60_000 };
  const hunted = async (): Promise<Recipient[]> => {
    const { code } = await human();
    const hunt = { as: hunter, body: { tag_code: code } };
    const { interaction } = await game.call("POST /zombie/hunt/{url_id}", hunt);
    const { store } = game.services;
    const stored = await store.interaction(await store.game(), interaction.interaction_id);
    if (stored === null) throw new Error("a hunt was not stored");
    return recipientsOf(stored);
  };
  const recordAnnouncement = async (operation: string, recipients: readonly Recipient[]): Promise<void> => {
    const messages = queueMessagesFor(recipients, game.services.clock());
    assert(messages.length === 1, `${messages.length} messages`);
    await record(operation, async () => {
      for (const message of messages) await processMessage(run, message);
    });
  };
  for (let n = 0; n < plan.others; n += 1) {
    const body = { alias: `Stranger ${n} z`, password: PASSWORD };
    await record("new account", () => game.call("POST /new", { body }));
    await recordAnnouncement("hunt announced", await hunted());
  }
  const recipients: Recipient[] = [];
  while (recipients.length < MAX_ANNOUNCEMENTS_PER_MESSAGE) recipients.push(...(await hunted()));
  await recordAnnouncement(ANNOUNCEMENT, recipients);
};

/** The calls of each batch but the first, which includes the start of the sweep, and the last, which may be incomplete. */
const batchesIn = (calls: readonly Call[]): Call[][] => {
  const ends = calls.flatMap(({ kind, touches }, at) =>
    kind === "transaction" && touches.length > MAX_PLAYERS_PER_BATCH ? [at] : [],
  );
  return ends.slice(1, -1).map((end, n) => calls.slice((ends[n] ?? 0) + 1, end + 1));
};

/** `GET /game` while starved zombies wait for the sweep. */
export const BEFORE_SWEEP = "GET /game, before the sweep";

/** @returns how many zombies had starved before the recorded batches */
const recordSweep = async ({ game, human, record, recorder, recordings }: Context): Promise<number> => {
  const { store, clock } = game.services;
  const run = { services: game.services, requestId: "bench", timeLeft: () => 600_000 };
  for (let n = 0; n < 2; n += 1) await record("sweep, nobody due", () => sweep(run));
  await game.pass(120 * HOUR);
  const { length: starved } = await store.dueEntries(await store.game(), clock());
  for (let n = 0; n < 2; n += 1) {
    const as = await human();
    await record(BEFORE_SWEEP, () => game.call("GET /game/{url_id}", { as }));
  }
  const batches = batchesIn(await recorder.record(() => sweep(run)));
  assert(batches.length > 1, `${batches.length} batches of the sweep`);
  recordings.push(...batches.map((calls) => ({ operation: "sweep, batch of 48", hunters: [], calls })));
  return starved;
};

/**
 * Records all operations in a game with this number of shards.
 * @returns the recordings, and how many zombies had starved and were not swept yet at {@link BEFORE_SWEEP}
 */
export const play = async (shards: number, plan: RecordingPlan) => {
  const recorder = makeRecorder(await readIndexes());
  const { between, consumed } = recorder;
  const options = { shards, between, consumed, timeLeft: () => 600_000 };
  return withPlayers(plan.players, options, async (fixture) => {
    const recordings: Recording[] = [];
    const context: Context = {
      ...fixture,
      plan,
      recorder,
      recordings,
      record: async (operation, work, hunters = []) => {
        const calls = await recorder.record(work);
        recordings.push({ operation, hunters: hunters.map(({ id }) => id), calls });
      },
    };
    await recordHunts(context);
    await recordLists(context);
    await recordOtherOperations(context);
    return { recordings, starved: await recordSweep(context) };
  });
};
