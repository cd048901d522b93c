/** The settings as game masters see them. */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import {
  CHECKPOINT_OUTCOMES,
  ENROLMENTS,
  type GameTexts,
  LEAVING,
  REGISTRATIONS,
} from "../../domain/game/settings.ts";
import { text as anyText, boolean, integer, nullableInteger, nullableText } from "../../domain/schemas.ts";
import { nullableRfc3339, SECOND } from "../../domain/time.ts";
import { Timestamp } from "../../http/views.ts";
import type { Services } from "../../lambda/services.ts";
import { isRecord } from "../../runtime/objects.ts";
import { sha256 } from "../../runtime/sha256.ts";
import { type JoinCode, readJoinCodes, usesLeft } from "../../store/accounts/joinCodes.ts";
import { readWebhooks, type Webhooks } from "../../store/notifications/webhooks.ts";
import type { Store } from "../../store/store.ts";
import { SCHEDULE_FIELDS, scheduleView } from "./scheduleView.ts";
import { WebhookView, webhookView } from "./webhooks.ts";

const OptionalTime = z.nullable(Timestamp);

/** The settings that a request can change, each with a version of its own. */
export const SETTING_NAMES = [
  ...(["name", "description", "rules", "contact", "stun"] as const),
  ...(["time_zone", "starts_at", "ends_at", "play_hours"] as const),
  ...(["feeding_period_seconds", "sharers", "report_window_seconds", "checkpoint_outcome"] as const),
  ...(["hide_originals", "reveal_originals_at", "public_board"] as const),
  ...(["registration", "registration_closes_at", "join_codes", "unique_email"] as const),
  ...(["leaving", "enrolment", "webhooks"] as const),
] as const;

// Every setting has a version. A whole record would require names in the API document that it does not describe.
const versionsSchema = () => z.partialRecord(z.enum(SETTING_NAMES), anyText);

export const SettingsView = z.lazy(() =>
  z.object({
    settings_version: integer,
    versions: versionsSchema(),
    name: anyText,
    description: nullableText,
    rules: nullableText,
    contact: nullableText,
    stun: nullableText,
    ...SCHEDULE_FIELDS,
    feeding_period_seconds: integer,
    sharers: integer,
    report_window_seconds: integer,
    checkpoint_outcome: z.enum(CHECKPOINT_OUTCOMES),
    hide_originals: boolean,
    reveal_originals_at: OptionalTime,
    public_board: boolean,
    registration: z.enum(REGISTRATIONS),
    registration_closes_at: OptionalTime,
    join_codes: z.array(
      z.object({ code: anyText, uses: nullableInteger, uses_left: nullableInteger, ends_at: OptionalTime }),
    ),
    unique_email: boolean,
    leaving: z.enum(LEAVING),
    enrolment: z.enum(ENROLMENTS),
    webhooks: z.array(WebhookView),
  }),
);
export type SettingsView = z.infer<typeof SettingsView>;

/** The settings that are stored outside the game item. */
interface OtherSettings {
  texts: GameTexts;
  codes: JoinCode[];
  webhooks: Webhooks;
}

/** Reads the settings outside the game item. */
export const loadOtherSettings = async (store: Store): Promise<OtherSettings> => {
  const [texts, codes, webhooks] = await Promise.all([
    store.texts(),
    readJoinCodes(store.db),
    readWebhooks(store.db),
  ]);
  return { texts, codes, webhooks };
};

/** JSON that does not depend on the order of fields, which the database does not keep. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isRecord(one) ? Object.fromEntries(Object.entries(one).toSorted(([a], [b]) => (a < b ? -1 : 1))) : one,
  );

/** The part of a setting that game masters change, without what the service counts. */
const changeablePart = (name: (typeof SETTING_NAMES)[number], view: Omit<SettingsView, "versions">) =>
  name === "join_codes"
    ? view.join_codes.map(({ code, uses, ends_at }) => ({ code, uses, ends_at }))
    : name === "webhooks"
      ? view.webhooks.map(({ webhook_id, events }) => ({ webhook_id, events }))
      : view[name];

const VERSION_LENGTH = 12;

/**
 * The settings with a version of each: a hash of its value. Stored versions would need a write for each setting, and
 * whoever restores an earlier value has changed nothing for others.
 */
const withVersions = (view: Omit<SettingsView, "versions">): SettingsView => {
  const versionOf = (name: (typeof SETTING_NAMES)[number]): string =>
    sha256(canonical(changeablePart(name, view))).slice(0, VERSION_LENGTH);
  // `fromEntries` forgets the names, and the schema knows them.
  const versions = Object.fromEntries(SETTING_NAMES.map((name) => [name, versionOf(name)]));
  return { ...view, versions: versionsSchema().parse(versions) };
};

/** All settings. */
export const settingsView = (
  game: Game,
  { texts, codes, webhooks: { webhooks } }: OtherSettings,
  now: number,
  { feedingPeriod }: Pick<Services, "feedingPeriod">,
): SettingsView =>
  withVersions({
    ...game.settings,
    ...texts,
    ...scheduleView(game, now),
    settings_version: game.settings_version,
    feeding_period_seconds: feedingPeriod(game) / SECOND,
    hide_originals: game.settings.hide_originals_since !== null,
    registration_closes_at: nullableRfc3339(game.settings.registration_closes_at),
    join_codes: codes.map((code) => ({
      code: code.code,
      uses: code.uses,
      uses_left: usesLeft(code),
      ends_at: nullableRfc3339(code.ends_at),
    })),
    webhooks: webhooks.map((webhook) => webhookView(webhook)),
  });
