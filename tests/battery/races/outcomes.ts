/**
 * Outcomes in a comparable form: responses, events, log entries, and all items of the table. Random and counted values
 * (ids, codes, tokens, hashes, slots, revisions) are replaced by names for their roles.
 */
import { isDeepStrictEqual } from "node:util";
import { verifyPassword } from "../../../lib/auth/password.ts";
import { HOUR, MINUTE, SECOND } from "../../../lib/domain/time.ts";
import type { Item, StoredItem } from "../../../lib/dynamodb/database.ts";
import { TOMBSTONES } from "../../../lib/store/keys.ts";
import { countersOf } from "../../support/maskTables.ts";
import type { Snapshot } from "../../support/snapshot.ts";
import { type Fixture, NOW } from "./fixture.ts";
import { type OperationResult, PASSWORDS } from "./operations.ts";

/** A recovery code, as an import issues it. */
const RECOVERY = /"recovery_code":"[^"]*"/g;

/** The reference to a player, which follows from the id. */
const PLAYER_REF = /"player_ref":"[^"]*"/g;

/** The facts after a run, by their subject: a response, an event, a log entry, or a changed item. */
export type Facts = Readonly<Record<string, Item>>;

const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const CODE = /\b[A-HJKMNP-Z2-9]{8}\b/g;
const TOKEN = /hvzd?1\.[\w.-]+/g;

const startsWith =
  (prefix: string) =>
  ({ pk }: StoredItem): boolean =>
    pk.startsWith(prefix);

const isEvent = startsWith("INTERACTIONS#");
const isCode = startsWith("CODE#");
const isLog = startsWith("LOGS#");
const isCounter = startsWith("COUNT#");
const isJob = startsWith("JOB#");
const isMail = startsWith("SECRET#OUTBOX");

/** A changed item, before and after a run. */
interface Change {
  before: StoredItem | undefined;
  after: StoredItem | undefined;
}

/** Ids sort by time, so events come in the order in which they were decided. */
const changesBetween = (then: Snapshot, now: Snapshot): Change[] =>
  [...new Set([...then.keys(), ...now.keys()])]
    .map((name) => ({ name, before: then.get(name), after: now.get(name) }))
    .filter(({ before, after }) => before !== after && !isDeepStrictEqual(before, after))
    .toSorted((one, other) => (one.name < other.name ? -1 : 1));

/** The names of ids and codes. */
const rolesIn = (fixture: Fixture, changes: readonly Change[]): Map<string, string> => {
  const roles = new Map<string, string>();
  const assign = (id: string, role: string): void => {
    const same = [...roles.values()].filter((other) => other === role || other.startsWith(`${role} `)).length;
    roles.set(id, same === 0 ? role : `${role} ${same + 1}`);
  };
  for (const { id, alias, code } of Object.values(fixture.who)) {
    roles.set(id, alias);
    if (code !== null) roles.set(code, `${alias}'s first code`);
  }
  for (const [prey, id] of Object.entries({ ...fixture.hunts, kit: fixture.reported }))
    roles.set(id, `hunt of ${prey}`);
  for (const [name, id] of Object.entries(fixture.mails.ids)) roles.set(id, `the mail ${name}`);
  const added = changes.flatMap(({ before, after }) =>
    before === undefined && after !== undefined ? [after] : [],
  );
  for (const { sk, player_id, alias } of added)
    if (sk === "PROFILE" && !roles.has(String(player_id))) assign(String(player_id), `new ${alias}`);
  for (const after of added) {
    const { pk, sk, kind, target, actor, player_id } = after;
    const who = (id: unknown): string => roles.get(String(id)) ?? "nobody";
    if (after.alias_after !== undefined) assign(sk.slice("NOTE#".length), `renaming to ${after.alias_after}`);
    if (isEvent(after)) assign(sk, `new ${kind} of ${who(target)} by ${who(actor)}`);
    if (isCode(after)) {
      const isReplaced = after.replaced_at !== undefined;
      assign(pk.slice("CODE#".length), `${who(player_id)}'s ${isReplaced ? "replaced" : "new"} code`);
    }
    if (isMail(after)) assign(sk, `new mail ${kind} to ${who(player_id)}`);
    if (isJob(after) && sk === "JOB") assign(pk.slice("JOB#".length), `job of ${who(actor)}`);
  }
  return roles;
};

const passwordNames = new Map<string, string>();

/** The name of the password of a hash. */
const passwordOf = async (hash: unknown): Promise<string> => {
  const text = String(hash);
  const before = passwordNames.get(text);
  if (before !== undefined) return before;
  for (const [name, password] of Object.entries(PASSWORDS)) {
    if (await verifyPassword(password, text).catch(() => false)) {
      passwordNames.set(text, name);
      return name;
    }
  }
  return "nobody's";
};

/** JSON with sorted fields, which is equal when the facts are. */
const textOf = (fact: unknown): string =>
  JSON.stringify(fact, (_, value) =>
    typeof value === "object" && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)))
      : value,
  );

export const records = (list: unknown): Item[] => (Array.isArray(list) ? list : []);

/** Whether any sweep may move this snapshot of the clock out of the game item. */
const isOld = ({ made_at }: Item): boolean => Number(made_at) <= NOW - HOUR;

const isPastClock = ({ pk, sk }: StoredItem): boolean => pk === TOMBSTONES && sk.startsWith("CUT#");

/** The old snapshots of the clock, each of which is either in the game item or an item of its own. */
const pastOfClock = (items: Iterable<StoredItem>): Item[] =>
  [...items]
    .flatMap((item) => {
      if (item.sk === "STATE") return records(item.cuts).filter(isOld);
      if (!isPastClock(item)) return [];
      // The game or an item of its own may hold a snapshot.
      const { pk: _pk, sk: _sk, ...snapshot } = item;
      return [snapshot];
    })
    .toSorted(byText);

