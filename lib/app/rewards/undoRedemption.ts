/** Undoes a redemption, or previews what that changes. */
import { DomainError } from "../../domain/domainError.ts";
import { shownInteraction } from "../../domain/players/visibility.ts";
import { requireReward, takeBackReward } from "../../domain/rewards/takeBack.ts";
import { rfc3339 } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { markUndoneBy } from "../../store/hunts/voids.ts";
import { parseIfFound, parseInteraction } from "../../store/items.ts";
import { readOwnRedemptions, readSheet, requireHash, undoneWrites } from "../../store/rewards/codes.ts";
import type { Store } from "../../store/store.ts";
import { type EffectInfo, effectInfo } from "../hunts/voidHunt.ts";
import { type InteractionInfo, interactionView } from "../shown.ts";
import { readEndedInfection } from "./endedInfection.ts";
import { requireBatch } from "./listCodes.ts";

interface Undone {
  /** `null` in a dry run. */
  interaction: InteractionInfo | null;
  dry_run: boolean;
  effects: EffectInfo[];
}

/** The writes that give the use back to the code. */
const useWrites = async (store: Store, batchId: string, playerId: string, id: string, now: number) => {
  const batch = await requireBatch(store, batchId);
  const own = await readOwnRedemptions(store.db, batchId, playerId);
  const place = own.findIndex(({ interaction_id }) => interaction_id === id);
  const redemption = own[place];
  if (redemption === undefined) throw new ConditionFailed("the redemption is gone");
  const [codes, hash] = await Promise.all([readSheet(store.db, batchId), requireHash(store.db)]);
  const code = codes[redemption.number - 1] ?? "";
  return undoneWrites(hash(code), batch, redemption, place, rfc3339(now));
};

/**
 * Undoes a redemption: takes back what it gave, and gives the use back to the code. A dry run changes nothing.
 * @throws DomainError `not_found`; `wrong_state` if it is undone already, or the player has left
 */
export const undoRedemption = async (
  call: PlayerCall,
  { redemption_id: id, dry_run = false }: { redemption_id: string; dry_run?: boolean | undefined },
): Promise<Decision<Undone>> => {
  const {
    audit,
    context,
    game: loaded,
    now,
    player: actor,
    services: { store },
  } = call;
  audit.details = { redemption_id: id, dry_run };
  const item = await store.interactionItem(loaded, id);
  const { rewarded, reward } = requireReward(parseIfFound(item, parseInteraction));
  const { target } = rewarded;
  // Of a hidden original zombie, not even game masters who play may learn what they got.
  const isHidden = shownInteraction(rewarded, actor, loaded, now) === null;
  if (item === undefined || target === null || reward.source !== "code" || isHidden)
    throw new DomainError("not_found", "There is no such redemption.");
  audit.target = target;
  const player = await store.player(target);
  if (player === null)
    throw new DomainError("wrong_state", "This player has left. Undo it if they come back.");
  const game = await store.gameFor(loaded, player);
  const { infection, conditions } = await readEndedInfection(store, game, reward);
  const by = actor.player_id;
  const outcome = takeBackReward({ game, rewarded, infection, player, actor: by }, context);
  const aliases = new Map([actor, player].map(({ player_id, alias }) => [player_id, alias]));
  const writes = [
    markUndoneBy(item, outcome.interaction),
    ...conditions,
    ...(await useWrites(store, reward.source_id, target, id, now)),
  ];
  return {
    changes: dry_run ? {} : { ...outcome, basedOn: game, writes },
    result: {
      interaction: dry_run ? null : interactionView(outcome.interaction, aliases, actor),
      dry_run,
      effects: outcome.effects.map((effect) => effectInfo(effect, aliases, game, now)),
    },
    aliases,
  };
};
