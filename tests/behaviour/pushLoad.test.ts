/**
 * A notification to a hundred thousand subscriptions, or a share of them, over three push services: one answers 429 half
 * of the time, one 410 for a tenth. Workers in processes of their own deliver it; one of them is killed half-way.
 */
import { createHash } from "node:crypto";
import { afterEach, describe, expect, it } from "vitest";
import { openQueue } from "../../lib/queue/queue.ts";
import { FULL, IS_LARGE, QUICK, share } from "../support/battery.ts";
import { makeCertificate } from "../support/certificate.ts";
import { CURSOR_KEY, VAPID } from "../support/constants.ts";
import { isGone } from "../support/crowd/manners.ts";
import { startServices, startWorker } from "../support/crowd/processes.ts";
import { startQueue, type TestQueue } from "../support/queue.ts";
import { type TestPlayer, testEnvironment } from "../support/service.ts";
import { fillSubscriptions } from "../support/subscribers.ts";
import { scan } from "../support/table.ts";

const s = testEnvironment();
let queue: TestQueue | undefined;
afterEach(async () => {
  await queue?.stop();
  queue = undefined;
});

const NEWS = { title: "Curfew", content: "Be at the bridge by nine.", player_groups: "All" };

/** Only subscriptions that expire are removed, so only they need their guards. */
const setUp = async (subscriptions: number, visibility: number) => {
  const certificate = makeCertificate();
  const services = await startServices(certificate);
  const { ports } = services;
  const gm = await s.admin();
  const wanted = Array.from({ length: subscriptions }, (_, n) => ({
    playerId: gm.id,
    path: `/${n}`,
    origin: `https://127.0.0.1:${ports[n % 3]}`,
    guarded: n % 3 === 2 && isGone(`/${n}`),
  }));
  await fillSubscriptions(s.place(), "", wanted);
  queue = await startQueue({ visibility });
  s.services.queue = openQueue(queue);
  const { endpoint, table } = s.place();
  const env = {
    ...VAPID,
    CURSOR_KEY,
    CROWD_CERT: certificate.cert,
    DYNAMODB_ENDPOINT: endpoint,
    TABLE_NAME: table,
    QUEUE_URL: queue.url,
    QUEUE_ENDPOINT: queue.endpoint,
    PUSH_ALLOWED_HOSTS: ports.map((port) => `127.0.0.1:${port}`).join(","),
    NODE_OPTIONS: "",
  };
  const names = (at: number) => wanted.flatMap(({ path }, n) => (n % 3 === at ? [path] : []));
  return { gm, services, env, expected: [names(0), names(1), names(2).filter((path) => !isGone(path))] };
};

const digestOf = (paths: readonly string[]): string =>
  createHash("sha256").update(paths.toSorted().join("\n")).digest("hex");

const statusOf = async (as: TestPlayer, notification_id: string) =>
  (await s.call("GET /notifications/status/{url_id}", { as, query: { notification_id } })).body;

/** Waits until a status is as wanted. On a busy machine a worker takes its time: the test's own limit is the only one. */
const until = async (
  as: TestPlayer,
  id: string,
  isReached: (status: { sent: number; queued: number; complete: boolean }) => boolean,
): Promise<void> => {
  while (!isReached(await statusOf(as, id))) await new Promise((resolve) => setTimeout(resolve, 100));
};

const MANY = IS_LARGE ? share(100_000) : 900;
const timeout = FULL ? 3_600_000 : 600_000;
/** How long messages of a killed worker stay invisible, in seconds. */
const VISIBILITY_SECONDS = FULL ? 8 : 4;

describe.skipIf(QUICK)(`a notification to ${MANY.toLocaleString("en")} subscriptions`, () => {
  it("reaches everybody when a worker is killed half-way, and shows nothing twice", { timeout }, async () => {
    const { gm, services, env, expected } = await setUp(MANY, VISIBILITY_SECONDS);
    const sent = await s.call("POST /notifications/send/{url_id}", { as: gm, body: NEWS });
    const id = sent.body.notification.notification_id;
    const first = startWorker(env);
    await until(gm, id, ({ sent: count }) => count > MANY / 5);
    await first.kill();
    const { queued } = await statusOf(gm, id);
    expect(queued).toBeGreaterThan(0);
    const second = startWorker(env);
    await until(gm, id, ({ complete }) => complete);
    await second.stop();

    const status = await statusOf(gm, id);
    const reports = await services.report();
    for (const [at, { paths, digest, twiceUnderOtherTopics }] of reports.entries()) {
      expect(paths, `service ${at}`).toBe(expected[at]?.length);
      expect(digest).toBe(digestOf(expected[at] ?? []));
      expect(twiceUnderOtherTopics).toBe(0);
    }
    expect(status).toMatchObject({ subscriptions: status.sent + status.expired, failed: 0, queued: 0 });
    expect(status.sent).toBe(expected.flat().length);
    const left = (await scan(s)).filter(({ sk }) => sk.startsWith("SUBSCRIPTION#"));
    expect(left).toHaveLength(expected.flat().length);
  });
});
