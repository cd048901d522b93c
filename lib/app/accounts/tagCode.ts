/** Game masters' corrections of tag codes: a new code, and the end of a lock-out. */
import { withNewCode } from "../../domain/players/transitions.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { replacedCodeWrite } from "../../store/hunts/tagCodes.ts";
import { findTarget, type PlayerName } from "../currentState.ts";
import { showToStaff } from "../lookups.ts";
import type { StaffInfo } from "../shown.ts";

/**
 * Gives a human a new tag code. A hunt with the old one is rejected with `code_replaced` from then on.
 * @throws DomainError `player_not_found`, `wrong_state`
 */
export const newTagCode = async (call: PlayerCall, named: PlayerName): Promise<Decision<StaffInfo>> => {
  const { context, now, player: actor, services } = call;
  const { target, game } = await findTarget(call, named);
  const { before, after } = withNewCode(target, context);
  return {
    changes: { players: [{ before, after }], basedOn: game, writes: [replacedCodeWrite(before, now)] },
    result: await showToStaff(services.store, after, game, now, actor),
  };
};

/** Lets a player who has entered too many wrong tag codes report hunts again. @throws DomainError `player_not_found` */
export const liftLockout = async (call: PlayerCall, named: PlayerName): Promise<Decision<StaffInfo>> => {
  const { now, player: actor, services } = call;
  const { target: before, game } = await findTarget(call, named);
  const after = { ...before, misses: [] };
  return {
    changes: { players: [{ before, after }], basedOn: game },
    result: await showToStaff(services.store, after, game, now, actor),
  };
};
