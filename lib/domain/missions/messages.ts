/** What is announced of missions, to the sides who know of them. */
import type { Game } from "../game/game.ts";
import type { MissionNews } from "../notifications/news.ts";
import { instantOf } from "../time.ts";
import {
  closingOf,
  dueBriefings,
  isAmong,
  isReminderDue,
  knownTo,
  type Mission,
  type MissionResult,
  type Side,
} from "./mission.ts";

export interface MissionMessage {
  what: MissionNews;
  audience: Side;
  title: string;
  content: string;
}

/** The local date and time in the zone of the game, whose rules at that time count. */
const localTime = (time: string, { schedule }: Game): string =>
  new Intl.DateTimeFormat("en-GB", {
    timeZone: schedule?.time_zone ?? "UTC",
    ...{ weekday: "short", day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" },
    timeZoneName: "short",
  }).format(instantOf(time));

const whenAndWhere = (mission: Mission, game: Game): string => {
  const { starts_at, ends_at, place } = mission;
  const when = `From ${localTime(starts_at, game)} to ${localTime(ends_at, game)}.`;
  return place === null ? when : `${when} Place: ${place}.`;
};

/** The sides to whom a mission was announced, and is known. */
const toldOf = ({ briefings }: Mission, now: number): Side[] =>
  knownTo({ briefings: briefings.filter(({ announced }) => announced) }, now);

/** What is due now: reveals of briefings, and the start in half an hour. */
export const dueMessages = (mission: Mission, game: Game, now: number): MissionMessage[] => {
  const { title, starts_at } = mission;
  const content = whenAndWhere(mission, game);
  // A mission that has begun needs no reminder, nor does a side that learns of the mission only now.
  const isReminded = isReminderDue(mission, now) && now < instantOf(starts_at);
  return [
    ...dueBriefings(mission, now).map(({ audience }) => ({
      ...{ what: "mission_revealed" as const, audience, title: `Mission: ${title}`, content },
    })),
    ...(isReminded ? toldOf(mission, now) : []).map((audience) => ({
      ...{ what: "mission_soon" as const, audience, title: `Soon: ${title}`, content },
    })),
  ];
};

/** What is announced when the title, the place or the time of a mission changes that a side knows. */
export const changeMessages = (
  before: Mission,
  after: Mission,
  game: Game,
  now: number,
): MissionMessage[] => {
  const isSame = (["title", "place", "latitude", "longitude", "starts_at", "ends_at"] as const).every(
    (name) => before[name] === after[name],
  );
  if (isSame || after.draft || closingOf(after) !== null) return [];
  // Who is told of the mission only now needs no word of a change.
  const known = toldOf(before, now);
  return knownTo(after, now)
    .filter((side) => isAmong(side, known))
    .map((audience) => ({
      what: "mission_changed",
      audience,
      title: `Changed: ${after.title}`,
      content: whenAndWhere(after, game),
    }));
};

const RESULT_TEXTS: Readonly<Record<MissionResult, string>> = {
  humans: "The humans have won.",
  zombies: "The zombies have won.",
  both: "Both sides have won.",
  none: "Nobody has won.",
  cancelled: "The mission is cancelled: it counts for nobody.",
};

/** What is announced when a mission is closed. */
export const resultMessages = (mission: Mission, now: number): MissionMessage[] => {
  const closing = closingOf(mission);
  if (closing === null || mission.draft) return [];
  const word = closing.result === "cancelled" ? "Cancelled" : "Result";
  const content = [RESULT_TEXTS[closing.result], ...(closing.note === null ? [] : [closing.note])].join(" ");
  const title = `${word}: ${mission.title}`;
  return knownTo(mission, now).map((audience) => ({ what: "mission_result", audience, title, content }));
};
