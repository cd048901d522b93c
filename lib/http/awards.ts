/** The awards of a season in responses. */
import * as z from "zod/mini";
import { Timestamp } from "./views.ts";

const AWARD_FIELDS = {
  value: z.nullable(z.number()),
  at: z.nullable(Timestamp),
  winners: z.array(z.string()),
  count: z.int(),
};
const Award = z.nullable(z.object(AWARD_FIELDS));

/** An award that game masters have given. */
export const GivenAward = z.object({ title: z.string(), alias: z.nullable(z.string()), text: z.string() });

export const Awards = z.object({
  given: z.array(GivenAward),
  most_kills: Award,
  longest_survivor: Award,
  longest_chain: z.nullable(z.object({ ...AWARD_FIELDS, chain: z.array(z.nullable(z.string())) })),
  most_meals_shared: Award,
  most_points: Award,
  first_tag: Award,
  last_human: Award,
});

export const AWARDS_PROSE = {
  given: "What game masters have awarded.",
  title: "What it is called.",
  text: "What it is for.",
  most_kills: "The hunters with the most kills.",
  longest_survivor: "The players with the longest life as a human; `value` is in seconds of play time.",
  longest_chain: "The players at the top of the longest chains of tags.",
  most_meals_shared: "The hunters whose hunts have fed other zombies most often.",
  most_points: "The players with the most points of codes and missions.",
  first_tag: "The hunter of the first tag.",
  last_human: "The players who are still human, or the last who was.",
  value: "The figure, such as the number of kills; `null` if the award has none.",
  at: "The time; `null` if the award has none.",
  winners: "The aliases of the winners, at most 50.",
  count: "The number of winners.",
  chain: "The players of one such chain, from the top; `null` for players who have left.",
};
