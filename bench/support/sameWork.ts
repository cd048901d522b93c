/** Checks that all subjects do the same work: that calls of the database, stored items and responses are equal. */
import { inspect, isDeepStrictEqual } from "node:util";
import type { StoredItem } from "../../lib/dynamodb/database.ts";
import { playerRef } from "../../lib/store/accounts/playerRefs.ts";
import { parseCounter } from "../../lib/store/items.ts";
import { scan } from "../../tests/support/table.ts";
import type { Bundle } from "./bundle.ts";
import type { BenchDatabase } from "./database.ts";
import { eventOf } from "./events.ts";
import { huntRequest, playerRequest, putHunter, putPrey } from "./hunts.ts";
import { firstReply } from "./lambda.ts";
import { type Kind, SUBJECTS, type Subject } from "./subjects.ts";

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/g;
const UUID_V7 = /[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}/g;
/** Milliseconds since 1970, and deadlines in keys. */
const INSTANT = /\b\d{13,16}\b/g;

/** Returns a value as text with sorted keys, in which ids, codes and times are replaced by fixed names. */
const textOf = (value: unknown, names: ReadonlyMap<string, string>): string => {
  const all = { depth: null, maxArrayLength: null, maxStringLength: null };
  let text = inspect(value, { ...all, sorted: true, compact: false });
  for (const [found, name] of names) text = text.replaceAll(found, name);
  return text.replaceAll(TIME, "TIME").replaceAll(UUID_V7, "UUID").replaceAll(INSTANT, "INSTANT");
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

/** Returns the work for one request, as text that can be compared. */
const workOf = async (kind: Kind, file: string, { place, env, calls }: BenchDatabase): Promise<string> => {
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
  const items = changed.map(([, item]) => textOf(item, names)).toSorted();
  const counters = { humans: after.humans - before.humans, zombies: after.zombies - before.zombies };
  const response = { statusCode, type: headers?.["content-type"], body: JSON.parse(body ?? "null") };
  return [textOf({ calls: made, counters, response }, names), ...items].join("\n");
};

/** @throws Error if a peer does not do the same work for a request as our handler */
export const requireSameWork = async (
  kind: Kind,
  bundles: Record<Subject, Bundle>,
  database: BenchDatabase,
): Promise<void> => {
  const ours = await workOf(kind, bundles.ours.file, database);
  for (const subject of SUBJECTS) {
    const work = await workOf(kind, bundles[subject].file, database);
    if (work === ours) continue;
    throw new Error(
      `${subject} does not do the same work as our handler for a ${kind}:\n${ours}\n${subject}:\n${work}`,
    );
  }
};
