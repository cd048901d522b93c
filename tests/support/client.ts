/** The typed client, for tests over HTTP. */
import { GameClient } from "../../client/src/index.ts";
import { running } from "./running.ts";
import type { TestPlayer } from "./service.ts";

/** A client of the running service, with a player's token or without one. */
export const clientOf = (someone?: Pick<TestPlayer, "token">): GameClient =>
  new GameClient({ baseUrl: running().base, ...(someone === undefined ? {} : { token: someone.token }) });
