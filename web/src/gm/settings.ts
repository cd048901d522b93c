/** The settings as read, and the versions by which a change of what somebody else has changed is noticed. */
import { read, type Settings } from "./calls.ts";

export type SettingName = keyof Settings;

/** A version of some settings, by their names. */
export type Versions = Settings["versions"];

export const readSettings = () => read("/admin/settings/{url_id}");

/** The versions of some settings. */
export const versionsOf = ({ versions }: Settings, names: readonly (SettingName | "webhooks")[]): Versions =>
  Object.fromEntries(Object.entries(versions).filter(([name]) => names.some((one) => one === name)));
