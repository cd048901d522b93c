/** Audits what players got by codes and missions, and the uses of codes. */
import type { StoredPlayer } from "../../../lib/domain/players/player.ts";
import type { Write } from "../../../lib/dynamodb/database.ts";
import { type Difference, type Finding, keyOf } from "./difference.ts";
import type { Survey } from "./survey.ts";

/** Points, badges and antidote must be those that recorded rewards gave and nobody took back. */
export const rewardsFinding = (
  survey: Survey,
  { player_id, points, badges, antidote }: StoredPlayer,
): Finding[] => {
  const given = [...survey.rewards.values()].filter(
    ({ of, isTakenBack }) => of === player_id && !isTakenBack,
  );
  const ids = new Set(given.map(({ id }) => id));
  const right = {
    points: given.reduce((sum, one) => sum + one.points, 0),
    badges: badges.filter(({ by }) => ids.has(by)),
    antidote: antidote !== null && ids.has(antidote) ? antidote : null,
  };
  const describe = (one: Pick<StoredPlayer, "points" | "badges" | "antidote">): string =>
    `${one.points} points, ${one.badges.length} badges, ${one.antidote === null ? "no" : "an"} antidote`;
  const [is, should] = [describe({ points, badges, antidote }), describe(right)];
  if (is === should) return [];
  return [{ kind: "rewards", is, should, change: survey.interactionsUnreadable ? null : right }];
};

const placeOf = ({ batch_id, number }: { batch_id: string; number: number }): string =>
  `${batch_id} ${number}`;

/** Redemptions must agree with what is recorded: an undone one was taken back, any other was not. */
const redemptionDifferences = (survey: Survey): Difference[] =>
  survey.redemptions.flatMap(({ item, redemption }) => {
    const { interaction_id: id, undone_at } = redemption;
    const reward = survey.rewards.get(id);
    const isUndone = undone_at !== undefined;
    if (reward?.isTakenBack === isUndone || survey.interactionsUnreadable) return [];
    const is = isUndone ? "undone" : "not undone";
    const should = reward === undefined ? "absent: it is not recorded" : isUndone ? "not undone" : "undone";
    return [{ kind: "redemption", which: id, key: keyOf(item), is, should, repair: null }];
  });

/** The uses of each code must be its redemptions. Each code belongs to a batch. */
const codeDifferences = (survey: Survey): Difference[] => {
  const uses = Map.groupBy(
    survey.redemptions.filter(({ redemption }) => redemption.undone_at === undefined),
    ({ batch_id, redemption: { number } }) => placeOf({ batch_id, number }),
  );
  return survey.rewardCodes.flatMap(({ item, code }): Difference[] => {
    const { batch_id, used } = code;
    const key = keyOf(item);
    const which = `code ${code.number} of ${batch_id}`;
    const expect = { is: { batch_id, used } };
    if (!survey.batches.has(batch_id)) {
      const repair: Write[] = [{ remove: key, expect }];
      return [{ kind: "reward code", which, key, is: "of no batch", should: "absent", repair }];
    }
    const right = uses.get(placeOf(code))?.length ?? 0;
    if (right === used) return [];
    const repair: Write[] = [{ increase: key, by: { used: right - used }, expect }];
    return [{ kind: "reward code", which, key, is: `used ${used}`, should: `used ${right}`, repair }];
  });
};

/** Returns all differences of codes and redemptions. */
export const redeemingDifferences = (survey: Survey): Difference[] => [
  ...redemptionDifferences(survey),
  ...codeDifferences(survey),
];
