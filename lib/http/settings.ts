/** The request and the response of the settings, from their tables and from what has a form of its own. */
import * as z from "zod/mini";
import { NewPlayHours } from "../domain/game/schedule.ts";
import {
  ABOUT_SETTINGS,
  RULE_SETTINGS,
  type SettingInput,
  type SettingName,
  settingNames,
  type ValuesOf,
} from "../domain/game/settings.ts";
import { MAX_WEBHOOKS, WEBHOOK_FORMATS, WebhookEvent } from "../domain/notifications/webhook.ts";
import {
  text as anyText,
  boolean,
  integer,
  nullableInteger,
  nullableText,
  type Prose,
} from "../domain/schemas.ts";
import { MAX_ENDPOINT_LENGTH } from "../push/allowlist.ts";
import { MAX_JOIN_CODES } from "../store/accounts/joinCodes.ts";
import { EventId, ZonedTime, ZonedTimeOrNow } from "./fields.ts";
import { SCHEDULE_FIELDS } from "./gameViews.ts";
import { JoinCodeText, text } from "./textFields.ts";
import { Timestamp } from "./views.ts";

const nullable = <T>(schema: z.ZodMiniType<T>) => z.optional(z.nullable(schema));
const OptionalTime = z.nullable(Timestamp);

/** The schema of a setting in a request. */
const entered = (input: SettingInput): z.ZodMiniType => {
  if (input.kind === "flag") return z.optional(boolean);
  if (input.kind === "choice") return z.optional(z.enum(input.of));
  if (input.kind === "list") {
    const isOnce = (all: readonly string[]) => new Set(all).size === all.length;
    return z.optional(
      z
        .array(z.enum(input.of))
        .check(z.maxLength(input.of.length), z.refine(isOnce, "must not have one twice")),
    );
  }
  const value =
    input.kind === "text"
      ? text(1, input.max, input.characters)
      : z.int().check(z.minimum(input.min), z.maximum(input.max));
  return input.isOptional ? z.optional(z.nullable(value)) : z.optional(value);
};

/** The schema of a setting in a response. */
const shown = (input: SettingInput): z.ZodMiniType => {
  if (input.kind === "flag") return boolean;
  if (input.kind === "choice") return z.enum(input.of);
  if (input.kind === "list") return z.array(z.enum(input.of));
  if (input.kind === "text") return input.isOptional ? nullableText : anyText;
  return input.isOptional ? nullableInteger : integer;
};

/** The names of the settings of a table that have no schema of their own kind. */
type OwnNames<T> = Exclude<keyof T, keyof ValuesOf<T>>;

/**
 * The fields of the settings of a table, in its order.
 * @param schemas of the settings that are not described by the table
 */
function enteredFields<T extends object, O extends Record<OwnNames<T>, z.ZodMiniType>>(
  table: T,
  schemas: O,
): O & { [K in keyof ValuesOf<T>]: z.ZodMiniOptional<z.ZodMiniType<ValuesOf<T>[K]>> };
function enteredFields(table: object, schemas: object): object {
  return fields(table, schemas, entered);
}

/** Like {@link enteredFields}, for a response. */
function shownFields<T extends object, O extends Record<OwnNames<T>, z.ZodMiniType>>(
  table: T,
  schemas: O,
): O & { [K in Exclude<keyof ValuesOf<T>, keyof O>]: z.ZodMiniType<ValuesOf<T>[K]> };
function shownFields(table: object, schemas: object): object {
  return fields(table, schemas, shown);
}

const fields = (table: object, schemas: object, schemaOf: (input: SettingInput) => z.ZodMiniType): object =>
  Object.fromEntries(
    Object.entries<{ input?: SettingInput }>({ ...table }).map(([name, { input }]) => [
      name,
      Reflect.get(schemas, name) ?? (input && schemaOf(input)),
    ]),
  );

const MAX_JOIN_CODE_USES = 100_000;

const JoinCodeRequest = z.strictObject({
  code: JoinCodeText,
  uses: nullable(z.int().check(z.minimum(1), z.maximum(MAX_JOIN_CODE_USES))),
  ends_at: nullable(ZonedTime),
});

const WebhookRequest = z.strictObject({
  webhook_id: z.optional(EventId),
  url: z.optional(z.string().check(z.maxLength(MAX_ENDPOINT_LENGTH))),
  format: z.optional(z.enum(WEBHOOK_FORMATS)),
  events: z.optional(z.nullable(z.array(WebhookEvent).check(z.minLength(1), z.maxLength(50)))),
});

