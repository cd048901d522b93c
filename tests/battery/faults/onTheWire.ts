/** Plays with everything that the wire to the database can do to a request, several at once: most of it is waiting. */
import { afterAll, beforeAll, it } from "vitest";
import { openDatabase } from "../../../lib/dynamodb/client.ts";
import { chunk } from "../../../lib/runtime/chunk.ts";
import { openStand, type Stand } from "./stand.ts";
import { makeWire, type Wire } from "./wire.ts";

/** A stand with a wire of its own. */
export interface Lane {
  on: Stand;
  wire: Wire;
}

/** So many are played at once. */
const LANES = 3;

const openLane = (): Lane => {
  const wire = makeWire();
  const on = openStand({
    open: ({ table }) => openDatabase({ table, endpoint: wire.endpoint() }),
    wrap: (usual) => usual,
    queue: (usual) => usual,
    timeLeft: wire.timeLeft,
  });
  beforeAll(() => wire.start(on.s.place().endpoint));
  afterAll(() => wire.stop());
  return { on, wire };
};

/**
 * A test for every few of these.
 * @param play is given the place of each among them
 */
export const playOnTheWire = <T>(
  all: readonly T[],
  titleOf: (one: T) => string,
  play: (lane: Lane, one: T, n: number) => Promise<void>,
): void => {
  const lanes = Array.from({ length: LANES }, openLane);
  const groups = chunk(
    all.map((one, n) => ({ one, n })),
    LANES,
  );
  it.each(groups.map((group) => [group.map(({ one }) => titleOf(one)).join(" · "), group] as const))(
    "%s",
    async (_, group) => {
      const played = group.map(({ one, n }, at) => {
        const lane = lanes[at];
        return lane === undefined ? Promise.resolve() : play(lane, one, n);
      });
      const faults = (await Promise.allSettled(played)).flatMap((result) =>
        result.status === "rejected" ? [result.reason] : [],
      );
      if (faults.length > 1) throw new AggregateError(faults, faults.map(String).join("\n"));
      if (faults.length === 1) throw faults[0];
    },
  );
};
