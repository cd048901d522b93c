/** The API client of the web app. Requests go to the page's own origin with an HTTP-only session cookie. */
import { type components, GameClient, GameError, type ResultOf } from "../../client/src/index.ts";

export { GameError };

type Schemas = components["schemas"];
export type Player = Schemas["Player"];
export type State = Player["state"];
export type Game = Schemas["Game"];
export type Phase = Game["phase"];
export type Interaction = Schemas["Interaction"];
export type ZombieTree = Schemas["ZombieTree"];
export type PublicPlayer = Schemas["PublicPlayer"];
export type Live = ResultOf<"/live/{url_id}", "get">;
export type Message = ResultOf<"/notifications/inbox/{url_id}", "get">["notifications"][number];
export type PublicGame = ResultOf<"/public", "get">;
export type HuntResult = ResultOf<"/zombie/hunt/{url_id}", "post">;

/** Called when the service no longer accepts the session. */
let sessionEnded = (): void => {};
export const onSessionEnd = (listener: () => void): void => {
  sessionEnded = listener;
};

const isRejected = async (response: Response): Promise<boolean> =>
  response.status === 403 && (await response.clone().text()).includes('"token_rejected"');

/** Does not retry: pages offer a retry button, and tags are retried by their queue. */
export const api = new GameClient({
  cookie: true,
  attempts: 1,
  fetch: async (url, request) => {
    const response = await fetch(url, request);
    if (await isRejected(response)) sessionEnded();
    return response;
  },
});

export const readPublicGame = (): Promise<PublicGame> => api.get("/public");

/** Whether a request failed because the service could not be reached. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof GameError && error.code === "network";

/** Returns the validation message of one form field. */
export const fieldError = (error: unknown, name: string): string | undefined =>
  error instanceof GameError ? error.errors.find(({ path }) => path === name)?.message : undefined;

/** Whether an error has validation messages that the form shows beside its fields. */
export const hasFieldErrors = (error: unknown): boolean =>
  error instanceof GameError && error.errors.length > 0;
