/** One of the two games: the service on a table of its own, with its clock, its stream and its pushes. */
import { randomBytes } from "node:crypto";
import type { DynamoDBRecord } from "aws-lambda";
import { processMessage } from "../../../lib/app/workers/queueWorker.ts";
import { processStreamRecords } from "../../../lib/app/workers/streamWorker.ts";
import { type Player, type State, stateOf } from "../../../lib/domain/players/player.ts";
import { publicPlay } from "../../../lib/domain/players/visibility.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import type { Outbound } from "../../../lib/queue/queue.ts";
import { makeConfirmation, WITH_MAIL } from "../../support/confirmation.ts";
import { type TestEnvironment, type TestPlayer, testEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import { insertRecord } from "../../support/streamRecords.ts";
import { fillSubscriptions } from "../../support/subscribers.ts";
import { newMirror } from "../mirror.ts";
import { fixed, type Pushed, pushed, WEBHOOK } from "./fixed.ts";

/** A game master who plays, and so must not know the original either. */
export const PLAYING = "Pam";

/** Players who do not know the original zombie: a zombie, a moderator, a corpse, a spectator, a game master and humans. */
export const VIEWERS = ["Zoe", "Mia", "Cid", "Sue", PLAYING, "Hal", "Ida", "Jon"] as const;

/** Somebody without an account. */
export const VISITOR = "a visitor";
export type Viewer = (typeof VIEWERS)[number] | typeof VISITOR;

/** The player who is a hidden original zombie in one game, and human in the other. */
export const ORIGINAL = "Ova";
export const MASTER = "Gus";
const PASSWORD = "correct horse battery";

export type Name = (typeof VIEWERS)[number] | typeof ORIGINAL | typeof MASTER;
export type People = Record<Name, TestPlayer>;

const isRecord = ({ pk }: StoredItem): boolean => /^(INTERACTIONS|EVENT|SECRET#OUTBOX$)/.test(pk);

/** Plays the beginning once for both games. */
const playBeginning = async (s: TestEnvironment): Promise<People> => {
  const gus = await s.admin(MASTER);
  const joined: [string, TestPlayer][] = [[MASTER, gus]];
  const join = (alias: string): Promise<TestPlayer> => {
    if (alias === PLAYING) return s.admin(alias, true);
    return alias === "Mia" ? s.moderator(alias) : s.join(alias);
  };
  for (const alias of [...VIEWERS, ORIGINAL]) joined.push([alias, await join(alias)]);
  const people = Object.fromEntries(joined) as People;
  await s.outbreak(gus, people.Zoe);
  // Everybody but a moderator and a spectator is also reached by mail.
  for (const as of joined.map(([, one]) => one).filter(({ alias }) => !["Mia", "Sue"].includes(alias))) {
    const email = `${as.alias}@example.org`;
    await s.must("POST /edit_player/{url_id}", { as, body: { email } });
    const token = await makeConfirmation(s.store, as.id, email, s.now);
    await s.must("POST /confirm_email", { body: { token } });
  }
  const master = (word: string, body: object) => s.must(`POST /admin/${word}/{url_id}`, { as: gus, body });
  await master("corpsify", { alias: "Cid" });
  await master("make_spectator", { alias: "Sue" });
  await s.must("POST /edit_player/{url_id}", { as: people.Ova, body: { wants_original: true } });
  const webhooks = [{ url: WEBHOOK, format: "signed" }];
  await master("label", { aliases: ["Hal", "Mia", ORIGINAL], add: ["waiver"] });
  await master("settings", { hide_originals: true, public_board: true, sharers: 3, webhooks });
  const wanted = Object.values(people).map(({ id, alias }) => ({ playerId: id, path: `/${alias}` }));
  await fillSubscriptions(s.place(), "https://push.example", wanted);
  return people;
};

/** The place of the first id that workers give in a step: after all others. */
const OF_WORKERS = 0x800;

/** What both games begin with. */
interface Beginning {
  table: Snapshot;
  people: People;
}

/** A game; to be called where tests are declared. @param isHidden whether the original is a hidden zombie in it */
const newWorld = (isHidden: boolean) => {
  const mirror = newMirror({ servesReads: true, servesLists: true });
  const queued: Outbound[] = [];
  let people = {} as People;
  let announced = 0;
  const s = testEnvironment({
    // Ids start again with each step, and the engine must not take a transaction for a repeated one.
    database: (usual) =>
      mirror.database({
        ...usual,
        transact: (writes) => usual.transact(writes, randomBytes(16).toString("hex")),
      }),
    services: () => ({
      clock: () => fixed.now,
      queue: { send: async (messages) => void queued.push(...messages) },
      // So fast that no mail waits for its turn.
      mail: { ...WITH_MAIL, perMinute: 1_000_000 },
    }),
  });

  const newRecords = (): DynamoDBRecord[] => {
    const versions = mirror.versions();
    const records = versions.flatMap((item, n): DynamoDBRecord[] => {
      if (n < announced || !isRecord(item)) return [];
      const first = versions.findIndex(({ pk, sk }) => pk === item.pk && sk === item.sk);
      return [{ ...insertRecord(item), eventName: first === n ? "INSERT" : "MODIFY" }];
    });
    announced = versions.length;
    return records;
  };

  const player = async (name: Name): Promise<Player> => {
    const found = await s.store.player(people[name].id);
    if (found === null) throw new Error(`there is no ${name}`);
    return found;
  };
  return {
    s,
    isHidden,
    mirror,
    people: () => people,
    player,
    /** The tag code that others may know of the original now; empty if there is none. */
    shownCode: async (): Promise<string> =>
      publicPlay(await player(ORIGINAL), await s.store.game(), fixed.now).tag_code ?? "",
    state: async (name: Name): Promise<State> => stateOf(await player(name), await s.store.game(), fixed.now),
    /** Lets the original delete the account and register again. */
    async comeBack(alias: string) {
      await s.must("DELETE /delete_player/{url_id}", { as: people[ORIGINAL] });
      await s.must("POST /new", { body: { alias, password: PASSWORD, wants_original: true } });
      people = { ...people, [ORIGINAL]: await s.login(alias, PASSWORD) };
    },
    /** Restores the beginning of all games. Later ones begin when the sessions of game masters have expired. */
    async restart(beginning: Beginning) {
      await mirror.restore(s, beginning.table);
      announced = 0;
      queued.length = 0;
      [fixed.given, fixed.uuids] = [0, 0];
      people = { ...beginning.people };
      for (const name of [MASTER, PLAYING, "Mia"] as const) people[name] = await s.login(name, PASSWORD);
    },
    /** The messages that workers push and mail to viewers and webhooks since the last call, in a fixed order. */
    async work(): Promise<Pushed[]> {
      const run = { services: s.services, requestId: "workers", timeLeft: () => 60_000 };
      pushed.length = 0;
      fixed.given = OF_WORKERS;
      await mirror.catchUp(s);
      // A sweep can queue messages without a record.
      for (let records = newRecords(); records.length > 0 || queued.length > 0; records = newRecords()) {
        await processStreamRecords(run, records);
        for (let next = queued.shift(); next !== undefined; next = queued.shift())
          await processMessage(run, next.message);
      }
      const visible = pushed.filter(({ endpoint }) => !/\/(Ova|Gus)$/.test(endpoint));
      return visible.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
    },
  };
};
export type World = ReturnType<typeof newWorld>;

/** Two games; to be called where tests are declared. */
export const twoWorlds = () => {
  const [hidden, plain] = [newWorld(true), newWorld(false)];
  return {
    worlds: [hidden, plain] as const,
    async begin(): Promise<Beginning> {
      const people = await playBeginning(hidden.s);
      return { people, table: await snapshot(hidden.s) };
    },
  };
};
