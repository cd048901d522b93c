/** The endpoints as their handlers declare them, and those that the seed document demands. */
import type { Access } from "../../lib/http/definition.ts";
import { documentedEndpoints } from "../../scripts/openapi/document.ts";

export type { Access };

/** An endpoint, for tests of what all of its kind have in common. docs/openapi.json shows a change of any of it. */
export interface EndpointContract {
  route: string;
  access: Access;
  /** The folder of `functions/` in which it lives. */
  module: string;
  /** Whether a retry with the same Idempotency-Key is answered from the record. */
  once: boolean;
  status: number;
}

export const DOCUMENTED = await documentedEndpoints();

export const ENDPOINTS: readonly EndpointContract[] = DOCUMENTED.map(({ module, info, docs }) => ({
  route: info.route,
  access: info.access,
  module,
  once: info.isIdempotent,
  // A change of password is empty; a recovery code opens a session.
  status: docs.success?.[204] === undefined ? info.response.status : 204,
}));

const under = (prefix: string, words: string): string[] =>
  words.split(" ").map((word) => `${prefix}${word}/{url_id}`);

/** The endpoints of the seed document, which stay. */
export const SEED: readonly string[] = [
  ...under(
    "POST /admin/",
    "corpsify cure feed_player feed inject_sql kill_all_not_at_checkpoint player_at_checkpoint",
  ),
  ...under("POST /admin/", "recover_password revive_h revive_z set_checkpoint zombies_add_day"),
  ...under("GET /admin/", "get_players get_logs player_count"),
  ...["POST /new", "POST /login", "POST /logout", "POST /change_password"],
  ...under("DELETE /", "delete_player subscriptions/unsubscribe"),
  ...under(
    "POST /",
    "edit_player get_player get_pfp set_pfp zombie/hunt notifications/subscribe notifications/send",
  ),
  ...under("GET /", "player users checkpoint pfp interactions interactions/leaderboard interactions/tree"),
  ...under("GET /zombie/", "next_feeding starvation"),
];
