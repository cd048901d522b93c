/** A game to send bad input to, and a good body of every POST endpoint to spoil. */
import type { Asking, Someone, Stage } from "../support/service.ts";

export const PASSWORD = "correct horse battery";

export const JSON_TYPE = "application/json";
export const raw = (body: string | Buffer, type: string = JSON_TYPE): Asking => ({ raw: { body, type } });

/** Those who are in it. */
export interface Scene {
  gm: Someone;
  ada: Someone;
  ben: Someone;
  zed: Someone;
}

export const sceneOn = async (s: Stage): Promise<Scene> => {
  const gm = await s.admin("Game Master", true);
  const [ada, ben, zed] = [await s.join("Ada"), await s.join("Ben"), await s.join("Zed")];
  await s.outbreak(gm, zed);
  return { gm, ada, ben, zed };
};

/** What a body of each POST endpoint may be. */
export const GOOD: Record<string, (on: Scene) => Record<string, unknown>> = {
  "POST /new": () => ({ alias: `New ${crypto.randomUUID().slice(0, 8)}`, password: PASSWORD }),
  "POST /login": () => ({ alias: "Ada", password: PASSWORD }),
  "POST /logout": () => ({}),
  "POST /change_password": () => ({
    alias: "Nobody",
    current_password: PASSWORD,
    new_password: "another horse",
  }),
  "POST /edit_player/{url_id}": () => ({ first_name: "Ann" }),
  "POST /get_player/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/corpsify/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/cure/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/revive_h/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/revive_z/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/feed_player/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/feed/{url_id}": () => ({ n: 1 }),
  "POST /admin/zombies_add_day/{url_id}": () => ({}),
  "POST /admin/pause_game/{url_id}": () => ({}),
  "POST /admin/resume_game/{url_id}": () => ({}),
  "POST /zombie/hunt/{url_id}": ({ ben }) => ({ tag_code: ben.code }),
};

/** Arrays nested this deep, the innermost being empty. */
export const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
