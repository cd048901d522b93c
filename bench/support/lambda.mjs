/**
 * A warm function: a process that has loaded a bundle, and answers the requests that it is told of, so many at once.
 * It tells what they came to, and what they took.
 */
import { randomUUID } from "node:crypto";

const { handler } = await import(process.argv[2] ?? "");

process.on("message", async ({ events, atOnce }) => {
  const rest = events.entries();
  const replies = [];
  const worker = async () => {
    for (const [n, event] of rest) {
      const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 20_000 };
      replies[n] = await handler(event, context);
    }
  };
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: atOnce }, worker));
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ wall, cpu: (user + system) / 1_000, replies });
});
process.once("disconnect", () => process.exit());
