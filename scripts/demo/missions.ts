/** The missions and supplies of the demo's game. */
import { DAY, HOUR, rfc3339, SECOND } from "../../lib/domain/time.ts";

const COURIER = { name: "Courier", symbol: "🧪" };

/** A mission of the past, with its times in milliseconds from the start of the game. */
export interface PastMission {
  starts: number;
  ends: number;
  body: (at: (time: number) => string) => ReturnType<typeof bodyOf>;
  result: "humans" | "zombies";
  note: string;
}

interface Told {
  text: string;
  outcome: string;
}

interface Reward {
  audience: "humans" | "zombies" | "all";
  effect: { points?: number; feed_seconds?: number; badge?: typeof COURIER };
}

/** A request for a mission that both sides know from a time on. */
const bodyOf = (
  named: { title: string; place: string },
  [revealed, starts_at, ends_at]: [string, string, string],
  { humans, zombies }: { humans: Told; zombies: Told },
  rewards: Reward[],
) => ({
  ...{ ...named, starts_at, ends_at, attendance: "desk" as const, required: true, rewards },
  briefings: [
    { audience: "humans" as const, text: humans.text, reveal_at: revealed, outcome_text: humans.outcome },
    { audience: "zombies" as const, text: zombies.text, reveal_at: revealed, outcome_text: zombies.outcome },
  ],
});

const pastMission = (
  { starts, ends, result, note }: Pick<PastMission, "starts" | "ends" | "result" | "note">,
  named: { title: string; place: string },
  told: { humans: Told; zombies: Told },
  rewards: Reward[],
): PastMission => ({
  ...{ starts, ends, result, note },
  body: (at) => bodyOf(named, [at(starts - 2 * HOUR), at(starts), at(ends)], told, rewards),
});

/** Each side has won one. */
export const PAST_MISSIONS: readonly PastMission[] = [
  pastMission(
    { starts: DAY + 2 * HOUR, ends: DAY + 4 * HOUR, result: "humans", note: "Two of five vials arrived." },
    { title: "The vials", place: "From the lake to the library" },
    {
      humans: {
        text: "Bring a **vial** from the lake to the library.",
        outcome: "Two vials reached the library, and an antidote is being made.",
      },
      zombies: {
        text: "Humans cross the north lawn with something that must not arrive. **Stop them.**",
        outcome: "Two of them got through.",
      },
    },
    [
      { audience: "humans", effect: { points: 5, badge: COURIER } },
      { audience: "zombies", effect: { points: 2 } },
    ],
  ),
  pastMission(
    {
      ...{ starts: 2 * DAY + 3 * HOUR, ends: 2 * DAY + 5 * HOUR },
      ...{ result: "zombies", note: "Three of twelve crates arrived." },
    },
    { title: "The crates", place: "The north lawn" },
    {
      humans: {
        text: "Carry the **crates** over the north lawn. Whoever drops one, runs.",
        outcome: "Most crates stayed on the lawn.",
      },
      zombies: {
        text: "Dinner walks across the north lawn, with crates.",
        outcome: "The lawn is yours, and everybody who came has eaten.",
      },
    },
    [
      { audience: "zombies", effect: { feed_seconds: (12 * HOUR) / SECOND } },
      { audience: "all", effect: { points: 3 } },
    ],
  ),
];

/** The mission that players can read of now. @param now in milliseconds since 1970 */
export const missionTonight = (now: number) => {
  const starts = Math.ceil((now + 3 * HOUR) / HOUR) * HOUR;
  return bodyOf(
    { title: "The lighthouse", place: "The old lighthouse by the lake" },
    [rfc3339(now - HOUR), rfc3339(starts), rfc3339(starts + 2 * HOUR)],
    {
      humans: {
        text: "The **radio** is at the lighthouse. Hold it for ten minutes, and help will come.\n\n- Meet at the library.\n- Bring socks.",
        outcome: "The lighthouse is quiet again.",
      },
      zombies: {
        text: "They will gather at the lighthouse. **Surround it.**",
        outcome: "The lighthouse is quiet again.",
      },
    },
    [{ audience: "all", effect: { points: 5 } }],
  );
};

/** The supplies that lie about: food that some zombies find, and an antidote that nobody has found yet. */
export const CRATES = {
  ...({
    label: "Crates behind the canteen",
    n: 12,
    audience: "zombies",
    uses: 1,
    uses_per_player: 1,
  } as const),
  effect: { feed_seconds: (12 * HOUR) / SECOND, points: 1 },
  place: "Behind the canteen, under the blue tarpaulin",
};
export const ANTIDOTE = {
  ...({ label: "The antidote", n: 1, audience: "zombies", uses: 1, uses_per_player: 1 } as const),
  effect: { cure: true } as const,
  place: "In the glasshouse",
};
