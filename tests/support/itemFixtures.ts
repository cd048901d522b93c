/** Fixtures with an item of every kind, as each version of the service stores them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import * as z from "zod/mini";
import { queueMessagesFor } from "../../lib/app/notifications/queueMessages.ts";
import { processMessage } from "../../lib/app/workers/queueWorker.ts";
import { recipientsOf } from "../../lib/domain/gameEvents.ts";
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import type { Key } from "../../lib/dynamodb/key.ts";
import { startContinuation } from "../../lib/jobs/continuation.ts";
import { newcomerTagsWrites } from "../../lib/store/alarms.ts";
import { firstIdAt, keys } from "../../lib/store/keys.ts";
import { readMoments } from "../../lib/store/statistics.ts";
import { itemOf, keyOf, lineOf } from "../../scripts/archive/format.ts";
import type { RawItem } from "../../scripts/archive/rawItem.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { playGame } from "./playedGame.ts";
import { type PushService, status } from "./pushService.ts";
import type { TestEnvironment, TestPlayer } from "./service.ts";
import { makeBrowser } from "./webPush.ts";

/** Its players, by name. */
export type People = Record<string, TestPlayer>;

/**
 * Plays a game that stores an item of every kind. The push service accepts the first push on retry.
 * @param wait advances the service's clock, in milliseconds
 */
