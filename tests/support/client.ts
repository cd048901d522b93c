/** The typed client, for tests over HTTP. */
import { GameClient } from "../../client/src/index.ts";
import { running } from "./running.ts";
import type { TestPlayer } from "./service.ts";

/** A client of the running service, of somebody or of nobody. */
export const clientOf = (someone?: Pick<TestPlayer, "token">): GameClient =>
  new GameClient({ baseUrl: running().base, ...(someone === undefined ? {} : { token: someone.token }) });
