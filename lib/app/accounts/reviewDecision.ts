/**
 * Decides about players who wait, or play, with a `review` (decision 85). A waiting account that belongs to a player who
 * has left becomes that player: it moves to their former player id, with its names, password and sessions.
 */
import { sessionLifetime, sessionsWrite } from "../../auth/sessions.ts";
import { withPrizesOf } from "../../domain/accounts/comeBack.ts";
import { withConfirmedAddress } from "../../domain/accounts/renaming.ts";
import { raise, type Tombstone } from "../../domain/accounts/tombstone.ts";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import { NO_MAILS, withoutConfirmation } from "../../domain/mail/account.ts";
import { atWork } from "../../domain/missions/mission.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { isPending, type Player, type PlayerIn } from "../../domain/players/player.ts";
import { SECOND } from "../../domain/time.ts";
import type { Range, Write } from "../../dynamodb/database.ts";
import { readDepartures } from "../../store/accounts/departures.ts";
import { emailGuard, emailHash } from "../../store/accounts/emails.ts";
import { removalWrites } from "../../store/accounts/removal.ts";
import type { Changes } from "../../store/changes.ts";
import { commitBefore, MAX_WRITES } from "../../store/commit.ts";
import { notesRange } from "../../store/hunts/huntNotes.ts";
import { returnedCodeWrite } from "../../store/hunts/tagCodes.ts";
import { parseOwner } from "../../store/items.ts";
import { departedAccount, idempotencyScope, keys } from "../../store/keys.ts";
import { mailAccountWrite, movedConfirmationWrites, readMailAccount } from "../../store/mail/mailAccounts.ts";
import { readMissions } from "../../store/missions/missions.ts";
import { type MovedAttendance, movedAttendances } from "../../store/missions/movedAttendances.ts";
import { movedSubscriptionWrites, subscriptionsOf } from "../../store/notifications/subscriptions.ts";
import type { Store } from "../../store/store.ts";
import { withoutFormerAliases } from "./deleteAccount.ts";
import { restoredPlayer, restoringWrites } from "./returning.ts";

/** The departures and tombstones that the reviews of players name and that still exist, by their ids. */
export const readClaims = ({ db }: Store, ...players: readonly Player[]) => {
  const claims = players.flatMap(({ review = [] }) => review.filter(({ kind }) => kind === "returns"));
  return readDepartures(db, [...new Set(claims.map(({ of }) => of))]);
};

/** Removes what a waiting account has stored besides its account. It may need more than one transaction. */
const removeRange = async (store: Store, range: Range, timeLeft: () => number): Promise<void> => {
  const writes = await removalWrites(store, range, { timeLeft });
  if (writes.length > 0) await store.commit(writes, timeLeft);
};

/** At most so many writes of a return are of the player: the item, guards and words, events, counters, log and response. */
const OWN_WRITES = 40;

/** As much of what a waiting account got by missions as fits into a transaction that has other writes. */
const fitting = (earned: readonly MovedAttendance[], others: number): MovedAttendance[] => {
  let free = MAX_WRITES - OWN_WRITES - others;
  return earned.filter(({ writes }) => {
    free -= writes.length;
    return free >= 0;
  });
};

/**
 * Moves what a waiting account attended to another player id. Whatever was rewarded moves with the account.
 * @returns what was rewarded
 * @throws DomainError `wrong_state` while a mission is being closed or reopened
 */
const moveAttendances = async (
  store: Store,
  { player_id: from }: Player,
  to: string,
  timeLeft: () => number,
): Promise<MovedAttendance[]> => {
  const missions = await readMissions(store.db, { consistent: true });
  const desks = missions.filter(({ attendance }) => attendance === "desk");
  const ids = desks.map(({ mission_id }) => mission_id);
  const working = desks.find(({ job }) => job !== null);
  // The job would not find who has moved.
  if (working !== undefined) throw new DomainError("wrong_state", atWork(working));
  const moved = await movedAttendances(store.db, ids, from, to);
  for (const { writes, rewarded } of moved)
    if (rewarded.length === 0) await commitBefore(store, writes, timeLeft);
  return moved.filter(({ rewarded }) => rewarded.length > 0);
};

