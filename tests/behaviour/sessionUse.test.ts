/** Makes each function record the use of a session: a role may allow only the calls that tests make (decision 23). */
import { expect, it } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { ENDPOINTS } from "../contract/endpoints.ts";
import { testEnvironment } from "../support/service.ts";
import { expectRefused, shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment();
const { done } = shortRequests(s);

it.each(ENDPOINTS.filter(({ access }) => access !== "public"))(
  "the use of a session that was not used for a long time is recorded at $route",
  async ({ route, access }) => {
    const as = access === "player" ? await s.join("Ada") : await s.admin();
    s.now += access === "player" ? 2 * DAY : 2 * HOUR;
    const before = s.now;
    const { status } = await s.call(route, { as, ...(route.startsWith("POST") ? { body: {} } : {}) });
    expect([401, 403, 500]).not.toContain(status);
    const [session] = (await s.store.sessions(as.id))?.sessions ?? [];
    if (route.startsWith("DELETE /delete_player")) expect(session).toBeUndefined();
    else expect(session?.last_used).toBeGreaterThanOrEqual(before);
  },
);

it("a session of before a player became a game master ends after a week, however often it is used", async () => {
  const [gm, ada] = [await s.admin(), await s.join("Ada")];
  await done(gm, "edit_player", { alias: "Ada", is_admin: true });
  const began = s.now;
  for (; s.now < began + 7 * DAY; s.now += 11 * HOUR)
    expect((await s.call("GET /player/{url_id}", { as: ada })).status).toBe(200);
  s.now = began + 7 * DAY + HOUR;
  await expectRefused(s.call("GET /player/{url_id}", { as: ada }), "token_rejected");
});
