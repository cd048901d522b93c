/**
 * The settings of a game. Settings that rules depend on are part of the game item, which every command reads; long
 * texts have an item of their own.
 */
import * as z from "zod/mini";
import {
  boolean,
  integer,
  noTextsByDefault,
  nullableInteger,
  nullIntegerByDefault,
  nullTextByDefault,
  text,
} from "../schemas.ts";
import { DAY, HOUR, MINUTE, SECOND } from "../time.ts";
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

/** What a signature of the waiver is asked besides the name. */
export const WAIVER_ASK = ["birth_date", "emergency_contact", "photo_consent"] as const;

/** How a setting is entered, and what the service accepts. */
export type SettingInput =
  | { kind: "text"; characters: "name" | "line" | "text"; max: number; isOptional: boolean }
  | { kind: "choice"; of: readonly string[] }
  /** Some of these, each once. */
  | { kind: "list"; of: readonly string[] }
  | { kind: "flag" }
  | { kind: "number"; min: number; max: number; isOptional: boolean };

/** A setting that is stored as it is entered, and that game masters see as it is stored. */
export interface Setting<T> {
  stored: z.ZodMiniType<T>;
  /** The value in a new game, and in one that was begun before the setting was added. */
  initial: T;
  input: SettingInput;
}

const flag = (initial: boolean): Setting<boolean> => ({
  stored: z._default(boolean, initial),
  ...{ initial, input: { kind: "flag" } },
});

const choice = <C extends string>(of: readonly C[], initial: NoInfer<C>): Setting<C> => ({
  stored: z._default(z.enum(of), initial),
  ...{ initial, input: { kind: "choice", of } },
});

const list = <C extends string>(of: readonly C[]): Setting<C[]> => ({
  stored: z._default(z.array(z.enum(of)), []),
  ...{ initial: [], input: { kind: "list", of } },
});

const number = (min: number, max: number, initial: number): Setting<number> => ({
  stored: z._default(integer, initial),
  ...{ initial, input: { kind: "number", min, max, isOptional: false } },
});

const optionalText = (characters: "line" | "text", max: number): Setting<string | null> => ({
  stored: nullTextByDefault,
  ...{ initial: null, input: { kind: "text", characters, max, isOptional: true } },
});

const optionalNumber = (min: number, max: number): Setting<number | null> => ({
  stored: nullIntegerByDefault,
  ...{ initial: null, input: { kind: "number", min, max, isOptional: true } },
});

/** The highest allowed value of `sharers`. */
export const MAX_SHARERS = 5;

const MAX_REPORT_WINDOW_SECONDS = (7 * DAY) / SECOND;
export const MAX_FEEDING_SECONDS = (366 * DAY) / SECOND;

/** Texts about the game that are shown to everybody. No rule depends on them. */
export const TEXT_SETTINGS = {
  description: optionalText("text", 2_000),
  rules: optionalText("text", 20_000),
  contact: optionalText("line", 200),
  stun: optionalText("text", 500),
  safe_places: optionalText("text", 1_000),
  waiver: optionalText("text", 20_000),
};

const NAME: Setting<string> = {
  stored: text,
  initial: "Humans vs Zombies",
  input: { kind: "text", characters: "name", max: 80, isOptional: false },
};

const FEEDING_PERIOD: Setting<number | null> = {
  stored: nullableInteger,
  /** The feeding period of the deployment. */
  initial: null,
  input: { kind: "number", min: 1, max: MAX_FEEDING_SECONDS, isOptional: true },
};

/** A setting that has more than one input, or is stored in another form. `lib/app/game/settings.ts` changes it. */
const OWN = {};

/** What tells about the game, in the order of the API. */
export const ABOUT_SETTINGS = { name: NAME, ...TEXT_SETTINGS };

/** The other settings but for the schedule, in the order of the API. */
export const RULE_SETTINGS = {
  feeding_period_seconds: FEEDING_PERIOD,
  sharers: number(0, MAX_SHARERS, 2),
  report_window_seconds: number(1, MAX_REPORT_WINDOW_SECONDS, (6 * HOUR) / SECOND),
  checkpoint_outcome: choice(CHECKPOINT_OUTCOMES, "corpse"),
  missions_required: optionalNumber(1, 100),
  missions_counted_from: OWN,
  hide_originals: OWN,
  reveal_originals_at: OWN,
  originals_cured: flag(false),
  public_board: flag(false),
  registration: choice(REGISTRATIONS, "open"),
  registration_closes_at: OWN,
  join_codes: OWN,
  unique_email: flag(false),
  waiver_ask: list(WAIVER_ASK),
  minimum_age: optionalNumber(1, 120),
  keep_signatures_days: number(0, 3_660, 90),
  leaving: choice(LEAVING, "allowed"),
  enrolment: choice(ENROLMENTS, "everyone"),
  webhooks: OWN,
};

/** The names of the settings of a table that are stored as they are entered. */
type PlainNames<T> = { [K in keyof T]: T[K] extends { initial: unknown } ? K : never }[keyof T];

export type ValuesOf<T> = {
  [K in PlainNames<T>]: T[K] extends { initial: infer V } ? V : never;
};

