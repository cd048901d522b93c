/** What the web app needs of responses is in those of the service, and what has another shape is not taken for one. */

import { expect, it } from "vitest";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { NEEDS } from "../../web/src/state/shapes.ts";
import { CRATES } from "../support/constants.ts";
import { NEWS, pushEnvironment } from "../support/pushEnvironment.ts";
import type { RequestOptions, TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const { s, send } = pushEnvironment();
const { shown } = shortRequests(s);

it("every response of which the app needs something has it, and one of another shape has not", async () => {
  const [gm, zed, ada, ben] = await s.game("Zed", "Ada", "Ben");
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { public_board: true } });
  await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Bridge" } });
  const hunt = await s.hunt(zed, ada);
  const { body: batch } = await s.must("POST /admin/create_codes/{url_id}", {
    as: gm,
    body: {
      ...CRATES,
      effect: { points: 1, badge: { name: "Runner", symbol: "*" }, message: "Run." },
    },
  });
  const at = rfc3339(s.services.clock());
  const briefings = [{ audience: "all", text: "Run.", reveal_at: at }];
  await s.must("POST /admin/set_mission/{url_id}", {
    as: gm,
    body: { title: "The drop", starts_at: at, ends_at: rfc3339(s.services.clock() + HOUR), briefings },
  });
  const redeemed = await s.must("POST /player/redeem/{url_id}", { as: zed, body: batch.codes[0] });
  await send(gm, undefined, NEWS);
  const requests: [path: string, as: TestPlayer | null, query?: RequestOptions["query"]][] = [
    ...[zed, ben, gm].map((as): [string, TestPlayer] => ["/live/{url_id}", as]),
    ["/public", null],
    ["/session/me", zed],
    ["/notifications/vapid_public_key", null],
    ["/zombie/starvation/{url_id}", zed],
    ["/interactions/{url_id}", zed],
    ["/interactions/{url_id}", zed, { limit: 1 }],
    ["/interactions/leaderboard/{url_id}", zed, { board: "kills" }],
    ["/interactions/leaderboard/{url_id}", zed, { board: "survivors" }],
    ["/interactions/leaderboard/{url_id}", zed, { board: "points" }],
    ["/interactions/leaderboard/{url_id}", zed, { board: "kills", around: "me" }],
    ["/interactions/tree/{url_id}", zed],
    ["/interactions/stats/{url_id}", zed],
    ["/notifications/inbox/{url_id}", zed],
    ["/missions/{url_id}", zed],
    ["/users/{url_id}", zed],
  ];
  const responses: Record<string, unknown[]> = {
    "/zombie/hunt/{url_id}": [hunt.body],
    "/player/redeem/{url_id}": [redeemed.body],
    "/get_player/{url_id}": [await shown(zed, "Ada")],
  };
  for (const [path, as, query = {}] of requests)
    responses[path] = [...(responses[path] ?? []), (await s.must(`GET ${path}`, { as, query })).body];
  expect(Object.keys(responses).toSorted()).toEqual(Object.keys(NEEDS).toSorted());
  for (const [path, all] of Object.entries(responses)) {
    for (const body of all) expect(NEEDS[path]?.(body), `${path} ${JSON.stringify(body)}`).toBe(true);
    for (const other of [null, "ok", {}, [], { status: "ok" }, [all[0]]])
      expect(NEEDS[path]?.(other), `${path} ${JSON.stringify(other)}`).toBe(false);
  }
});
