/** A game master's decision about a gap that sweeps are held for. */
import { randomUUID } from "node:crypto";
import { readSweepClock, sweepClockWrite } from "../../lib/app/workers/sweepClock.ts";
import { pauseSince } from "../../lib/domain/clock.ts";
import { type HeldClock, isHeld, recordSweep } from "../../lib/domain/sweepClock.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import { newInteraction } from "../../lib/domain/transitions.ts";
import { ConditionFailed } from "../../lib/dynamodb/errors.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { NO_DEADLINE } from "../../lib/store/commit.ts";
import type { Store } from "../../lib/store/store.ts";

/** `accept`: whoever starved in the gap has starved. `pause`: the gap counts as a pause, and nobody starved in it. */
export type Decision = "accept" | "pause";

/**
 * Ends a hold: the next sweep trusts the clock up to the instant that the last held sweep saw. That instant is the
 * service's own, so that the clock of the machine on which a game master decides does not matter.
 * @returns what was decided about; `null` where no sweep is held, and nothing was written
 */
export const decideGap = async (store: Store, decision: Decision): Promise<HeldClock | null> => {
  for (;;) {
    const [game, known] = await Promise.all([store.game(), readSweepClock(store)]);
    if (!isHeld(known)) return null;
    const { at: from, held } = known;
    const moment = commandContext({ period: 0 }, held.until);
    const after = decision === "pause" ? pauseSince(game, from, held.until) : game;
    const isResumed = after !== game && after.paused_at === null;
    const changes = {
      ...(after === game ? {} : { game: { before: game, after } }),
      interactions: isResumed
        ? [
            newInteraction("pause", null, null, moment, rfc3339(from)),
            newInteraction("resume", null, null, moment),
          ]
        : [],
      log: {
        log_id: moment.newId(),
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
      await store.commit(await writesOf(changes, game.shards), NO_DEADLINE);
      return known;
    } catch (error) {
      // A sweep or a command of a game master has been written meanwhile: decide on what is there now.
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};
