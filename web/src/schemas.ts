/** The types of the service's responses, by the names that the pages use. */
import type { components, PathsOf, ResultOf } from "../../client/src/types.ts";

type Schemas = components["schemas"];
export type Player = Schemas["Player"];
export type State = Player["state"];
export type Game = Schemas["Game"];
export type Checkpoint = Schemas["Checkpoint"];
export type Interaction = Schemas["Interaction"];
export type ZombieTree = Schemas["ZombieTree"];
export type PublicPlayer = Schemas["PublicPlayer"];
export type Live = ResultOf<"/live/{url_id}", "get">;
export type Message = ResultOf<"/notifications/inbox/{url_id}", "get">["notifications"][number];
export type PublicGame = ResultOf<"/public", "get">;
export type HuntResult = ResultOf<"/zombie/hunt/{url_id}", "post">;

// Of game masters and moderators.
export type ReadPath = PathsOf<"get">;
export type CommandPath = PathsOf<"post">;
export type Result<P extends CommandPath> = ResultOf<P, "post">;
export type StaffPlayer = Schemas["StaffPlayer"];
/** The settings that forms change. Webhooks have a dialog of their own. */
export type Settings = Omit<Schemas["Settings"], "webhooks">;
export type SettingName = keyof Settings;
export type PlayHours = NonNullable<Settings["play_hours"]>;
export type Webhook = Schemas["Settings"]["webhooks"][number];
export type LogEntry = Schemas["LogEntry"];
export type Dispute = ResultOf<"/admin/disputes/{url_id}", "get">["disputes"][number];
export type Effect = Result<"/admin/void_hunt/{url_id}">["effects"][number];
export type Review = ResultOf<"/admin/alerts/{url_id}", "get">["reviews"][number];
