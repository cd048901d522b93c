/** The facts in the table, read as simply as possible, and the facts that the model expects. */
import { createHash } from "node:crypto";
import { MINUTE, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import type { StoredItem } from "../../../lib/dynamodb/database.ts";
import { foldedOf } from "./names.ts";
import { Event, type Model, type Player } from "./state.ts";
import { byState, checkpointView, lastKillOf, pick, refOf } from "./views.ts";

/** Facts by their names. */
type Facts = Record<string, unknown>;

/** When play ended; nobody sets a schedule. */
const endIn = (game: StoredItem | undefined): unknown =>
  new Map(Object.entries(Object(game?.schedule))).get("ends_at") ?? null;

/** When a zombie starves and whether it has, computed from the stored clock: its offset and its snapshots (`cuts`). */
const hungerIn = (game: StoredItem | undefined, { deadline, epoch }: StoredItem, now: number) => {
  if (deadline === null) return null;
  const [offset, stoppedAt] = [game?.offset ?? 0, game?.paused_at ?? endIn(game)];
  const cuts = Array.isArray(game?.cuts) ? game.cuts : [];
  const [due, since] = [Number(deadline), Number(epoch)];
  const cut = cuts.find((one) => one.epoch > since && due <= one.at);
  const at = due + Number(cut?.offset ?? offset);
  return { at: rfc3339(at), hasStarved: cut !== undefined || at <= Number(stoppedAt ?? now) };
};

/** Entries that still count. Older ones are removed by the next write. */
const recent = (misses: unknown, now: number): unknown[] =>
  Array.isArray(misses) ? misses.filter((miss) => Date.parse(miss) > now - 10 * MINUTE) : [];

const OF_PLAYER =
  "alias first_name last_name email is_admin state kills has_pfp created_at tag_code code_since last_kill_at " +
  "wants_original last_fed_at checkpoint_id passed_at infection_id infected_at infected_by labels note picture " +
  "points badges antidote signed waits";
const OF_EVENT =
  "kind at recorded_at actor target parent shared_with voided_by voids hunter checkpoint_id waiting_since suspect " +
  "late_tag completed_at hunted_at entered_by dispute withdrawn returned drawn is_private";
const OF_GAME = "paused_at checkpoint enforcing changed_at";
const OF_SIGNATURE =
  "player_id version full_name signed_at entered_by photo_consent photo_consent_at deleted_at";
const OF_FINISH = "by result note ended_at final_at reopened_at reopened_by";
const OF_SESSION = "hash created_at last_used expires_at";

/** The kind of an event: a revival by a late tag is stored as the void of a starvation, and a reward as a feeding. */
export const kindIn = ({ kind, late_tag, is_private, season }: StoredItem): string => {
  const { is } = Object(season);
  if (typeof is === "string") return is;
  if (late_tag !== undefined) return "revived_by_late_tag";
  return kind === "feed" && is_private === true ? "reward" : String(kind);
};

const list = (value: unknown): StoredItem[] => (Array.isArray(value) ? value : []);

/** Failures or devices, without an order and without secrets. */
const uses = (all: readonly object[]): string[] =>
  all.map((one) => JSON.stringify(pick(one, "count last used failures"))).toSorted();

const said = (entries: readonly object[]): unknown[] => entries.map((one) => pick(one, "speaker by at"));

const finishIn = ({ finish }: StoredItem): Facts | null =>
  finish == null ? null : pick(Object(finish), "result note at final_at");

/** Reads the facts of an item. `id` is the rest of its partition key. */
type Reader = (item: StoredItem, id: string) => Facts;

const ignore: Reader = () => ({});

/** The readers of items, by the beginnings of both keys. */
const readers = (game: StoredItem | undefined, now: number): Readonly<Record<string, Reader>> => ({
  "PLAYER# PROFILE": (item, id) => ({
    [`player ${id}`]: {
      ...pick({ badges: [], ...item, picture: item.target, points: item.parent ?? 0 }, OF_PLAYER),
      misses: recent(item.misses, now),
      hunger: hungerIn(game, item, now),
      listedAs: item.gsi1sk,
      isAmongZombies: "gsi2pk" in item,
      isOnLeaderboard: "gsi3pk" in item,
    },
  }),
  // The index of words follows from the aliases, which the roster has.
  "WORDS ": ignore,
  "REF# REF": ({ player_id }, ref) => ({ [`reference ${ref}`]: player_id }),
  "PLAYER# PICTURE": (_, id) => ({ [`picture ${id}`]: true }),
  // A statement of a dispute, the note of a hunt, or that of a renaming, which the model does not have.
  "PLAYER# NOTE#": ({ sk, note }, of) => {
    if (typeof note !== "string") return {};
    return note.startsWith("statement") ? { [note]: of } : { [`note ${sk.slice(5)}`]: { of, note } };
  },
  "ALIAS# ": ({ player_id }, alias) => ({ [`alias ${alias}`]: player_id }),
  "CODE# ": ({ player_id }, code) => ({ [`code ${code}`]: player_id }),
  "INTERACTIONS# ": (item) => ({
    [`event ${item.sk}`]: pick({ ...new Event({}), ...item, kind: kindIn(item) }, OF_EVENT),
  }),
  "DISPUTE# ": (item, id) => ({
    [`dispute ${id}`]: { ...pick(item, "status resolved_by note"), said: said(list(item.entries)) },
  }),
  "ALERTS ": (item, _) => ({
    [`alert ${item.sk}`]: { ...pick(item, "hunter late_tag"), isResolved: item.resolved_at !== null },
  }),
  "GAME ADMINS": ({ ids }) => ({ administrators: Array.isArray(ids) ? ids.toSorted() : ids }),
  "GAME STATE": (item) => ({
    game: {
      ...{ ...pick(item, OF_GAME), finish: finishIn(item), ends_at: endIn(item) },
      waiver: Object(item.settings).waiver_versions ?? [],
    },
  }),
  "GAME FINISH": ({ awards, finishes }) => ({
    "end of the season": { awards, finishes: list(finishes).map((one) => pick(one, OF_FINISH)) },
  }),
  "SECRET#ONCE# ": ({ sk, expires, status }, of) => ({ [`kept ${of} ${sk}`]: { expires, status } }),
  "PUBLIC PAGE": ignore,
  // Failures at aliases without a player.
  "SECRET#NOBODY# ": ignore,
  "SECRET#CODES# CODE": ({ batch_id, number, used, revoked_at }) => ({
    [`code ${number} of ${batch_id}`]: { used, isRevoked: revoked_at !== undefined },
  }),
  "SECRET#CODES# BY#": ({ interaction_id, player_id, number, undone_at }, batch) => ({
    [`redemption ${interaction_id}`]: { batch, player: player_id, number, isUndone: undone_at !== undefined },
  }),
  "MISSIONS ": ({ sk, version, title, starts_at, ends_at, required, closings }) => ({
    [`mission ${sk}`]: {
      ...{ version, title, starts_at, ends_at, required },
      closings: list(closings).map((one) => pick(one, "at result note reopened_at")),
    },
  }),
  "MISSION# DESK": ({ state, count }, id) => ({ [`desk ${id}`]: { state, count } }),
  "MISSION# ATTENDED#": ({ player_id, at, by, rewarded }, id) => ({
    [`attended ${id} ${player_id}`]: {
      ...{ at, by },
      rewarded: list(rewarded).map(({ interaction_id }) => interaction_id),
    },
  }),
  "SECRET#TOMBSTONES# CREDENTIAL": ({ failures }, id) => ({ [`departed ${id}`]: uses(list(failures)) }),
  "SECRET#TOMBSTONES ": ignore,
  "SECRET# CREDENTIAL": ({ failures, devices }, id) => ({
    [`credential ${id}`]: [uses(list(failures)), uses(list(devices))],
  }),
  "SECRET# SESSIONS": ({ sessions }, id) => {
    const open = list(sessions).map((one) => pick(one, OF_SESSION));
    return open.length === 0 ? {} : { [`sessions ${id}`]: open };
  },
  "SECRET# RECOVERY": ({ expires }, id) => ({ [`recovery ${id}`]: expires }),
});

/** Signatures, which have ids that only the service knows. */
const signatureFacts = (all: readonly (object & { isLatest: boolean })[]): string[] =>
  all.map((one) => JSON.stringify({ ...pick(one, OF_SIGNATURE), isLatest: one.isLatest })).toSorted();

/** The facts in the table. */
export const tableFacts = (items: ReadonlyMap<string, StoredItem>, now: number): Facts => {
  const into: Facts = { game: { ...pick({}, OF_GAME), finish: null, ends_at: null, waiver: [] } };
  const all = Object.entries(readers(items.get("GAME\nSTATE"), now)).map(([keys, read]) => {
    const [pk = "", sk = ""] = keys.split(" ");
    return { pk, sk, read };
  });
  const [logs, counters, signatures]: [StoredItem[], StoredItem[], StoredItem[]] = [[], [], []];
  for (const item of items.values()) {
    if (item.pk.startsWith("LOGS#")) logs.push(item);
    else if (item.pk.startsWith("COUNT#")) counters.push(item);
    else if (/^SECRET#(KEPT_)?SIGNATURES$/.test(item.pk)) signatures.push(item);
    else {
      const reader = all.find(({ pk, sk }) => item.pk.startsWith(pk) && item.sk.startsWith(sk));
      Object.assign(into, reader?.read(item, item.pk.slice(reader.pk.length)));
    }
  }
  into.counters = byState((_, name) =>
    counters.reduce((sum, counter) => sum + Number(counter[name] ?? 0), 0),
  );
  into.signatures = signatureFacts(
    signatures.map((one) => ({ ...one, isLatest: one.sk === `SIGNED#${one.player_id}` })),
  );
  const inOrder = logs.toSorted((one, other) => (one.sk < other.sk ? -1 : 1));
  into.log = inOrder.map((entry) => pick(entry, "action actor outcome"));
  return into;
};

/** The state as it is stored: a zombie that has starved remains one until that is recorded. */
const storedState = ({ state, unrecorded }: Player): string => (unrecorded === null ? state : "zombie");

const playerFacts = (m: Model, player: Player): Facts => {
  const { tag_code, code_since, kills, picture, misses, deadline, unrecorded, infected_at, alias } = player;
  const state = storedState(player);
  const stored = {
    ...{ ...player, state, kills: kills.length, has_pfp: picture !== null, last_kill_at: lastKillOf(player) },
    waits: player.waitsToSign ? "signature" : null,
    code_since: tag_code === null ? null : code_since,
  };
  return {
    ...pick(stored, OF_PLAYER),
    misses: recent(misses.map(rfc3339), m.now),
    hunger:
      state === "zombie" ? { at: rfc3339(unrecorded ?? deadline), hasStarved: unrecorded !== null } : null,
    listedAs: foldedOf(alias),
    isAmongZombies: state === "zombie",
    isOnLeaderboard: infected_at !== null,
  };
};

const hashOf = (token: string): string => createHash("sha256").update(token).digest("base64url");

/** The facts that the model expects. */
export const modelFacts = (m: Model): Facts => {
  const { pausedAt: paused_at, changedAt: changed_at, log } = m;
  const { finish, seasonEnd } = m;
  const game = {
    ...pick({ paused_at, changed_at, checkpoint: checkpointView(m) }, OF_GAME),
    finish: finish && pick({ ...finish, final_at: finish.finalAt }, "result note at final_at"),
    ends_at: finish?.endsAt ?? null,
    waiver: m.waiver.versions,
  };
  const administrators = m.players.flatMap(({ id, is_admin }) => (is_admin ? [id] : [])).toSorted();
  const counters = byState((state) => m.players.filter((player) => storedState(player) === state).length);
  const signatures = signatureFacts([
    ...m.players.flatMap(({ id, signature, earlierSignatures }) =>
      [signature, ...earlierSignatures].flatMap((one) =>
        one === null ? [] : { ...one, player_id: id, entered_by: one.by, isLatest: one === signature },
      ),
    ),
    ...m.keptSignatures.map((one) => ({ ...one, entered_by: one.by, isLatest: false })),
  ]);
  const into: Facts = { game, administrators, counters, log, signatures };
  if (seasonEnd !== null)
    into["end of the season"] = {
      awards: seasonEnd.awards,
      finishes: seasonEnd.finishes.map((one) =>
        pick({ ...one, ended_at: one.endsAt, final_at: one.finalAt }, OF_FINISH),
      ),
    };
  for (const player of m.players) {
    const { id, alias, picture } = player;
    into[`player ${id}`] = playerFacts(m, player);
    for (const one of [alias, ...player.former]) into[`alias ${foldedOf(one)}`] = id;
    into[`reference ${refOf(id)}`] = id;
    if (picture !== null) into[`picture ${id}`] = true;
    const ownOf = <T extends { player: string }>(all: readonly T[]): T[] =>
      all.filter((one) => one.player === id);
    const failures = [m.failures.get(id) ?? []].flat();
    into[`credential ${id}`] = [uses(failures), uses(ownOf(m.devices))];
    const sessions = ownOf(m.sessions).map((one) => pick({ ...one, hash: hashOf(one.token) }, OF_SESSION));
    if (sessions.length > 0) into[`sessions ${id}`] = sessions;
  }
  for (const { player } of m.away) {
    const account = `departed ${player.id}`;
    into[account] = uses([m.failures.get(account) ?? []].flat());
  }
  for (const event of m.record) {
    const { id, actor, dispute, note } = event;
    into[`event ${id}`] = pick({ ...event, dispute: dispute?.status }, OF_EVENT);
    if (note !== null) into[`note ${id}`] = { of: actor, note };
    const alert = m.alerts.get(id);
    if (alert !== undefined) into[`alert ${id}`] = { ...alert, isResolved: event.voided_by !== null };
    if (dispute === null) continue;
    const { status, entries, resolved } = dispute;
    const facts = { status, resolved_by: resolved?.by, note: resolved?.note };
    into[`dispute ${id}`] = { ...pick(facts, "status resolved_by note"), said: said(entries) };
    for (const { text, by } of entries) if (text !== null) into[text] = by;
  }
  for (const [code, owner] of m.codes) into[`code ${code}`] = owner;
  for (const { player, until } of m.recoveries) into[`recovery ${player}`] = until / SECOND;
  for (const { id: batch, codes, redemptions } of m.batches) {
    for (const [at, { used, isRevoked }] of codes.entries())
      into[`code ${at + 1} of ${batch}`] = { used, isRevoked };
    for (const { player, number, event, isUndone } of redemptions)
      into[`redemption ${event}`] = { batch, player, number, isUndone };
  }
  for (const { id, attended, closings, starts, ends, ...mission } of m.missions) {
    into[`mission ${id}`] = {
      ...pick({ ...mission, starts_at: starts, ends_at: ends }, "starts_at ends_at"),
      ...{ version: mission.version, title: mission.title, required: mission.required },
      closings: closings.map((one) => pick(one, "at result note reopened_at")),
    };
    const isClosed = closings.some(({ reopened_at }) => reopened_at === null);
    into[`desk ${id}`] = { state: isClosed ? "closed" : "open", count: attended.length };
    for (const { player, events, ...one } of attended)
      into[`attended ${id} ${player}`] = { ...pick(one, "at by"), rewarded: events };
  }
  for (const [name, { until, status }] of m.responses)
    into[`kept ${name}`] = { expires: until / SECOND, status };
  return into;
};

/** Events that were recorded later than others but have earlier ids. */
export const outOfOrder = (m: Model): string[] => {
  const steps = m.record.toSorted((one, other) => (one.id < other.id ? -1 : 1)).map(({ step }) => step);
  const at = steps.findIndex((step, n) => step < (steps[n - 1] ?? 0));
  return at < 0 ? [] : [`ids are not in the order of recording: steps ${steps.join(", ")}`];
};
