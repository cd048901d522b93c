/** Response types of the endpoints for game masters and moderators. */
import type { components, ResultOf } from "../../../client/src/types.ts";
import type { CommandPath } from "./access.ts";

type Schemas = components["schemas"];
export type StaffPlayer = Schemas["StaffPlayer"];
/** The settings that forms change. Webhooks have a dialog of their own. */
export type Settings = Omit<Schemas["Settings"], "webhooks">;
export type Webhook = Schemas["Settings"]["webhooks"][number];
export type Checkpoint = Schemas["Checkpoint"];
export type Interaction = Schemas["Interaction"];
export type LogEntry = Schemas["LogEntry"];
export type State = StaffPlayer["state"];
export type Result<P extends CommandPath> = ResultOf<P, "post">;
type Disputes = ResultOf<"/admin/disputes/{url_id}", "get">;
export type Dispute = Disputes["disputes"][number];
export type Effect = Result<"/admin/void_hunt/{url_id}">["effects"][number];
export type Review = ResultOf<"/admin/alerts/{url_id}", "get">["reviews"][number];
