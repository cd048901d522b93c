/** GET /session/me: the player of the token, their role, and when the session ends. */
import * as z from "zod/mini";
import { Role, roleOf } from "../../lib/domain/players/player.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Timestamp } from "../../lib/http/views.ts";

export const handler = endpoint({
  route: "GET /session/me",
  access: "player",
  response: {
    schema: z.object({
      player_id: z.string(),
      alias: z.string(),
      role: Role,
      is_admin: z.boolean(),
      /** When the session ends if it is not used before. */
      idle_expires_at: Timestamp,
      expires_at: Timestamp,
    }),
  },
  read: async ({ player, sessionEnds }) => ({
    ...player,
    role: roleOf(player),
    idle_expires_at: rfc3339(sessionEnds.idle),
    expires_at: rfc3339(sessionEnds.absolute),
  }),
});

export const docs: EndpointDocs = {
  summary: "Read the current session",
  description: "The logged-in player, their role, and when the session ends.",
  fields: {
    idle_expires_at: "When the session ends if it is not used before.",
    expires_at: "When the session ends at the latest.",
  },
  example: {},
};
