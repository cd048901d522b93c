/** What the web app needs of responses is in those of the service, and what has another shape is not taken for one. */
import { expect, it } from "vitest";
import { NEEDS } from "../../web/src/state/shapes.ts";
import { NEWS, pushEnvironment } from "../support/pushEnvironment.ts";

const { s, send } = pushEnvironment();

it("every response of which the app needs something has it, and one of another shape has not", async () => {
  const [gm, zed, ada, ben] = await s.game("Zed", "Ada", "Ben");
  await s.must("POST /admin/settings/{url_id}", { as: gm, body: { public_board: true } });
  await s.must("POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "Bridge" } });
  const hunt = await s.hunt(zed, ada);
  await send(gm, undefined, NEWS);
  const get = async (route: Parameters<typeof s.must>[0], more: object = {}) =>
    (await s.must(route, { as: zed, ...more })).body;
  const responses: Record<string, unknown[]> = {
    "/live/{url_id}": [
      await get("GET /live/{url_id}"),
      await get("GET /live/{url_id}", { as: ben }),
      await get("GET /live/{url_id}", { as: gm }),
    ],
    "/public": [await get("GET /public", { as: undefined })],
    "/session/me": [await get("GET /session/me")],
    "/notifications/vapid_public_key": [await get("GET /notifications/vapid_public_key", { as: undefined })],
    "/zombie/hunt/{url_id}": [hunt.body],
    "/zombie/starvation/{url_id}": [await get("GET /zombie/starvation/{url_id}")],
    "/interactions/{url_id}": [
      await get("GET /interactions/{url_id}"),
      await get("GET /interactions/{url_id}", { query: { limit: 1 } }),
    ],
    "/interactions/leaderboard/{url_id}": [
      await get("GET /interactions/leaderboard/{url_id}", { query: { board: "kills" } }),
      await get("GET /interactions/leaderboard/{url_id}", { query: { board: "survivors" } }),
      await get("GET /interactions/leaderboard/{url_id}", { query: { board: "kills", around: "me" } }),
    ],
    "/interactions/tree/{url_id}": [await get("GET /interactions/tree/{url_id}")],
    "/interactions/stats/{url_id}": [await get("GET /interactions/stats/{url_id}")],
    "/notifications/inbox/{url_id}": [await get("GET /notifications/inbox/{url_id}")],
    "/users/{url_id}": [await get("GET /users/{url_id}")],
    "/get_player/{url_id}": [await get("POST /get_player/{url_id}", { body: { alias: "Ada" } })],
  };
  expect(Object.keys(responses).toSorted()).toEqual(Object.keys(NEEDS).toSorted());
  for (const [path, all] of Object.entries(responses)) {
    for (const body of all) expect(NEEDS[path]?.(body), `${path} ${JSON.stringify(body)}`).toBe(true);
    for (const other of [null, "ok", {}, [], { status: "ok" }, [all[0]]])
      expect(NEEDS[path]?.(other), `${path} ${JSON.stringify(other)}`).toBe(false);
  }
});
