/** The facts in the table, read as simply as possible, and the facts that the model expects. */
import { createHash } from "node:crypto";
import { MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { checkpointView, lastKillOf, refOf } from "./bodies.ts";
import { eventOf, playerOf } from "./game.ts";
import { foldedOf } from "./names.ts";
import type { Device, Model, Player } from "./state.ts";

/** Facts by their names. */
export type Written = Record<string, unknown>;

const after = (text: string, prefix: string): string => text.slice(prefix.length);

const time = (instant: number | null): string | null => (instant === null ? null : rfc3339(instant));

/** When a zombie starves and whether it has, computed from the stored clock: its game time and its cuts. */
const hungerIn = (game: StoredItem | undefined, { deadline, epoch }: StoredItem, now: number) => {
  const [offset, pausedAt] = [game?.offset ?? 0, game?.paused_at ?? null];
  const cuts = Array.isArray(game?.cuts) ? game.cuts : [];
  const [due, since] = [Number(deadline), Number(epoch)];
  const cut = cuts.find((one) => one.epoch > since && due <= one.at);
  const at = due + Number(cut?.offset ?? offset);
  return { at: rfc3339(at), hasStarved: cut !== undefined || at <= Number(pausedAt ?? now) };
};

/** Entries that still count. Older ones are removed by the next write. */
const recent = (misses: unknown, now: number): unknown[] =>
  Array.isArray(misses) ? misses.filter((miss) => Date.parse(miss) > now - 10 * MINUTE) : [];

/** Some fields of an item, by their names. */
const pick = (item: StoredItem, names: string): Written =>
  Object.fromEntries(names.split(" ").map((name) => [name, item[name]]));

const OF_PLAYER =
  "alias first_name last_name email is_admin state kills has_pfp created_at tag_code code_since last_kill_at " +
  "wants_original last_fed_at checkpoint_id passed_at infection_id infected_at infected_by";

const playerIn = (game: StoredItem | undefined, item: StoredItem, now: number): Written => ({
  ...pick(item, OF_PLAYER),
  misses: recent(item.misses, now),
  picture: item.target ?? null,
  hunger: item.deadline === null ? null : hungerIn(game, item, now),
  listedAs: item.gsi1sk,
  isAmongZombies: "gsi2pk" in item,
  isOnLeaderboard: "gsi3pk" in item,
});

const STATES = ["human", "zombie", "corpse", "spectator"] as const;

const failuresInWords = (failures: unknown): string =>
  failures === undefined ? "" : JSON.stringify(Object.entries(Object(failures)).toSorted());

const deviceInWords = ({ used, failures }: Record<string, unknown> | Device): string =>
  `${used} ${failuresInWords(failures)}`;

const list = (value: unknown): StoredItem[] => (Array.isArray(value) ? value : []);

/** Descriptions without an order. */
const sorted = <T>(things: readonly T[], inWords: (thing: T) => string): string[] =>
  things.map(inWords).toSorted();

const eventIn = (item: StoredItem): Written => ({
  ...pick(item, "kind at recorded_at actor target"),
  parent: item.parent ?? null,
  shared_with: item.shared_with ?? [],
  voided: item.voided_by !== undefined,
  voids: item.voids ?? null,
  waiting: item.waiting_since ?? null,
  suspect: item.suspect ?? null,
  dispute: item.dispute ?? null,
  withdrawn: item.withdrawn ?? false,
  returned: item.returned ?? false,
  drawn: item.drawn ?? false,
});

const disputeIn = (item: StoredItem): Written => ({
  status: item.status,
  said: list(item.entries).map(({ by, at, speaker }) => `${speaker} ${by} ${at}`),
  resolved_by: item.resolved_by,
  note: item.note,
});

/** The readers of items, by prefixes of keys. A reader gets the rest of the partition key. */
type Reader = readonly [pk: string, sk: string, read: (item: StoredItem, rest: string) => Written];

const readers = (game: StoredItem | undefined, now: number): readonly Reader[] => [
  ["PLAYER#", "PROFILE", (item, id) => ({ [`player ${id}`]: playerIn(game, item, now) })],
  // Only names of one word are played with, and the roster has the aliases.
  ["WORDS", "", () => ({})],
  ["REF#", "REF", ({ player_id }, ref) => ({ [`reference ${ref}`]: player_id })],
  ["PLAYER#", "PICTURE", (_, id) => ({ [`picture ${id}`]: true })],
  [
    "PLAYER#",
    "NOTE#",
    // The model has no notes of renamings.
    ({ sk, note }, id) =>
      typeof note === "string" && note.startsWith("statement")
        ? { [note]: id }
        : typeof note === "string"
          ? { [`note ${after(sk, "NOTE#")}`]: { of: id, note } }
          : {},
  ],
  ["ALIAS#", "", ({ player_id }, alias) => ({ [`alias ${alias}`]: player_id })],
  ["CODE#", "", ({ player_id }, code) => ({ [`code ${code}`]: player_id })],
  ["INTERACTIONS#", "", (item) => ({ [`event ${item.sk}`]: eventIn(item) })],
  ["DISPUTE#", "", (item, id) => ({ [`dispute ${id}`]: disputeIn(item) })],
  ["GAME", "ADMINS", ({ ids }) => ({ administrators: Array.isArray(ids) ? ids.toSorted() : ids })],
  ["GAME", "STATE", (item) => ({ game: pick(item, "paused_at checkpoint enforcing changed_at") })],
  ["SECRET#ONCE#", "", ({ sk, expires, status }, of) => ({ [`kept ${of} ${sk}`]: { expires, status } })],
  ["SECRET#ENDPOINT#", "", () => ({})],
  // Failures at aliases without a player.
  ["SECRET#NOBODY#", "", () => ({})],
  [
    "SECRET#",
    "CREDENTIAL",
    ({ failures, devices, addresses }, id) => ({
      [`failures ${id}`]: sorted(list(failures), ({ count, last }) => `${count} ${last}`),
      [`devices ${id}`]: sorted(list(devices), deviceInWords),
      [`addresses ${id}`]: sorted(list(addresses), ({ used }) => `${used}`),
    }),
  ],
  [
    "SECRET#",
    "SESSIONS",
    ({ sessions }, id) => {
      const open = list(sessions).map((one) => pick(one, "hash created_at last_used expires_at"));
      return open.length === 0 ? {} : { [`sessions ${id}`]: open };
    },
  ],
  ["SECRET#", "RECOVERY", ({ expires }, id) => ({ [`recovery ${id}`]: expires })],
  ["SECRET#", "SUBSCRIPTION#", ({ endpoint }, id) => ({ [`subscription ${endpoint}`]: id })],
];

/** Before anything has happened. */
const nothing = (): Written => ({
  game: { paused_at: null, checkpoint: null, enforcing: null, changed_at: null },
});

/** How many players are in each state. @param count of one state */
const inStates = (count: (state: (typeof STATES)[number]) => number) =>
  Object.fromEntries(STATES.map((state) => [state, count(state)]));

/** The facts in the table. */
export const tableFacts = (items: ReadonlyMap<string, StoredItem>, now: number): Written => {
  const into = nothing();
  const all = readers(items.get("GAME\nSTATE"), now);
  const [logs, counters, profiles]: [StoredItem[], StoredItem[], StoredItem[]] = [[], [], []];
  for (const item of items.values()) {
    if (item.pk.startsWith("LOGS#")) logs.push(item);
    else if (item.pk.startsWith("COUNT#")) counters.push(item);
    else {
      if (item.sk === "PROFILE") profiles.push(item);
      const reader = all.find(([pk, sk]) => item.pk.startsWith(pk) && item.sk.startsWith(sk));
      Object.assign(into, reader?.[2](item, after(item.pk, reader[0])));
    }
  }
  into.counters = inStates((state) =>
    counters.reduce((sum, counter) => sum + Number(counter[`${state}s`] ?? 0), 0),
  );
  into.profiles = inStates((is) => profiles.filter(({ state }) => state === is).length);
  const inOrder = logs.toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
  into.log = inOrder.map((entry) => pick(entry, "action actor outcome"));
  return into;
};

const idOf = (m: Model, n: number | null): string | null => (n === null ? null : (eventOf(m, n)?.id ?? null));

const hungerOf = ({ state, deadline, unrecorded }: Player) => {
  if (unrecorded !== null) return { at: rfc3339(unrecorded), hasStarved: true };
  return state === "zombie" ? { at: rfc3339(deadline), hasStarved: false } : null;
};

/** The state as it is stored: a zombie that has starved remains one until that is recorded. */
const storedState = ({ state, unrecorded }: Player): string => (unrecorded === null ? state : "zombie");

const playerShould = (m: Model, player: Player) => ({
  alias: player.alias,
  first_name: player.first_name,
  last_name: null,
  email: null,
  is_admin: player.is_admin,
  wants_original: player.wantsOriginal,
  state: storedState(player),
  kills: player.kills.length,
  has_pfp: player.picture !== null,
  created_at: rfc3339(player.createdAt),
  tag_code: player.code,
  code_since: player.code === null ? null : rfc3339(player.codeSince),
  last_kill_at: time(lastKillOf(player)),
  last_fed_at: time(player.lastFed),
  checkpoint_id: player.pass?.checkpoint ?? null,
  passed_at: time(player.pass?.at ?? null),
  picture: player.picture,
  misses: recent(player.misses.map(rfc3339), m.now),
  infection_id: idOf(m, player.infection),
  infected_at: time(player.infectedAt),
  infected_by: player.infectedBy,
  hunger: hungerOf(player),
  listedAs: foldedOf(player.alias),
  isAmongZombies: storedState(player) === "zombie",
  isOnLeaderboard: player.infectedAt !== null,
});

const hashOf = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** The facts that the model expects. */
export const modelFacts = (m: Model): Written => {
  const into = nothing();
  for (const player of m.players) {
    const { id, alias, picture } = player;
    into[`player ${id}`] = playerShould(m, player);
    for (const one of [alias, ...player.former]) into[`alias ${foldedOf(one)}`] = id;
    into[`reference ${refOf(id)}`] = id;
    if (picture !== null) into[`picture ${id}`] = true;
    const ownOf = <T extends { player: string }>(all: readonly T[]): T[] =>
      all.filter((one) => one.player === id);
    const failures = m.failures.filter(({ account }) => account === id);
    into[`failures ${id}`] = sorted(failures, ({ count, last }) => `${count} ${last}`);
    into[`devices ${id}`] = sorted(ownOf(m.devices), deviceInWords);
    into[`addresses ${id}`] = sorted(ownOf(m.addresses), ({ used }) => `${used}`);
    const sessions = ownOf(m.sessions).map(({ token, createdAt, lastUsed, expiresAt }) => ({
      ...{ hash: hashOf(token), created_at: createdAt, last_used: lastUsed, expires_at: expiresAt },
    }));
    if (sessions.length > 0) into[`sessions ${id}`] = sessions;
  }
  into.counters = inStates((state) => m.players.filter((player) => storedState(player) === state).length);
  into.profiles = into.counters;
  for (const event of m.record) {
    const { id, kind, at, recordedAt, actor, target, parent, sharedWith, voided, voids, note } = event;
    const { waitingSince, suspect, isWithdrawal, isReturn, isDrawn } = event;
    into[`event ${id}`] = {
      ...{ kind, at: rfc3339(at), recorded_at: rfc3339(recordedAt), actor, target },
      ...{ parent: idOf(m, parent), shared_with: sharedWith, voided, voids: idOf(m, voids?.hunt ?? null) },
      ...{ waiting: time(waitingSince), suspect, withdrawn: isWithdrawal, returned: isReturn },
      drawn: isDrawn,
      dispute: m.disputes.find(({ n }) => n === event.n)?.status ?? null,
    };
    if (note !== null) into[`note ${id}`] = { of: actor, note };
  }
  for (const { n, status, entries, resolved } of m.disputes) {
    into[`dispute ${idOf(m, n)}`] = {
      status,
      said: entries.map(({ by, at, speaker }) => `${speaker} ${by} ${rfc3339(at)}`),
      resolved_by: resolved?.by ?? null,
      note: resolved?.note ?? null,
    };
    for (const { text, by } of entries) if (playerOf(m, by) !== undefined) into[text] = by;
  }
  for (const [code, owner] of m.codes) into[`code ${code}`] = owner;
  for (const { player, until } of m.recoveries) into[`recovery ${player}`] = until / SECOND;
  for (const { player, endpoint } of m.subscriptions) into[`subscription ${endpoint}`] = player;
  for (const { who, isNew, key, until, status } of m.responses) {
    into[`kept ${who} ${isNew ? "NEW" : "KEY"}#${key}`] = { expires: until / SECOND, status };
  }
  const { pausedAt, changedAt } = m;
  const checkpoint = checkpointView(m);
  into.game = { paused_at: pausedAt, checkpoint, enforcing: null, changed_at: changedAt };
  into.administrators = m.players.flatMap(({ id, is_admin }) => (is_admin ? [id] : [])).toSorted();
  into.log = m.log;
  return into;
};

/** Events that were recorded later than others but have earlier ids. */
export const outOfOrder = (m: Model): string[] => {
  const steps = m.record.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(({ step }) => step);
  const at = steps.findIndex((step, n) => step < (steps[n - 1] ?? 0));
  return at < 0 ? [] : [`ids are not in the order of recording: steps ${steps.join(", ")}`];
};
