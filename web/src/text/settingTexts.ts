/** Describes the effects of changed settings. */
import type { PlayHours, SettingName, Settings } from "../schemas.ts";
import { gm } from "./staff.ts";
import { DAYS, type Day, joinNights, weekHours } from "./week.ts";
import { zonedText } from "./zoned.ts";

/** How the form of texts and rules shows a setting. Other settings have inputs of their own on their pages. */
export type SettingInput =
  | { kind: "text"; part: Part; rows: number; hint?: string; required?: true }
  | { kind: "flag"; part: Part };
type Part = "texts" | "rules" | "originals";

interface SettingText<T> {
  /** The label of its input; what is in parentheses is about an empty one. */
  label: string;
  /** What its new value does. */
  effect: (after: T, before: T, all: Settings) => string;
  input?: SettingInput;
}

/** What a form can change; the other fields of the response tell about the schedule. */
type Editable = Exclude<
  keyof Settings,
  "settings_version" | "versions" | "phase" | "in_play" | "next_change_at"
>;

const when = (time: string | null, { time_zone }: Settings, none: string): string =>
  time === null ? none : zonedText(time, time_zone);

const daysText = (days: number): string => `${Math.round(days * 10) / 10} days`;

const WEEK_HOURS = 168;

const hoursOf = (hours: PlayHours | null): number => (hours === null ? WEEK_HOURS : weekHours(hours));

/** Compares how many calendar days a feeding period lasts with the new and the old play hours. */
const paceText = (
  after: PlayHours | null,
  before: PlayHours | null,
  { feeding_period_seconds }: Settings,
): string => {
  const [of, was] = [hoursOf(after), hoursOf(before)];
  if (of === 0 || was === 0) return "";
  const days = (hours: number): string =>
    daysText(((feeding_period_seconds / 3_600) * WEEK_HOURS) / hours / 24);
  return ` There are ${Math.round(of)} hours of play a week, previously ${Math.round(was)}: a full feeding period lasts about ${days(of)}, previously ${days(was)}.`;
};

const DEADLINES_MOVE = "Every zombie keeps the play time that is left; their deadlines move with the clock.";

/**
 * Formats play hours as `Mon–Thu 08:00–22:00; Fri 18:00–02:00`, merging consecutive days with the same hours. A night is
 * part of the day on which it begins.
 */
const hoursText = (stored: PlayHours): string => {
  const hours = joinNights(stored);
  const spans: { from: Day; to: Day; text: string }[] = [];
  for (const day of DAYS) {
    const text = (hours[day] ?? []).map(([from, to]) => `${from}–${to}`).join(", ");
    const last = spans.at(-1);
    if (last?.text === text) last.to = day;
    else spans.push({ from: day, to: day, text });
  }
  const short = (day: Day): string => gm.days[day].slice(0, 3);
  const played = spans.filter(({ text }) => text !== "");
  if (played.length === 0) return "the game is never played";
  return played
    .map(({ from, to, text }) => `${from === to ? short(from) : `${short(from)}–${short(to)}`} ${text}`)
    .join("; ");
};

