/** What the pages of game masters need of the responses that they read. */
import type { StaffPlayer } from "../schemas.ts";
import { list, NEEDS, number, optional, shape, text, time } from "../state/shapes.ts";
import { pathOf } from "./commands.ts";

const staffPlayer = shape<StaffPlayer>({ player_id: text, alias: text, labels: list(text) });

Object.assign(NEEDS, {
  [pathOf("get_players")]: shape({ players: list(staffPlayer), next_cursor: optional(text) }),
  [pathOf("player_at_checkpoint")]: shape({ alias: text, passed_at: optional(time) }),
  [pathOf("mission_attendance")]: shape({
    count: number,
    players: optional(list(shape({ alias: optional(text), attended_at: optional(time) }))),
  }),
});
