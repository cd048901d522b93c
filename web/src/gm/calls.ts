/** The calls of those who run the game, typed by the API document, and who may make them. */
import type { BodyOf, components, PathsOf, QueryOf, ResultOf } from "../../../client/src/types.ts";
import { ApiError, get, post } from "../api.ts";
import { refresh, snapshot } from "../session.ts";

type Schemas = components["schemas"];
export type StaffPlayer = Schemas["StaffPlayer"];
export type Settings = Schemas["Settings"];
export type Checkpoint = Schemas["Checkpoint"];
export type Interaction = Schemas["Interaction"];
export type LogEntry = Schemas["LogEntry"];
export type State = StaffPlayer["state"];
export type ReadPath = PathsOf<"get">;
export type CommandPath = PathsOf<"post">;
export type Result<P extends CommandPath> = ResultOf<P, "post">;
type Disputes = ResultOf<"/admin/disputes/{url_id}", "get">;
export type Dispute = Disputes["disputes"][number];
export type Effect = Result<"/admin/void_hunt/{url_id}">["effects"][number];

const own = (path: string): string => path.replace("{url_id}", "me");

/** Reads something. @throws ApiError */
export const read = <P extends ReadPath>(path: P, query?: QueryOf<P, "get">): Promise<ResultOf<P, "get">> => {
  const fields = Object.entries(query ?? {}).filter(([, value]) => value !== undefined && value !== "");
  return get(own(path), Object.fromEntries(fields.map(([name, value]) => [name, String(value)])));
};

/** Carries out a command, once for each key. @throws ApiError */
export const command = <P extends CommandPath>(
  path: P,
  body: NonNullable<BodyOf<P, "post">>,
  key?: string,
): Promise<Result<P>> => post(own(path), body, key);

/** What moderators may do. Everything else below `/admin` is for game masters. */
const OF_MODERATORS: ReadonlySet<ReadPath | CommandPath> = new Set([
  "/admin/get_players/{url_id}",
  "/admin/find/{url_id}",
  "/admin/player_at_checkpoint/{url_id}",
  "/admin/feed_player/{url_id}",
  "/admin/disputes/{url_id}",
  "/admin/comment_dispute/{url_id}",
]);

/** Whether the player's role allows a call. What it does not allow is not drawn. */
export const may = (path: ReadPath | CommandPath): boolean => {
  const role = snapshot.value?.player.role;
  return role === "game_master" || (role === "moderator" && OF_MODERATORS.has(path));
};

/** Reads the role again after an error that says that it has changed. */
export const checkRole = (error: unknown): void => {
  if (error instanceof ApiError && error.code === "not_administrator") void refresh().catch(() => {});
};