/** The writes that move the signatures of an account to another player id. */
const movedSignaturesOf = async (
  { db }: Store,
  { signed, player_id: from }: Player,
  to: string,
): Promise<Write[]> => {
  if (signed === undefined) return [];
  // Imported on demand: most games have no waiver.
  const { movedSignatureWrites } = await import("../../store/waiver/signatures.ts");
  return movedSignatureWrites(db, from, to);
};

/**
 * The writes that move what belongs to an account to another player id: password, sessions, picture, subscriptions,
 * signatures.
 */
const movedAccountWrites = async (
  store: Store,
  before: Player,
  after: Player,
  game: Game,
  now: number,
): Promise<Write[]> => {
  const { db, account, recovery, picture } = store;
  const { player_id: from } = before;
  const { player_id: to } = after;
  const guard = emailGuard(before);
  const registrations: Range = { pk: idempotencyScope(from), after: "NEW#", before: "NEW#~" };
  const [{ credential, sessions }, code, image, subscriptions, { items }, owned, mails] = await Promise.all([
    account(from),
    recovery(from),
    picture(from),
    subscriptionsOf(db, from),
    db.query({ ...registrations, consistent: true }, 1),
    guard === null ? undefined : db.get({ pk: guard.pk, sk: guard.sk }),
    readMailAccount(db, from),
  ]);
  const moved = [
    ...(credential === null
      ? []
      : [{ item: credential, old: keys.credential(from), at: keys.credential(to) }]),
    ...(code === null ? [] : [{ item: code, old: keys.recovery(from), at: keys.recovery(to) }]),
    ...(image === null ? [] : [{ item: image, old: keys.picture(from), at: keys.picture(to) }]),
  ];
  // The tokens of the waiting account are followed as long as any session can last.
  const expires = Math.ceil((now + sessionLifetime(null).maxAgeMs) / SECOND);
  return [
    ...moved.flatMap(({ item, old, at }): Write[] => [
      { put: { ...item, ...at }, expect: "absent" },
      { remove: old, expect: { rev: item.rev } },
    ]),
    ...(sessions === null
      ? []
      : [
          sessionsWrite(to, null, sessions.sessions, now),
          sessionsWrite(from, { ...sessions, moved_to: to, expires }, [], now),
        ]),
    ...(await movedSubscriptionWrites(db, subscriptions, to, game)),
    ...items.flatMap(({ pk, sk, ...item }): Write[] => [
      { put: { ...item, pk: idempotencyScope(to), sk } },
      { remove: { pk, sk } },
    ]),
    ...(guard === null || owned === undefined || parseOwner(owned) !== from
      ? []
      : [{ put: { ...guard, player_id: to }, expect: { is: { player_id: from } } }]),
    ...movedConfirmationWrites({ before, after }),
    // A link of the waiting account is not valid any more.
    ...(mails.rev === 0
      ? []
      : [
          { remove: keys.mailAccount(from), expect: { rev: mails.rev } },
          mailAccountWrite(to, NO_MAILS, withoutConfirmation(mails)),
        ]),
    { remove: keys.origin(from) },
    ...(await movedSignaturesOf(store, before, to)),
  ];
};

