/** What lies in the table, read as naively as it can be, and what the model says should lie there. */
import { createHash } from "node:crypto";
import { MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { eventOf } from "./game.ts";
import { foldedOf } from "./names.ts";
import { checkpointView, lastKillOf } from "./shown.ts";
import type { Device, Model, Player } from "./state.ts";

/** Facts by what they are about, in no order unless they are a list. */
export type Written = Record<string, unknown>;

const after = (text: string, prefix: string): string => text.slice(prefix.length);

const time = (instant: number | null): string | null => (instant === null ? null : rfc3339(instant));

/** When a zombie starves and whether it has, by the description of the clock: game time, and the stretches closed. */
const hungerIn = (game: StoredItem | undefined, { deadline, epoch }: StoredItem, now: number) => {
  const [offset, pausedAt] = [game?.offset ?? 0, game?.paused_at ?? null];
  const cuts = Array.isArray(game?.cuts) ? game.cuts : [];
  const [due, since] = [Number(deadline), Number(epoch)];
  const cut = cuts.find((one) => one.epoch > since && due <= one.at);
  const at = due + Number(cut?.offset ?? offset);
  return { at: rfc3339(at), hasStarved: cut !== undefined || at <= Number(pausedAt ?? now) };
};

/** Those that still count: older ones go when there is another. */
const recent = (misses: unknown, now: number): unknown[] =>
  Array.isArray(misses) ? misses.filter((miss) => Date.parse(miss) > now - 10 * MINUTE) : [];

const playerIn = (game: StoredItem | undefined, item: StoredItem, now: number) => {
  const { alias, first_name, last_name, email, is_admin, state, kills, has_pfp, created_at } = item;
  const { tag_code, code_since, last_kill_at, last_fed_at, checkpoint_id, passed_at } = item;
  const { infection_id, infected_at, infected_by } = item;
  return {
    ...{ alias, first_name, last_name, email, is_admin, state, kills, has_pfp, created_at },
    ...{ tag_code, code_since, last_kill_at, last_fed_at, checkpoint_id, passed_at },
    ...{ infection_id, infected_at, infected_by },
    misses: recent(item.misses, now),
    hunger: item.deadline === null ? null : hungerIn(game, item, now),
    listedAs: item.gsi1sk,
    isAmongZombies: "gsi2pk" in item,
    isOnLeaderboard: "gsi3pk" in item,
  };
};

const COUNTERS = ["humans", "zombies", "corpses", "spectators"];

const failuresInWords = (failures: unknown): string =>
  failures === undefined ? "" : JSON.stringify(Object.entries(Object(failures)).toSorted());

const deviceInWords = ({ used, failures }: Record<string, unknown> | Device): string =>
  `${used} ${failuresInWords(failures)}`;

type Taker = (item: StoredItem, into: Written) => void;

/** What is kept of an item, by the beginnings of its keys. */
const takers = (game: StoredItem | undefined, now: number): [string, string, Taker][] => [
  [
    "PLAYER#",
    "PROFILE",
    (item, into) => {
      into[`player ${after(item.pk, "PLAYER#")}`] = playerIn(game, item, now);
      const counted = `${item.state}s`;
      into[`are ${counted}`] = Number(into[`are ${counted}`]) + 1;
    },
  ],
  [
    "PLAYER#",
    "PICTURE",
    (item, into) => {
      into[`picture ${after(item.pk, "PLAYER#")}`] = true;
    },
  ],
  [
    "PLAYER#",
    "NOTE#",
    (item, into) => {
      into[`note ${after(item.sk, "NOTE#")}`] = { of: after(item.pk, "PLAYER#"), note: item.note };
    },
  ],
  [
    "ALIAS#",
    "",
    (item, into) => {
      into[`alias ${after(item.pk, "ALIAS#")}`] = item.player_id;
    },
  ],
  [
    "CODE#",
    "",
    (item, into) => {
      into[`code ${after(item.pk, "CODE#")}`] = item.player_id;
    },
  ],
  [
    "COUNT#",
    "",
    (item, into) => {
      for (const name of COUNTERS) into[name] = Number(into[name]) + Number(item[name] ?? 0);
    },
  ],
  [
    "GAME",
    "STATE",
    ({ paused_at, checkpoint, enforcing, changed_at }, into) => {
      into.game = { paused_at, checkpoint, enforcing, changed_at };
    },
  ],
  [
    "GAME",
    "ADMINS",
    ({ ids }, into) => {
      into.administrators = Array.isArray(ids) ? ids.toSorted() : ids;
    },
  ],
  [
    "INTERACTIONS#",
    "",
    (item, into) => {
      const {
        kind,
        at,
        recorded_at,
        actor,
        target,
        parent = null,
        shared_with = [],
        voided_by,
        voids,
      } = item;
      const told = { kind, at, recorded_at, actor, target, parent, shared_with };
      into[`event ${item.sk}`] = { ...told, voided: voided_by !== undefined, voids: voids ?? null };
    },
  ],
  [
    "SECRET#ONCE#",
    "",
    ({ pk, sk, expires, status }, into) => {
      into[`kept ${after(pk, "SECRET#ONCE#")} ${sk}`] = { expires, status };
    },
  ],
  ["SECRET#ENDPOINT#", "", () => {}],
  // Failures at aliases that nobody has.
  ["SECRET#NOBODY#", "", () => {}],
  [
    "SECRET#",
    "CREDENTIAL",
    ({ pk, failures, devices, addresses }, into) => {
      const each = (list: unknown, inWords: (entry: StoredItem) => string): string[] =>
        Array.isArray(list) ? list.map(inWords).toSorted() : [];
      const id = after(pk, "SECRET#");
      into[`failures ${id}`] = each(failures, ({ count, last }) => `${count} ${last}`);
      into[`devices ${id}`] = each(devices, deviceInWords);
      into[`addresses ${id}`] = each(addresses, ({ used }) => `${used}`);
    },
  ],
  [
    "SECRET#",
    "SESSIONS",
    ({ pk, sessions }, into) => {
      if (!Array.isArray(sessions) || sessions.length === 0) return;
      into[`sessions ${after(pk, "SECRET#")}`] = sessions.map(
        ({ hash, created_at, last_used, expires_at }) => ({
          ...{ hash, created_at, last_used, expires_at },
        }),
      );
    },
  ],
  [
    "SECRET#",
    "RECOVERY",
    ({ pk, expires }, into) => {
      into[`recovery ${after(pk, "SECRET#")}`] = expires;
    },
  ],
  [
    "SECRET#",
    "SUBSCRIPTION#",
    ({ pk, endpoint }, into) => {
      into[`subscription ${endpoint}`] = after(pk, "SECRET#");
    },
  ],
];

/** Before anything has happened. */
const nothing = (): Written => ({
  ...Object.fromEntries(
    COUNTERS.flatMap((name) => [
      [name, 0],
      [`are ${name}`, 0],
    ]),
  ),
  game: { paused_at: null, checkpoint: null, enforcing: null, changed_at: null },
});

/** What lies in the table. */
export const isWritten = (items: ReadonlyMap<string, StoredItem>, now: number): Written => {
  const into = nothing();
  const all = takers(items.get("GAME\nSTATE"), now);
  const logs: StoredItem[] = [];
  for (const item of items.values()) {
    if (item.pk.startsWith("LOGS#")) logs.push(item);
    else all.find(([pk, sk]) => item.pk.startsWith(pk) && item.sk.startsWith(sk))?.[2](item, into);
  }
  const inOrder = logs.toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
  into.log = inOrder.map(({ action, actor, outcome }) => ({ action, actor, outcome }));
  return into;
};

const idOf = (m: Model, n: number | null): string | null => (n === null ? null : (eventOf(m, n)?.id ?? null));

const hungerOf = ({ state, deadline, unrecorded }: Player) => {
  if (unrecorded !== null) return { at: rfc3339(unrecorded), hasStarved: true };
  return state === "zombie" ? { at: rfc3339(deadline), hasStarved: false } : null;
};

/** As it is stored: who has starved is a zombie until somebody has recorded it. */
const storedState = ({ state, unrecorded }: Player): string => (unrecorded === null ? state : "zombie");

const playerShould = (m: Model, player: Player) => ({
  alias: player.alias,
  first_name: player.first_name,
  last_name: null,
  email: null,
  is_admin: player.is_admin,
  state: storedState(player),
  kills: player.kills.length,
  has_pfp: player.hasPicture,
  created_at: rfc3339(player.createdAt),
  tag_code: player.code,
  code_since: player.code === null ? null : rfc3339(player.codeSince),
  last_kill_at: time(lastKillOf(player)),
  last_fed_at: time(player.lastFed),
  checkpoint_id: player.pass?.checkpoint ?? null,
  passed_at: time(player.pass?.at ?? null),
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

/** What should lie in the table. */
export const shouldBeWritten = (m: Model): Written => {
  const into = nothing();
  for (const player of m.players) {
    const { id, alias, hasPicture } = player;
    into[`player ${id}`] = playerShould(m, player);
    into[`alias ${foldedOf(alias)}`] = id;
    if (hasPicture) into[`picture ${id}`] = true;
    const failures = m.failures.filter(({ account }) => account === id);
    into[`failures ${id}`] = failures.map(({ count, last }) => `${count} ${last}`).toSorted();
    into[`devices ${id}`] = m.devices
      .filter((one) => one.player === id)
      .map(deviceInWords)
      .toSorted();
    const addresses = m.addresses.filter((one) => one.player === id);
    into[`addresses ${id}`] = addresses.map(({ used }) => `${used}`).toSorted();
    const sessions = m.sessions.filter((session) => session.player === id);
    if (sessions.length > 0) {
      into[`sessions ${id}`] = sessions.map(({ token, createdAt, lastUsed, expiresAt }) => ({
        ...{ hash: hashOf(token), created_at: createdAt, last_used: lastUsed, expires_at: expiresAt },
      }));
    }
    for (const name of [`${storedState(player)}s`, `are ${storedState(player)}s`]) {
      into[name] = Number(into[name]) + 1;
    }
  }
  for (const event of m.record) {
    const { id, kind, at, recordedAt, actor, target, parent, sharedWith, voided, voids, note } = event;
    into[`event ${id}`] = {
      ...{ kind, at: rfc3339(at), recorded_at: rfc3339(recordedAt), actor, target },
      ...{ parent: idOf(m, parent), shared_with: sharedWith, voided, voids: idOf(m, voids?.hunt ?? null) },
    };
    if (note !== null) into[`note ${id}`] = { of: actor, note };
  }
  for (const [code, owner] of m.codes) into[`code ${code}`] = owner;
  for (const { player, until } of m.recoveries) into[`recovery ${player}`] = until / SECOND;
  for (const { player, endpoint } of m.subscriptions) into[`subscription ${endpoint}`] = player;
  for (const { who, isNew, key, until, status } of m.kept) {
    into[`kept ${who} ${isNew ? "NEW" : "KEY"}#${key}`] = { expires: until / SECOND, status };
  }
  const { pausedAt, changedAt } = m;
  const checkpoint = checkpointView(m);
  into.game = { paused_at: pausedAt, checkpoint, enforcing: null, changed_at: changedAt };
  into.administrators = m.players.flatMap(({ id, is_admin }) => (is_admin ? [id] : [])).toSorted();
  into.log = m.log;
  return into;
};

/** Where what was recorded later has an earlier id. */
export const outOfOrder = (m: Model): string[] => {
  const steps = m.record.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(({ step }) => step);
  const at = steps.findIndex((step, n) => step < (steps[n - 1] ?? 0));
  return at < 0 ? [] : [`ids are not in the order of recording: steps ${steps.join(", ")}`];
};