// Every setting has a version. A whole record would require names in the API document that it does not describe.
const versions = (names: readonly SettingName[], version: z.ZodMiniType<string>) =>
  z.partialRecord(z.enum(names), version);

/** Any of the settings; `null` restores the default. */
export const SettingsRequest = z.lazy(() => {
  const settings = {
    ...enteredFields(ABOUT_SETTINGS, {}),
    time_zone: z.optional(z.string().check(z.minLength(1), z.maxLength(64))),
    starts_at: nullable(ZonedTimeOrNow),
    ends_at: nullable(ZonedTimeOrNow),
    play_hours: nullable(NewPlayHours),
    ...enteredFields(RULE_SETTINGS, {
      hide_originals: z.optional(boolean),
      reveal_originals_at: nullable(ZonedTimeOrNow),
      missions_counted_from: nullable(ZonedTime),
      registration_closes_at: nullable(ZonedTime),
      join_codes: z.optional(z.array(JoinCodeRequest).check(z.maxLength(MAX_JOIN_CODES))),
      webhooks: nullable(z.array(WebhookRequest).check(z.maxLength(MAX_WEBHOOKS))),
    }),
  };
  return z.strictObject({
    ...settings,
    test_webhooks: z.optional(z.literal(true)),
    waiver_keeps_signatures: z.optional(z.literal(true)),
    versions: z.optional(versions(settingNames(), z.string().check(z.maxLength(64)))),
  });
});

const WebhookView = z.object({
  webhook_id: anyText,
  host: anyText,
  format: z.enum(WEBHOOK_FORMATS),
  events: z.nullable(z.array(anyText)),
  secret: nullableText,
  created_at: Timestamp,
  failing_since: OptionalTime,
  last_error: nullableText,
  disabled_at: OptionalTime,
  tested_at: OptionalTime,
});

export const WEBHOOK_PROSE: Prose<z.infer<typeof WebhookRequest> & z.infer<typeof WebhookView>> = {
  webhook_id: "The id of a webhook; in a request, of one that stays.",
  url: "The `https` address of a new webhook. It is not shown again.",
  host: "The host of the address.",
  format: "Discord's messages, or JSON that is signed as Standard Webhooks describe.",
  events: "What is sent: interactions by their kinds, and news; `null` for all.",
  secret: "The key of the signatures, in the response that adds the webhook; otherwise `null`.",
  created_at: "When it was added.",
  failing_since: "Since when every message has failed; `null` after one that has arrived.",
  last_error: "The status or the error of the last failure; `null` after a message that has arrived.",
  disabled_at: "Since when it is switched off, after a day of failures; `null` if it is not.",
  tested_at: "When a test has arrived last; `null` for never.",
};

const JoinCodeView = z.object({
  code: anyText,
  uses: nullableInteger,
  uses_left: nullableInteger,
  ends_at: OptionalTime,
});

export const JOIN_CODE_PROSE: Prose<z.infer<typeof JoinCodeView>> = {
  code: "The code.",
  uses: "How many players may register with it; `null` for any number.",
  uses_left: "How many players may still register with it; `null` for any number.",
  ends_at: "When the code expires; `null` for never.",
};

export const SettingsView = z.lazy(() =>
  z.object({
    settings_version: integer,
    versions: versions(settingNames(), anyText),
    ...shownFields(ABOUT_SETTINGS, {}),
    ...SCHEDULE_FIELDS,
    ...shownFields(RULE_SETTINGS, {
      feeding_period_seconds: integer,
      hide_originals: boolean,
      reveal_originals_at: OptionalTime,
      missions_counted_from: OptionalTime,
      registration_closes_at: OptionalTime,
      join_codes: z.array(JoinCodeView),
      webhooks: z.array(WebhookView),
    }),
  }),
);

/** Of what is no setting; the settings are described where they are declared. */
export const SETTINGS_PROSE: Prose<z.infer<typeof SettingsRequest> & z.infer<typeof SettingsView>> = {
  settings_version: "How often settings were changed.",
  versions: "The version of each setting; send those of the settings that you change.",
  waiver_keeps_signatures:
    "Together with `waiver`: signatures of the text before count for the new one, as after a small correction.",
  test_webhooks: "Sends a test to every webhook. One that arrives switches its webhook on again.",
};
