/** The English texts of missions, for the pages of players and of game masters. */
import type { Mission } from "../schemas.ts";
import { numberText, periodText } from "./en.ts";

type Effect = Mission["rewards"][number]["effect"];
type Earned = Mission["earned"][number];
type Result = NonNullable<Mission["result"]>;

const pointsText = (points: number): string => `${numberText(points)} ${points === 1 ? "point" : "points"}`;

/** A message within a sentence, which has its own full stop. */
const quoted = (message: string): string => `“${message.replace(/\.$/, "")}”`;

/** What a reward gives, each part on its own: `5 points`. */
export const effectTexts = ({ feed_seconds, cure, points, badge, message }: Effect): string[] => [
  ...(feed_seconds === undefined ? [] : [`food for ${periodText(feed_seconds)}`]),
  ...(cure === true ? ["an antidote"] : []),
  ...(points === undefined ? [] : [pointsText(points)]),
  ...(badge === undefined ? [] : [`the badge ${badge.symbol} ${badge.name}`]),
  ...(message === undefined ? [] : [quoted(message)]),
];

/** What a player got by a reward. */
export const earnedTexts = ({ fed, cured, points, badge, message }: Earned): string[] => [
  ...(fed === true ? ["food"] : []),
  ...(cured === true ? ["an antidote: you are human again"] : []),
  ...(points === undefined ? [] : [pointsText(points)]),
  ...(badge === undefined ? [] : [`the badge ${badge.symbol} ${badge.name}`]),
  ...(message === undefined ? [] : [quoted(message)]),
];

export const missionTexts = {
  title: "Missions",
  none: "There is no mission that you know of. You are told when one is announced.",
  next: "Next",
  running: "Now",
  later: "Later",
  past: "Over",
  untilStart: "until it starts",
  untilEnd: "until it ends",
  from: (start: string, end: string) => `From ${start} to ${end}`,
  map: "Open in a map",
  audiences: {
    all: "For all",
    humans: "For humans",
    zombies: "For zombies",
    corpses: "For corpses",
  } satisfies Record<Mission["briefings"][number]["audience"], string>,
  required: "You have to attend.",
  requiredTitle: (attended: number, needed: number) =>
    `${numberText(attended)} of ${numberText(needed)} required ${needed === 1 ? "mission" : "missions"} attended`,
  requiredText: (attended: number, needed: number) =>
    attended >= needed ? "You have attended enough." : `Attend ${numberText(needed - attended)} more.`,
  requiredToPlay: "You have to attend before you play.",
  desk: (alias: string) => `Check in at the desk: show your tag code, or say your alias, ${alias}.`,
  checkedIn: "You are checked in.",
  attended: "You were there.",
  missed: "You were not checked in.",
  rewards: "For who attends",
  earned: (what: string) => `You got ${what}.`,
  results: {
    humans: "The humans have won",
    zombies: "The zombies have won",
    both: "Both sides have won",
    none: "Nobody has won",
    cancelled: "Cancelled: it counts for nobody",
  } satisfies Record<Result, string>,
  ended: "It has ended. The result is not known yet.",
};
