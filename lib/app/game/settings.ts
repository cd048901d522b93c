/** Changes the settings of the game. */
import { isDeepStrictEqual } from "node:util";
import { fieldsChangedSince, requireNoneChanged } from "../../domain/changedMeanwhile.ts";
import { invalidRequest } from "../../domain/domainError.ts";
import { setSchedule } from "../../domain/game/clock.ts";
import { requireUnfinished } from "../../domain/game/finish.ts";
import type { Game } from "../../domain/game/game.ts";
import type { PlayHours, Schedule } from "../../domain/game/schedule.ts";
import {
  ABOUT_SETTINGS,
  type GameTexts,
  hidingIssues,
  type PlainSettings,
  RULE_SETTINGS,
  type Settings,
  scheduleIssues,
  TEXT_SETTINGS,
} from "../../domain/game/settings.ts";
import { hiddenSince } from "../../domain/players/visibility.ts";
import { instantOf, NOW, nullableRfc3339, rfc3339 } from "../../domain/time.ts";
import type { ValidationIssue } from "../../domain/validation.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { foldJoinCode, type JoinCode, joinCodeWrites } from "../../store/accounts/joinCodes.ts";
import type { Decision } from "../../store/decide.ts";
import { textsWrite } from "../../store/items.ts";
import { announcementWrite } from "../../store/notifications/announcements.ts";
import { webhooksWrite } from "../../store/notifications/webhooks.ts";
import { waiverVersion, waiverWrite } from "../../store/waiver/texts.ts";
import { NO_SCHEDULE } from "./scheduleView.ts";
import { loadOtherSettings, type SettingsView, settingsView, type Versions } from "./settingsView.ts";
import { changedWebhooks, loggedWebhook, type WebhooksRequest, webhookView } from "./webhooks.ts";

/** Any of the settings; `null` restores the default. Times are RFC 3339, or `now`. */
type SettingsRequest = { [K in keyof PlainSettings]?: PlainSettings[K] | undefined } & {
  time_zone?: string | undefined;
  starts_at?: string | null | undefined;
  ends_at?: string | null | undefined;
  play_hours?: PlayHours | null | undefined;
  hide_originals?: boolean | undefined;
  reveal_originals_at?: string | null | undefined;
  missions_counted_from?: string | null | undefined;
  registration_closes_at?: string | null | undefined;
  join_codes?: readonly JoinCodeRequest[] | undefined;
  webhooks?: WebhooksRequest;
  /** Sends a test message to every webhook, including those that are switched off. */
  test_webhooks?: true | undefined;
  /** Whether signatures of the waiver before count for the new one. */
  waiver_keeps_signatures?: true | undefined;
  /** The versions of settings as they were read. */
  versions?: Versions | undefined;
};

interface JoinCodeRequest {
  code: string;
  uses?: number | null | undefined;
  ends_at?: string | null | undefined;
}

/** The settings of a table that a request changes. */
const given = (table: object, body: SettingsRequest) =>
  Object.fromEntries(
    Object.entries(body).filter(([name, value]) => value !== undefined && Object.hasOwn(table, name)),
  );

const instantOrNull = (time: string | null): number | null => (time === null ? null : instantOf(time));

/**
 * The body with the time of the request in place of `now`. The end reveals the original zombies, so a game that ends now
 * needs no later reveal.
 */
const atRequest = (body: SettingsRequest, now: number, before: Game): SettingsRequest => {
  const resolved = { ...body };
  for (const name of ["starts_at", "ends_at", "reveal_originals_at"] as const)
    if (body[name] === NOW) resolved[name] = rfc3339(now);
  const reveal = instantOrNull(before.settings.reveal_originals_at);
  if (body.ends_at === NOW && body.reveal_originals_at === undefined && reveal !== null && reveal > now)
    resolved.reveal_originals_at = null;
  return resolved;
};

/** Collects issues, because a response lists all of them. */
type Report = (...issues: ValidationIssue[]) => void;

/** The join codes after a request. A code that remains keeps its number of uses. */
const changedCodes = (
  before: JoinCode[],
  wanted: SettingsRequest["join_codes"],
  report: Report,
): JoinCode[] => {
  if (wanted === undefined) return before;
  const folded = wanted.map(({ code }) => foldJoinCode(code));
  const twice = folded.findIndex((one, at) => folded.indexOf(one) < at);
  if (twice >= 0) report({ path: `join_codes.${twice}.code`, message: "must not occur twice" });
  const used = new Map(before.map((one) => [foldJoinCode(one.code), one.used]));
  return wanted
    .map(({ code, uses, ends_at }, at) => ({
      code,
      uses: uses ?? null,
      used: used.get(folded[at] ?? "") ?? 0,
      ends_at: instantOrNull(ends_at ?? null),
    }))
    .toSorted((one, other) => (foldJoinCode(one.code) < foldJoinCode(other.code) ? -1 : 1));
};

