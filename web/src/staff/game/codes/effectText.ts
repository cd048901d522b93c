/** What codes give, and to whom, in sentences: while they are typed, before they are made, and afterwards. */
import type { BodyOf } from "../../../../../client/src/types.ts";
import { snapshot } from "../../../state/session.ts";
import { gm } from "../../../text/staff.ts";
import { zonedText } from "../../../text/zoned.ts";
import type { CommandPath } from "../../calls.ts";

/** The codes that are to be made. */
export type NewCodes = NonNullable<BodyOf<CommandPath<"create_codes">, "post">>;

const textOfTime = (time: string): string => zonedText(time, snapshot.value?.game.time_zone ?? "UTC");

const givenBy = ({ feed_seconds, cure, points, badge }: NewCodes["effect"]): string[] => [
  ...(feed_seconds === undefined ? [] : [gm.codes.food(gm.period(feed_seconds))]),
  ...(cure === true ? [gm.codes.antidote] : []),
  ...(points === undefined ? [] : [gm.codes.somePoints(points)]),
  ...(badge === undefined ? [] : [gm.codes.aBadge(badge.symbol, badge.name)]),
];

const validity = (from: string | null, until: string | null): string[] => {
  if (from !== null && until !== null) return [gm.codes.validBetween(textOfTime(from), textOfTime(until))];
  if (from !== null) return [gm.codes.validFrom(textOfTime(from))];
  return until === null ? [] : [gm.codes.validUntil(textOfTime(until))];
};

interface Described extends Pick<NewCodes, "n" | "effect" | "audience" | "uses" | "uses_per_player"> {
  valid_from?: string | null | undefined;
  valid_until?: string | null | undefined;
  place?: string | null | undefined;
}

/** What codes do, a sentence each. @param n how many codes there are */
export const effectSentences = (effect: NewCodes["effect"], n: number): string[] => {
  const given = givenBy(effect);
  return [
    ...(given.length === 0 ? [] : [gm.codes.gives(new Intl.ListFormat("en").format(given), n)]),
    ...(effect.message === undefined ? [] : [gm.codes.reads(effect.message)]),
  ];
};

/** What a batch of codes is, a sentence a line. */
export const sentencesFor = ({
  n,
  effect,
  audience,
  uses,
  uses_per_player,
  ...batch
}: Described): string[] => {
  const { valid_from = null, valid_until = null, place = null } = batch;
  const forZombies = effect.cure === true || effect.feed_seconds !== undefined;
  return [
    gm.codes.makes(n, gm.codes.whoCan[audience] ?? audience),
    gm.codes.used(uses, uses_per_player, n),
    ...effectSentences(effect, n),
    ...(effect.feed_seconds === undefined ? [] : [gm.codes.fullPeriod]),
    ...(effect.cure === true ? [gm.codes.onceASeason] : []),
    ...(forZombies && audience === "humans" ? [gm.codes.notForHumans] : []),
    ...validity(valid_from, valid_until),
    ...(place === null ? [] : [gm.codes.at(place)]),
  ];
};
