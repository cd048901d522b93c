/** Everything that a player can read, and how two readings are compared. */
import { expect } from "vitest";
import { playerRef } from "../../../lib/store/accounts/playerRefs.ts";
import { notificationEntries, parseRecord } from "../../../lib/store/notifications/notifications.ts";
import { ENDPOINTS } from "../../contract/endpoints.ts";
import type { Result, TestPlayer } from "../../support/service.ts";
import { ORIGINAL, type People, PLAYING, VISITOR, type Viewer, type World } from "./world.ts";

/** Loosely typed, as it is only compared. */
type Body = Result["body"];
type Query = Record<string, string | number>;

/** The queries of an endpoint; one without a query for those that are not listed. Every page of a list is read. */
const QUERIES: Record<string, readonly Query[]> = {
  "GET /users/{url_id}": [
    { limit: 2 },
    { state: "human" },
    { state: "zombie", limit: 1 },
    { state: "corpse" },
  ],
  "GET /interactions/{url_id}": [
    { limit: 3 },
    ...["hunt", "revive_human", "revive_zombie", "starve"].map((kind) => ({ kind })),
  ],
  "GET /interactions/leaderboard/{url_id}": [
    ...[
      { limit: 2 },
      { board: "survivors" },
      { board: "points", limit: 2 },
      { board: "survivors", around: "me", limit: 3 },
    ],
  ],
  "GET /zombie/starvation/{url_id}": [{ limit: 1 }],
  "GET /admin/get_players/{url_id}": [
    ...[
      { limit: 3 },
      { state: "human" },
      { state: "zombie" },
      { search: "o" },
      { label: "waiver", limit: 1 },
    ],
    ...["true", "false"].flatMap((is) => [{ passed: is }, { pending: is }]),
  ],
  "GET /missions/{url_id}": [{}, { limit: 1 }],
  "GET /notifications/inbox/{url_id}": [{ limit: 1 }],
  "GET /admin/mail/{url_id}": [{ limit: 2 }],
  "GET /admin/readiness/{url_id}": [{ limit: 3 }, { lacks: "signature" }, { lacks: "age" }],
  // It needs the id of a notification.
  "GET /notifications/status/{url_id}": [],
};

/** The commands that game masters can preview. */
const PREVIEWS: readonly [word: string, body: object][] = [
  ["kill_all_not_at_checkpoint", {}],
  ["feed_group", { state: "zombie" }],
  ["revive_all", { state: "corpse" }],
  ["draw_originals", { n: 1 }],
  ["enforce_missions", { min: 1 }],
  ["finish_season", { result: "zombies", grace_seconds: 60 }],
];

/** Modules whose functions read nothing of the game: the web app, and the documentation. */
const STATIC = ["docs", "web"];
const READS = ENDPOINTS.filter(({ route, module }) => route.startsWith("GET ") && !STATIC.includes(module));

/** A response as a player gets it. */
export interface Reading {
  what: string;
  status: number;
  headers: Record<string, string>;
  text: string;
}