/** One property of each setting of a table that has it, by name. */
function pick<T extends object, P extends "stored" | "initial">(
  table: T,
  property: P,
): { [K in keyof ValuesOf<T>]: P extends "stored" ? z.ZodMiniType<ValuesOf<T>[K]> : ValuesOf<T>[K] };
function pick(table: object, property: string): object {
  const entries = Object.entries<object>({ ...table });
  return Object.fromEntries(
    entries.flatMap(([name, one]) => (property in one ? [[name, Reflect.get(one, property)]] : [])),
  );
}

const STORED_IN_GAME = { name: NAME, ...RULE_SETTINGS };

/** The settings that are part of the game, besides the schedule. */
export const Settings = z.looseObject({
  ...pick(STORED_IN_GAME, "stored"),
  /** Since when new original zombies are hidden, RFC 3339; `null` if they are not. Earlier ones stay visible. */
  hide_originals_since: nullTextByDefault,
  /** When they are revealed, RFC 3339; `null` for the end of the game. */
  reveal_originals_at: nullTextByDefault,
  /** Since when required missions count, RFC 3339; `null` for all of them. */
  missions_counted_from: nullTextByDefault,
  /** When registration closes, in milliseconds since 1970; `null` if it does not. */
  registration_closes_at: nullIntegerByDefault,
  /** Whether newcomers need one of the game's join codes; `null` if neither `JOIN_CODE` nor a game master has set it. */
  needs_join_code: z._default(z.nullable(boolean), null),
  /** The versions of the waiver whose signatures count, the present one first; empty without a waiver. */
  waiver_versions: noTextsByDefault,
});
export type Settings = z.infer<typeof Settings>;

export const DEFAULT_SETTINGS: Settings = {
  ...pick(STORED_IN_GAME, "initial"),
  hide_originals_since: null,
  reveal_originals_at: null,
  missions_counted_from: null,
  registration_closes_at: null,
  needs_join_code: null,
  waiver_versions: [],
};

export const GameTexts = z.lazy(() => z.looseObject(pick(TEXT_SETTINGS, "stored")));
export type GameTexts = z.infer<typeof GameTexts>;

export const NO_TEXTS: GameTexts = pick(TEXT_SETTINGS, "initial");

/** The settings that are stored as they are entered, by name. */
export type PlainSettings = ValuesOf<typeof ABOUT_SETTINGS & typeof RULE_SETTINGS>;

const SCHEDULE_SETTINGS = { time_zone: null, starts_at: null, ends_at: null, play_hours: null };

/** A setting that a request can change. */
export type SettingName = keyof (typeof ABOUT_SETTINGS & typeof SCHEDULE_SETTINGS & typeof RULE_SETTINGS);

const namesOf = <T extends object>(table: T): Extract<keyof T, string>[] => {
  const isName = (name: string): name is Extract<keyof T, string> => name in table;
  return Object.keys(table).filter(isName);
};

/** What the API document says of each. Functions that do not use it leave it out of their bundles. */
export const SETTING_PROSE: Record<keyof (typeof ABOUT_SETTINGS & typeof RULE_SETTINGS), string> = {
  name: "The name of the game.",
  description: "A text for players.",
  rules: "The rules, in Markdown.",
  contact: "How to reach the game masters.",
  stun: "The rule about stunned zombies.",
  safe_places: "Where nobody is tagged, in Markdown.",
  waiver: "What players sign before they play, in Markdown; `null` for nothing.",
  feeding_period_seconds:
    "The play time for which a feeding lasts, in seconds; `null` for that of the deployment.",
  sharers: "How many other zombies a hunt may feed.",
  report_window_seconds: "The play time within which a hunt must be reported, in seconds.",
  checkpoint_outcome: "What becomes of a human who misses the checkpoint, or required missions.",
  missions_required:
    "How many required missions a player has to attend; `null` for none. Nothing happens until a game master enforces it.",
  missions_counted_from: "Missions that began before do not count; `null` counts all.",
  hide_originals: "Whether original zombies are hidden.",
  reveal_originals_at: "When original zombies are revealed; `null` for the end of the game.",
  originals_cured: "Whether an antidote also makes original zombies human.",
  public_board: "Whether `/public` has the leaderboard, the latest events and the numbers over time.",
  registration:
    "How players join: `open` as humans, `approval` once a game master admits them, or `closed`; after the end of the game, it is closed.",
  registration_closes_at: "When registration closes; `null` for never.",
  join_codes:
    "The join codes; a newcomer needs one of them, or none if the list is empty. In a request, the list replaces all codes.",
  unique_email:
    "Whether an e-mail address may have one account only. Game masters decide about a newcomer with an address that is in use: where mail is sent, one that another account has confirmed.",
  waiver_ask: "What a signature of the waiver is asked besides the name.",
  minimum_age:
    "Who is younger when they sign waits for a game master, or for their birthday; `null` for no age. The birth date is then asked for.",
  keep_signatures_days: "How many days the signature of a deleted account is kept.",
  leaving: "Whether players may delete their account during play, or must ask a game master.",
  enrolment:
    "Who plays in a new season: `everyone` who was not a spectator, or with `opt_in` only those who enrol.",
  webhooks:
    "Where events of the game are sent; in a request the list replaces the whole, an entry with a `webhook_id` stays, and `null` removes all.",
};

/** All settings that a request can change, in the order of the API. */
export const settingNames = (): readonly SettingName[] =>
  namesOf({
    ...ABOUT_SETTINGS,
    ...SCHEDULE_SETTINGS,
    ...RULE_SETTINGS,
  });

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
