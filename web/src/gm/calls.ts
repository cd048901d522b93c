/** The calls of those who run the game, typed by the API document, and who may make them. */
import type { BodyOf, components, QueryOf, ResultOf } from "../../../client/src/types.ts";
import { ApiError, get, post } from "../api.ts";
import { refresh, snapshot } from "../session.ts";
import { type CommandPath, OF_MODERATORS, type ReadPath } from "./access.ts";

export type { CommandPath, ReadPath } from "./access.ts";

type Schemas = components["schemas"];
export type StaffPlayer = Schemas["StaffPlayer"];
export type Settings = Schemas["Settings"];
export type Checkpoint = Schemas["Checkpoint"];
export type Interaction = Schemas["Interaction"];
export type LogEntry = Schemas["LogEntry"];
export type State = StaffPlayer["state"];
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

/** Whether the player's role allows a call. What it does not allow is not drawn. */
export const may = (path: ReadPath | CommandPath): boolean => {
  const role = snapshot.value?.player.role;
  return role === "game_master" || (role === "moderator" && OF_MODERATORS.has(path));
};

/** Reads the role again after an error that says that it has changed. */
export const checkRole = (error: unknown): void => {
  if (error instanceof ApiError && error.code === "not_administrator") void refresh().catch(() => {});
};
