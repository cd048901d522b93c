/** GET /preview.png: the picture that chats show with a link to the game (docs/decisions/0117-shared-links.md). */
import * as z from "zod/mini";
import { readOutbreak } from "../../lib/app/game/outbreak.ts";
import { SITUATION_TEXTS } from "../../lib/domain/players/situationTexts.ts";
import { MINUTE } from "../../lib/domain/time.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { fileOf, type StaticFile, sendFile } from "../../lib/http/staticFile.ts";
import { buildFile } from "../../lib/http/webFiles.ts";
import { drawOutbreak, Letters } from "../../lib/images/outbreakPicture.ts";
import type { Services } from "../../lib/lambda/services.ts";

const HEADERS = { "cache-control": "public, max-age=60", "cross-origin-resource-policy": "cross-origin" };

const draw = async (services: Services, now: number): Promise<StaticFile> => {
  const { situation, ...outbreak } = await readOutbreak({ services, now });
  const letters = Letters.parse(JSON.parse((await buildFile("letters.json")).toString()));
  const picture = await drawOutbreak({ ...outbreak, situation: SITUATION_TEXTS[situation].title }, letters);
  return fileOf(picture, "image/png", HEADERS);
};

/** The picture of each store of this process, drawn at most once a minute, whoever asks and however often. */
const drawn = new WeakMap<Services["store"], { at: number; file: Promise<StaticFile> }>();

export const handler = endpoint({
  route: "GET /preview.png",
  access: "public",
  request: { query: z.record(z.string(), z.unknown()) },
  response: { schema: z.string() },
  run: async ({ services, now, conditions }) => {
    const last = drawn.get(services.store);
    if (last !== undefined && Math.abs(now - last.at) < MINUTE) return sendFile(await last.file, conditions);
    const begun = { at: now, file: draw(services, now) };
    drawn.set(services.store, begun);
    // Those who have waited get the error; the next request tries again.
    begun.file.catch(() => drawn.delete(services.store));
    return sendFile(await begun.file, conditions);
  },
});
