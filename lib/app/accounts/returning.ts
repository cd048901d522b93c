/** Players who come back after they have deleted their accounts during play (decision 85). */
import type { departureChecker } from "../../auth/loginAttempts.ts";
import { comeBack, departedPlayer, type Missed, type Return } from "../../domain/accounts/comeBack.ts";
import type { Departure } from "../../domain/accounts/departure.ts";
import { withOwnAlias } from "../../domain/accounts/renaming.ts";
import type { ReviewReason } from "../../domain/accounts/review.ts";
import type { Game } from "../../domain/game/game.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Player, PlayerIn } from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import { type Absence, readAbsence, withAttendance } from "../../store/absence.ts";
import type { Credential } from "../../store/accounts/accountItems.ts";
import { isLastAlias, readDepartures, returnWrite } from "../../store/accounts/departures.ts";
import { returnedCodeWrite } from "../../store/hunts/tagCodes.ts";
import { interactionAsRead, markUndone } from "../../store/hunts/voids.ts";
import { parseIfFound, parseInteraction, type TagCodeRecord } from "../../store/items.ts";
import { departedAccount, keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import type { Entrant } from "./newAccount.ts";

/** The hunts on which a player's present state depends: their infection, their latest kills, and their feedings. */
const huntsOf = ({ infection_id, latest_kills, meals }: Player): string[] =>
  [
    ...new Set([infection_id, ...latest_kills.map(({ hunt }) => hunt), ...meals.map(({ hunt }) => hunt)]),
  ].filter((id) => id !== null);

/** Those hunts that were voided, and when. */
const voidsOf = async (
  store: Store,
  game: Game,
  hunts: readonly (Interaction | null)[],
): Promise<Missed["voids"]> => {
  const read = hunts.map(async (hunt) => {
    if (hunt?.kind !== "hunt" || hunt.voided_by === undefined) return [];
    const done = await store.interaction(game, hunt.voided_by);
    return done === null ? [] : [{ hunt, at: done.at }];
  });
  return (await Promise.all(read)).flat();
};

/** A player as if they had stayed, before anything is written. */
export interface Restored extends Return {
  /** The player as they left. */
  departed: Player;
  /** The record of the tag code that they left with. */
  record: TagCodeRecord | null;
  /** Whether their alias is another one than the last. */
  isRenamed: boolean;
  /** The conditions that nothing of what they have missed has changed since it was read: enforcements, undos and voids. */
  unchanged: Write[];
}

/**
 * The player of a departure as if they had stayed.
 * @param account the account that is, or may be, theirs
 * @param read what has happened while players were away
 */
export const restoredPlayer = async (
  store: Store,
  departure: Departure,
  account: Player,
  game: Game,
  context: CommandContext,
  read: Promise<Absence> = readAbsence(store.db, game),
): Promise<Restored> => {
  const departed = departedPlayer(departure, account);
  const code = departed.state === "human" ? departed.tag_code : null;
  const [absence, isSameAlias, record, ...items] = await Promise.all([
    read,
    isLastAlias(store.db, departure, account.alias),
    code === null ? null : store.tagCode(code),
    ...huntsOf(departed).map((id) => store.interactionItem(game, id)),
  ]);
  const tagItem =
    record?.hunt_id === undefined ? undefined : await store.interactionItem(game, record.hunt_id);
  const [tag = null, ...hunts] = [tagItem, ...items].map((item) => parseIfFound(item, parseInteraction));
  const missed: Missed = {
    ...absence,
    missions: await withAttendance(store.db, absence.missions, [departed.player_id, account.player_id]),
    tag,
    infection: hunts.find((hunt) => hunt?.interaction_id === departed.infection_id) ?? null,
    voids: await voidsOf(store, game, [tag, ...hunts]),
    isCodeFree: record?.left_at !== undefined && record.hunt_id === undefined,
  };
  const returned = comeBack(departed, departure, missed, absence.game, context);
  const isRenamed = !isSameAlias;
  const renamed = isRenamed ? { renamed_at: rfc3339(context.now) } : {};
  const unchanged: Write[] = [
    { check: keys.game, expect: game.rev === 0 ? "absent" : { rev: game.rev } },
    ...[tagItem, ...items].flatMap((item): Write[] =>
      // Only infections can be voided, or get their hunter. What an undo voids is written.
      item?.gsi1sk === undefined || returned.undone.some(({ before }) => before.interaction_id === item.sk)
        ? []
        : [{ check: { pk: item.pk, sk: item.sk }, expect: interactionAsRead(item) }],
    ),
  ];
  return { ...returned, player: { ...returned.player, ...renamed }, departed, record, isRenamed, unchanged };
};

/** The writes that bring a player back, besides those of the player and the interactions. */
export const restoringWrites = (
  departure: Departure,
  { departed, hasNewCode, record, unchanged, undone }: Restored,
  credential: Credential | null,
): { writes: Write[]; isCodeStored: boolean } => {
  const { player_id: id } = departure;
  const { tag_code: code } = departed;
  const isOpen = code !== null && record?.left_at !== undefined && record.hunt_id === undefined;
  return {
    writes: [
      returnWrite(departure),
      ...unchanged,
      {
        remove: keys.credential(departedAccount(id)),
        expect: credential === null ? "absent" : { rev: credential.rev },
      },
      ...(isOpen ? [returnedCodeWrite(code, record, id)] : []),
      ...undone.map(({ before, voided }) => markUndone(before, voided)),
    ],
    isCodeStored: !hasNewCode,
  };
};

/**
 * How a newcomer enters the game who may have left it. One whose password proves that is restored as if they had stayed.
 * @param claims whom they may be, the one whose password is checked first
 * @param options.mayRestore whether game masters have nothing else to decide about them; the password is checked anyway
 * @throws DomainError `too_many_attempts` if they come back under another alias within a day of the last change
 * @returns the restored player; otherwise `null`, with writes that count a failure
 */
export const enterReturning = async (
  store: Store,
  newcomer: PlayerIn<"spectator">,
  claims: readonly ReviewReason[],
  game: Game,
  context: CommandContext,
  { check, mayRestore }: { check: ReturnType<typeof departureChecker>; mayRestore: boolean },
): Promise<{ entrant: Entrant | null; writes: Write[] }> => {
  const id = claims[0]?.of ?? "nobody";
  const { isProved, credential, writes } = await check(departedAccount(id));
  if (claims.length === 0 || (credential !== null && !isProved)) return { entrant: null, writes };
  const { departures, tombstones } = await readDepartures(store.db, [id]);
  const departure = departures.get(id);
  if (departure === undefined && tombstones.size === 0) {
    // They have come back since: the condition fails, and the registration decides again.
    return { entrant: null, writes: [{ check: keys.departed(id), expect: { is: { player_id: id } } }] };
  }
  if (departure === undefined || !isProved || !mayRestore) return { entrant: null, writes };
  const restored = await restoredPlayer(store, departure, newcomer, game, context);
  const { player, interactions, departed, isRenamed } = restored;
  // Coming back under another alias is a renaming; the earlier alias itself is not known any more.
  if (isRenamed) withOwnAlias({ ...departed, alias: "" }, player.alias, game, context.now);
  return {
    entrant: { player, interactions, ...restoringWrites(departure, restored, credential) },
    writes: [],
  };
};
