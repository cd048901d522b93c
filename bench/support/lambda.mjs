/** Runs a warm function: loads a bundle, handles the events that it receives, and sends back replies and times. */
import { randomUUID } from "node:crypto";

const { handler } = await import(process.argv[2] ?? "");

process.on("message", async ({ events, concurrency }) => {
  const rest = events.entries();
  const replies = [];
  const worker = async () => {
    for (const [n, event] of rest) {
      const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 20_000 };
      replies[n] = await handler(event, context);
    }
  };
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: concurrency }, worker));
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ wall, cpu: (user + system) / 1_000, replies });
});
process.once("disconnect", () => process.exit());
