/**
 * The model: random sequences of everything that players, game masters and the scheduler can do, against a small pure
 * model of the game. After each write the whole table is as the model predicts, and after every few it is consistent.
 * Views are requested after a quarter of the commands and at the end of each sequence. The process's time zone has
 * daylight saving time, which begins or ends meanwhile.
 */
import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { DAY, HOUR } from "../../lib/domain/time.ts";
import { IS_LARGE, part } from "../support/battery.ts";
import { KINDS, run, sequences } from "./model/commands.ts";
import { requestAllViews } from "./model/reads.ts";
import { Turn } from "./model/turn.ts";
import { newStats, newWorld, type World } from "./model/world.ts";

// Decoding in this process has the same results, and a child process for each picture would take a quarter of the time.
vi.mock("../../lib/images/decodeInChild.ts", async () => ({
  decodeInChild: (await import("../support/decoders.ts")).decodeHere,
}));

const stats = newStats();
const battery = part("model", {
  full: 2_000,
  of: "sequences",
  also: () => `${stats.commands} commands, the table compared with the model ${stats.checks} times`,
});

/**
 * Sequences run concurrently, each on a table of its own. In one of the worlds the feeding period is shorter than the
 * day that a game master adds.
 */
const worlds = [48 * HOUR, 20 * HOUR].map((period) => newWorld(stats, period, !IS_LARGE || period < DAY));

it("predicts every response and the table after every command", async () => {
  // After a failure only its lane continues, so that fast-check can shrink the sequence.
  let failed: World | undefined;
  const lane = async (world: World, n: number): Promise<void> => {
    await world.begin();
    const property = fc.asyncProperty(sequences(30, 60), async (commands) => {
      if (failed !== undefined && failed !== world) return;
      try {
        await world.restart();
        await run(world, commands);
        await world.play("views", (m) => requestAllViews(new Turn(m, [stats.sequences])));
        await world.end();
      } catch (error) {
        if (failed === undefined) console.error("A sequence failed. Shrinking it can take an hour.", error);
        failed ??= world;
        throw error;
      }
      stats.sequences += 1;
      battery.ran();
    });
    const numRuns = Math.ceil(battery.cases / worlds.length);
    await fc.assert(property, { seed: battery.seed + n, numRuns });
  };
  const lanes = await Promise.allSettled(worlds.map(lane));
  for (const one of lanes) if (one.status === "rejected") throw one.reason;

  // Checks that sequences are long, and that most commands succeed.
  if (!IS_LARGE) return;
  expect(stats.commands / stats.sequences).toBeGreaterThan(42);
  const succeeded = [...stats.success.values()].reduce((sum, times) => sum + times, 0);
  expect(succeeded / stats.commands).toBeGreaterThan(0.75);
  for (const kind of Object.keys(KINDS)) expect(stats.success.get(kind) ?? 0, kind).toBeGreaterThan(0);
});
