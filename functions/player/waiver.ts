/** GET /waiver/{url_id}: the waiver, and the player's own signature. */
import { readOwnWaiver } from "../../lib/app/waiver/readWaiver.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { WaiverView } from "../../lib/http/waiver.ts";

export const handler = endpoint({
  route: "GET /waiver/{url_id}",
  access: "player",
  response: { schema: WaiverView },
  read: readOwnWaiver,
});

export const docs: EndpointDocs = {
  summary: "Read the waiver",
  description:
    "The waiver of the game, what a signature of it is asked, and the caller's latest signature. Without a waiver, `version` and `text` are `null`. The birth date and the emergency contact are not returned. Before registering, read `GET /public?waiver=true`.",
  fields: {
    version: "The version of the waiver: a hash of its text. Of `signature`, what was signed.",
    text: "The waiver, in Markdown; `null` for none.",
  },
  example: {},
};
