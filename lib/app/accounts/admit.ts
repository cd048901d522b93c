/** Admits newcomers whose registration waits for a game master: one, or a list. */
import { DomainError } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import { isPending, needsDecision, type Player, type State, stateOf } from "../../domain/players/player.ts";
import { admit } from "../../domain/players/transitions.ts";
import { knowsSecrets, requireMayEnterPlay, shownPlayer } from "../../domain/players/visibility.ts";
import { mustSign } from "../../domain/waiver/mustSign.ts";
import { type BulkDecision, bulkChanges, isDecision, runBatch } from "../../jobs/bulk.ts";
import type { JobCall, PlayerCall } from "../../lambda/call.ts";
import { chunk } from "../../runtime/chunk.ts";
import type { Decision } from "../../store/decide.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import type { Store } from "../../store/store.ts";
import { findTarget, isOnlyAdministrator, type PlayerName } from "../currentState.ts";

/** Admitting a player takes three of the 100 writes of a transaction: the player, the tag code and the interaction. */
const PER_BATCH = 30;

/** Names one player, or several by their aliases. */
type Admission = PlayerName & {
  aliases?: string[] | undefined;
  /** Who a player is about whom game masters have to decide: somebody new, or a player who has left and is back. */
  decision?: "newcomer" | "returned" | undefined;
  departure_id?: string | undefined;
};

interface Admitted {
  admitted: { alias: string; state: State }[];
  /** The aliases of the list that no player has, or whose player was not pending, has not signed or needs a decision. */
  skipped: { alias: string; code: "player_not_found" | "wrong_state" | "needs_decision" }[];
}

interface Wanted {
  /** The alias in the request. */
  alias: string;
  player: Player | null;
}

/** Admitted players as the game master may see them: one who plays already may be a hidden original zombie. */
const admittedView = (
  players: Iterable<Player>,
  game: Game,
  { player: actor, now }: Pick<PlayerCall, "player" | "now">,
): Admitted["admitted"] =>
  [...players].map((player) => ({
    alias: player.alias,
    state: stateOf(shownPlayer(player, actor, game, now), game, now),
  }));

const versionOf = ({ player_id, rev }: Player): string => `${player_id} ${rev}`;

/** Those whose reviews name only players who are back, so that there is nothing to decide any more; by version. */
const withStaleReviews = async (store: Store, players: readonly Player[]): Promise<ReadonlySet<string>> => {
  const doubtful = players.filter(
    (one) => needsDecision(one) && (one.review ?? []).every(({ kind }) => kind === "returns"),
  );
  if (doubtful.length === 0) return new Set();
  // Imported on demand: few newcomers have a review.
  const { readClaims } = await import("./reviewDecision.ts");
  const { departures, tombstones } = await readClaims(store, ...doubtful);
  const isAway = ({ of }: { of: string }): boolean => departures.has(of) || tombstones.has(of);
  return new Set(doubtful.filter(({ review = [] }) => !review.some(isAway)).map(versionOf));
};

const skippedOf = (wanted: readonly Wanted[], admitted: ReadonlyMap<string, Player>) =>
  wanted.flatMap(({ alias, player }): Admitted["skipped"] => {
    if (player === null) return [{ alias, code: "player_not_found" }];
    if (admitted.has(player.player_id)) return [];
    return [{ alias: player.alias, code: needsDecision(player) ? "needs_decision" : "wrong_state" }];
  });

/** The decision on the one player whom a request names. @throws DomainError `wrong_state`, `invalid_request` */
const decideOne = async (
  { context, now, player: actor, services, timeLeft }: PlayerCall,
  { decision, departure_id }: Admission,
  target: Player,
  game: Game,
) => {
  const { store } = services;
  const isOwn = target.player_id === actor.player_id;
  const isLone = isOwn && (await isOnlyAdministrator(store, target));
  if (isOwn) requireMayEnterPlay(target, isLone);
  if (decision === "returned") {
    // Imported on demand: few players have left.
    const { decideReturned } = await import("./reviewDecision.ts");
    return decideReturned(store, { target, departureId: departure_id }, game, context, timeLeft);
  }
  const { review = [] } = target;
  if (decision === "newcomer" && !isPending(target) && review.length > 0) {
    // A player who plays already stays as they are.
    const player = { ...target, review: undefined };
    return { player, changes: { players: [{ before: target, after: player }], basedOn: game } };
  }
  if (decision === undefined && review.some(({ kind }) => kind === "returns")) {
    const { mayBeDeparted } = await import("./reviewDecision.ts");
    if (await mayBeDeparted(store, target)) throw undecided(target);
  }
  const admission = { game, actor: actor.player_id, isOnlyAdministrator: isLone };
  // Throws the error for the state that the game master may see, as commands on states do.
  admit({ ...admission, target: shownPlayer(target, actor, game, now) }, { ...context, newId: () => "" });
  const { player, ...outcome } = admit({ ...admission, target }, context);
  return { player, changes: { ...outcome, basedOn: game } };
};

