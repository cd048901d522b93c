/** A VAPID key that push services reject raises an alarm, and costs nobody a subscription. */
import { describe, expect, it } from "vitest";
import { recordMetrics, sumByName } from "../support/counted.ts";
import { logLines } from "../support/logLines.ts";
import { status, trustedPushService } from "../support/pushService.ts";
import { testEnvironment } from "../support/service.ts";
import { fillSubscriptions } from "../support/subscribers.ts";
import { scan } from "../support/table.ts";

const push = trustedPushService();
const s = testEnvironment({ services: push.services });
const NEWS = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };

describe("a key that push services reject", () => {
  const lines = logLines();
  const counted = recordMetrics();

  it.each([
    ["within the request", 20],
    ["by the queue", 210],
  ])("logs an error, counts a metric and removes no subscription: %s", async (_how, many) => {
    const gm = await s.admin();
    const wanted = Array.from({ length: many }, (_, n) => ({ playerId: gm.id, path: `/${n}` }));
    await fillSubscriptions(s.place(), push.current().origin, wanted);
    for (const n of [1, 2, 3]) push.current().answer(`/${n}`, status(n === 1 ? 401 : 403));
    push.current().answer("/4", status(410));
    const sent = await s.call("POST /notifications/send/{url_id}", { as: gm, body: NEWS });
    await s.work();
    const query = { notification_id: sent.body.notification.notification_id };
    const told = await s.call("GET /notifications/status/{url_id}", { as: gm, query });
    expect(told.body).toMatchObject({ sent: many - 4, failed: 3, expired: 1, queued: 0, complete: true });
    expect(lines.join("")).toMatch(/"level":"ERROR","message":"push services reject the VAPID key"/);
    expect(sumByName(counted)).toEqual({
      PushSent: many - 4,
      PushFailed: 3,
      PushExpired: 1,
      PushKeyRefused: 3,
    });
    const left = (await scan(s)).filter(({ sk }) => sk.startsWith("SUBSCRIPTION#"));
    expect(left).toHaveLength(many - 1);
  });
});