const MAX_LOGGED = 200;

/** Settings for the audit log, without join codes and secrets: a game master could read them there with a statement. */
const loggedSettings = ({ versions: _, ...view }: SettingsView): Record<string, unknown> => ({
  ...view,
  join_codes: view.join_codes.map(({ code: _, ...limits }) => limits),
  webhooks: view.webhooks.map(loggedWebhook),
});

/** The fields of `after` that differ from `before`, for the audit log. Long texts are cut. */
const difference = (before: SettingsView, after: SettingsView) => {
  // The database rejects half of a surrogate pair.
  const cut = (value: unknown): unknown => {
    if (typeof value !== "string") return value;
    const start = [...value].slice(0, MAX_LOGGED).join("");
    return start === value ? value : `${start}…`;
  };
  const known: Record<string, unknown> = before;
  const { versions: _, ...fields } = after;
  const changed = Object.entries(fields).filter(([name, value]) => !isDeepStrictEqual(known[name], value));
  const pick = (from: Record<string, unknown>) =>
    Object.fromEntries(changed.map(([name]) => [name, cut(from[name])]));
  return { before: pick(loggedSettings(before)), after: pick(loggedSettings(after)) };
};

/**
 * The game with the settings that hide original zombies. The time at which hiding begins is stored, because original
 * zombies who are known by then are not hidden.
 * @param scheduled the game with its new schedule
 * @param wanted the requested schedule, even if it is invalid
 */
const withHiding = (
  before: Game,
  { scheduled, wanted }: { scheduled: Game; wanted: Schedule },
  body: SettingsRequest,
  now: number,
  report: Report,
): Game => {
  const { hide_originals_since: since, reveal_originals_at: revealBefore } = before.settings;
  const hides = body.hide_originals ?? since !== null;
  const { reveal_originals_at = body.hide_originals === false ? null : revealBefore } = body;
  const reveal = instantOrNull(reveal_originals_at);
  report(...hidingIssues(hides, reveal, wanted, now));
  if (reveal !== null && reveal < now && reveal !== instantOrNull(revealBefore))
    report({
      path: "reveal_originals_at",
      message: `must not be in the past: "${NOW}" reveals them at once`,
    });
  const hiding = (hide_originals_since: string | null): Game => ({
    ...scheduled,
    settings: { ...scheduled.settings, hide_originals_since, reveal_originals_at: nullableRfc3339(reveal) },
  });
  if (!hides) return hiding(null);
  const begins = hiddenSince(before, now) === null && hiddenSince(hiding(rfc3339(now)), now) !== null;
  return hiding(begins || since === null ? rfc3339(now) : since);
};

/** How many versions of a waiver count at the same time, of which the oldest are forgotten. */
const MAX_VERSIONS = 20;

/** The versions of the waiver whose signatures count after a change of its text, the present one first. */
const countingVersions = (
  before: readonly string[],
  waiver: string | null,
  keeps: boolean,
): Settings["waiver_versions"] => {
  if (waiver === null) return [];
  const version = waiverVersion(waiver);
  const earlier = keeps || before[0] === version ? before.filter((one) => one !== version) : [];
  return [version, ...earlier].slice(0, MAX_VERSIONS);
};

/** The settings of {@link RULE_SETTINGS} that are stored as they are entered. */
const REPLACED = Object.fromEntries(
  Object.entries({ name: ABOUT_SETTINGS.name, ...RULE_SETTINGS }).filter(([, one]) => "stored" in one),
);

const changedSettings = ({ settings }: Game, body: SettingsRequest): Settings => ({
  ...settings,
  ...given(REPLACED, body),
  missions_counted_from:
    body.missions_counted_from === undefined
      ? settings.missions_counted_from
      : nullableRfc3339(instantOrNull(body.missions_counted_from)),
  registration_closes_at:
    body.registration_closes_at === undefined
      ? settings.registration_closes_at
      : instantOrNull(body.registration_closes_at),
  needs_join_code: body.join_codes === undefined ? settings.needs_join_code : body.join_codes.length > 0,
});

