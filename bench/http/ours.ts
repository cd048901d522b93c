/** The whole service as `npm start` brings it up, in a process of its own. */
import * as z from "zod/mini";
import { freePort } from "../../scripts/cli/ports.ts";
import { readSettings } from "../../scripts/local/settings.ts";
import { startAll } from "../../scripts/local/startAll.ts";
import { tell, untilLetGo } from "../support/processes.ts";

export const Ours = z.object({ url: z.string(), endpoint: z.string(), table: z.string() });

/** Serves until the bench lets go. */
export const runOurs = async (): Promise<void> => {
  const table = "zombie-game-bench";
  Object.assign(process.env, { PORT: String(await freePort()), GAME_FILE: ":memory:", TABLE_NAME: table });
  const up = await startAll(readSettings(), () => {});
  const letGo = untilLetGo();
  try {
    await up.serve();
    tell({ url: up.url, endpoint: up.endpoint, table });
    await letGo;
  } finally {
    await up.stop();
  }
};
