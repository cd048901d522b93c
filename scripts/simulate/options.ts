/** Validates the options of `npm run simulate`. */
import { minutesOf, type PlayHours, WEEKDAYS } from "../../lib/domain/game/schedule.ts";
import { MAX_SHARERS, scheduleIssues } from "../../lib/domain/game/settings.ts";
import { DAY, HOUR, MINUTE } from "../../lib/domain/time.ts";
import { numberOption } from "../cli/numberOption.ts";
import { UserError } from "../cli/userError.ts";
import { MISSION_HOURS, type MissionRules, type Rules } from "./season.ts";

/** The options that a sweep can vary, as given. */
export interface RuleOptions {
  players: string;
  originals: string;
  days: string;
  feeding: string;
  sharers: string;
  rate: string;
  "play-hours"?: string | undefined;
  missions?: string | undefined;
  attendance?: string | undefined;
  food?: string | undefined;
  antidotes?: string | undefined;
}

const MAX_PLAYERS = 5_000;
const MAX_DAYS = 60;
const MAX_SEASONS = 100_000;

const UNITS: Record<string, number> = { m: MINUTE, h: HOUR, d: DAY };

/** Parses a duration such as `48h`, `90m` or `2d` into milliseconds. */
const durationOf = (name: string, text: string): number => {
  const [, count = "", unit = ""] = /^(\d{1,4})([mhd])$/.exec(text) ?? [];
  const duration = Number(count) * (UNITS[unit] ?? 0);
  if (duration >= HOUR && duration <= MAX_DAYS * DAY) return duration;
  throw new UserError(
    `--${name} ${text} is invalid: use a duration from 1h to ${MAX_DAYS}d, such as 48h or 2d.`,
  );
};

/** Parses hours such as `08:00-22:00`, which are the same on each day. */
const playHoursOf = (text: string | undefined): PlayHours | null => {
  if (text === undefined) return null;
  const [, opens = "", closes = ""] = /^(\d\d:\d\d)-(\d\d:\d\d)$/.exec(text) ?? [];
  const hours: PlayHours = Object.fromEntries(WEEKDAYS.map((day) => [day, [[opens, closes]]]));
  const schedule = { time_zone: "UTC", starts_at: null, ends_at: null, play_hours: hours };
  if (scheduleIssues(schedule).length === 0 && minutesOf(opens) < minutesOf(closes)) return hours;
  throw new UserError(`--play-hours ${text} is invalid: use times from 00:00 to 24:00, such as 08:00-22:00.`);
};

/** The missions; `null` for none. @throws UserError */
const missionsOf = (options: RuleOptions, days: number, playHours: PlayHours | null): MissionRules | null => {
  const { missions, attendance, food, antidotes } = options;
  if (missions === undefined && (attendance ?? food ?? antidotes) !== undefined)
    throw new UserError("--attendance, --food and --antidotes say how missions go: give --missions too.");
  const count = numberOption("missions", missions ?? "0", 0, days);
  const { from, until } = MISSION_HOURS;
  const [[opens, closes] = ["00:00", "24:00"]] = playHours?.monday ?? [];
  if (count > 0 && (minutesOf(opens) > from * 60 || minutesOf(closes) < until * 60))
    throw new UserError(
      `--missions ${count} does not fit --play-hours ${opens}-${closes}: missions are from ${from}:00 to ${until}:00.`,
    );
  const rules = {
    count,
    attendance: numberOption("attendance", attendance ?? "40", 0, 100) / 100,
    food: food === undefined ? 0 : durationOf("food", food),
    antidotes: numberOption("antidotes", antidotes ?? "0", 0, MAX_PLAYERS),
  };
  return count === 0 ? null : rules;
};

/** Validates the rules. @throws UserError if an option is invalid */
export const parseRules = (options: RuleOptions): Rules => {
  const players = numberOption("players", options.players, 2, MAX_PLAYERS);
  const days = numberOption("days", options.days, 1, MAX_DAYS);
  const playHours = playHoursOf(options["play-hours"]);
  return {
    players,
    originals: numberOption("originals", options.originals, 1, players - 1),
    days,
    feeding: durationOf("feeding", options.feeding),
    sharers: numberOption("sharers", options.sharers, 0, MAX_SHARERS),
    rate: numberOption("rate", options.rate, 0.01, 100, /^\d{1,3}(\.\d{1,4})?$/),
    playHours,
    missions: missionsOf(options, days, playHours),
  };
};

/** Rules with the name under which they are shown. */
export interface Variant {
  name: string;
  rules: Rules;
}

const MAX_VARIANTS = 6;

const SWEPT = [
  ...["players", "originals", "days", "feeding", "sharers", "rate", "play-hours"],
  ...["missions", "attendance", "food", "antidotes"],
];

/**
 * The rules to compare: one variant for each value of the sweep. Without a sweep one, and before it the same rules without
 * missions if there are missions.
 * @param sweep an option and its values, such as `feeding=24h,36h,48h`
 * @throws UserError if an option is invalid
 */
export const parseVariants = (options: RuleOptions, sweep: string | undefined): Variant[] => {
  if (sweep === undefined) {
    const rules = parseRules(options);
    if (rules.missions === null) return [{ name: "", rules }];
    return [
      { name: "without missions", rules: { ...rules, missions: null } },
      { name: `missions ${rules.missions.count}`, rules },
    ];
  }
  const [name = "", list = ""] = sweep.split("=");
  const values = list.split(",").filter((value) => value !== "");
  if (!SWEPT.includes(name))
    throw new UserError(
      `--sweep ${sweep} is invalid: name an option and its values, as in feeding=24h,36h,48h.`,
    );
  if (values.length < 2 || values.length > MAX_VARIANTS)
    throw new UserError(
      `--sweep ${sweep} is invalid: give 2 to ${MAX_VARIANTS} values, separated by commas.`,
    );
  return values.map((value) => ({
    name: `${name} ${value}`,
    rules: parseRules({ ...options, [name]: value }),
  }));
};

export const parseSeasons = (text: string): number => numberOption("seasons", text, 1, MAX_SEASONS);

export const parseSeed = (text: string | undefined): number =>
  text === undefined ? Math.floor(Math.random() * 2 ** 31) : numberOption("seed", text, 0, 2 ** 31 - 1);