export const playEveryKind = async (
  s: TestEnvironment,
  push: PushService,
  wait: (milliseconds: number) => void,
): Promise<People> => {
  const { gm, ada, ben, cid, dee } = await playGame(s);
  // The second change of the schedule keeps the first one.
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  const settings = {
    ...{
      time_zone: "Europe/Berlin",
      rules: "# Rules",
      description: "A week of tag.",
      contact: "gm@hvz.example",
    },
    ...{ play_hours: Object.fromEntries(days.map((day) => [day, [["00:00", "24:00"]]])), stun: "15 minutes" },
    ...{ starts_at: "2020-01-01T00:00:00Z", feeding_period_seconds: 172_800 },
  };
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: settings });
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { ends_at: "2999-01-01T00:00:00Z" } });
  const master = await s.admin("Grandmaster");
  await s.must("DELETE /subscriptions/unsubscribe/{url_id}", { as: dee });
  const { p256dh, auth } = makeBrowser();
  const body = { endpoint: `${push.origin}/dee`, p256dh, auth };
  await s.must("POST /notifications/subscribe/{url_id}", { as: dee, body });
  push.answer("/dee", status(429, { "retry-after": "60" }));
  const news = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };
  await s.must("POST /notifications/send/{url_id}", { as: gm, body: news, key: "news" });
  const later = { ...news, audience: "humans", send_at: rfc3339(s.services.clock() + 29 * DAY) };
  await s.must("POST /notifications/send/{url_id}", { as: gm, body: later });

  // From another address, whose failures are counted.
  const far = "192.0.2.7";
  const jon = { alias: "Jon", password: "far from home" };
  await s.must("POST /new", { body: jon, from: far, key: "registration" });
  const guess = (more: Record<string, unknown> = {}) =>
    s.call("POST /login", { body: { ...jon, password: "not that one", ...more }, from: far });
  await guess();
  const { device_token } = (await s.must("POST /login", { body: jon, from: far })).body;
  await guess();
  await guess({ device_token });
  await s.must("POST /admin/feed/{url_id}", { as: gm, body: { n: 49 }, key: "dinner" });
  for (const word of ["pause_game", "resume_game"]) await s.must(`POST /admin/${word}/{url_id}`, { as: gm });

  // A broadcast of an event, as the workers plan it.
  const run = { services: s.services, requestId: "a broadcast", timeLeft: () => 60_000 };
  const { interactions } = (await s.must("GET /interactions/{url_id}", { as: gm, query: { kind: "resume" } }))
    .body;
  const resumed = await s.store.interaction(await s.store.game(), interactions[0].interaction_id);
  if (resumed === null) throw new Error("no resumption");
  const [message] = queueMessagesFor(recipientsOf(resumed), s.services.clock());
  if (message === undefined) throw new Error("nothing to tell");
  await processMessage(run, message);
  push.answer("/dee", status(201));
  wait(2 * MINUTE);
  await s.work({ hurry: true });

  const killAll = (key?: string) =>
    s.must("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: gm, key });
  await killAll();
  const { checkpoint } = await s.store.game();
  const undo = { checkpoint_id: checkpoint?.checkpoint_id, reason: "The list was late." };
  await s.must("POST /admin/undo_checkpoint/{url_id}", { as: gm, body: undo });
  await killAll("kill-all");
  await s.must("POST /admin/revive_z/{url_id}", { as: gm, body: { player_id: ada.id } });
  await s.must("POST /admin/revive_z/{url_id}", { as: gm, body: { player_id: cid.id } });
  await s.must("POST /admin/revive_h/{url_id}", { as: gm, body: { player_id: ben.id } });
  await s.pass(47 * HOUR);
  await s.must("POST /admin/feed_player/{url_id}", { as: gm, body: { player_id: ada.id } });
  await s.sweep();
  await s.pass(2 * HOUR);
  await s.sweep();
  // A zombie with more than one feeding.
  const kim = await s.join("Kim");
  await s.must("POST /zombie/hunt/{url_id}", { as: ada, body: { tag_code: kim.code } });
  // Tags from both sides: one that waits, one with its hunter, and the codes of two who have left, one of them used.
  const [lea, moe, ned, ola] = [
    await s.join("Lea"),
    await s.join("Moe"),
    await s.join("Ned"),
    await s.join("Ola"),
  ];
  for (const as of [lea, moe]) {
    await s.must("POST /player/report_tagged/{url_id}", { as, body: { by_alias: "Ada" } });
  }
  for (const as of [ned, ola]) await s.must("DELETE /delete_player/{url_id}", { as });
  for (const { code } of [moe, ola]) {
    await s.must("POST /zombie/hunt/{url_id}", { as: ada, body: { tag_code: code } });
  }
  // A dispute that is open, and one that is resolved.
  const query = { kind: "hunt" };
  const { body: recorded } = await s.must("GET /interactions/{url_id}", { as: gm, query });
  for (const [as, outcome] of [[moe], [kim, "stands"]] as const) {
    const { interaction_id } = recorded.interactions.find(
      ({ target }: { target: string }) => target === as.alias,
    );
    await s.must("POST /interactions/dispute/{url_id}", {
      as,
      body: { interaction_id, reason: "I was at home." },
    });
    if (outcome === undefined) continue;
    const body = { dispute_id: interaction_id, outcome, note: "Ada saw it." };
    await s.must("POST /admin/resolve_dispute/{url_id}", { as: gm, body });
  }
  // Who waits to be admitted, who was admitted, and who was taken out of play.
  const set = (body: Record<string, unknown>) => s.must("POST /admin/settings/{url_id}", { as: gm, body });
  await set({ registration: "approval" });
  for (const alias of ["Pam", "Pia"]) await s.join(alias);
  await s.must("POST /admin/admit/{url_id}", { as: gm, body: { alias: "Pam" } });
  await s.must("POST /admin/make_spectator/{url_id}", { as: gm, body: { alias: "Kim" } });
  // A hidden original zombie.
  await set({ hide_originals: true });
  for (const word of ["corpsify", "revive_z"]) {
    await s.must(`POST /admin/${word}/{url_id}`, { as: gm, body: { alias: "Pam" } });
  }
  const ban = { alias: "Pia", until: "2999-01-01T00:00:00Z", reason: "Hit somebody." };
  await s.must("POST /admin/ban/{url_id}", { as: gm, body: ban });
  await set({ unique_email: true });
  await s.must("POST /edit_player/{url_id}", { as: lea, body: { email: "lea@example.org" } });
  const [first, second] = [
    { code: "brains", uses: 2, ends_at: "2999-01-01T00:00:00Z" },
    { code: "more brains" },
  ];
  await set({ registration: "open", join_codes: [first, second] });
  await set({ webhooks: [{ url: "https://hooks.example.org/x", format: "signed", events: ["hunt"] }] });
  const now = s.services.clock();
  const tag = { interaction_id: firstIdAt(now), target: kim.id, at: rfc3339(now) };
  const alert = { alert_id: firstIdAt(now), hunts: [tag] };
  const by = { hash: "h", hunter: ada.id, at: tag.at, now };
  const none = { rev: 0, tags: [], alert: null };
  await s.store.commit(newcomerTagsWrites(none, { tags: [tag], alert }, by), () => 60_000);
  // As if the hour had passed.
  await readMoments(s.store, await s.store.game(), s.services.clock() + 2 * HOUR, () => 60_000);
  await startContinuation(s.services, "bulk work", null);
  return { gm, ada, ben, cid, dee, master };
};

const word = (text: string): string => text.split("#", 1)[0]?.toLowerCase() ?? "";

/** Partitions of secrets that do not belong to a player. */
const OF_NOBODY =
  /^SECRET#(NOBODY|ENDPOINT|ONCE|BROADCAST|THROTTLE|TAGS|JOIN_CODES|WEBHOOKS|EMAIL|TOMBSTONES|BANS)(?:#|$)/;

