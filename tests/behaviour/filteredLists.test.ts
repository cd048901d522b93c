/** Filters of lists work before the page is cut: what a filter skips does not fill the page, and no page reads without a bound. */
import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { rfc3339 } from "../../lib/domain/time.ts";
import { newEventId } from "../../lib/runtime/eventId.ts";
import { keys } from "../../lib/store/keys.ts";
import { testEnvironment } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";

const s = testEnvironment({ at: Date.parse("2026-11-23T09:00:00Z") });
const { admin, done, read } = shortRequests(s);

it("commands are found behind any number of reads, in pages that each read a thousand entries at most", async () => {
  const [gm, zed] = await s.game("Zed");
  await done(gm, "feed_player", { alias: "Zed" });
  await admin(gm, "feed_player", { alias: "Nobody" });
  await admin(gm, "feed_group", { state: "zombie", dry_run: true });
  const game = await s.store.game();
  const looks = Array.from({ length: 1_100 }, () => ({
    ...{ log_id: newEventId(), at: rfc3339(s.now), action: "get_players", actor: gm.id, target: null },
    ...{ details: {}, request_id: randomUUID(), outcome: "done" },
  }));
  for (let at = 0; at < looks.length; at += 100)
    await Promise.all(looks.slice(at, at + 100).map((entry) => s.store.log(game, entry)));
  const found: string[] = [];
  const pages: number[] = [];
  let cursor: string | undefined;
  do {
    const query = { changes: "true", outcome: "done", limit: 2, ...(cursor === undefined ? {} : { cursor }) };
    const page = await read(gm, "/admin/get_logs", query);
    pages.push(page.logs.length);
    found.push(...page.logs.map(({ action }: { action: string }) => action));
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  expect(pages[0]).toBe(0);
  expect(found[0]).toBe("feed_player");
  expect(found).not.toContain("feed_group");
  const refused = await read(gm, "/admin/get_logs", { outcome: "refused", action: "feed_player", limit: 1 });
  expect(refused).toMatchObject({ logs: [], next_cursor: expect.any(String) });
  const rest = await read(gm, "/admin/get_logs", {
    ...{ outcome: "refused", action: "feed_player", limit: 1, cursor: refused.next_cursor },
  });
  expect(rest.logs).toMatchObject([{ action: "feed_player", outcome: "player_not_found" }]);
  expect((await s.see(zed)).state).toBe("zombie");
});

it("an open alert is found behind resolved ones", async () => {
  const gm = await s.admin();
  const alert = (resolved_at: string | null) => {
    const alert_id = newEventId();
    return {
      ...keys.alert(alert_id),
      alert_id,
      kind: "newcomers",
      hunter: gm.id,
      hunts: [],
      at: rfc3339(s.now),
      resolved_at,
      rev: 1,
    };
  };
  await s.store.db.put(alert(null));
  s.now += 1_000;
  for (let n = 0; n < 25; n += 1) await s.store.db.put(alert(rfc3339(s.now)));
  const { alerts } = await read(gm, "/admin/alerts", { open: "true", limit: 20 });
  expect(alerts).toMatchObject([{ resolved_at: null }]);
});
