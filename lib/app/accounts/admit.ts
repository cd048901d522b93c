/** Admits newcomers whose registration waits for a game master: one, or a list. */
import * as z from "zod/mini";
import type { Game } from "../../domain/game.ts";
import { isPending, type Player, State } from "../../domain/player.ts";
import { text } from "../../domain/schemas.ts";
import { admit } from "../../domain/transitions.ts";
import { knowsSecrets } from "../../domain/visibility.ts";
import type { Call } from "../../http/definition.ts";
import { AliasRef, exactlyOneOf, PLAYER_REF_FIELDS } from "../../http/fields.ts";
import { type BulkDecision, bulkChanges, isDecision, runBatch } from "../../jobs/bulk.ts";
import { chunk } from "../../runtime/chunk.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { findPlayer, isOnlyMaster } from "../currentState.ts";

const MAX_ALIASES = 100;

/** Admitting a player takes three of the 100 writes of a transaction: the player, the tag code and the interaction. */
const PER_BATCH = 30;

export const AdmitRequest = z
  .strictObject({
    ...PLAYER_REF_FIELDS,
    aliases: z.optional(z.array(AliasRef).check(z.minLength(1), z.maxLength(MAX_ALIASES))),
  })
  .check(exactlyOneOf("alias", "player_id", "aliases"));
type AdmitRequest = z.infer<typeof AdmitRequest>;

/** `skipped`: aliases of the list that no player has, or whose player was not pending. */
export const AdmitResponse = z.object({
  admitted: z.array(z.object({ alias: text, state: State })),
  skipped: z.array(z.object({ alias: text, code: z.enum(["player_not_found", "wrong_state"]) })),
});
type AdmitResponse = z.infer<typeof AdmitResponse>;

type AdmitCall = Call<"administrator", AdmitRequest, unknown, AdmitResponse>;

interface Wanted {
  /** The alias in the request. */
  alias: string;
  player: Player | null;
}

const skippedOf = (wanted: readonly Wanted[], admitted: ReadonlyMap<string, Player>) =>
  wanted.flatMap(({ alias, player }): AdmitResponse["skipped"] => {
    if (player === null) return [{ alias, code: "player_not_found" }];
    return admitted.has(player.player_id) ? [] : [{ alias: player.alias, code: "wrong_state" }];
  });

/** Admits the one player whom the request names. @throws DomainError `player_not_found`, `wrong_state` */
const admitOne = (call: AdmitCall): Promise<CommandResponse> => {
  const { audit, body, context, player: actor, services } = call;
  return call.decide(async () => {
    const target = await findPlayer(services.store, body);
    audit.target = target.player_id;
    const game = await services.store.gameFor(await services.store.game(), target);
    const isOwn = target.player_id === actor.player_id;
    const isLone = isOwn && (await isOnlyMaster(services.store, target));
    const outcome = admit({ game, target, actor: actor.player_id, isOnlyMaster: isLone }, context);
    const { alias, state } = outcome.player;
    return {
      changes: { ...outcome, basedOn: game },
      response: { admitted: [{ alias, state }], skipped: [] },
    };
  });
};

/**
 * Admits players, who become humans with a tag code. A long list is admitted in several transactions; after an
 * interruption, the same request admits the rest.
 * @throws DomainError `player_not_found` and `wrong_state`, for a single player
 */
export const admitPlayers = (call: AdmitCall): Promise<CommandResponse> => {
  const { audit, body, context, player, services, timeLeft } = call;
  const { store } = services;
  const { aliases } = body;
  if (aliases === undefined) return admitOne(call);
  const actor = player.player_id;
  /** The players whom earlier transactions of this call have admitted, by player id. */
  const done = new Map<string, Player>();
  /** A game master who knows secrets cannot admit themselves in a list. */
  const mayAdmit = (target: Player): boolean =>
    isPending(target) && !(target.player_id === actor && knowsSecrets(target));
  const decideFor = (target: Player, game: Game): BulkDecision | null =>
    mayAdmit(target) ? { outcome: admit({ game, target, actor }, context) } : null;
  return call.decide(async () => {
    const wanted = await Promise.all(
      aliases.map(async (alias): Promise<Wanted> => ({ alias, player: await store.playerByAlias(alias) })),
    );
    const found = new Map(wanted.flatMap((one) => (one.player ? [[one.player.player_id, one.player]] : [])));
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
      response: { admitted: [...admitted.values()].map(({ alias, state }) => ({ alias, state })), skipped },
      aliases: new Map([...found].map(([id, { alias }]) => [id, alias])),
    };
  });
};