/** The changes that put a waiting account into the state of a tombstone of an earlier version. It keeps its player id. */
const raisedChanges = async (
  store: Store,
  before: PlayerIn<"spectator">,
  { id, tombstone }: { id: string; tombstone: Tombstone },
  game: Game,
  context: CommandContext,
): Promise<Decided> => {
  const { tag_code: code } = tombstone;
  const record = code === null ? null : await store.tagCode(code);
  const hunt = record?.hunt_id === undefined ? null : await store.interaction(game, record.hunt_id);
  const isFree = record?.left_at !== undefined && record.hunt_id === undefined;
  const newcomer = { ...before, held: undefined, review: undefined };
  const { player, interactions } = raise(newcomer, tombstone, { hunt, isFree }, game, context);
  const { player_id } = player;
  const knownCode = tombstone.cover?.tag_code ?? "";
  const isCodeStored = code !== null && record !== null && player.tag_code === code;
  return {
    player,
    changes: {
      players: [{ before, after: player, isCodeStored }],
      interactions,
      basedOn: game,
      writes: [
        { remove: keys.tombstone(id) },
        ...(isCodeStored ? [returnedCodeWrite(code, record, player_id)] : []),
        // The tag code that a hidden original zombie had as a human leads to the new account: others may know it.
        ...(knownCode === "" ? [] : [{ set: keys.code(knownCode), to: { player_id }, by: { rev: 1 } }]),
      ],
    },
  };
};

export interface Decided {
  player: Player;
  changes: Changes;
}

/** Somebody who waits, and who has left before. */
interface Returning {
  target: Player;
  /** Which departure, needed if there are several. */
  departureId: string | undefined;
  /** The address by which the player has just proved it. */
  confirmed?: string;
}

/**
 * Makes a waiting account the player who has left.
 * @throws DomainError `wrong_state`, `invalid_request`; `unavailable` when time runs out
 */
export const decideReturned = async (
  store: Store,
  { target, departureId, confirmed }: Returning,
  game: Game,
  context: CommandContext,
  timeLeft: () => number,
): Promise<Decided> => {
  if (!isPending(target) || target.state !== "spectator")
    throw new DomainError("wrong_state", `${target.alias} does not wait to be admitted.`);
  if (target.is_admin || target.is_moderator)
    throw new DomainError("wrong_state", `${target.alias} has a role: remove the role first.`);
  const { departures, tombstones } = await readClaims(store, target);
  const ids = [...departures.keys(), ...tombstones.keys()];
  if (ids.length > 1 && departureId === undefined) {
    const message = "is required: the account may belong to more than one player who has left";
    throw invalidRequest({ path: "departure_id", message });
  }
  const id = departureId ?? ids[0] ?? "";
  const [departure, tombstone] = [departures.get(id), tombstones.get(id)];
  if (tombstone !== undefined) return raisedChanges(store, target, { id, tombstone }, game, context);
  if (departure === undefined) {
    const back = "No such player is away: they have come back, or the season has ended.";
    throw new DomainError("wrong_state", back);
  }
  const { player_id: from } = target;
  await removeRange(store, notesRange(from), timeLeft);
  await removeRange(store, { pk: idempotencyScope(from), after: "KEY#", before: "KEY#~" }, timeLeft);
  const attended = await moveAttendances(store, target, id, timeLeft);
  const before = await withoutFormerAliases(store, target, { timeLeft });
  const account = confirmed === undefined ? before : withConfirmedAddress(before, confirmed, emailHash);
  const restored = await restoredPlayer(store, departure, account, game, context);
  const { credential } = await store.account(departedAccount(id));
  const { writes: restoring, isCodeStored } = restoringWrites(departure, restored, credential);
  const { interactions } = restored;
  const others = [
    ...restoring,
    ...(await movedAccountWrites(store, before, restored.player, game, context.now)),
  ];
  const earned = fitting(attended, others.length);
  const rewarded = earned.flatMap((one) => one.rewarded);
  const recorded = await Promise.all(rewarded.map((one) => store.interaction(game, one)));
  const player = withPrizesOf(
    restored.player,
    before,
    recorded.filter((one) => one !== null),
  );
  return {
    player,
    changes: {
      players: [{ before, after: player, isCodeStored }],
      interactions,
      basedOn: game,
      writes: [...others, ...earned.flatMap(({ writes }) => writes)],
    },
  };
};

/** Whether a waiting account may be a player who has left and is still away. */
export const mayBeDeparted = async (store: Store, target: Player): Promise<boolean> => {
  if (!isPending(target)) return false;
  const { departures, tombstones } = await readClaims(store, target);
  return departures.size + tombstones.size > 0;
};
