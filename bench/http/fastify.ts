/** The classic server in a process of its own: what it is told, and what it tells. */
import * as z from "zod/mini";
import { openClassic } from "../peers/classic.ts";
import { tell, untilLetGo } from "../support/processes.ts";

const Someone = z.object({ id: z.string(), alias: z.string(), token: z.string() });
const Prey = z.object({ id: z.string(), alias: z.string(), code: z.string() });

const Asked = z.union([
  /** The folder where its database is to be. */
  z.object({ start: z.string() }),
  z.object({ hunters: z.int() }),
  z.object({ prey: z.int() }),
  /** Who infected these. */
  z.object({ look: z.array(z.string()) }),
]);
export const Started = z.object({ url: z.string() });
export const Hunters = z.object({ hunters: z.array(Someone) });
export const PreyTold = z.object({ prey: z.array(Prey) });
export const Looked = z.object({ infectors: z.array(z.nullable(z.string())) });

/** Serves until the bench lets go. */
export const runFastify = async (): Promise<void> => {
  let classic: Awaited<ReturnType<typeof openClassic>> | undefined;
  process.on("message", async (raw: unknown) => {
    const asked = Asked.parse(raw);
    if ("start" in asked) {
      classic = await openClassic(asked.start);
      tell({ url: classic.url });
      return;
    }
    if (classic === undefined) throw new Error("asked before it was started");
    if ("hunters" in asked) tell({ hunters: classic.putHunters(asked.hunters) });
    else if ("prey" in asked) tell({ prey: classic.putPrey(asked.prey) });
    else tell({ infectors: asked.look.map(classic.infectorOf) });
  });
  await untilLetGo();
};
