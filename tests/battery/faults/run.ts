/** Injects a number of faults into some or all setups of a part of the battery. */
import { expect, it } from "vitest";
import { part, randomFrom, share } from "../../support/battery.ts";
import type { FaultEnvironment } from "./environment.ts";
import type { Effect } from "./process.ts";

/** Plays a setup without a fault. @returns a test of each fault that its calls can have */
export type Rehearse = (on: FaultEnvironment) => Promise<readonly (() => Promise<void>)[]>;

/** With fewer faults per setup, most of the time would be spent on setting up. */
const MIN_FAULTS_OF_EACH = 8;

/** Whether a fault lags enough to change the result of a setup whose players are read from an index. */
export const isFree = ({ proposes }: { proposes?: Effect["lags"] }, { lags }: Effect): boolean =>
  proposes !== undefined && (lags === "throughout" || lags === proposes);

/** Declares a test that plays the setups in random order until enough faults were injected. */
export const injectFaults = (
  on: FaultEnvironment,
  name: string,
  { full, setups }: { full: number; setups: readonly Rehearse[] },
): void => {
  let [played, possible, injected] = [0, 0, 0];
  const also = () => `${played} of ${setups.length} setups, ${possible} faults in all`;
  const { cases, seed, ran } = part(name, { full, of: "faults", also });
  it(`${name}: ends as without a fault, when the work is repeated`, async () => {
    const random = randomFrom(seed);
    const failures: string[] = [];
    for (const rehearse of random.shuffle(setups)) {
      if (injected >= cases && played < setups.length) break;
      played += 1;
      try {
        await on.begin();
        const faults = await rehearse(on);
        possible += faults.length;
        const count = Math.max(MIN_FAULTS_OF_EACH, share(faults.length));
        for (const inject of random.shuffle(faults).slice(0, count)) {
          await inject();
          injected += 1;
          ran();
        }
      } catch (error) {
        failures.push(String(error));
      }
    }
    expect(failures.join("\n\n"), `seed ${seed}`).toBe("");
  });
};
