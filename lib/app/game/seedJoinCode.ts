/** Writes `JOIN_CODE` into the settings of a game that does not say yet whether newcomers need a code. */
import { foldJoinCode, joinCodeWrites, readJoinCodes } from "../../store/accounts/joinCodes.ts";
import { NO_DEADLINE } from "../../store/commit.ts";
import type { Store } from "../../store/store.ts";

/** Whether the code was written, was there, or is not one of the codes that the game has already. */
export type Seeding = "written" | "there" | "ignored";

/**
 * Writes a join code into the settings of a game, unless they say already whether newcomers need one. Concurrent calls and
 * changes of the settings are decided again.
 */
export const seedJoinCode = async (store: Store, code: string, now: number): Promise<Seeding> => {
  return store.apply<Seeding>(
    async () => {
      const [before, codes] = await Promise.all([store.game(), readJoinCodes(store.db)]);
      const { settings, settings_version } = before;
      if (settings.needs_join_code !== null) {
        const isThere = codes.some((one) => foldJoinCode(one.code) === foldJoinCode(code));
        return { changes: {}, result: settings.needs_join_code && isThere ? "there" : "ignored" };
      }
      const after = {
        ...before,
        settings: { ...settings, needs_join_code: true },
        settings_version: settings_version + 1,
      };
      const writes = joinCodeWrites(codes, [{ code, uses: null, used: 0, ends_at: null }]);
      return { changes: { game: { before, after }, writes }, result: "written" };
    },
    { timeLeft: NO_DEADLINE, now },
  );
};
