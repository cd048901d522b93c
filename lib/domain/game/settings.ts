/**
 * The settings of a game. Settings that rules depend on are part of the game item, which every command reads; long
 * texts have an item of their own.
 */
import * as z from "zod/mini";
import { boolean, integer, nullableInteger, nullableText, text } from "../schemas.ts";
import { HOUR, MINUTE, SECOND } from "../time.ts";
import type { ValidationIssue } from "../validation.ts";
import { minutesOf, type PlayHours, type Schedule, WEEKDAYS } from "./schedule.ts";

export const CHECKPOINT_OUTCOMES = ["corpse", "zombie"] as const;
export type CheckpointOutcome = (typeof CHECKPOINT_OUTCOMES)[number];

/** How players can register: as humans, as spectators whom a game master must admit, or not at all. */
export const REGISTRATIONS = ["open", "approval", "closed"] as const;
export type Registration = (typeof REGISTRATIONS)[number];

/** Whether players may delete their accounts during play, or only game masters can do it. */
export const LEAVING = ["allowed", "with_game_master"] as const;

/** Which accounts play in a new season: all that played in the previous one, or only those that enrol. */
export const ENROLMENTS = ["everyone", "opt_in"] as const;
export type Enrolment = (typeof ENROLMENTS)[number];

/** The settings that rules depend on, besides the schedule. */
export const Settings = z.looseObject({
  name: text,
  /** `null` for the feeding period of the deployment. */
  feeding_period_seconds: nullableInteger,
  /** The maximum number of other zombies that a hunt can feed. */
  sharers: integer,
  /** A hunt must be reported within this much play time. */
  report_window_seconds: integer,
  /** The state that a human who misses a checkpoint gets. */
  checkpoint_outcome: z._default(z.enum(CHECKPOINT_OUTCOMES), "corpse"),
  /** Since when new original zombies are hidden, RFC 3339; `null` if they are not. Earlier ones stay visible. */
  hide_originals_since: z._default(nullableText, null),
  /** When they are revealed, RFC 3339; `null` for the end of the game. */
  reveal_originals_at: z._default(nullableText, null),
  /** Whether everybody may see the leaderboard and the latest interactions, without an account. */
  public_board: z._default(boolean, false),
  registration: z._default(z.enum(REGISTRATIONS), "open"),
  /** When registration closes, in milliseconds since 1970; `null` if it does not. */
  registration_closes_at: z._default(nullableInteger, null),
  /** Whether newcomers need one of the game's join codes; `null` if neither `JOIN_CODE` nor a game master has set it. */
  needs_join_code: z._default(z.nullable(boolean), null),
  /** Whether an e-mail address can have only one account. */
  unique_email: z._default(boolean, false),
  leaving: z._default(z.enum(LEAVING), "allowed"),
  enrolment: z._default(z.enum(ENROLMENTS), "everyone"),
});
export type Settings = z.infer<typeof Settings>;

/** The highest allowed value of `sharers`. */
export const MAX_SHARERS = 5;

export const DEFAULT_SETTINGS: Settings = {
  name: "Humans vs Zombies",
  feeding_period_seconds: null,
  sharers: 2,
  report_window_seconds: (6 * HOUR) / SECOND,
  checkpoint_outcome: "corpse",
  hide_originals_since: null,
  reveal_originals_at: null,
  public_board: false,
  registration: "open",
  registration_closes_at: null,
  needs_join_code: null,
  unique_email: false,
  leaving: "allowed",
  enrolment: "everyone",
};

/** Texts about the game that are shown to players. No rule depends on them. */
export const GameTexts = z.looseObject({
  description: nullableText,
  /** Markdown. */
  rules: nullableText,
  contact: nullableText,
  stun: nullableText,
});
export type GameTexts = z.infer<typeof GameTexts>;

export const NO_TEXTS: GameTexts = { description: null, rules: null, contact: null, stun: null };

/** Whether this is the IANA name of a time zone. */
const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    // A bare offset such as +02:00 is also accepted above, but has no daylight saving time.
    return /^[A-Z]/i.test(name);
  } catch {
    return false;
  }
};

const TIME = /^(?:[01]\d|2[0-3]):[0-5]\d$/;

const rangeIssue = (opens: string, closes: string): string | null => {
  if (!TIME.test(opens)) return `must begin at HH:MM from 00:00 to 23:59, not ${JSON.stringify(opens)}`;
  if (!TIME.test(closes) && closes !== "24:00")
    return `must end at HH:MM from 00:00 to 24:00, not ${JSON.stringify(closes)}`;
  if (minutesOf(opens) >= minutesOf(closes))
    return `must end after it begins: end ${opens} to ${closes} at 24:00, and continue at 00:00 on the next day`;
  return null;
};

const playHoursIssues = (hours: PlayHours): ValidationIssue[] => {
  const issues: ValidationIssue[] = [];
  for (const day of WEEKDAYS) {
    const ranges = hours[day] ?? [];
    const path = `play_hours.${day}`;
    for (const [index, [opens, closes]] of ranges.entries()) {
      const message = rangeIssue(opens, closes);
      if (message !== null) issues.push({ path: `${path}.${index}`, message });
    }
    const sorted = ranges.toSorted(([one], [other]) => minutesOf(one) - minutesOf(other));
    const overlap = sorted.find(
      ([opens], index) => minutesOf(opens) < minutesOf(sorted[index - 1]?.[1] ?? "00:00"),
    );
    if (overlap !== undefined)
      issues.push({ path, message: `must not overlap: ${overlap.join(" to ")} begins before another ends` });
  }
  if (WEEKDAYS.every((day) => (hours[day] ?? []).length === 0))
    issues.push({ path: "play_hours", message: "must have at least one range in a week; null means always" });
  return issues;
};

/** The issues of a schedule; none if it is valid. */
export const scheduleIssues = ({
  time_zone,
  starts_at,
  ends_at,
  play_hours,
}: Pick<Schedule, "time_zone" | "starts_at" | "ends_at" | "play_hours">): ValidationIssue[] => [
  ...(isTimeZone(time_zone)
    ? []
    : [{ path: "time_zone", message: "must be the IANA name of a time zone, such as Europe/Berlin" }]),
  ...(starts_at !== null && ends_at !== null && ends_at <= starts_at
    ? [{ path: "ends_at", message: "must be after the start" }]
    : []),
  ...(play_hours === null ? [] : playHoursIssues(play_hours)),
];

/** The issues of the settings that hide original zombies. All times are in milliseconds since 1970. */
export const hidingIssues = (
  isHiding: boolean,
  revealsAt: number | null,
  { starts_at, ends_at }: Pick<Schedule, "starts_at" | "ends_at">,
  now: number,
): ValidationIssue[] => {
  const issue = (message: string) => [{ path: "reveal_originals_at", message }];
  if (revealsAt === null) return [];
  if (!isHiding) return issue("is only for original zombies that are hidden");
  // They may be revealed at once before the game starts.
  if (starts_at !== null && revealsAt < starts_at && revealsAt > now)
    return issue("must not be before the start");
  if (ends_at !== null && revealsAt > ends_at) return issue("must not be after the end");
  return [];
};

/** A duration in words, such as `6 hours` or `90 minutes`. @param milliseconds a whole number of seconds */
export const durationText = (milliseconds: number): string => {
  const [unit, name] =
    milliseconds % HOUR === 0
      ? [HOUR, "hour"]
      : milliseconds % MINUTE === 0
        ? [MINUTE, "minute"]
        : [SECOND, "second"];
  const count = milliseconds / unit;
  return `${count} ${name}${count === 1 ? "" : "s"}`;
};
