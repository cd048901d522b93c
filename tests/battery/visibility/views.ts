/** Everything that a player can read, and how two readings are compared. */
import { isDeepStrictEqual } from "node:util";
import { ENDPOINTS } from "../../contract/seed.ts";
import type { Result } from "../../support/service.ts";
import { ORIGINAL, type Viewer, type World } from "./world.ts";

type Query = Record<string, string | number>;

/** The queries of an endpoint; one without a query for those that are not listed. Every page of a list is read. */
const QUERIES: Record<string, readonly Query[]> = {
  "GET /users/{url_id}": [
    ...[{}, { limit: 2 }, { state: "human" }, { state: "zombie", limit: 1 }, { state: "corpse" }],
  ],
  "GET /interactions/{url_id}": [
    ...[{}, { limit: 3 }],
    ...["hunt", "revive_human", "revive_zombie", "starve"].map((kind) => ({ kind })),
  ],
  "GET /interactions/leaderboard/{url_id}": [
    ...[{}, { limit: 2 }, { board: "survivors" }, { board: "survivors", around: "me", limit: 3 }],
  ],
  "GET /zombie/starvation/{url_id}": [{}, { limit: 1 }],
  "GET /admin/get_players/{url_id}": [
    ...[{}, { limit: 3 }, { state: "human" }, { state: "zombie" }, { search: "o" }],
  ],
  "GET /notifications/inbox/{url_id}": [{}, { limit: 1 }],
  // It needs the id of a notification, and is for game masters.
  "GET /notifications/status/{url_id}": [],
};

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

/** Reads an endpoint as a player, page by page. */
const readPages = async (
  { s, people }: World,
  viewer: Viewer,
  route: string,
  query: Query,
): Promise<Reading[]> => {
  const readings: Reading[] = [];
  let cursor: string | null = "";
  while (cursor !== null) {
    // A page about the caller continues like any other.
    const { around: _, ...further } = query;
    const asked: Query = cursor === "" ? query : { ...further, cursor };
    const result = await s.call(route, { as: people()[viewer], query: asked });
    const what = `${viewer}: ${route} ${JSON.stringify(query)} page ${readings.length}`;
    // A new endpoint with a required query has to be added to the list above.
    if (result.status === 400) throw new Error(`${what} cannot be read: ${result.text}`);
    readings.push(readingOf(what, result));
    cursor = result.status === 200 ? (result.body?.next_cursor ?? null) : null;
  }
  return readings;
};

/** Everything that a player can read; also of the original, by alias and by the ids of these infections. */
export const readAll = async (
  world: World,
  viewer: Viewer,
  { alias, infections }: { alias: string; infections: readonly string[] },
): Promise<Reading[]> => {
  const { s, people } = world;
  const as = people()[viewer];
  const readings: Reading[] = [];
  const read = async (route: string, query: Query) =>
    readings.push(...(await readPages(world, viewer, route, query)));
  for (const { route } of READS) for (const query of QUERIES[route] ?? [{}]) await read(route, query);
  for (const path of ["/get_player", "/get_pfp"]) {
    const route = `POST ${path}/{url_id}`;
    readings.push(readingOf(`${viewer}: ${route}`, await s.call(route, { as, body: { alias } })));
  }
  await read("GET /interactions/{url_id}", { player: alias });
  for (const root of infections) await read("GET /interactions/tree/{url_id}", { root });
  return readings;
};

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const orderOf = (node: unknown): string =>
  isObject(node) ? `${String(node.infected_at)} ${String(node.infection_id)}` : "";

/** A response without what the hunts of the hidden original add, or their reports by the prey in the other game. */
const withoutHidden = (value: unknown, infections: ReadonlySet<string>): unknown => {
  if (Array.isArray(value)) return value.map((one) => withoutHidden(one, infections));
  if (!isObject(value)) return value;
  const { hidden: _, infected_by_hidden: _1, ...rest } = value;
  if (Array.isArray(rest.roots)) {
    const root = rest.roots.find((one) => isObject(one) && one.hidden === true);
    const below: unknown[] = root?.children ?? [];
    rest.roots = [...rest.roots.filter((one) => one !== root), ...below].toSorted((one, other) =>
      orderOf(one) < orderOf(other) ? -1 : 1,
    );
    rest.size = Number(rest.size) - (root === undefined ? 0 : 1);
  }
  if (isObject(rest.details) && infections.has(String(rest.interaction_id))) {
    const { waiting: _2, ...details } = rest.details;
    rest.details = details;
  }
  return Object.fromEntries(
    Object.entries(rest).map(([name, inner]) => [name, withoutHidden(inner, infections)]),
  );
};

/** Whether a push, or a page of an inbox, names the original by the alias at the beginning or a later one. */
export const namesOriginal = ({ text }: Pick<Reading, "text">): boolean => text.includes(ORIGINAL);

const jsonOf = ({ text }: Reading): unknown => (text.startsWith("{") ? JSON.parse(text) : text);

/**
 * The first readings that differ; `null` if there are none.
 * @param hunts the hunts of the hidden original so far. Without any, every byte counts.
 */
export const findDifference = (
  hidden: readonly Reading[],
  plain: readonly Reading[],
  hunts: ReadonlySet<string>,
): { hidden: unknown; plain: unknown } | null => {
  const comparable = (reading: Reading | undefined): unknown => {
    if (reading === undefined || hunts.size === 0) return reading;
    const { what, status } = reading;
    return { what, status, json: withoutHidden(jsonOf(reading), hunts) };
  };
  const naming = hidden.find((reading) => reading.what.includes("/inbox") && namesOriginal(reading));
  if (naming !== undefined) return { hidden: naming, plain: null };
  // The prey is told of the hunt, and not of their own report.
  const compared = (all: readonly Reading[]) =>
    hunts.size === 0 ? all : all.filter(({ what }) => !what.includes("/inbox"));
  const [one, other] = [compared(hidden), compared(plain)];
  for (let at = 0; at < Math.max(one.length, other.length); at += 1) {
    const pair = { hidden: comparable(one[at]), plain: comparable(other[at]) };
    if (!isDeepStrictEqual(pair.hidden, pair.plain)) return pair;
  }
  return null;
};
