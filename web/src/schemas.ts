/** The types of the service's responses, by the names that the pages use. */
import type { BodyOf, components, PathsOf, ResultOf } from "../../client/src/types.ts";

type Schemas = components["schemas"];
export type Player = Schemas["Player"];
export type State = Player["state"];
export type Game = Schemas["Game"];
export type Mission = Schemas["Mission"];
export type Checkpoint = Schemas["Checkpoint"];
export type Interaction = Schemas["Interaction"];
export type ZombieTree = Schemas["ZombieTree"];
export type PublicPlayer = Schemas["PublicPlayer"];
export type Live = ResultOf<"/live/{url_id}", "get">;
export type Message = ResultOf<"/notifications/inbox/{url_id}", "get">["notifications"][number];
/** For whom a message is, as its readers see it. */
export type Audience = NonNullable<Message["audience"]>;
export type PublicGame = ResultOf<"/public", "get">;
export type Waiver = ResultOf<"/waiver/{url_id}", "get">;
/** The waiver for those who may sign it. */
export type PublicWaiver = NonNullable<PublicGame["waiver"]>;
export type SignatureBody = NonNullable<BodyOf<"/player/sign/{url_id}", "post">>;
export type HuntResult = ResultOf<"/zombie/hunt/{url_id}", "post">;
export type RedeemResult = ResultOf<"/player/redeem/{url_id}", "post">;
export type Season = ResultOf<"/seasons", "get">["seasons"][number];
/** What a list tells of a season. */
export type SeasonLine = Pick<Season, "season_id" | "name" | "started_at" | "ended_at" | "result"> & {
  own: Pick<NonNullable<Season["own"]>, "state" | "kills"> | null;
};
export type SeasonRecap = ResultOf<"/seasons/{season_id}", "get">;
export type Badge = Player["badges"][number];

type Staff = `/admin/${string}` | `/notifications/${"send" | "status" | "withdraw"}/{url_id}`;
/** The last word of the path of an endpoint, which is the action of its entries in the log. */
type ActionAt<P> = P extends `/${string}/${infer Action}/{url_id}` ? Action : never;
type At<P, A extends string> = Extract<P, Staff & `/${string}/${A}/{url_id}`>;
export type ReadPath<A extends ReadAction = ReadAction> = At<PathsOf<"get">, A>;
export type CommandPath<A extends CommandAction = CommandAction> = At<PathsOf<"post">, A>;
/** What game masters and moderators read. */
export type ReadAction = ActionAt<Extract<PathsOf<"get">, Staff>>;
/** What game masters and moderators change. No page feeds the hungriest: it lists them, and feeds each. */
export type CommandAction = Exclude<ActionAt<Extract<PathsOf<"post">, Staff>>, "feed">;
export type Result<A extends CommandAction> = ResultOf<CommandPath<A>, "post">;
export type StaffPlayer = Schemas["StaffPlayer"];
/** The settings that forms change. Webhooks have a dialog of their own. */
export type Settings = Omit<Schemas["Settings"], "webhooks">;
export type SettingName = keyof Settings;
export type PlayHours = NonNullable<Settings["play_hours"]>;
export type Webhook = Schemas["Settings"]["webhooks"][number];
export type LogEntry = Schemas["LogEntry"];
export type Dispute = ResultOf<"/admin/disputes/{url_id}", "get">["disputes"][number];
export type Effect = Result<"void_hunt">["effects"][number];
export type Batch = ResultOf<"/admin/codes/{url_id}", "get">["batches"][number];
export type Redemption = NonNullable<ResultOf<"/admin/codes/{url_id}", "get">["redemptions"]>[number];
export type Review = ResultOf<"/admin/alerts/{url_id}", "get">["reviews"][number];
type Mails = ResultOf<"/admin/mail/{url_id}", "get">;
export type Mail = Mails["mails"][number];
/** Whose address a mail server has refused. */
export type Suppressed = NonNullable<Mails["suppressed"]>[number];