const changedGame = (before: Game, body: SettingsRequest, now: number, report: Report): Game => {
  const current = before.schedule ?? NO_SCHEDULE;
  const wanted = {
    since: now,
    time_zone: body.time_zone ?? current.time_zone,
    starts_at: body.starts_at === undefined ? current.starts_at : instantOrNull(body.starts_at),
    ends_at: body.ends_at === undefined ? current.ends_at : instantOrNull(body.ends_at),
    play_hours: body.play_hours === undefined ? current.play_hours : body.play_hours,
  };
  const isChanged = !isDeepStrictEqual({ ...current, since: now }, wanted);
  if (isChanged) requireUnfinished(before);
  // What an earlier version has stored does not prevent other changes.
  const issues = isChanged ? scheduleIssues(wanted) : [];
  report(...issues);
  const scheduled = isChanged && issues.length === 0 ? setSchedule(before, wanted, now) : before;
  const hiding = withHiding(before, { scheduled, wanted }, body, now, report);
  return { ...hiding, settings: changedSettings(hiding, body) };
};

/**
 * Changes settings. A request that changes nothing has no effect.
 * @throws DomainError `invalid_request` for settings that are invalid or contradict each other; `changed_meanwhile` if one
 *   has another version than the request names; `wrong_state` for another schedule of a finished season
 */
export const changeSettings = async (
  { audit, game: before, now, player, services }: PlayerCall,
  request: SettingsRequest,
): Promise<Decision<SettingsView>> => {
  const { newId, store } = services;
  const body = atRequest(request, now, before);
  const read = await loadOtherSettings(store);
  const issues: ValidationIssue[] = [];
  const report: Report = (...found) => issues.push(...found);
  const texts: GameTexts = { ...read.texts, ...given(TEXT_SETTINGS, body) };
  const keeps = body.waiver_keeps_signatures === true;
  if (keeps && body.waiver == null)
    report({ path: "waiver_keeps_signatures", message: "goes together with waiver" });
  const otherwise = changedGame(before, body, now, report);
  const { waiver_versions: signed } = before.settings;
  const waiver_versions = countingVersions(signed, texts.waiver, keeps);
  const changed = { ...otherwise, settings: { ...otherwise.settings, waiver_versions } };
  const codes = changedCodes(read.codes, body.join_codes, report);
  const hooks = read.webhooks.webhooks;
  const context = { allowed: services.push.allowed, newId, now };
  const newHooks = changedWebhooks(hooks, body.webhooks, context, report);
  const known = new Set(hooks.map(({ webhook_id }) => webhook_id));
  const webhooks = { ...read.webhooks, webhooks: [...newHooks] };
  const unchanged = settingsView(before, read, now, services);
  const response = {
    ...settingsView(changed, { texts, codes, webhooks }, now, services),
    webhooks: newHooks.map((one) => webhookView(one, !known.has(one.webhook_id))),
  };
  if (body.versions !== undefined) {
    const wanted = issues.length === 0 ? response.versions : {};
    requireNoneChanged(fieldsChangedSince(body.versions, unchanged.versions, wanted));
  }
  if (issues.length > 0) throw invalidRequest(...issues);
  const details = difference(unchanged, response);
  const isTest = body.test_webhooks === true;
  const tested = isTest ? { test_webhooks: true } : {};
  const origin = { at: rfc3339(now), actor: player.player_id };
  const test = isTest ? [announcementWrite(newId(), { cause: "test_webhooks", ...origin })] : [];
  // A game that did not say whether it needs codes shows none, and an empty list decides it.
  const isDecided = changed.settings.needs_join_code === before.settings.needs_join_code;
  if (Object.keys(details.after).length === 0 && isDecided) {
    audit.details = tested;
    return { changes: { writes: test }, result: unchanged };
  }
  const after = { ...changed, settings_version: before.settings_version + 1 };
  audit.details = { ...details, ...tested, ...(keeps ? { waiver_keeps_signatures: true } : {}) };
  const writes = [
    ...(isDeepStrictEqual(texts, read.texts) ? [] : [textsWrite(texts)]),
    ...(texts.waiver === null || texts.waiver === read.texts.waiver ? [] : [waiverWrite(texts.waiver, now)]),
    ...("webhooks" in details.after ? [webhooksWrite(read.webhooks, newHooks)] : []),
    ...(body.join_codes === undefined ? [] : joinCodeWrites(read.codes, codes)),
    ...test,
  ];
  return {
    changes: { game: { before, after }, writes },
    result: { ...response, settings_version: after.settings_version },
  };
};
