/** Typed API calls of game masters and moderators, and the permissions of their roles. */
import type { BodyOf, QueryOf, ResultOf } from "../../../client/src/types.ts";
import type { CommandPath, ReadPath, Result, StaffPlayer } from "../schemas.ts";
import { api, GameError } from "../state/api.ts";
import { refresh, snapshot } from "../state/session.ts";
import { list, NEEDS, optional, shape, text, time } from "../state/shapes.ts";
import { MODERATOR_PATHS } from "./access.ts";

export type * from "../schemas.ts";

const staffPlayer = shape<StaffPlayer>({ player_id: text, alias: text, labels: list(text) });
Object.assign(NEEDS, {
  "/admin/get_players/{url_id}": shape({ players: list(staffPlayer), next_cursor: optional(text) }),
  "/admin/player_at_checkpoint/{url_id}": shape({ alias: text, passed_at: optional(time) }),
});

/** The client with loose types, because its own types need a literal path. `read` and `command` check the options. */
interface LooseClient {
  get(path: string, options: object): Promise<unknown>;
  post(path: string, options: object): Promise<unknown>;
}
const client: LooseClient = api;

/** Sends a GET request. @throws GameError */
export const read = <P extends ReadPath>(path: P, query: QueryOf<P, "get"> | undefined = undefined) =>
  // The OpenAPI document guarantees the type of a successful response.
  client.get(path, { query }) as Promise<ResultOf<P, "get">>;

/** Sends a POST request. The service executes it once per idempotency key. @throws GameError */
export const command = <P extends CommandPath>(path: P, body: NonNullable<BodyOf<P, "post">>, key?: string) =>
  // The OpenAPI document guarantees the type of a successful response.
  client.post(path, key === undefined ? { body } : { body, key }) as Promise<Result<P>>;

/** Whether the player's role may call an endpoint. Controls for other endpoints are not rendered. */
export const may = (path: ReadPath | CommandPath): boolean => {
  const role = snapshot.value?.player.role;
  return role === "game_master" || (role === "moderator" && MODERATOR_PATHS.has(path));
};

/** Refreshes the session after an error that indicates a changed role. */
export const checkRole = (error: unknown): void => {
  if (error instanceof GameError && error.code === "not_administrator") void refresh().catch(() => {});
};
