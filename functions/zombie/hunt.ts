/** POST /zombie/hunt/{url_id}: a zombie reports the tag code of a human whom it has tagged. */
import { endpoint } from "../../lib/http/endpoint.ts";
import { Hunt, HuntAnswer, takeHunt } from "../../lib/http/hunt.ts";

export const handler = endpoint({
  route: "POST /zombie/hunt/{url_id}",
  access: "player",
  body: Hunt,
  answer: HuntAnswer,
  once: true,
  run: (call) => takeHunt(call),
});