/** Every setting, in the order of the inputs. */
export const settingTexts = (): { [K in Editable]: SettingText<Settings[K]> } => ({
  name: {
    label: gm.game.name,
    effect: (after) => `The game is called “${after}”.`,
    input: { kind: "text", part: "texts", rows: 1, required: true },
  },
  description: {
    label: gm.game.description,
    effect: (after) =>
      after === null
        ? "The page before the login has no description."
        : "Everybody sees the new description before the login.",
    input: { kind: "text", part: "texts", rows: 3 },
  },
  rules: {
    label: gm.game.rulesText,
    effect: (after) =>
      after === null ? "The page of the rules shows none." : "Everybody sees the new rules.",
    input: { kind: "text", part: "texts", rows: 8, hint: gm.game.markdown },
  },
  stun: {
    label: gm.game.stun,
    effect: (after) =>
      after === null ? "There is no rule about stunned zombies." : `Stunned zombies: ${after}`,
    input: { kind: "text", part: "texts", rows: 2 },
  },
  safe_places: {
    label: gm.game.safePlaces,
    effect: (after) => (after === null ? "No safe places are named." : "Everybody sees the new safe places."),
    input: { kind: "text", part: "texts", rows: 3, hint: gm.game.markdown },
  },
  waiver: {
    label: gm.game.waiver,
    effect: (after) =>
      after === null
        ? "Nobody has to sign anything to play."
        : "Everybody is asked to sign the new text at their next visit. Who has not signed does not play before the start; nobody is thrown out of a running game.",
  },
  waiver_ask: {
    label: gm.game.waiverAsk,
    effect: (after) =>
      after.length === 0
        ? "A signature asks only for the name."
        : "New signatures ask for it. Those before stay as they are.",
  },
  minimum_age: {
    label: gm.game.minimumAge,
    effect: (after) =>
      after === null
        ? "Nobody waits because of their age."
        : `Who is younger than ${after} when they sign waits for you, or for their birthday.`,
  },
  keep_signatures_days: {
    label: gm.game.keepSignatures,
    effect: (after) =>
      after === 0
        ? "The signature goes with the account."
        : `A signature is kept for ${after} days after its account is deleted, for you alone.`,
  },
  contact: {
    label: gm.game.contact,
    effect: (after) =>
      after === null ? "Players see no way to reach you." : `Players reach you at ${after}.`,
    input: { kind: "text", part: "texts", rows: 1 },
  },
  time_zone: {
    label: gm.game.zone,
    effect: (after) => `Play hours are hours of ${after}. ${DEADLINES_MOVE}`,
  },
  starts_at: {
    label: gm.game.starts,
    effect: (after, _, all) =>
      after === null
        ? "The game has no start time, so it runs at once."
        : `The game starts ${when(after, all, "")}. Before, no tag counts and nobody starves.`,
  },
  ends_at: {
    label: gm.game.ends,
    effect: (after, _, all) =>
      after === null
        ? "The game has no end."
        : `The game ends ${when(after, all, "")}. After it, no tag counts and nobody starves.`,
  },
  play_hours: {
    label: gm.game.hours,
    effect: (after, before, all) =>
      (after === null
        ? `The game is played around the clock, nights included. ${DEADLINES_MOVE}`
        : `Outside these hours no tag counts and no zombie gets hungrier: ${hoursText(after)}. ${DEADLINES_MOVE}`) +
      paceText(after, before, all),
  },
  feeding_period_seconds: {
    label: gm.game.feeding,
    effect: (after, before) =>
      `A zombie that feeds from now on has ${gm.period(after)}, previously ${gm.period(before)}. Current deadlines stay.`,
  },
  sharers: {
    label: gm.game.sharers,
    effect: (after) =>
      after === 0
        ? "A tag feeds only its hunter."
        : `A tag may feed up to ${after} other ${after === 1 ? "zombie" : "zombies"}.`,
  },
  report_window_seconds: {
    label: gm.game.window,
    effect: (after) => `A tag must be entered within ${gm.period(after)} of play time.`,
  },
  checkpoint_outcome: {
    label: gm.game.outcome,
    effect: (after) =>
      after === "zombie"
        ? "A human who misses the checkpoint becomes a zombie."
        : "A human who misses the checkpoint becomes a corpse.",
  },
  missions_required: {
    label: gm.game.missionsRequired,
    effect: (after) =>
      after === null
        ? "No mission is required."
        : `Every player has to attend ${after} of the required missions. Nothing happens until you enforce it.`,
  },
  missions_counted_from: {
    label: gm.game.missionsCountedFrom,
    effect: (after, _, all) =>
      after === null
        ? "All required missions count."
        : `Missions that began before do not count: ${when(after, all, "from the beginning")}.`,
  },
  hide_originals: {
    label: gm.game.hide,
    effect: (after) =>
      after
        ? "Original zombies from now on look human to everybody but themselves and game masters."
        : "Everybody sees at once who the original zombies are. These cannot be hidden again.",
  },
  reveal_originals_at: {
    label: gm.game.revealAt,
    effect: (after, _, all) => `Original zombies are revealed ${when(after, all, "at the end of the game")}.`,
  },
  originals_cured: {
    label: gm.game.originalsCured,
    effect: (after) =>
      after
        ? "An antidote makes every zombie human, original ones too."
        : "An antidote does nothing to an original zombie.",
    input: { kind: "flag", part: "originals" },
  },
  public_board: {
    label: gm.game.board,
    effect: (after) =>
      after
        ? "Everybody sees the ten best and the latest events without a login."
        : "The board and the feed need a login.",
    input: { kind: "flag", part: "rules" },
  },
  registration: {
    label: gm.game.who,
    effect: (after) =>
      ({
        open: "Newcomers play at once, as humans.",
        approval: "Newcomers wait until a game master admits them.",
        closed: "Nobody can join.",
      })[after],
  },
  registration_closes_at: {
    label: gm.game.closes,
    effect: (after, _, all) => `Registration closes ${when(after, all, "never by itself")}.`,
  },
  join_codes: {
    label: gm.game.codes,
    effect: (after) =>
      after.length === 0
        ? "Nobody needs a code to join."
        : `Newcomers need one of: ${after.map(({ code, uses }) => (uses === null ? code : `${code} (${uses} times)`)).join(", ")}.`,
  },
  unique_email: {
    label: gm.game.unique,
    effect: (after) =>
      after
        ? "An address can have one account only. A newcomer with one that is in use waits for you. Accounts that share one keep it. If the service sends mail, an address is in use once it is confirmed."
        : "Several accounts may share an address.",
  },
  leaving: {
    label: gm.game.leaving,
    effect: (after) =>
      after === "allowed"
        ? "Players may delete their account at any time."
        : "During play, players ask a game master to delete their account.",
  },
  enrolment: {
    label: gm.season.enrolment,
    effect: (after) =>
      after === "everyone"
        ? "Everybody who played before plays in the next season."
        : "Only those who enrol play in the next season.",
  },
});

const isEditable = (name: SettingName): name is Editable => name in settingTexts();

/** The label of a setting in its form, without what it says of an empty field. */
export const labelOf = (name: SettingName): string =>
  (isEditable(name) ? settingTexts()[name].label.split(" (")[0] : undefined) ?? name;

/** Describes the value of a setting, for a comparison of two. */
export const valueText = (name: SettingName, settings: Settings): string => {
  if (isEditable(name) && settingTexts()[name].input?.kind === "text")
    return String(settings[name] ?? gm.common.none);
  if (name === "play_hours")
    return settings.play_hours === null ? gm.game.always : hoursText(settings.play_hours);
  return effectOf(name, settings, settings) ?? JSON.stringify(settings[name]);
};

const effectIn = <K extends Editable>(name: K, before: Settings, after: Settings): string =>
  settingTexts()[name].effect(after[name], before[name], after);

const effectOf = (name: SettingName, before: Settings, after: Settings): string | undefined =>
  isEditable(name) ? effectIn(name, before, after) : undefined;

/** Returns a sentence per changed setting. @param changed the settings that differ */
export const effectsOf = (before: Settings, changed: Partial<Settings>): string[] => {
  const after = { ...before, ...changed };
  const keys = Object.keys(changed).filter((key): key is keyof Settings => key in before);
  return keys.map((key) => effectOf(key, before, after)).filter((text) => text !== undefined);
};
