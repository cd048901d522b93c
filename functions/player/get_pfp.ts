/** POST /get_pfp/{url_id}: another player's picture, by alias. */
import * as z from "zod/mini";
import { findPlayer } from "../../lib/app/currentState.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { AliasRef } from "../../lib/http/fields.ts";
import { PictureBytes, pictureReply } from "../../lib/http/pictures.ts";

export const handler = endpoint({
  route: "POST /get_pfp/{url_id}",
  access: "player",
  body: z.strictObject({ alias: AliasRef }),
  answer: PictureBytes,
  run: async ({ body, services }) => {
    const { player_id } = await findPlayer(services.store, body);
    return pictureReply(await services.store.picture(player_id));
  },
});
