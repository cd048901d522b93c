/** Runs as many injected faults as a part of the battery asks for, on some of its setups or on all of them. */
import { expect, it } from "vitest";
import { type Part, part, randomFrom, share } from "../../support/battery.ts";

/** Calls that a setup makes without a fault, and faults that they could have. */
export interface Counted {
  calls: number;
  faults: number;
}

/** With fewer faults for each setup, most of the time would go into setting up. */
const MIN_FAULTS_OF_EACH = 8;

/** The faults of one setup that are injected at this scale: those that the seed chooses, or all. */
export const chosenFaults = <T>(faults: readonly T[], { seed }: Part, place: number): readonly T[] =>
  randomFrom(seed, place)
    .shuffle(faults)
    .slice(0, Math.max(MIN_FAULTS_OF_EACH, share(faults.length)));

/**
 * Declares a part, and a test that plays its setups in a random order until enough faults were injected.
 * @param lanes how one setup is played; each lane plays one at a time
 */
export const playFaults = <T>(
  name: string,
  { full, setups }: { full: number; setups: readonly T[] },
  lanes: readonly ((setup: T, faults: Part, place: number) => Promise<Counted>)[],
): void => {
  const all = { calls: 0, faults: 0, setups: 0 };
  const faults = part(name, {
    full,
    of: "faults",
    also: () => `${all.setups} of ${setups.length} setups, ${all.calls} calls, ${all.faults} faults in all`,
  });
  let injected = 0;
  const counted: Part = {
    ...faults,
    ran(some = 1) {
      injected += some;
      faults.ran(some);
    },
  };
  it(`${name}: ends as without a fault, when the request is sent again`, async () => {
    const left = randomFrom(faults.seed)
      .shuffle([...setups.entries()])
      .values();
    const failures: string[] = [];
    const work = async (play: (typeof lanes)[number]): Promise<void> => {
      for (const [place, setup] of left) {
        if (injected >= faults.cases && all.setups < setups.length) return;
        all.setups += 1;
        try {
          const { calls, faults: possible } = await play(setup, counted, place);
          all.calls += calls;
          all.faults += possible;
        } catch (error) {
          failures.push(String(error));
        }
      }
    };
    await Promise.all(lanes.map(work));
    expect(failures.join("\n\n"), `seed ${faults.seed}`).toBe("");
  });
};