/** Random and counted attributes, and the last use of a session: if recording it fails, the next use is recorded. */
const RANDOM = ["rev", "seen", "hash", "sealed", "last_used", "log_id", "request_id"];
/** How far a job had come, and when. */
const OF_JOB = ["next", "clean", "after", "pass_killed", "pass_spared", "lease_until"];

/** A worker that has to try again does so minutes later. */
const roughly = (at: number): number => Math.floor(at / (10 * MINUTE));
const roughTimes = (sent: unknown): unknown =>
  JSON.parse(JSON.stringify(sent), (_, value) => (typeof value === "number" ? roughly(value) : value));

/** What is compared of an item in place of some attributes. */
const insteadOf = async (item: StoredItem): Promise<Item> => {
  if (item.sk === "STATE") return { cuts: records(item.cuts).filter((cut) => !isOld(cut)) };
  if (item.sk === "CREDENTIAL") return { password: await passwordOf(item.hash) };
  if (item.sk === "RECOVERY") return { expires: roughly(Number(item.expires) * SECOND) };
  if (item.sk === "MAIL") return { sent: roughTimes(item.sent) };
  return isJob(item) && item.sk.startsWith("DONE#")
    ? { results: records(item.results).toSorted(byText) }
    : {};
};

/** An item without random and counted values. */
const comparableItem = async (item: StoredItem): Promise<Item> => {
  const dropped = [
    ...RANDOM,
    ...(isJob(item) ? OF_JOB : []),
    ...(isLog(item) ? ["sk"] : []),
    ...(isMail(item) ? ["tries", "lease_until", "done_at"] : []),
    // Any of several concurrent sweeps may be stored as the last.
    ...(item.sk === "SWEPT" ? ["at"] : []),
  ];
  const whole = { ...item, ...(await insteadOf(item)) };
  return JSON.parse(JSON.stringify(whole, (name, value) => (dropped.includes(name) ? undefined : value)));
};

/**
 * How fast mails are sent depends on how often a worker tried. A job's plan is only a proposal, a page without results has no effect, and the reference to a player follows from the id.
 * Old snapshots of the clock are compared by {@link pastOfClock}.
 */
const isIrrelevant = (item: StoredItem): boolean =>
  item.pk.startsWith("REF#") ||
  item.pk.startsWith("SECRET#THROTTLE#MAILS#") ||
  isPastClock(item) ||
  (isJob(item) &&
    (item.sk === "PLAN" || (item.sk.startsWith("DONE#") && records(item.results).length === 0)));

const byText = (one: Item, other: Item): number => (textOf(one) < textOf(other) ? -1 : 1);

/** The parts of a response that are compared; the order in which zombies were fed is not. */
const responseFacts = ({ status, body }: OperationResult): Item => {
  if (status >= 400) return { status, code: body?.code, detail: body?.detail };
  const fed = body?.fed === undefined ? {} : { fed: records(body.fed).toSorted(byText) };
  return { status, ...body, ...fed };
};

/** Returns the facts after a run. @param responses the responses, by operation */
export const factsOf = async (
  fixture: Fixture,
  responses: ReadonlyMap<string, OperationResult>,
  then: Snapshot,
  now: Snapshot,
): Promise<Facts> => {
  const changes = changesBetween(then, now);
  const roles = rolesIn(fixture, changes);
  const inRoles = <T>(value: T): T =>
    JSON.parse(
      JSON.stringify(value)
        .replaceAll(RECOVERY, '"recovery_code":"a code"')
        .replaceAll(TOKEN, "a token")
        .replaceAll(PLAYER_REF, '"player_ref":"a reference"')
        .replaceAll(UUID, (id) => roles.get(id) ?? "an id")
        .replaceAll(CODE, (code) => roles.get(code) ?? code),
    );
  const facts: Record<string, Item> = {};
  const logged: string[] = [];
  for (const [letter, response] of responses) facts[`${letter} response`] = inRoles(responseFacts(response));
  facts.counters = countersOf(now.values());
  facts["past of the clock"] = { snapshots: pastOfClock(now.values()) };
  for (const { before, after } of changes) {
    const item = after ?? before;
    if (item === undefined || isCounter(item) || isIrrelevant(item)) continue;
    const is = after === undefined ? { gone: true } : inRoles(await comparableItem(after));
    if (isLog(item)) logged.push(textOf(is));
    else if (before === undefined || !isDeepStrictEqual(is, inRoles(await comparableItem(before)))) {
      const { pk, sk } = inRoles({ pk: item.pk, sk: item.sk });
      facts[`${pk} ${sk}`] = is;
    }
  }
  for (const [at, entry] of logged.sort().entries()) facts[`log entry ${at + 1}`] = JSON.parse(entry);
  return facts;
};

export const areSame = (one: Facts, other: Facts): boolean => isDeepStrictEqual(one, other);

/** The differences between facts, by field. */
export const differences = (got: Facts, expected: Facts): string[] =>
  [...new Set([...Object.keys(got), ...Object.keys(expected)])].flatMap((about) => {
    const [is, should] = [got[about], expected[about]];
    if (is === undefined) return [`${about}: missing, expected ${JSON.stringify(should)}`];
    if (should === undefined) return [`${about}: not expected, got ${JSON.stringify(is)}`];
    return [...new Set([...Object.keys(is), ...Object.keys(should)])]
      .filter((field) => !isDeepStrictEqual(is[field], should[field]))
      .map(
        (field) =>
          `${about}, ${field}: got ${JSON.stringify(is[field])}, expected ${JSON.stringify(should[field])}`,
      );
  });
