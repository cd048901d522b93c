/** The operations whose capacity units are measured: their bounds, and functions that run each of them once. */
import { randomUUID } from "node:crypto";
import { HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import { fillSubscriptions } from "../../tests/support/subscribers.ts";
import { makeBrowser } from "../../tests/support/webPush.ts";
import type { Request, RequestOptions } from "../support/events.ts";
import { PASSWORD, type Units } from "../support/game.ts";
import type { Fixture } from "../support/players.ts";

type Bound = Pick<Units, "read" | "write">;

export interface Operation {
  name: string;
  target: Bound;
  /** A higher bound where the target cannot be met; docs/performance.md lists the reasons. */
  bound?: Bound;
  /** Prepares a game. @returns the request that is measured */
  prepare: (fixture: Fixture) => Request | Promise<Request>;
}

const FED = 200;
const SUBSCRIBED = 400;

const asGm =
  (route: string, options: RequestOptions = {}): Operation["prepare"] =>
  ({ gm }) => ({ route, as: gm, ...options });

const list = (route: string): Operation["prepare"] => asGm(route, { query: { limit: "100" } });

const changeState =
  (command: string): Operation["prepare"] =>
  async ({ game, gm, human, zombie }) => {
    const { id, alias } = await (command === "cure" ? zombie() : human());
    if (command.startsWith("revive")) {
      await game.call("POST /admin/corpsify/{url_id}", { as: gm, body: { player_id: id } });
    }
    return { route: `POST /admin/${command}/{url_id}`, as: gm, body: { alias } };
  };

const hunt: Operation["prepare"] = async ({ hunter, human }) => {
  const { code } = await human();
  return { route: "POST /zombie/hunt/{url_id}", as: hunter, body: { tag_code: code }, key: randomUUID() };
};

const subscribe: Operation["prepare"] = async ({ human }) => {
  const { p256dh, auth } = makeBrowser();
  const body = { endpoint: `https://fcm.googleapis.com/fcm/send/${randomUUID()}`, p256dh, auth };
  return { route: "POST /notifications/subscribe/{url_id}", as: await human(), body };
};

const sendToAll: Operation["prepare"] = async ({ game, gm }) => {
  const wanted = Array.from({ length: SUBSCRIBED }, (_, n) => ({ playerId: gm.id, path: `/fcm/send/${n}` }));
  await fillSubscriptions(game.place, "https://fcm.googleapis.com", wanted);
  const body = { title: "Run", content: "They come.", player_groups: "All" };
  return { route: "POST /notifications/send/{url_id}", as: gm, body };
};

const addMission = async ({ game, gm }: Fixture): Promise<string> => {
  const now = game.services.clock();
  const body = {
    ...{ title: "The bridge", starts_at: rfc3339(now - HOUR), ends_at: rfc3339(now + HOUR) },
    briefings: [{ audience: "all", text: "Hold the bridge. ".repeat(12), reveal_at: rfc3339(now - HOUR) }],
    ...{ attendance: "desk", rewards: [{ audience: "all", effect: { points: 5 } }] },
  };
  return (await game.call("POST /admin/set_mission/{url_id}", { as: gm, body })).mission_id;
};

const MISSIONS = 20;

/** Missions that the caller attended, of which so many are open. */
const missions =
  (open: number): Operation["prepare"] =>
  async (fixture) => {
    const { game, gm, hunter } = fixture;
    for (let n = 0; n < MISSIONS; n += 1) {
      const mission_id = await addMission(fixture);
      const body = { mission_id, alias: hunter.alias };
      await game.call("POST /admin/mission_attendance/{url_id}", { as: gm, body });
      if (n < MISSIONS - open)
        await game.call("POST /admin/close_mission/{url_id}", {
          as: gm,
          body: { mission_id, result: "both" },
        });
    }
    // From a minute after a closing, who attended is read from the index.
    Object.assign(game.services, { clock: () => Date.now() + MINUTE });
    return { route: "GET /missions/{url_id}", as: hunter, query: { limit: `${MISSIONS}` } };
  };

const attend: Operation["prepare"] = async (fixture) => {
  const { alias } = await fixture.human();
  const body = { mission_id: await addMission(fixture), alias };
  const route = "POST /admin/mission_attendance/{url_id}";
  return { route, as: fixture.gm, body, key: randomUUID() };
};

const redeem =
  (effect: object): Operation["prepare"] =>
  async ({ game, gm, zombie }) => {
    await game.call("POST /admin/settings/{url_id}", { as: gm, body: { originals_cured: true } });
    const batch = { label: "Crates", n: 1, audience: "all", uses: 1, uses_per_player: 1, effect };
    const { codes } = await game.call("POST /admin/create_codes/{url_id}", { as: gm, body: batch });
    const as = await zombie();
    await game.pass(HOUR);
    return {
      route: "POST /player/redeem/{url_id}",
      as,
      body: { code: codes[0].code },
      key: randomUUID(),
    };
  };

const STATE_CHANGE = { read: 4.5, write: 12 };

export const OPERATIONS: readonly Operation[] = [
  {
    name: "check token and load player (GET /player)",
    target: { read: 2.5, write: 0 },
    prepare: ({ hunter }) => ({ route: "GET /player/{url_id}", as: hunter }),
  },
  {
    name: "login",
    target: { read: 3, write: 6 },
    prepare: ({ hunter: { alias } }) => ({ route: "POST /login", body: { alias, password: PASSWORD } }),
  },
  {
    name: "logout",
    target: { read: 1, write: 2 },
    prepare: async ({ human }) => ({ route: "POST /logout", as: await human() }),
  },
  { name: "hunt", target: { read: 4.5, write: 20 }, prepare: hunt },
  { name: "corpsify", target: STATE_CHANGE, prepare: changeState("corpsify") },
  { name: "cure", target: STATE_CHANGE, bound: { read: 4.5, write: 13 }, prepare: changeState("cure") },
  { name: "revive_h", target: STATE_CHANGE, prepare: changeState("revive_h") },
  { name: "revive_z", target: STATE_CHANGE, prepare: changeState("revive_z") },
  {
    name: `feed ${FED}`,
    target: { read: 3 + FED / 8, write: 8 * FED },
    bound: { read: 3 + FED / 8, write: 8 * FED + 16 * Math.ceil(FED / 48) + 10 },
    prepare: asGm("POST /admin/feed/{url_id}", { body: { n: FED } }),
  },
  {
    name: "add a day",
    target: { read: 3, write: 6 },
    bound: { read: 5.5, write: 6 },
    prepare: asGm("POST /admin/zombies_add_day/{url_id}"),
  },
  {
    name: "leaderboard 100",
    target: { read: 5, write: 0 },
    prepare: list("GET /interactions/leaderboard/{url_id}"),
  },
  {
    name: "page of 100 users",
    target: { read: 5.5, write: 0 },
    // Long aliases, and the time since which each player is a human.
    bound: { read: 6, write: 0 },
    prepare: list("GET /users/{url_id}"),
  },
  {
    name: "page of 100 interactions",
    target: { read: 60, write: 0 },
    prepare: list("GET /interactions/{url_id}"),
  },
  {
    name: "player count",
    target: { read: 10, write: 0 },
    bound: { read: 10, write: 1 },
    prepare: asGm("GET /admin/player_count/{url_id}"),
  },
  {
    name: `page of ${MISSIONS} missions, 2 of them open`,
    target: { read: 4, write: 0 },
    bound: { read: 5.5, write: 0 },
    prepare: missions(2),
  },
  {
    name: `page of ${MISSIONS} missions, all open`,
    target: { read: 4, write: 0 },
    bound: { read: 4 + MISSIONS / 2, write: 0 },
    prepare: missions(MISSIONS),
  },
  { name: "attendance", target: { read: 8.5, write: 8 }, prepare: attend },
  {
    name: "redeem food",
    target: { read: 7, write: 14 },
    prepare: redeem({ feed_seconds: 1_800, points: 5 }),
  },
  { name: "redeem an antidote", target: { read: 7, write: 20 }, prepare: redeem({ cure: true, points: 5 }) },
  { name: "subscribe", target: { read: 2, write: 8 }, bound: { read: 4.5, write: 8 }, prepare: subscribe },
  {
    name: `send to ${SUBSCRIBED}`,
    target: { read: 2 + SUBSCRIBED / 20, write: 6 + SUBSCRIBED / 1_000 },
    bound: { read: 5 + SUBSCRIBED / 11, write: 12 },
    prepare: sendToAll,
  },
];
