/** A notification to a hundred thousand subscriptions, or a share of them, of which some are busy at times and some are gone. */
import { expect, it } from "vitest";
import { PAGE_SIZE } from "../../lib/store/notifications/broadcasts.ts";
import { FULL, IS_LARGE, QUICK, share } from "../support/battery.ts";
import { pushEnvironment } from "../support/pushEnvironment.ts";
import { status } from "../support/pushService.ts";
import { scan } from "../support/table.ts";

const { s, push, fillFor, send, statusOf } = pushEnvironment();

const MANY = IS_LARGE ? share(100_000) : 900;
/** A tenth are gone; a tenth respond 429 twice, with Retry-After and without. */
const [GONE, BUSY] = [7, 3];

it.skipIf(QUICK)(
  `a notification reaches all of ${MANY.toLocaleString("en")} subscriptions when a worker is lost half-way, each under one topic`,
  { timeout: FULL ? 3_600_000 : 600_000 },
  async () => {
    const gm = await s.admin();
    await fillFor(gm, MANY);
    for (let n = 0; n < MANY; n += 1) {
      const busy = [status(429, { "retry-after": "1" }), status(429)];
      if (n % 10 === GONE) push().answer(`/${n}`, status(410));
      if (n % 10 === BUSY) push().answer(`/${n}`, (response) => (busy.pop() ?? status(201))(response));
    }
    const id = (await send(gm)).body.notification.notification_id;
    // Once some results are recorded, all calls of the worker fail, except the pushes that it is sending.
    let results = 0;
    s.beforeCall = (call, keys) => {
      if (call === "transact" && keys.some(({ sk }) => sk.startsWith("PAGE#"))) results += 1;
      if (results <= Math.ceil(MANY / PAGE_SIZE / 2)) return;
      s.hasQueue = false;
      throw new Error("the worker is lost");
    };
    await s.work();
    expect(s.hasQueue).toBe(false);
    Object.assign(s, { hasQueue: true, beforeCall: undefined });
    const { sent, queued } = await statusOf(gm, id);
    expect(sent).toBeGreaterThan(0);
    expect(queued).toBeGreaterThan(0);
    await s.work({ hurry: true });

    const byPath = Map.groupBy(push().received(), ({ path }) => path);
    expect(byPath.size).toBe(MANY);
    for (const [path, received] of byPath)
      expect(new Set(received.map(({ headers }) => headers.topic)).size, path).toBe(1);
    const total = MANY * 0.9;
    const end = await statusOf(gm, id);
    expect(end).toMatchObject({ sent: total, failed: 0, queued: 0, complete: true });
    // Subscriptions that were found gone just when the worker was lost are not counted.
    expect(end.subscriptions).toBe(total + end.expired);
    const left = (await scan(s)).filter(({ sk }) => sk.startsWith("SUBSCRIPTION#"));
    expect(left).toHaveLength(total);
  },
);
