/** The settings as game masters see them. */
import * as z from "zod/mini";
import type { Game } from "../../domain/game.ts";
import { text as anyText, boolean, integer, nullableInteger, nullableText } from "../../domain/schemas.ts";
import {
  CHECKPOINT_OUTCOMES,
  ENROLMENTS,
  type GameTexts,
  LEAVING,
  REGISTRATIONS,
} from "../../domain/settings.ts";
import { nullableRfc3339, SECOND } from "../../domain/time.ts";
import { Timestamp } from "../../http/views.ts";
import type { Services } from "../../lambda/services.ts";
import { type JoinCode, readJoinCodes, usesLeft } from "../../store/joinCodes.ts";
import type { Store } from "../../store/store.ts";
import { readWebhooks, type Webhooks } from "../../store/webhooks.ts";
import { SCHEDULE_FIELDS, scheduleView } from "./scheduleView.ts";
import { WebhookView, webhookView } from "./webhooks.ts";

const OptionalTime = z.nullable(Timestamp);

export const SettingsView = z.lazy(() =>
  z.object({
    settings_version: integer,
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

/** All settings. */
export const settingsView = (
  game: Game,
  { texts, codes, webhooks: { webhooks } }: OtherSettings,
  now: number,
  { feedingPeriod }: Pick<Services, "feedingPeriod">,
): SettingsView => ({
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