/** The kind of an item, by its key; the name of its fixture file. */
export const kindOf = ({ pk, sk }: Key): string => {
  if (pk === keys.game.pk) return `game-${word(sk)}`;
  const [, secret] = OF_NOBODY.exec(pk) ?? [];
  if (secret !== undefined) return secret === "BROADCAST" ? `broadcast-${word(sk)}` : secret.toLowerCase();
  if (pk.startsWith("SECRET#") || pk.startsWith(keys.player("").pk)) return word(sk);
  return pk.startsWith("JOB#") ? `job-${word(sk)}` : word(pk);
};

/** Every kind that has a key, except marks of commands, which no function reads. */
export const everyKind = (): Set<string> => {
  const made = Object.values(keys).map((key): Key => {
    if (typeof key !== "function") return key;
    const numbered: (...args: never[]) => Key = key;
    // The first argument is a shard or a name: either will do for the kind.
    return Reflect.apply(numbered, undefined, ["0", "0", "0"]);
  });
  const ofCommands = [keys.importing, keys.resetting].map(kindOf);
  return new Set(made.map(kindOf).filter((kind) => !ofCommands.includes(kind)));
};

const FOLDER = join(ROOT, "tests/fixtures/items");
const ENDING = ".ndjson";

/** A game as a version of the service has stored it. */
export interface Fixture {
  version: string;
  /** When it was stored, in milliseconds since 1970. */
  at: number;
  people: People;
  items: RawItem[];
}

const Person = z.object({
  id: z.string(),
  alias: z.string(),
  password: z.string(),
  token: z.string(),
  code: z.nullable(z.string()),
});
const Left = z.object({ at: z.number(), people: z.record(z.string(), Person) });

/** The versions with a fixture, the newest last. */
export const versions = (): string[] =>
  readdirSync(FOLDER).toSorted((one, other) => Number(one.slice(1)) - Number(other.slice(1)));

export const readFixture = (version: string): Fixture => {
  const folder = join(FOLDER, version);
  const left = Left.parse(JSON.parse(readFileSync(join(folder, "game.json"), "utf8")));
  const files = readdirSync(folder).filter((name) => name.endsWith(ENDING));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
  return { version, ...left, items: lines.map(itemOf) };
};

/** Writes a fixture of a new version: one file for each kind, one line for each item. @throws where there is one */
export const writeFixture = ({ version, at, people, items }: Fixture): void => {
  const folder = join(FOLDER, version);
  mkdirSync(folder);
  writeFileSync(join(folder, "game.json"), `${JSON.stringify({ at, people }, null, 2)}\n`);
  for (const [kind, own] of Map.groupBy(items, (item) => kindOf(keyOf(item)))) {
    const lines = own.map(lineOf).toSorted();
    writeFileSync(join(folder, `${kind}${ENDING}`), `${lines.join("\n")}\n`);
  }
};

/** For each kind, the attributes of its items and their types, also within lists and maps. */
export const shapesOf = (items: readonly RawItem[]): Map<string, Set<string>> => {
  const shapes = new Map<string, Set<string>>();
  for (const item of items) {
    const kind = kindOf(keyOf(item));
    const shape = shapes.get(kind) ?? new Set();
    shapes.set(kind, shape);
    for (const [name, value] of Object.entries(item)) addShape(shape, name, value);
  }
  return shapes;
};

const addShape = (shape: Set<string>, path: string, value: RawItem[string]): void => {
  const [type = ""] = Object.keys(value);
  shape.add(`${path}: ${type}`);
  for (const [name, within] of Object.entries(value.M ?? {})) addShape(shape, `${path}.${name}`, within);
  for (const within of value.L ?? []) addShape(shape, `${path}[]`, within);
};

/** An attribute of a later version, which this one does not know. */
export const UNKNOWN_ATTRIBUTE = "of_a_later_version";

const withUnknownIn = (value: RawItem[string]): RawItem[string] => {
  if (value.L !== undefined) return { L: value.L.map(withUnknownIn) };
  if (value.M !== undefined) return { M: withUnknownAttributes(value.M) };
  return value;
};

/**
 * Maps whose names are data: what the log says of a call, which game masters are shown as it is, how far the warnings of
 * each kind have come, and the days of the play hours.
 */
const DATA = ["details", "upTo", "play_hours"];

/** An item as a later version may have written it: with an attribute more, also in every map within. */
export const withUnknownAttributes = (item: RawItem): RawItem => ({
  ...Object.fromEntries(
    Object.entries(item).map(([name, value]) => [name, DATA.includes(name) ? value : withUnknownIn(value)]),
  ),
  [UNKNOWN_ATTRIBUTE]: { S: "?" },
});
