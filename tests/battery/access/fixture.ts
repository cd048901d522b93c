/** A game, and for every endpoint a request that succeeds in it. */

import { DAY, rfc3339 } from "../../../lib/domain/time.ts";
import { type GameFixture as Good, goodBody } from "../../contract/bodies.ts";
import { blackPng } from "../../support/pictures.ts";
import type { RequestOptions, Someone, TestEnvironment } from "../../support/service.ts";
import type { Cast } from "./tokens.ts";

/** A game in which a request to every endpoint can succeed. */
export interface Played extends Cast {
  corpse: Someone;
  zombie: Someone;
  human: Someone;
  picture: string;
  hunt: string;
  /** A hunt of each caller. */
  own: { ada: string; mod: string; gm: string };
  reported: string;
  notification: string;
  scheduled: string;
}

/** Plays until a request to every endpoint can succeed. The callers are zombies with pictures. */
export const playOn = async (s: TestEnvironment, cast: Cast): Promise<Played> => {
  const { ada, mod, gm } = cast;
  const [corpse, zombie, human, prey] = [
    await s.join("Eve"),
    await s.join("Zed"),
    await s.join("Dee"),
    await s.join("Pia"),
  ];
  for (const one of [ada, mod, gm, zombie]) await s.outbreak(gm, one);
  await s.must("POST /admin/corpsify/{url_id}", { as: gm, body: { player_id: corpse.id } });
  for (const as of [ada, mod, gm]) {
    const raw = { body: blackPng(4, 4), type: "application/octet-stream" };
    await s.must("POST /set_pfp/{url_id}", { as, raw });
  }
  await s.must("POST /admin/ban/{url_id}", { as: gm, body: { alias: "Banned" } });
  await s.must("POST /edit_player/{url_id}", { as: human, body: { wants_original: true } });
  const { interaction } = (await s.hunt(zombie, prey)).body;
  const { body: tagged } = await s.must("POST /player/report_tagged/{url_id}", { as: await s.join("Ron") });
  const dispute = { interaction_id: interaction.interaction_id, reason: "He was not there." };
  await s.must("POST /interactions/dispute/{url_id}", { as: zombie, body: dispute });
  const huntBy = async (hunter: Someone, alias: string): Promise<string> =>
    (await s.hunt(hunter, await s.join(alias))).body.interaction.interaction_id;
  const own = { ada: await huntBy(ada, "Uma"), mod: await huntBy(mod, "Una"), gm: await huntBy(gm, "Ute") };
  const content = { title: "Run", content: "They come.", player_groups: "All" };
  const { body: sent } = await s.must("POST /notifications/send/{url_id}", { as: gm, body: content });
  const later = { ...content, send_at: rfc3339(s.services.clock() + DAY) };
  const { body: waiting } = await s.must("POST /notifications/send/{url_id}", { as: gm, body: later });
  await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The bridge" } });
  return {
    ...{ ...cast, corpse, zombie, human, own },
    picture: (await s.see(gm)).picture_url.slice("/pictures/".length),
    hunt: interaction.interaction_id,
    reported: tagged.interaction.interaction_id,
    notification: sent.notification.notification_id,
    scheduled: waiting.notification.notification_id,
  };
};

/** The request that succeeds at this endpoint. */
export const validRequest = (route: string, on: Played): RequestOptions => {
  const { gm, ada, ben, zombie, corpse, human, picture, hunt, reported, notification, scheduled } = on;
  const named: Record<string, RequestOptions> = {
    "GET /pictures/{picture_id}": { id: picture },
    "POST /login": { body: { alias: ben.alias, password: ben.password } },
    "POST /change_password": {
      body: { alias: ben.alias, current_password: ben.password, new_password: "another horse battery" },
    },
    "POST /admin/unban/{url_id}": { body: { alias: "Banned" } },
    "POST /admin/make_spectator/{url_id}": { body: { player_id: corpse.id } },
    "POST /admin/admit/{url_id}": { body: { aliases: [corpse.alias] } },
    "POST /admin/label/{url_id}": { body: { aliases: [ben.alias], add: ["waiver"] } },
    "POST /admin/revive_all/{url_id}": { body: { aliases: [corpse.alias] } },
    "POST /admin/feed_group/{url_id}": { body: { aliases: [zombie.alias] } },
    "POST /admin/cure/{url_id}": { body: { player_id: zombie.id } },
    "POST /admin/feed_player/{url_id}": { body: { player_id: zombie.id } },
    "POST /admin/revive_h/{url_id}": { body: { player_id: corpse.id } },
    "POST /admin/revive_z/{url_id}": { body: { player_id: corpse.id } },
    "POST /admin/void_hunt/{url_id}": { body: { interaction_id: hunt, reason: "They lied." } },
    "POST /zombie/hunt/{url_id}": { body: { tag_code: human.code } },
    "POST /admin/name_hunter/{url_id}": { body: { interaction_id: reported, player_id: zombie.id } },
    "POST /admin/draw_originals/{url_id}": { body: { n: 1, dry_run: true } },
    "POST /admin/comment_dispute/{url_id}": { body: { dispute_id: hunt, comment: "He was." } },
    "POST /admin/resolve_dispute/{url_id}": {
      body: { dispute_id: hunt, outcome: "stands", note: "He was." },
    },
    "POST /admin/hunt/{url_id}": { body: { hunter: zombie.alias, prey: human.alias } },
    "POST /admin/new_tag_code/{url_id}": { body: { player_id: human.id } },
    "POST /notifications/withdraw/{url_id}": { body: { notification_id: scheduled } },
    "GET /notifications/status/{url_id}": { query: { notification_id: notification } },
  };
  const scene: Good = { gm, ada, ben, zed: zombie };
  return named[route] ?? (route.startsWith("POST ") ? { body: goodBody(route, scene) } : {});
};
