/** Draws original zombies from the humans who want to be one. */
import { createHash } from "node:crypto";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import type { Player } from "../../domain/players/player.ts";
import { drawOriginal } from "../../domain/players/transitions.ts";
import { hiddenSince, hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import { mustSign } from "../../domain/waiver/mustSign.ts";
import { BATCHES_RESERVE_MS } from "../../jobs/bulk.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { unavailable } from "../../store/commit.ts";
import type { Decision } from "../../store/decide.ts";
import type { Store } from "../../store/store.ts";
import { readPlayers } from "../players/listPlayers.ts";

/** The largest draws that fit into one transaction: a player takes two writes, or three while originals are hidden. */
export const MAX_DRAWN = 40;
const MAX_DRAWN_HIDDEN = 32;

export interface DrawRequest {
  n: number;
  dry_run?: boolean | undefined;
}

interface Draw {
  /** The number of humans who want to be an original zombie. */
  volunteers: number;
  drawn: { alias: string }[];
  /** `null` in a dry run. */
  seed: string | null;
  dry_run: boolean;
}

/** The humans who want to be an original zombie. Reads every player. */
const readVolunteers = async ({ game, services: { store }, timeLeft }: PlayerCall): Promise<Player[]> => {
  const volunteers: Player[] = [];
  for await (const { player } of readPlayers(store, store.rosterEntries(game, 500), 100)) {
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    if (player.wants_original && player.state === "human" && !mustSign(player, game)) volunteers.push(player);
  }
  return volunteers;
};

const lotOf = (seed: string, { player_id }: Player): string =>
  createHash("sha256").update(`${seed} ${player_id}`).digest("hex");

/** Why a game master who plays cannot draw, and who can. */
const hiddenFromAdministrator = async (store: Store): Promise<DomainError> =>
  new DomainError(
    "wrong_state",
    (await store.administrators()).ids.length === 1
      ? "Original zombies are hidden from you, because you play, and there is no other game master. Make somebody a game master who does not play, and let them draw; or stop hiding original zombies."
      : "Original zombies are hidden from game masters who play: one who does not play has to draw them.",
  );

/** Draws the `n` players with the lowest lots. With the seed and the players, anybody can repeat it (decision 56). */
const drawLots = (players: readonly Player[], n: number, seed: string): Player[] =>
  players
    .map((player) => ({ player, lot: lotOf(seed, player) }))
    .sort((one, other) => (one.lot < other.lot ? -1 : 1))
    .slice(0, n)
    .map(({ player }) => player);

/**
 * Draws original zombies, who begin with a full feeding period. A dry run changes nothing and names nobody. The seed is chosen
 * by the draw itself: whoever knew it before could compute the draw, and repeat it until it takes whom they want (decision 120).
 * @throws DomainError `too_few_volunteers`; `wrong_state` for a game master who may not know the drawn players, whom the
 *   seed would tell; `invalid_request` if too many are to be drawn while originals are hidden
 */
export const drawOriginals = async (
  call: PlayerCall,
  { n, dry_run = false }: DrawRequest,
): Promise<Decision<Draw>> => {
  const { audit, context, game: loaded, now, player: actor, services } = call;
  const { store } = services;
  // If a drawn player changes in the meantime, the commit fails and the draw is repeated.
  const volunteers = await readVolunteers(call);
  if (hidesOriginalsFrom(actor, loaded, now)) throw await hiddenFromAdministrator(store);
  if (n > MAX_DRAWN_HIDDEN && hiddenSince(loaded, now) !== null)
    throw invalidRequest({
      path: "n",
      message: `must be at most ${MAX_DRAWN_HIDDEN} while originals are hidden`,
    });
  const count = volunteers.length;
  audit.details = { n, volunteers: count, dry_run };
  if (count < n)
    throw new DomainError(
      "too_few_volunteers",
      `${count} ${count === 1 ? "human wants" : "humans want"} to be an original zombie, fewer than ${n}.`,
    );
  if (dry_run) return { changes: {}, result: { volunteers: count, drawn: [], seed: null, dry_run } };
  const seed = services.newSeed();
  const drawn = drawLots(volunteers, n, seed);
  const game = await store.gameFor(loaded, ...drawn);
  audit.details = { ...audit.details, seed, drawn: drawn.map(({ player_id }) => player_id) };
  const outcomes = drawn.map((target) => drawOriginal({ game, target, actor: actor.player_id }, context));
  return {
    changes: {
      players: outcomes.flatMap(({ players }) => players),
      interactions: outcomes.flatMap(({ interactions }) => interactions),
      basedOn: game,
    },
    result: { volunteers: count, drawn: drawn.map(({ alias }) => ({ alias })), seed, dry_run },
    aliases: new Map(drawn.map(({ player_id, alias }) => [player_id, alias])),
  };
};