const undecided = ({ alias }: Player): DomainError =>
  new DomainError(
    "wrong_state",
    `${alias} may be a player who has left. Decide under Now, or send the decision returned or newcomer.`,
  );

/**
 * Admits the one player whom the request names, or closes their review.
 * @throws DomainError `player_not_found`, `wrong_state`, `invalid_request`
 */
const admitOne = async (call: PlayerCall, admission: Admission): Promise<Decision<Admitted>> => {
  const { audit } = call;
  const { target, game } = await findTarget(call, admission);
  const { player, changes } = await decideOne(call, admission, target, game);
  audit.target = player.player_id;
  if (admission.decision !== undefined) audit.details = { decision: admission.decision };
  return { changes, result: { admitted: admittedView([player], game, call), skipped: [] } };
};

/**
 * Admits players, who become humans with a tag code. A long list is admitted in several transactions; after an
 * interruption, the same request admits the rest.
 * @throws DomainError `player_not_found` and `wrong_state`, for a single player
 */
export const admitPlayers = (call: JobCall<Admitted>, admission: Admission): Promise<CommandResponse> => {
  const { audit, context, player, services, timeLeft } = call;
  const { store } = services;
  const { aliases } = admission;
  if (aliases === undefined) return call.decide((attempt) => admitOne(attempt, admission));
  const actor = player.player_id;
  /** The players whom earlier transactions of this call have admitted, by player id. */
  const done = new Map<string, Player>();
  let stale: ReadonlySet<string> = new Set();
  /** A game master who knows secrets cannot admit themselves in a list. */
  const mayAdmit = (target: Player): boolean =>
    isPending(target) &&
    (!needsDecision(target) || stale.has(versionOf(target))) &&
    !(target.player_id === actor && knowsSecrets(target));
  const decideFor = (target: Player, game: Game): BulkDecision | null =>
    mayAdmit(target) && !mustSign(target, game) ? { outcome: admit({ game, target, actor }, context) } : null;
  return call.decide(async () => {
    const wanted = await Promise.all(
      aliases.map(async (alias): Promise<Wanted> => ({ alias, player: await store.playerByAlias(alias) })),
    );
    const found = new Map(wanted.flatMap((one) => (one.player ? [[one.player.player_id, one.player]] : [])));
    stale = await withStaleReviews(store, [...found.values()]);
    const pending = [...found.values()].filter(mayAdmit);
    const last = pending.splice(-PER_BATCH);
    for (const batch of chunk(pending, PER_BATCH)) {
      const ids = batch.map(({ player_id }) => player_id);
      const decisions = await runBatch({ store, ids, timeLeft, rule: { decide: decideFor } });
      for (const { after } of decisions.flatMap(({ outcome }) => outcome.players)) {
        if (after !== null) done.set(after.player_id, after);
      }
    }
    const game = await store.gameFor(await store.game(), ...last);
    const changes = bulkChanges(last.map((target) => decideFor(target, game)).filter(isDecision), game);
    const admittedLast = changes.players.flatMap(({ after }) => (after === null ? [] : [after]));
    const admitted = new Map([...done, ...admittedLast.map((one) => [one.player_id, one] as const)]);
    const skipped = skippedOf(wanted, admitted);
    audit.details = { admitted: admitted.size, skipped: skipped.length };
    return {
      changes,
      result: { admitted: admittedView(admitted.values(), game, call), skipped },
      aliases: new Map([...found].map(([id, { alias }]) => [id, alias])),
    };
  });
};
