/** What game masters have to decide about newcomers, and about players who take another alias or e-mail address. */
import type { Game } from "../../domain/game.ts";
import type { Newcomer } from "../../domain/player.ts";
import type { ReviewReason } from "../../domain/review.ts";
import type { Store } from "../../store/store.ts";
import { requireUnbanned } from "./requireUnbanned.ts";

/**
 * What game masters have to decide about somebody with this alias and address before they may play.
 * @throws DomainError `banned`
 */
export const reviewNewcomer = async (
  store: Store,
  _game: Game,
  who: Pick<Newcomer, "alias" | "email">,
  now: number,
): Promise<ReviewReason[]> => {
  await requireUnbanned(store, who, now);
  return [];
};