export const readingOf = (what: string, { status, headers, text }: Result): Reading => {
  // It differs between any two requests.
  const { "x-request-id": _, ...rest } = headers;
  return { what, status, headers: rest, text: text.replace(/"request_id":"[^"]*"/, '"request_id":""') };
};

const callerOf = (viewer: Viewer, people: People): TestPlayer | null =>
  viewer === VISITOR ? null : people[viewer];

/** A tag code that the original has or had in the eyes of others, in each game. */
export interface Codes {
  hidden: string;
  plain: string;
}

export const codeIn = ({ isHidden }: World, { hidden, plain }: Codes): string => (isHidden ? hidden : plain);

/** Reads an endpoint as a player, page by page. */
const readPages = async ({ s, people }: World, viewer: Viewer, route: string, query: Query) => {
  const readings: Reading[] = [];
  for (let asked: Query | null = query; asked !== null; ) {
    const result: Result = await s.call(route, { as: callerOf(viewer, people()), query: asked });
    const what = `${viewer}: ${route} ${JSON.stringify(query)} page ${readings.length}`;
    // A new endpoint with a required query has to be added to the list above.
    if (result.status === 400) throw new Error(`${what} cannot be read: ${result.text}`);
    readings.push(readingOf(what, result));
    // A page about the caller continues like any other.
    const { around: _, ...further } = query;
    const cursor = result.body?.next_cursor ?? null;
    asked = cursor === null ? null : { ...further, cursor };
  }
  return readings;
};

/** The ids of the notifications that were sent. */
const sentIn = async ({ s }: World): Promise<string[]> => {
  const ids: string[] = [];
  for await (const { item } of notificationEntries(s.store, await s.store.game(), 100, {}))
    ids.push(parseRecord(item).notification.notification_id);
  return ids;
};

interface Asked {
  alias: string;
  codes: readonly Codes[];
  infections: readonly string[];
  missions?: readonly string[];
}

/** Everything that a viewer can read; also of the original, by alias, by tag codes and by the ids of these infections. */
export const readAll = async (
  world: World,
  viewer: Viewer,
  { alias, codes, infections, missions = [] }: Asked,
): Promise<Reading[]> => {
  const { s, people } = world;
  const as = callerOf(viewer, people());
  const readings: Reading[] = [];
  const read = async (route: string, query: Query) =>
    readings.push(...(await readPages(world, viewer, route, query)));
  // In one game only, the log has the commands on the original, and a prey's own report uses the session.
  const reads = READS.filter(({ route }) => viewer !== PLAYING || !/get_logs|session/.test(route));
  for (const { route } of reads) for (const query of QUERIES[route] ?? [{}]) await read(route, query);
  for (const [word, body] of viewer === PLAYING ? PREVIEWS : []) {
    const result = await s.call(`POST /admin/${word}/{url_id}`, { as, body: { ...body, dry_run: true } });
    readings.push(readingOf(`${viewer}: ${word}`, result));
  }
  for (const notification_id of viewer === PLAYING ? await sentIn(world) : [])
    await read("GET /notifications/status/{url_id}", { notification_id });
  const { batches = [] } = viewer === PLAYING ? (await s.call("GET /admin/codes/{url_id}", { as })).body : {};
  for (const { batch_id } of batches) await read("GET /admin/codes/{url_id}", { batch_id });
  for (const path of ["/get_player", "/get_pfp"]) {
    const route = `POST ${path}/{url_id}`;
    readings.push(readingOf(`${viewer}: ${route}`, await s.call(route, { as, body: { alias } })));
  }
  await read("GET /interactions/{url_id}", { player: alias });
  for (const mission_id of viewer === VISITOR ? [] : missions)
    await read("GET /missions/{url_id}", { mission_id, limit: 2 });
  const { finish } = await s.store.game();
  if (finish !== null) {
    const result = await s.call("GET /seasons/{season_id}", { as, id: finish.season_id });
    readings.push(readingOf(`${viewer}: GET /seasons/{season_id}`, result));
  }
  for (const root of infections) await read("GET /interactions/tree/{url_id}", { root });
  for (const [at, both] of codes.entries()) {
    const code = codeIn(world, both);
    // It may differ between the games, so only what it finds is compared.
    for (const q of [code, `${code.slice(0, 4).toLowerCase()}-${code.slice(4)}`, code.slice(0, 5)]) {
      const result = await s.call("GET /admin/find/{url_id}", { as, query: { q } });
      readings.push(readingOf(`${viewer}: finds code ${at} by ${q.length} characters`, result));
    }
  }
  for (const q of [alias.slice(0, 2), playerRef(people()[ORIGINAL].id), "o"])
    await read("GET /admin/find/{url_id}", { q });
  return readings;
};

/** A response without the fields by which a hunt of the hidden original and a report of the prey differ. */
const withoutHidden = (text: string, infections: ReadonlySet<string>): unknown => {
  if (!text.startsWith("{")) return text;
  const placeOf = (node: Body): string => `${node.infected_at} ${node.infection_id}`;
  const whole = JSON.parse(text, (_, value) => {
    if (Array.isArray(value?.roots)) {
      const known = value.roots.flatMap((one: Body) => (one.hidden === true ? one.children : [one]));
      value.size -= value.roots.some((one: Body) => one.hidden === true) ? 1 : 0;
      value.roots = known.toSorted((one: Body, other: Body) => (placeOf(one) < placeOf(other) ? -1 : 1));
    }
    if (infections.has(value?.interaction_id)) delete value.details?.waiting;
    // A game master who plays does not see why the tag of a hidden original was voided.
    if (infections.has(value?.details?.voided_interaction_id)) delete value.details.reason;
    return value;
  });
  const isMark = (name: string): boolean => /^(infected_by_)?hidden$/.test(name);
  return JSON.parse(JSON.stringify(whole, (name, value) => (isMark(name) ? undefined : value)));
};

/** Expects equal readings of both games. @param hunts the hidden original's hunts; without any, every byte counts */
export const expectAlike = (
  hidden: readonly Reading[],
  plain: readonly Reading[],
  hunts: ReadonlySet<string>,
): void => {
  const isInbox = ({ what }: Reading): boolean => what.includes("/inbox");
  for (const { what, text } of hidden.filter(isInbox)) expect(text, what).not.toContain(ORIGINAL);
  const comparable = (readings: readonly Reading[]) => {
    if (hunts.size === 0) return readings;
    // The prey's inbox has the hunt in one game, but not their own report in the other.
    return readings
      .filter((reading) => !isInbox(reading))
      .map(({ headers: _, ...rest }) => ({ ...rest, text: withoutHidden(rest.text, hunts) }));
  };
  const [one, other] = [comparable(hidden), comparable(plain)];
  for (const [n, reading] of one.entries()) expect(reading, reading.what).toEqual(other[n]);
  expect(other).toHaveLength(one.length);
};
