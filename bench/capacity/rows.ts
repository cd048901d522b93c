/** The operations whose capacity is counted: what each may consume, and how one of it is made to happen. */
import { randomUUID } from "node:crypto";
import { fillSubscriptions } from "../../tests/support/subscribers.ts";
import { makeBrowser } from "../../tests/support/webPush.ts";
import type { Scene } from "./crowd.ts";
import { PASSWORD, type Units } from "./game.ts";

interface Bound {
  read: number;
  write: number;
}

export interface Row {
  name: string;
  /** What was asked for, in units. */
  target: Bound;
  /** What it comes to where that cannot be reached, and why. */
  least?: Bound & { because: string };
  run: (scene: Scene) => Promise<Units>;
}

const upon =
  (word: string) =>
  async ({ game, gm, human, zombie }: Scene): Promise<Units> => {
    const target = await (word === "cure" ? zombie() : human());
    if (word.startsWith("revive")) {
      await game.call("POST /admin/corpsify/{url_id}", { as: gm, body: { player_id: target.id } });
    }
    const body = { alias: target.alias };
    return game.measured(() => game.call(`POST /admin/${word}/{url_id}`, { as: gm, body }));
  };

const asked =
  (route: string, query?: Record<string, string>) =>
  async ({ game, gm }: Scene): Promise<Units> =>
    game.measured(() => game.call(route, { as: gm, ...(query === undefined ? {} : { query }) }));

const FED = 200;
const SUBSCRIBED = 400;

const CURE = {
  read: 4.5,
  write: 13,
  because:
    "player 2, its three indexes 3, new tag code 2, interaction 2, counters 2, log entry 2, all in one transaction",
};
const FEED = {
  read: 3 + FED / 8,
  write: 8 * FED + 16 * Math.ceil(FED / 48) + 10,
  because:
    "with each 48: the job's progress, its results and the state of the plan; at the end the log entry",
};
const ADD_DAY = {
  read: 5.5,
  write: 6,
  because: "the answer says how many zombies live: all counters 2, and those due but not recorded yet 0.5",
};
const COUNT = { read: 10, write: 1, because: "every call of an administrator is logged" };
const SUBSCRIBE = {
  read: 4.5,
  write: 8,
  because: "token, player and game 3; whose the endpoint was 0.5, and which others the player has 1",
};
const SEND = {
  read: 5 + SUBSCRIBED / 11,
  write: 12,
  because:
    "an entry of the index has 690 bytes: the keys of a browser and two of the table; notification, plan, job, answer and log entry are 2 each",
};

export const ROWS: readonly Row[] = [
  {
    name: "check token and load player (GET /player)",
    target: { read: 2.5, write: 0 },
    run: ({ game, hunter }) => game.measured(() => game.call("GET /player/{url_id}", { as: hunter })),
  },
  {
    name: "login",
    target: { read: 3, write: 6 },
    run: ({ game, hunter }) =>
      game.measured(() => game.call("POST /login", { body: { alias: hunter.alias, password: PASSWORD } })),
  },
  {
    name: "logout",
    target: { read: 1, write: 2 },
    run: async ({ game, human }) => {
      const as = await human();
      return game.measured(() => game.call("POST /logout", { as }));
    },
  },
  {
    name: "hunt",
    target: { read: 4.5, write: 20 },
    run: async ({ game, hunter, human }) => {
      const prey = await human();
      return game.measured(() =>
        game.call("POST /zombie/hunt/{url_id}", {
          as: hunter,
          body: { tag_code: prey.code },
          key: randomUUID(),
        }),
      );
    },
  },
  ...["corpsify", "cure", "revive_h", "revive_z"].map((word) => ({
    name: word,
    target: { read: 4.5, write: 12 },
    ...(word === "cure" ? { least: CURE } : {}),
    run: upon(word),
  })),
  {
    name: `feed ${FED}`,
    target: { read: 3 + FED / 8, write: 8 * FED },
    least: FEED,
    run: ({ game, gm }) =>
      game.measured(() => game.call("POST /admin/feed/{url_id}", { as: gm, body: { n: FED } })),
  },
  {
    name: "add a day",
    target: { read: 3, write: 6 },
    least: ADD_DAY,
    run: ({ game, gm }) => game.measured(() => game.call("POST /admin/zombies_add_day/{url_id}", { as: gm })),
  },
  {
    name: "leaderboard 100",
    target: { read: 5, write: 0 },
    run: asked("GET /interactions/leaderboard/{url_id}", { limit: "100" }),
  },
  {
    name: "page of 100 users",
    target: { read: 5, write: 0 },
    run: asked("GET /users/{url_id}", { limit: "100" }),
  },
  {
    name: "page of 100 interactions",
    target: { read: 60, write: 0 },
    run: asked("GET /interactions/{url_id}", { limit: "100" }),
  },
  {
    name: "player count",
    target: { read: 10, write: 0 },
    least: COUNT,
    run: asked("GET /admin/player_count/{url_id}"),
  },
  {
    name: "subscribe",
    target: { read: 2, write: 8 },
    least: SUBSCRIBE,
    run: async ({ game, human }) => {
      const as = await human();
      const endpoint = `https://fcm.googleapis.com/fcm/send/${randomUUID()}`;
      const { p256dh, auth } = makeBrowser();
      return game.measured(() =>
        game.call("POST /notifications/subscribe/{url_id}", { as, body: { endpoint, p256dh, auth } }),
      );
    },
  },
  {
    name: `send to ${SUBSCRIBED}`,
    target: { read: 2 + SUBSCRIBED / 20, write: 6 + SUBSCRIBED / 1_000 },
    least: SEND,
    run: async ({ game, gm }) => {
      const wanted = Array.from({ length: SUBSCRIBED }, (_, n) => ({
        playerId: gm.id,
        path: `/fcm/send/${n}`,
      }));
      await fillSubscriptions(game.place, "https://fcm.googleapis.com", wanted);
      const body = { title: "Run", content: "They come.", player_groups: "All" };
      return game.measured(() => game.call("POST /notifications/send/{url_id}", { as: gm, body }));
    },
  },
];
