/** Runs a warm function: loads a bundle, handles the events that it receives, and sends back replies and times. */
import { randomUUID } from "node:crypto";

const { handler } = await import(process.argv[2] ?? "");

process.on("message", async ({ events, concurrency }) => {
  const rest = events.entries();
  const [replies, times] = [[], []];
  const worker = async () => {
    for (const [n, event] of rest) {
      const context = { awsRequestId: randomUUID(), getRemainingTimeInMillis: () => 20_000 };
      const began = performance.now();
      replies[n] = await handler(event, context);
      times[n] = performance.now() - began;
    }
  };
  const [started, cpu] = [performance.now(), process.cpuUsage()];
  await Promise.all(Array.from({ length: concurrency }, worker));
  const wall = performance.now() - started;
  const { user, system } = process.cpuUsage(cpu);
  process.send?.({ wall, cpu: (user + system) / 1_000, replies, times });
});
process.once("disconnect", () => process.exit());
