/** The settings as game masters see them. */
import type { Game } from "../../domain/game/game.ts";
import { type GameTexts, type SettingName, settingNames } from "../../domain/game/settings.ts";
import { nullableRfc3339, SECOND } from "../../domain/time.ts";
import type { ReadCall } from "../../lambda/call.ts";
import type { Services } from "../../lambda/services.ts";
import { isRecord } from "../../runtime/objects.ts";
import { sha256 } from "../../runtime/sha256.ts";
import { type JoinCode, readJoinCodes, usesLeft } from "../../store/accounts/joinCodes.ts";
import { readWebhooks, type Webhooks } from "../../store/notifications/webhooks.ts";
import type { Store } from "../../store/store.ts";
import { scheduleView } from "./scheduleView.ts";
import { webhookView } from "./webhooks.ts";

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

type Unversioned = ReturnType<typeof unversioned>;

/** The part of a setting that game masters change, without what the service counts. */
const changeablePart = (name: SettingName, view: Unversioned) =>
  name === "join_codes"
    ? view.join_codes.map(({ code, uses, ends_at }) => ({ code, uses, ends_at }))
    : name === "webhooks"
      ? view.webhooks.map(({ webhook_id, events }) => ({ webhook_id, events }))
      : view[name];

const VERSION_LENGTH = 12;

export type Versions = Partial<Record<SettingName, string>>;

/**
 * The settings with a version of each: a hash of its value. Stored versions would need a write for each setting, and
 * whoever restores an earlier value has changed nothing for others.
 */
const withVersions = (view: Unversioned) => {
  const versionOf = (name: SettingName): string =>
    sha256(canonical(changeablePart(name, view))).slice(0, VERSION_LENGTH);
  const versions: Versions = Object.fromEntries(settingNames().map((name) => [name, versionOf(name)]));
  return { ...view, versions };
};

const unversioned = (
  game: Game,
  { texts, codes, webhooks: { webhooks } }: OtherSettings,
  now: number,
  { feedingPeriod }: Pick<Services, "feedingPeriod">,
) => ({
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

/** All settings. */
export const settingsView = (...settings: Parameters<typeof unversioned>) =>
  withVersions(unversioned(...settings));

export type SettingsView = ReturnType<typeof settingsView>;

/** Reads all settings. */
export const readSettings = async ({ game, now, services }: ReadCall): Promise<SettingsView> =>
  settingsView(game, await loadOtherSettings(services.store), now, services);
