/** Mails to a crowd: none is lost and none sent twice, and nobody who asks for a link waits for them. */
import { createInterface } from "node:readline";
import { expect, it, onTestFinished } from "vitest";
import { MINUTE, SECOND } from "../../lib/domain/time.ts";
import { keys } from "../../lib/store/keys.ts";
import { share } from "../support/battery.ts";
import { MAIL_KEY } from "../support/constants.ts";
import { mailEnvironment, PAGES } from "../support/mailEnvironment.ts";
import { makeCrowd } from "../support/makeCrowd.ts";
import { startScript } from "../support/runScript.ts";
import { PASSWORD } from "../support/service.ts";
import { fill } from "../support/table.ts";

const { s, send, server, use, work, workBy } = mailEnvironment();

/** Puts players into the table, of whom every `nth` has a confirmed address. @returns the addresses */
const bringCrowd = async (size: number, nth = 1): Promise<string[]> => {
  const crowd = (await makeCrowd(s, size, "human", s.now)).map((player, n) =>
    n % nth === 0 ? { ...player, email: `p${n}@example.com`, email_confirmed: true as const } : player,
  );
  await s.crowd(crowd);
  await fill(
    s.place(),
    crowd.map(({ player_id }) => ({ ...keys.credential(player_id), rev: 1, hash: "none" })),
  );
  return crowd.flatMap(({ email }) => email ?? []);
};

/** @returns a function that reads how many mails were put into the outbox */
const announce = async (): Promise<() => Promise<number>> => {
  const as = await s.admin();
  const body = { title: "Supply drop", content: "At the library.", player_groups: "All", also_email: true };
  const { notification } = (await s.must("POST /notifications/send/{url_id}", { as, body })).body;
  const query = { notification_id: notification.notification_id };
  return async () => (await s.must("GET /notifications/status/{url_id}", { as, query })).body.emails;
};

const recipients = (): string[] => server().received.map(({ recipient }) => recipient);

const MANY = share(1_000, 80);
const PER_SECOND = 4;

it(`an announcement to ${MANY} goes out to each once, and a link to confirm is not behind it`, async () => {
  const everyone = await bringCrowd(MANY);
  use({ perMinute: PER_SECOND * 60 });
  await announce();
  await work(SECOND);
  await work((MANY / PER_SECOND / 4) * SECOND);
  const ahead = recipients().length;
  expect(ahead).toBeGreaterThan(PER_SECOND);
  await s.must("POST /new", { body: { alias: "Zoe", password: PASSWORD, email: "zoe@example.com" } });
  await work(2 * (MANY / PER_SECOND) * SECOND);
  const addresses = recipients();
  expect(addresses.toSorted()).toEqual([...everyone, "zoe@example.com"].toSorted());
  // Those whose turn it is meanwhile: a few, of the three quarters that wait.
  expect(addresses.indexOf("zoe@example.com")).toBeLessThan(ahead + MANY / 4);
});

/** Starts a worker in a process of its own, which works off the queue until it is killed. */
const startWorker = (killAt = 0) => {
  const { endpoint, table } = s.place();
  const { child, ended } = startScript(["tests/support/queueWorkerProcess.ts"], {
    ...process.env,
    ...{ TABLE_NAME: table, DYNAMODB_ENDPOINT: endpoint, MAIL_KEY, LOG_LEVEL: "SILENT" },
    ...{ MAIL_URL: `smtp://127.0.0.1:${server().port}`, MAIL_FROM: "game@example.org", PUBLIC_URL: PAGES },
    ...{ MAIL_PER_MINUTE: "60000", KILL_AT: `${killAt}` },
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  child.stdin.on("error", () => {});
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  let isAlive = true;
  workBy(async (event) => {
    child.stdin.write(`${JSON.stringify({ bodies: event.Records.map(({ body }) => body), now: s.now })}\n`);
    for (;;) {
      const { value } = await lines.next();
      if (value === undefined) break;
      const { queued, failed } = JSON.parse(value);
      if (failed !== undefined) return { batchItemFailures: failed };
      await send(queued);
    }
    // Its messages come again after their visibility timeout.
    isAlive = false;
    workBy();
    return { batchItemFailures: event.Records.map(({ messageId }) => ({ itemIdentifier: messageId })) };
  });
  return { kill: () => child.kill("SIGKILL"), ended, isAlive: () => isAlive };
};

it.each([1, 2, 3])(
  "a worker killed before transaction %i of an announcement's mails leaves none out, and none is sent twice",
  async (transaction) => {
    // Two parts of 90 at most, and the end.
    const everyone = await bringCrowd(120, 6);
    const countMails = await announce();
    const worker = startWorker(transaction);
    await work(SECOND);
    expect(worker.isAlive()).toBe(false);
    expect(server().received).toEqual([]);
    await work(7 * MINUTE);
    await work(MINUTE);
    expect(recipients().toSorted()).toEqual(everyone.toSorted());
    expect(await countMails()).toBe(everyone.length);
  },
);

it("a worker killed while it sends an announcement leaves none out; what is sent twice was in its hands, and has the same id", async () => {
  const everyone = await bringCrowd(40);
  await announce();
  await work(SECOND);
  const worker = startWorker();
  server().behave(() => {
    // Several connections at once: their number may skip one.
    if (server().received.length >= 15) worker.kill();
    return "accept";
  });
  await work(10 * MINUTE);
  await work(MINUTE);
  expect(worker.isAlive()).toBe(false);
  const byRecipient = Map.groupBy(server().received, ({ recipient }) => recipient);
  expect([...byRecipient.keys()].toSorted()).toEqual(everyone.toSorted());
  const twice = [...byRecipient.values()].filter(({ length }) => length > 1);
  expect(twice.length).toBeLessThanOrEqual(8);
  for (const mails of twice) {
    expect(mails).toHaveLength(2);
    expect(mails[0]?.messageId).toBe(mails[1]?.messageId);
  }
});
