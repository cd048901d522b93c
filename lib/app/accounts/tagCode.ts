/** Game masters' corrections of tag codes: a new code, and the end of a lock-out. */
import { withNewCode } from "../../domain/players/transitions.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import type { PlayerRef } from "../../http/fields.ts";
import type { PlayerReturnInfo } from "../../http/views.ts";
import { replacedCodeWrite } from "../../store/hunts/tagCodes.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { findPlayer, reloadOnRetry } from "../currentState.ts";
import { showPlayer } from "../lookups.ts";
import { infoForStaff } from "../shown.ts";

type TargetCall = Call<"administrator", PlayerRef, unknown, PlayerReturnInfo>;

const loadTarget = ({ audit, body, services, ...caller }: TargetCall) => {
  const { store } = services;
  const reload = reloadOnRetry({ ...caller, services });
  return async () => {
    const [{ player: actor, game }, target] = await Promise.all([reload(), findPlayer(store, body)]);
    audit.target = target.player_id;
    return { actor, target, game: await store.gameFor(game, target) };
  };
};

/**
 * Gives a human a new tag code. A hunt with the old one is rejected with `code_replaced` from then on.
 * @throws DomainError `player_not_found`, `wrong_state`
 */
export const newTagCode = (call: TargetCall): Promise<CommandResponse> => {
  const { context, now, services } = call;
  const load = loadTarget(call);
  return call.decide(async () => {
    const { actor, target, game } = await load();
    const { before, after } = withNewCode(target, context);
    return {
      changes: { players: [{ before, after }], basedOn: game, writes: [replacedCodeWrite(before, now)] },
      result: infoForStaff(await showPlayer(services.store, after, game, now, actor), after, actor),
    };
  });
};

/** Lets a player who has entered too many wrong tag codes report hunts again. @throws DomainError `player_not_found` */
export const liftLockout = (call: TargetCall): Promise<CommandResponse> => {
  const { now, services } = call;
  const load = loadTarget(call);
  return call.decide(async () => {
    const { actor, target: before, game } = await load();
    const after = { ...before, misses: [] };
    return {
      changes: { players: [{ before, after }], basedOn: game },
      result: infoForStaff(await showPlayer(services.store, after, game, now, actor), after, actor),
    };
  });
};
