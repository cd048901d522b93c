/** Typed API calls of game masters and moderators, and the permissions of their roles. */
import type { BodyOf, QueryOf, ResultOf } from "../../../client/src/types.ts";
import "./needs.ts";
import type { CommandAction, CommandPath, ReadAction, ReadPath, Result } from "../schemas.ts";
import { api, GameError } from "../state/api.ts";
import { refresh, snapshot } from "../state/session.ts";
import { type Action, pathOf, ROLES } from "./commands.ts";

export type * from "../schemas.ts";
export type { Action } from "./commands.ts";

/** The client with loose types, because its own types need a literal path. `read` and `command` check the options. */
interface LooseClient {
  get(path: string, options: object): Promise<unknown>;
  post(path: string, options: object): Promise<unknown>;
}
const client: LooseClient = api;

/** Reads something of the staff's. @throws GameError */
export const read = <A extends ReadAction>(
  action: A,
  query: QueryOf<ReadPath<A>, "get"> | undefined = undefined,
) =>
  // The OpenAPI document guarantees the type of a successful response.
  client.get(pathOf(action), { query }) as Promise<ResultOf<ReadPath<A>, "get">>;

/** Sends a command. The service executes it once per idempotency key. @throws GameError */
export const command = <A extends CommandAction>(
  action: A,
  body: NonNullable<BodyOf<CommandPath<A>, "post">>,
  key?: string,
) =>
  // The OpenAPI document guarantees the type of a successful response.
  client.post(pathOf(action), key === undefined ? { body } : { body, key }) as Promise<Result<A>>;

export const readGame = () => api.get("/game/{url_id}");

/** Whether the player's role may use an action. Controls for other actions are not rendered. */
export const may = (action: Action): boolean => {
  const role = snapshot.value?.player.role;
  return role === "game_master" || ROLES[action].role === role;
};

/** Whether the service sends mail. */
export const sendsMail = (): boolean => snapshot.value?.game.sends_mail === true;

/** Whether it stores mails instead of sending them, so that game masters can read them. */
export const storesMail = (): boolean => snapshot.value?.game.stores_mail === true;

/** Refreshes the session after an error that indicates a changed role. */
export const checkRole = (error: unknown): void => {
  if (error instanceof GameError && error.code === "not_administrator") void refresh().catch(() => {});
};
