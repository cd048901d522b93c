/** POST /admin/mission_picture/{url_id}: sets the picture of a mission. */
import * as z from "zod/mini";
import { setMissionPicture } from "../../lib/app/missions/missionPicture.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { MissionId, MissionView } from "../../lib/http/missions.ts";
import { PictureImage, readPictureInJson } from "../../lib/http/pictures.ts";
import { sha256 } from "../../lib/runtime/sha256.ts";

export const handler = endpoint({
  route: "POST /admin/mission_picture/{url_id}",
  access: "administrator",
  request: {
    parseBody: readPictureInJson,
    body: z.strictObject({ mission_id: MissionId, image: PictureImage }),
  },
  response: { schema: MissionView },
  takesReason: false,
  idempotency: {
    scope: "player",
    fingerprintedBody: async ({ image, mission_id }) => ({ mission_id, image: sha256(image) }),
  },
  run: (call) => setMissionPicture(call, call.body.mission_id, call.body.image),
});

export const docs: EndpointDocs = {
  summary: "Set the picture of a mission",
  description:
    "By the rules of `POST /set_pfp`, in JSON. Whoever knows the mission gets its path as `picture_url`, which nobody can guess. `clear_picture` of `POST /admin/set_mission` removes it.",
  errors: ["not_found", "too_many_attempts"],
  fields: { mission_id: "The id of the mission.", image: "The picture, in base64 or as a data URL." },
  example: {
    body: ({ mission }) => ({
      mission_id: mission,
      image: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABAQAAAAA3bvkkAAAACklEQVR42mNgAAAAAgAB5Sfe/AAAAABJRU5ErkJggg==",
    }),
  },
};
