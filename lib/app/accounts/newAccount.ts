/** A new account: the player and the writes that create it. */
import { randomUUID } from "node:crypto";
import { credentialWrite } from "../../auth/credentials.ts";
import { mustWait, type ReviewReason } from "../../domain/accounts/review.ts";
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import type { CommandContext, PlayerChange } from "../../domain/outcome.ts";
import {
  HELD,
  type Newcomer,
  newSpectator,
  type Player,
  type PlayerIn,
} from "../../domain/players/player.ts";
import { rfc3339 } from "../../domain/time.ts";
import { enterSigned } from "../../domain/waiver/waiver.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Services } from "../../lambda/services.ts";
import { emailWrites } from "../../store/accounts/emails.ts";
import type { Changes } from "../../store/changes.ts";
import { randomShard } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { reviewNewcomer } from "./review.ts";

const TAKEN = "This alias is taken, or looks like one that is.";
const POSING = "This alias is reserved, or differs from a game master's only in digits or separators.";

export interface AliasHolder {
  /** `null` for a new player. */
  player_id: string | null;
  /** Administrators may have any free alias. */
  is_admin: boolean;
}

/** The error if a player may not take an alias, else `null`. */
export const aliasConflict = async (
  store: Store,
  alias: string,
  { player_id, is_admin }: AliasHolder,
): Promise<DomainError | null> => {
  const [isTaken, isPosing] = await Promise.all([
    store.aliasTaken(alias, player_id),
    is_admin ? false : store.isPosing(alias, player_id),
  ]);
  if (!isTaken && !isPosing) return null;
  return new DomainError("alias_taken", isTaken ? TAKEN : POSING);
};

export interface NewAccount {
  player: Player;
  /** The changes that create the account. */
  changes: Changes & { writes: Write[] };
  /** The writes of these changes, except that of the credential. */
  furtherWrites: Write[];
}

/** A new account, and the writes that use up the code with which it was made. */
export interface Entered {
  account: NewAccount;
  codeWrites: Write[];
}

/** A newcomer who has entered the game, and the interactions and further writes that this needs. */
export interface Entrant extends Pick<PlayerChange, "isCodeStored"> {
  player: Player;
  interactions?: Interaction[];
  writes?: Write[];
}

/** How a newcomer enters the game: as a human, as a spectator, or by a function. */
export type Entry =
  | "human"
  | "spectator"
  | ((newcomer: PlayerIn<"spectator">, review: ReviewReason[]) => Promise<Entrant>);

/** A newcomer about whom game masters have something to decide. */
export const reviewed = (player: Player, review: ReviewReason[]): Player =>
  review.length === 0 ? player : { ...player, review };

/** A newcomer who waits until a game master has decided. */
export const waiting = (newcomer: PlayerIn<"spectator">, review: ReviewReason[]): Player =>
  reviewed({ ...newcomer, held: HELD.pending }, review);

interface AccountOptions {
  as?: Entry;
  is_admin?: boolean;
  /** Of a player who is invited, and still has to set a password: refuses what they would be reviewed for. */
  invite?: (review: readonly ReviewReason[]) => void;
  /** What `aliasConflict` has found, if it has been asked. */
  conflict?: DomainError | null | Promise<DomainError | null>;
}

/**
 * Returns a new account and the changes that create it.
 * @param newcomer.hash the hash of the password
 * @throws DomainError `banned`, `alias_taken`; those of `invite`
 */
export const newAccount = async (
  { store, mail }: Pick<Services, "store" | "mail">,
  game: Game,
  newcomer: Newcomer & { hash: string },
  context: CommandContext,
  {
    as = "human",
    is_admin = false,
    invite,
    conflict = aliasConflict(store, newcomer.alias, { player_id: null, is_admin }),
  }: AccountOptions = {},
): Promise<NewAccount> => {
  // Read before who has left, because who has the alias may leave meanwhile; told after a ban.
  const taken = await conflict;
  const found = is_admin ? null : await reviewNewcomer({ store, mail }, game, newcomer, context.now);
  const review = found?.review ?? [];
  invite?.(review);
  if (taken !== null) throw taken;
  const spectator = newSpectator(randomUUID(), randomShard(game), newcomer, rfc3339(context.now));
  const enter = async (): Promise<Entrant> => {
    // Decided also for somebody who waits, because fewer reads would tell them that there is a review.
    if (typeof as === "function") return as(spectator, review);
    if (mustWait(review, mail !== null)) return { player: waiting(spectator, review) };
    const player = as === "human" ? enterSigned(spectator, game, null, context) : spectator;
    return { player: reviewed(player, review) };
  };
  const { player, interactions = [], writes = [], isCodeStored = false } = await enter();
  const change = { before: null, after: player, isCodeStored };
  const furtherWrites = [
    ...writes,
    // Rows of an import share a transaction, which can check an item only once.
    ...(found && !invite ? [found.unbanned] : []),
    ...(await emailWrites(store, change, game.settings.unique_email, mail === null ? review : undefined)),
  ];
  const credential = credentialWrite(player.player_id, null, newcomer.hash);
  return {
    player,
    changes: {
      players: [change],
      interactions,
      basedOn: game,
      writes: [
        invite === undefined ? credential : { ...credential, put: { ...credential.put, invited: true } },
        ...furtherWrites,
      ],
    },
    furtherWrites,
  };
};
