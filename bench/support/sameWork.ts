/** Whether all subjects do the same work: the same calls, the same items, and the same answer. */
import { isDeepStrictEqual } from "node:util";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { type Counts, parseCounter } from "../../lib/store/items.ts";
import { scan } from "../../tests/support/table.ts";
import type { Bundle } from "./bundle.ts";
import type { BenchDatabase } from "./database.ts";
import { huntEvent, playerEvent } from "./events.ts";
import { firstAnswer, type Reply } from "./lambda.ts";
import { putHunter, putPrey } from "./scene.ts";
import { type Kind, SUBJECTS, type Subject } from "./subjects.ts";

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const EVENT = /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g;
const DEADLINE = /\b\d{16}\b/g;
/** No other number of the game is as large as an instant in milliseconds. */
const INSTANT = 1e12;

/** A value with its keys in order, and with what differs from run to run replaced by what it is. */
const told = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (typeof value === "number") return value > INSTANT ? "INSTANT" : value;
  if (typeof value === "string") {
    let text = value;
    for (const [name, what] of names) text = text.replaceAll(name, what);
    return text.replaceAll(TIME, "TIME").replaceAll(EVENT, "EVENT").replaceAll(DEADLINE, "DEADLINE");
  }
  if (Array.isArray(value)) return value.map((one) => told(one, names));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).map(([key, inner]) => [key, told(inner, names)]);
  return Object.fromEntries(fields.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)));
};

type Items = ReadonlyMap<string, StoredItem>;

const itemsOf = async (place: BenchDatabase["place"]): Promise<Items> =>
  new Map((await scan({ place: () => place })).map((item) => [`${item.pk}\n${item.sk}`, item]));

const isCounter = ({ pk }: StoredItem): boolean => pk.startsWith("COUNT#");

/** What changed: new items, and those that are different now; which counter it was is left to chance. */
const changed = (before: Items, after: Items): StoredItem[] =>
  [...after]
    .filter(([key, item]) => !isCounter(item) && !isDeepStrictEqual(before.get(key), item))
    .map(([, item]) => item);

/** What the counters say together. */
const counted = (items: Items): Counts => {
  const sum = { humans: 0, zombies: 0, corpses: 0, spectators: 0 };
  for (const { humans, zombies, corpses, spectators } of [...items.values()]
    .filter(isCounter)
    .map(parseCounter)) {
    sum.humans += humans;
    sum.zombies += zombies;
    sum.corpses += corpses;
    sum.spectators += spectators;
  }
  return sum;
};

const replyOf = ({ statusCode, headers, body }: Reply): unknown => {
  const { "content-type": type } = headers ?? {};
  return { statusCode, type, body: JSON.parse(body ?? "null") };
};

/** One request to one subject, in words that are equal when the work is. */
const workOf = async (
  kind: Kind,
  { file }: Bundle,
  { place, env, calls }: BenchDatabase,
): Promise<unknown> => {
  const hunter = await putHunter(place);
  const [prey] = await putPrey(place, 1);
  if (prey === undefined) throw new Error("no prey was put");
  const before = await itemsOf(place);
  await calls();
  const event = kind === "hunt" ? huntEvent(hunter, prey) : playerEvent(hunter);
  const { reply } = await firstAnswer(file, event, env);
  const made = await calls();
  const after = await itemsOf(place);
  const [was, is] = [counted(before), counted(after)];
  const names = new Map([
    [prey.alias, "PREY'S ALIAS"],
    [prey.alias.toLowerCase(), "PREY'S FOLDED ALIAS"],
    [hunter.alias, "HUNTER'S ALIAS"],
    [hunter.alias.toLowerCase(), "HUNTER'S FOLDED ALIAS"],
    [hunter.id, "HUNTER"],
    [prey.id, "PREY"],
    [prey.code, "CODE"],
  ]);
  const items = changed(before, after).map((item) => JSON.stringify(told(item, names)));
  return {
    calls: told(made, names),
    counters: { humans: is.humans - was.humans, zombies: is.zombies - was.zombies },
    items: items.toSorted(),
    reply: told(replyOf(reply), names),
  };
};

/** @throws Error when a subject does other work for a request than ours does */
export const requireSameWork = async (
  kind: Kind,
  bundles: Record<Subject, Bundle>,
  database: BenchDatabase,
): Promise<void> => {
  const ours = await workOf(kind, bundles.ours, database);
  for (const subject of SUBJECTS) {
    const work = await workOf(kind, bundles[subject], database);
    if (isDeepStrictEqual(work, ours)) continue;
    const [one, other] = [ours, work].map((what) => JSON.stringify(what, null, 2));
    throw new Error(`${subject} does not do the work of ours for a ${kind}:\n${one}\n${subject}:\n${other}`);
  }
};
