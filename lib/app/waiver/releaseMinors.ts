/** Lets players play who have come of age. */
import { phaseOf } from "../../domain/game/game.ts";
import { asHuman } from "../../domain/players/transitions.ts";
import { knowsSecrets } from "../../domain/players/visibility.ts";
import { mustSign } from "../../domain/waiver/mustSign.ts";
import { isMinor, isUnderAge, WAITS } from "../../domain/waiver/waiver.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { commandContext } from "../../lambda/services.ts";
import { newLogEntry } from "../../store/logEntry.ts";
import { ofAgeWrite, readUnderAge } from "../../store/waiver/signatures.ts";
import { unsealAnswers } from "./answers.ts";

/**
 * Makes those human who waited only for their birthday, by the present minimum age; nobody in a season that is over. Whom a
 * game master has to admit is only no longer marked.
 * @returns how many
 */
export const releaseMinors = async ({ services, requestId, timeLeft }: WorkerContext): Promise<number> => {
  const { store, clock } = services;
  const now = clock();
  const context = commandContext(services, now);
  let released = 0;
  for (const { player_id: id, sealed } of await readUnderAge(store.db)) {
    const answers = await unsealAnswers(services, { signature_id: id, sealed }, now);
    const born = answers?.birth_date ?? null;
    const isReleased = await store.apply(
      async () => {
        const [before, loaded] = await Promise.all([store.player(id), store.game()]);
        const forget = { changes: { writes: [ofAgeWrite(id)] }, result: false };
        if (before === null || !isMinor(before)) return forget;
        const game = await store.gameFor(loaded, before);
        if (before.waits === WAITS.approval) {
          const after = { ...before, waits: undefined };
          const isOfAge = born !== null && !isUnderAge(born, game, now);
          const changes = { players: [{ before, after }], basedOn: game, writes: [ofAgeWrite(id)] };
          return { changes: isOfAge ? changes : {}, result: false };
        }
        // Nobody knows how old somebody is whose answers cannot be decrypted: a game master decides.
        const isWaiting = phaseOf(game, now) === "ended" || born === null || isUnderAge(born, game, now);
        if (isWaiting || mustSign(before, game) || knowsSecrets(before))
          return { changes: {}, result: false };
        const after = asHuman(before, context);
        const log = newLogEntry(context, requestId, { action: "of_age", target: id });
        const changes = { players: [{ before, after }], basedOn: game, writes: [ofAgeWrite(id)], log };
        return { changes, result: true };
      },
      { timeLeft, now },
    );
    if (isReleased) released += 1;
  }
  return released;
};
