/** The operations whose capacity units are measured: their bounds, and functions that run each of them once. */
import { randomUUID } from "node:crypto";
import { fillSubscriptions } from "../../tests/support/subscribers.ts";
import { makeBrowser } from "../../tests/support/webPush.ts";
import type { RequestOptions } from "../support/events.ts";
import { PASSWORD, type Units } from "../support/game.ts";
import type { Fixture } from "../support/players.ts";

interface Bound {
  read: number;
  write: number;
}

export interface Operation {
  name: string;
  target: Bound;
  /** A higher bound where the target cannot be met; docs/performance.md lists the reasons. */
  bound?: Bound;
  run: (fixture: Fixture) => Promise<Units>;
}

const FED = 200;
const SUBSCRIBED = 400;

const asGm =
  (route: string, options: RequestOptions = {}): Operation["run"] =>
  ({ game, gm }) =>
    game.measure(() => game.call(route, { as: gm, ...options }));

const list = (route: string): Operation["run"] => asGm(route, { query: { limit: "100" } });

const changeState =
  (command: string): Operation["run"] =>
  async ({ game, gm, human, zombie }) => {
    const { id, alias } = await (command === "cure" ? zombie() : human());
    if (command.startsWith("revive")) {
      await game.call("POST /admin/corpsify/{url_id}", { as: gm, body: { player_id: id } });
    }
    return game.measure(() => game.call(`POST /admin/${command}/{url_id}`, { as: gm, body: { alias } }));
  };

const hunt: Operation["run"] = async ({ game, hunter, human }) => {
  const { code } = await human();
  const request = { as: hunter, body: { tag_code: code }, key: randomUUID() };
  return game.measure(() => game.call("POST /zombie/hunt/{url_id}", request));
};

const subscribe: Operation["run"] = async ({ game, human }) => {
  const as = await human();
  const { p256dh, auth } = makeBrowser();
  const body = { endpoint: `https://fcm.googleapis.com/fcm/send/${randomUUID()}`, p256dh, auth };
  return game.measure(() => game.call("POST /notifications/subscribe/{url_id}", { as, body }));
};

const sendToAll: Operation["run"] = async (fixture) => {
  const { game, gm } = fixture;
  const paths = Array.from({ length: SUBSCRIBED }, (_, n) => `/fcm/send/${n}`);
  const wanted = paths.map((path) => ({ playerId: gm.id, path }));
  await fillSubscriptions(game.place, "https://fcm.googleapis.com", wanted);
  const body = { title: "Run", content: "They come.", player_groups: "All" };
  return asGm("POST /notifications/send/{url_id}", { body })(fixture);
};

const STATE_CHANGE = { read: 4.5, write: 12 };

export const OPERATIONS: readonly Operation[] = [
  {
    name: "check token and load player (GET /player)",
    target: { read: 2.5, write: 0 },
    run: ({ game, hunter }) => game.measure(() => game.call("GET /player/{url_id}", { as: hunter })),
  },
  {
    name: "login",
    target: { read: 3, write: 6 },
    run: ({ game, hunter: { alias } }) =>
      game.measure(() => game.call("POST /login", { body: { alias, password: PASSWORD } })),
  },
  {
    name: "logout",
    target: { read: 1, write: 2 },
    run: async ({ game, human }) => {
      const as = await human();
      return game.measure(() => game.call("POST /logout", { as }));
    },
  },
  { name: "hunt", target: { read: 4.5, write: 20 }, run: hunt },
  { name: "corpsify", target: STATE_CHANGE, run: changeState("corpsify") },
  {
    name: "cure",
    target: STATE_CHANGE,
    bound: { read: 4.5, write: 13 },
    run: changeState("cure"),
  },
  { name: "revive_h", target: STATE_CHANGE, run: changeState("revive_h") },
  { name: "revive_z", target: STATE_CHANGE, run: changeState("revive_z") },
  {
    name: `feed ${FED}`,
    target: { read: 3 + FED / 8, write: 8 * FED },
    bound: { read: 3 + FED / 8, write: 8 * FED + 16 * Math.ceil(FED / 48) + 10 },
    run: asGm("POST /admin/feed/{url_id}", { body: { n: FED } }),
  },
  {
    name: "add a day",
    target: { read: 3, write: 6 },
    bound: { read: 5.5, write: 6 },
    run: asGm("POST /admin/zombies_add_day/{url_id}"),
  },
  {
    name: "leaderboard 100",
    target: { read: 5, write: 0 },
    run: list("GET /interactions/leaderboard/{url_id}"),
  },
  { name: "page of 100 users", target: { read: 5.5, write: 0 }, run: list("GET /users/{url_id}") },
  {
    name: "page of 100 interactions",
    target: { read: 60, write: 0 },
    run: list("GET /interactions/{url_id}"),
  },
  {
    name: "player count",
    target: { read: 10, write: 0 },
    bound: { read: 10, write: 1 },
    run: asGm("GET /admin/player_count/{url_id}"),
  },
  {
    name: "subscribe",
    target: { read: 2, write: 8 },
    bound: { read: 4.5, write: 8 },
    run: subscribe,
  },
  {
    name: `send to ${SUBSCRIBED}`,
    target: { read: 2 + SUBSCRIBED / 20, write: 6 + SUBSCRIBED / 1_000 },
    bound: { read: 5 + SUBSCRIBED / 11, write: 12 },
    run: sendToAll,
  },
];
