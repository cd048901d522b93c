/** One of the two games: the service on a table of its own, with its clock, its stream and its pushes. */
import type { DynamoDBRecord } from "aws-lambda";
import { processMessage } from "../../../lib/app/workers/queueWorker.ts";
import { processStreamRecords } from "../../../lib/app/workers/streamWorker.ts";
import { type Player, type State, stateOf } from "../../../lib/domain/player.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import type { Outbound } from "../../../lib/queue/queue.ts";
import { type TestEnvironment, type TestPlayer, testEnvironment } from "../../support/service.ts";
import type { Snapshot } from "../../support/snapshot.ts";
import { insertRecord } from "../../support/streamRecords.ts";
import { fillSubscriptions } from "../../support/subscribers.ts";
import { newMirror } from "../mirror.ts";
import { fixed, type Pushed, pushed, WEBHOOK } from "./fixed.ts";

/** Those who are not told who the original zombie is: a zombie, a moderator, a corpse, a spectator and humans. */
export const VIEWERS = ["Zoe", "Mia", "Cid", "Sue", "Hal", "Ida", "Jon"] as const;
export type Viewer = (typeof VIEWERS)[number];

/** The player who is a hidden original zombie in one game, and human in the other. */
export const ORIGINAL = "Ova";
export const MASTER = "Gus";
const PASSWORD = "correct horse battery";

export type Name = Viewer | typeof ORIGINAL | typeof MASTER;
export type People = Record<Name, TestPlayer>;

export interface World {
  s: TestEnvironment;
  /** Whether the original is one here. */
  isHidden: boolean;
  /** Restores the beginning of all games. */
  restart: () => Promise<void>;
  people: () => People;
  /** Lets the original delete the account and register again. */
  comeBack: (alias: string) => Promise<void>;
  player: (name: Name) => Promise<Player>;
  state: (name: Name) => Promise<State>;
  /** What the workers push since the last call to those who are not told, in a fixed order. */
  work: () => Promise<Pushed[]>;
}

const isRecord = ({ pk }: StoredItem): boolean => /^(INTERACTIONS|LOGS)#/.test(pk);

/** Plays the beginning once for both games. */
const playBeginning = async (s: TestEnvironment): Promise<People> => {
  const gus = await s.admin(MASTER);
  const joined: [string, TestPlayer][] = [[MASTER, gus]];
  for (const alias of [...VIEWERS, ORIGINAL])
    joined.push([alias, await (alias === "Mia" ? s.moderator(alias) : s.join(alias))]);
  const people = Object.fromEntries(joined) as People;
  await s.outbreak(gus, people.Zoe);
  const master = (word: string, body: object) => s.must(`POST /admin/${word}/{url_id}`, { as: gus, body });
  await master("corpsify", { alias: "Cid" });
  await master("make_spectator", { alias: "Sue" });
  await s.must("POST /edit_player/{url_id}", { as: people.Ova, body: { wants_original: true } });
  const webhooks = [{ url: WEBHOOK, format: "signed" }];
  await master("settings", { hide_originals: true, sharers: 3, webhooks });
  const wanted = Object.values(people).map(({ id, alias }) => ({ playerId: id, path: `/${alias}` }));
  await fillSubscriptions(s.place(), "https://push.example", wanted);
  return people;
};

/** Two games; to be called where tests are declared. */
export const twoWorlds = (): { worlds: [World, World]; begin: () => Promise<void> } => {
  let beginning: { table: Snapshot; people: People } | undefined;

  const newWorld = (isHidden: boolean) => {
    const mirror = newMirror({ servesReads: true, servesLists: true });
    const queued: Outbound[] = [];
    let people: People | undefined;
    let announced = 0;
    let seen = new Set<string>();
    const s = testEnvironment({
      database: mirror.database,
      services: () => ({
        clock: () => fixed.now,
        queue: {
          async send(messages) {
            queued.push(...messages);
          },
        },
      }),
    });
    const started = () => {
      if (beginning === undefined) throw new Error("the games have not begun");
      return beginning;
    };
    const run = () => ({ services: s.services, requestId: "workers", timeLeft: () => 60_000 });

    const newRecords = (): DynamoDBRecord[] => {
      const versions = mirror.versions().slice(announced).filter(isRecord);
      announced = mirror.versions().length;
      return versions.map((item) => {
        const name = `${item.pk} ${item.sk}`;
        const record = insertRecord(item);
        const eventName = seen.has(name) ? "MODIFY" : "INSERT";
        seen.add(name);
        return { ...record, eventName };
      });
    };

    const player = async (name: Name): Promise<Player> => {
      const found = await s.store.player(world.people()[name].id);
      if (found === null) throw new Error(`there is no ${name}`);
      return found;
    };
    const world: World = {
      s,
      isHidden,
      people: () => people ?? started().people,
      async comeBack(alias) {
        const now = world.people();
        await s.must("DELETE /delete_player/{url_id}", { as: now[ORIGINAL] });
        const body = { alias, password: PASSWORD, wants_original: true };
        await s.must("POST /new", { body });
        people = { ...now, [ORIGINAL]: await s.login(alias, PASSWORD) };
      },
      player,
      state: async (name) => stateOf(await player(name), await s.store.game(), fixed.now),
      async restart() {
        await mirror.restore(s, started().table);
        [announced, seen] = [0, new Set()];
        queued.length = 0;
        people = undefined;
      },
      async work() {
        pushed.length = 0;
        await mirror.catchUp(s);
        await processStreamRecords(run(), newRecords());
        while (queued.length > 0) {
          const [next] = queued.splice(0, 1);
          if (next !== undefined) await processMessage(run(), next.message);
        }
        const told = pushed.filter(({ endpoint }) => !/\/(Ova|Gus)$/.test(endpoint));
        return told.toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
      },
    };
    return { world, mirror };
  };

  const [hidden, plain] = [newWorld(true), newWorld(false)];
  return {
    worlds: [hidden.world, plain.world],
    async begin() {
      const { s } = hidden.world;
      const people = await playBeginning(s);
      await hidden.mirror.catchUp(s);
      beginning = { people, table: new Map(hidden.mirror.items()) };
      for (const { mirror, world } of [hidden, plain]) {
        await mirror.catchUp(world.s);
        await world.restart();
      }
    },
  };
};
