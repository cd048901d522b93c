import { expect, it } from "vitest";
import { openQueue } from "../../lib/queue/queue.ts";
import { startQueue } from "../support/queue.ts";

it("works", async () => {
  const t0 = performance.now();
  const q = await startQueue({ visibility: 1 });
  console.log("start", performance.now() - t0);
  const queue = openQueue(q);
  await queue.send([
    { message: { kind: "spread", subject: { notification_id: "a", shard: 0 }, plan: 0 } },
    { message: { kind: "spread", subject: { notification_id: "b", shard: 0 }, plan: 0 }, delay: 900_000 },
  ]);
  console.log(q.inspect());
  const seen: any[] = [];
  const h = async (e: any) => {
    seen.push(e.Records);
    return { batchItemFailures: [{ itemIdentifier: e.Records[0].messageId }] };
  };
  await q.pump(h, () => ({}) as any);
  console.log(q.inspect(), seen[0]);
  const t1 = performance.now();
  await q.pump(h, () => ({}) as any, { hurry: true });
  console.log(q.inspect(), seen.length, performance.now() - t1);
  await q.stop();
  expect(1).toBe(1);
});
