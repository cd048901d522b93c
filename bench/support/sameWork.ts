/** Checks that all subjects do the same work: that calls of the database, stored items and responses are equal. */
import { isDeepStrictEqual } from "node:util";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { parseCounter } from "../../lib/store/items.ts";
import { playerRef } from "../../lib/store/playerRefs.ts";
import { scan } from "../../tests/support/table.ts";
import type { Bundle } from "./bundle.ts";
import type { BenchDatabase } from "./database.ts";
import { eventOf } from "./events.ts";
import { huntRequest, playerRequest, putHunter, putPrey } from "./hunts.ts";
import { firstReply } from "./lambda.ts";
import { type Kind, SUBJECTS, type Subject } from "./subjects.ts";

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const UUID_V7 = /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g;
const DEADLINE = /\b\d{16}\b/g;
/** Numbers above this are times in milliseconds. */
const MIN_TIME = 1e12;

/** Returns a value with sorted keys, in which ids, codes and times are replaced by fixed names. */
const normalized = (value: unknown, names: ReadonlyMap<string, string>): unknown => {
  if (typeof value === "number") return value > MIN_TIME ? "TIME" : value;
  if (typeof value === "string") {
    let text = value;
    for (const [found, name] of names) text = text.replaceAll(found, name);
    return text.replaceAll(TIME, "TIME").replaceAll(UUID_V7, "UUID").replaceAll(DEADLINE, "DEADLINE");
  }
  if (Array.isArray(value)) return value.map((one) => normalized(one, names));
  if (typeof value !== "object" || value === null) return value;
  const fields = Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(fields.map(([key, inner]) => [key, normalized(inner, names)]));
};

const isCounter = ({ pk }: StoredItem): boolean => pk.startsWith("COUNT#");

/** Returns the items by key, and the sums of the counters, whose slots are random. */
const readTable = async (place: BenchDatabase["place"]) => {
  const all = await scan({ place: () => place });
  const items = new Map(
    all.filter((item) => !isCounter(item)).map((item) => [`${item.pk}\n${item.sk}`, item]),
  );
  const counters = all.filter(isCounter).map(parseCounter);
  const sum = (state: "humans" | "zombies"): number => counters.reduce((all, one) => all + one[state], 0);
  return { items, humans: sum("humans"), zombies: sum("zombies") };
};

/** Returns the work for one request, in a form that can be compared. */
const workOf = async (
  kind: Kind,
  { file }: Bundle,
  { place, env, calls }: BenchDatabase,
): Promise<unknown> => {
  const hunter = await putHunter(place);
  const [prey] = await putPrey(place, 1);
  if (prey === undefined) throw new Error("there is no prey");
  const before = await readTable(place);
  await calls();
  const request = kind === "hunt" ? huntRequest(hunter, prey) : playerRequest(hunter);
  const { reply } = await firstReply(file, eventOf(request), env);
  const made = await calls();
  const after = await readTable(place);
  const changed = [...after.items].filter(([key, item]) => !isDeepStrictEqual(before.items.get(key), item));
  const names = new Map(
    Object.entries({ hunter, prey }).flatMap(([who, own]) => [
      [own.alias, `${who}'s alias`],
      [own.alias.toLowerCase(), `${who}'s folded alias`],
      [own.id, who],
      [playerRef(own.id), `${who}'s ref`],
    ]),
  ).set(prey.code, "code");
  const { statusCode, headers, body } = reply;
  return {
    calls: normalized(made, names),
    counters: { humans: after.humans - before.humans, zombies: after.zombies - before.zombies },
    items: changed.map(([, item]) => JSON.stringify(normalized(item, names))).toSorted(),
    reply: normalized(
      { statusCode, type: headers?.["content-type"], body: JSON.parse(body ?? "null") },
      names,
    ),
  };
};

/** @throws Error if a peer does not do the same work for a request as our handler */
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
    throw new Error(
      `${subject} does not do the same work as our handler for a ${kind}:\n${one}\n${subject}:\n${other}`,
    );
  }
};
