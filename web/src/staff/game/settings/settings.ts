/** The settings as read, and the versions by which a change of what somebody else has changed is noticed. */
import { signal } from "@preact/signals";
import type { BodyOf, ResultOf } from "../../../../../client/src/types.ts";
import {
  type CommandPath,
  command,
  type ReadPath,
  read,
  type SettingName,
  type Settings,
} from "../../calls.ts";

/** A version of some settings, by their names. */
export type Versions = Settings["versions"];

export const readSettings = () => read("settings");

/** With the webhooks, which have a dialog of their own. */
type AllSettings = ResultOf<ReadPath<"settings">, "get">;

/** The settings after the last change by this page. */
const changed = signal<AllSettings | null>(null);

export type Change = NonNullable<BodyOf<CommandPath<"settings">, "post">>;

/** Changes settings. @throws GameError */
export const changeSettings = async (body: Change, key?: string) => {
  const after = await command("settings", body, key);
  changed.value = after;
  return after;
};

/**
 * The settings that were read, or those after a change that has not been read yet: otherwise who goes on typing at once would
 * be in conflict with their own change.
 */
export const newestOf = (settings: AllSettings): AllSettings => {
  const after = changed.value;
  return after !== null && after.settings_version > settings.settings_version ? after : settings;
};

/** The versions of some settings. */
export const versionsOf = ({ versions }: Settings, names: readonly (SettingName | "webhooks")[]): Versions =>
  Object.fromEntries(Object.entries(versions).filter(([name]) => names.some((one) => one === name)));
