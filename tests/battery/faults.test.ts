/**
 * Faults at every call of every endpoint, of the sweep and of the workers: processes die, the database is unavailable or
 * lags. After the request or the unfinished work is repeated, everything must be as without a fault.
 */
import { expect, it } from "vitest";
import { FULL, part, randomFrom, share } from "../support/battery.ts";
import { CHAINS } from "./faults/chains.ts";
import { openEnvironment, type Rehearsal } from "./faults/environment.ts";
import { sendingRequest } from "./faults/requests.ts";
import { SETUPS } from "./faults/setups.ts";
import { doingWork } from "./faults/work.ts";

const on = openEnvironment();

/** With fewer faults per setup, most of the time would be spent on setting up. */
const MIN_FAULTS_OF_EACH = 8;

/** Declares a test that plays the setups in random order: all, or until its share of the faults was injected. */
const injectFaults = (name: string, full: number, setups: readonly Rehearsal[]): void => {
  let [played, possible, injected] = [0, 0, 0];
  const also = () => `${played} of ${setups.length} setups, ${possible} faults in all`;
  const { cases, seed, ran } = part(name, { full, of: "faults", also });
  it(`${name}: the repeated work ends as without a fault`, async () => {
    const random = randomFrom(seed);
    const failures: string[] = [];
    for (const { title, rehearse } of random.shuffle(setups)) {
      if (!FULL && injected >= cases) break;
      played += 1;
      let doing = "without a fault";
      try {
        await on.begin();
        const faults = await rehearse(on);
        possible += faults.length;
        const count = Math.max(MIN_FAULTS_OF_EACH, share(faults.length));
        for (const { name, inject } of random.shuffle(faults).slice(0, count)) {
          doing = name;
          await inject();
          injected += 1;
          ran();
        }
      } catch (error) {
        failures.push(`${title}: ${doing}: ${String(error)}`);
      }
    }
    expect(failures.join("\n\n"), `seed ${seed}`).toBe("");
  });
};

injectFaults("faults, of requests", 4_600, SETUPS.map(sendingRequest));
injectFaults("faults, of workers", 1_590, CHAINS.map(doingWork));
