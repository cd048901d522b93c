/** The calls of those who run the game, and who may make them. */
import type { BodyOf, QueryOf, ResultOf } from "../../../client/src/types.ts";
import { api, GameError } from "../api.ts";
import { refresh, snapshot } from "../session.ts";
import { type CommandPath, MODERATOR_PATHS, type ReadPath } from "./access.ts";
import type { Result } from "./schemas.ts";

export type { CommandPath, ReadPath } from "./access.ts";
export type * from "./schemas.ts";

/** The client for a path that is not known yet: what its options are is then decided by `read` and `command`. */
interface LooseClient {
  get(path: string, options: object): Promise<unknown>;
  post(path: string, options: object): Promise<unknown>;
}
const client: LooseClient = api;

/** Reads something. @throws GameError */
export const read = <P extends ReadPath>(path: P, query: QueryOf<P, "get"> | undefined = undefined) =>
  // The document says what a success has.
  client.get(path, { query }) as Promise<ResultOf<P, "get">>;

/** Carries out a command, once for each key. @throws GameError */
export const command = <P extends CommandPath>(path: P, body: NonNullable<BodyOf<P, "post">>, key?: string) =>
  // As above.
  client.post(path, key === undefined ? { body } : { body, key }) as Promise<Result<P>>;

/** Whether the player's role allows a call. What it does not allow is not drawn. */
export const may = (path: ReadPath | CommandPath): boolean => {
  const role = snapshot.value?.player.role;
  return role === "game_master" || (role === "moderator" && MODERATOR_PATHS.has(path));
};

/** Reads the role again after an error that says that it has changed. */
export const checkRole = (error: unknown): void => {
  if (error instanceof GameError && error.code === "not_administrator") void refresh().catch(() => {});
};
