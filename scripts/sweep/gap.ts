/** Carries out a game master's decision about the gap for which sweeps are held. */
import { randomUUID } from "node:crypto";
import { readSweepClock, sweepClockWrite } from "../../lib/app/workers/sweepClock.ts";
import { pauseSince } from "../../lib/domain/game/clock.ts";
import { newInteraction } from "../../lib/domain/players/transitions.ts";
import { type HeldClock, isHeld, recordSweep } from "../../lib/domain/starvation/sweepClock.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { NO_DEADLINE } from "../../lib/store/commit.ts";
import type { Store } from "../../lib/store/store.ts";

/** `accept`: zombies that were due in the gap starve. `pause`: the gap counts as a pause, so none of them starves. */
export type Decision = "accept" | "pause";

/**
 * Releases held sweeps: the next one trusts the clock up to the time that the last held sweep recorded. That time is the
 * service's, so the clock of this machine does not matter.
 * @returns the clock with the gap; `null` if no sweep is held, and nothing was written
 */
export const decideGap = async (store: Store, decision: Decision): Promise<HeldClock | null> => {
  for (;;) {
    const [game, known] = await Promise.all([store.game(), readSweepClock(store)]);
    if (!isHeld(known)) return null;
    const { at: from, held } = known;
    const context = commandContext({ feedingPeriod: () => 0 }, held.until);
    const after = decision === "pause" ? pauseSince(game, from, held.until) : game;
    const isResumed = after !== game && after.paused_at === null;
    const changes = {
      basedOn: game,
      ...(after === game ? {} : { game: { before: game, after } }),
      interactions: isResumed
        ? [
            newInteraction("pause", null, null, context, rfc3339(from)),
            newInteraction("resume", null, null, context),
          ]
        : [],
      log: {
        log_id: context.newId(),
        at: rfc3339(held.until),
        action: "sweep",
        actor: null,
        target: null,
        request_id: randomUUID(),
        outcome: "done",
        details: { decision, from: rfc3339(from), until: rfc3339(held.until), due: held.due },
      },
      writes: [sweepClockWrite(known, recordSweep(known, held.until))],
    };
    try {
      await store.commit(await writesOf(changes), NO_DEADLINE);
      return known;
    } catch (error) {
      // A sweep or a game master has changed the game at the same time: read it again.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};
