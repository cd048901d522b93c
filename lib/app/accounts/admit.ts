/** Admits newcomers who wait for a game master: one, or a list of them. */
import * as z from "zod/mini";
import { isPending, type Player, State } from "../../domain/player.ts";
import { text } from "../../domain/schemas.ts";
import { admit } from "../../domain/transitions.ts";
import type { Call } from "../../http/definition.ts";
import { AliasRef, exactlyOneOf, PLAYER_REF_FIELDS } from "../../http/fields.ts";
import { runBatch } from "../../jobs/bulk.ts";
import { chunk } from "../../runtime/chunk.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { findPlayer } from "../currentState.ts";

const MAX_ALIASES = 100;

/** Each takes three of the 100 writes of a transaction: the player, the tag code and the interaction. */
const PER_BATCH = 30;

export const AdmitRequest = z
  .strictObject({
    ...PLAYER_REF_FIELDS,
    aliases: z.optional(z.array(AliasRef).check(z.minLength(1), z.maxLength(MAX_ALIASES))),
  })
  .check(exactlyOneOf("alias", "player_id", "aliases"));
type AdmitRequest = z.infer<typeof AdmitRequest>;

/** Those of a list who did not wait are `skipped`. */
export const AdmitResponse = z.object({
  admitted: z.array(z.object({ alias: text, state: State })),
  skipped: z.array(z.object({ alias: text, code: z.enum(["player_not_found", "wrong_state"]) })),
});
type AdmitResponse = z.infer<typeof AdmitResponse>;

type AdmitCall = Call<"administrator", AdmitRequest, unknown, AdmitResponse>;

interface Result {
  response: AdmitResponse;
  /** Aliases by player id. */
  names: Map<string, string>;
}

/** Admits those of these players who wait, in batches. What was done before an interruption stays. */
const admitAll = async (
  { context, player: actor, services, timeLeft }: AdmitCall,
  aliases: readonly string[],
): Promise<Result> => {
  const { store } = services;
  const wanted = await Promise.all(
    aliases.map(async (alias) => ({ alias, player: await store.playerByAlias(alias) })),
  );
  const ids = new Set(wanted.flatMap(({ player }) => player?.player_id ?? []));
  const done = new Map<string, Player>();
  for (const batch of chunk([...ids], PER_BATCH)) {
    const decisions = await runBatch({
      store,
      ids: batch,
      timeLeft,
      rule: {
        decide: (target, game) =>
          isPending(target) ? { outcome: admit({ game, target, actor: actor.player_id }, context) } : null,
      },
    });
    for (const { after } of decisions.flatMap(({ outcome }) => outcome.players)) {
      if (after !== null) done.set(after.player_id, after);
    }
  }
  const skipped = wanted.flatMap(({ alias, player }): AdmitResponse["skipped"] => {
    if (player === null) return [{ alias, code: "player_not_found" }];
    return done.has(player.player_id) ? [] : [{ alias: player.alias, code: "wrong_state" }];
  });
  const admitted = [...done.values()].map(({ alias, state }) => ({ alias, state }));
  const named = wanted.flatMap(({ player }) => (player === null ? [] : [player]));
  return {
    response: { admitted, skipped },
    names: new Map(named.map(({ player_id, alias }) => [player_id, alias])),
  };
};

/** Admits the one player whom the request names. @throws DomainError `player_not_found`, `wrong_state` */
const admitOne = (call: AdmitCall): Promise<CommandResponse> => {
  const { audit, body, context, player: actor, services } = call;
  return call.decide(async () => {
    const target = await findPlayer(services.store, body);
    audit.target = target.player_id;
    const game = await services.store.gameFor(await services.store.game(), target);
    const outcome = admit({ game, target, actor: actor.player_id }, context);
    const { alias, state } = outcome.player;
    return {
      changes: { ...outcome, seen: game },
      response: { admitted: [{ alias, state }], skipped: [] },
    };
  });
};

/**
 * Admits players, who become humans with a tag code. A list is not one transaction: a request that is sent again admits the
 * rest.
 * @throws DomainError `player_not_found` and `wrong_state`, unless it is a list
 */
export const admitPlayers = (call: AdmitCall): Promise<CommandResponse> => {
  const { audit, body } = call;
  const { aliases } = body;
  if (aliases === undefined) return admitOne(call);
  let result: Result | undefined;
  return call.decide(async () => {
    // Nothing is admitted twice if only the response could not be stored.
    result ??= await admitAll(call, aliases);
    const { admitted, skipped } = result.response;
    audit.details = { admitted: admitted.length, skipped: skipped.length };
    return { changes: {}, ...result };
  });
};
