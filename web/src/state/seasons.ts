/** Whether there are past seasons, so that the navigation leads to them. */
import { computed, signal } from "@preact/signals";
import { api, untilQuiet } from "./api.ts";
import { sessionState, snapshot } from "./session.ts";
import { instant, shape } from "./shapes.ts";
import { readStored, writeStored } from "./stored.ts";

const STORED = "seasons";

interface Known {
  /** How many there were. */
  count: number;
  /** When that was read, in milliseconds since 1970. */
  at: number;
}

const read = (): Known | null =>
  readStored<Known>(STORED, shape<Known>({ count: Number.isFinite, at: instant }));

const known = signal<Known | null>(read());

/** Whether there is a recap of an earlier season, or of this one. */
export const hasSeasons = computed(
  () => (known.value?.count ?? 0) > 0 || snapshot.value?.game.season_id != null,
);

/** Remembers how many past seasons there are. */
export const rememberSeasons = (count: number): void => {
  known.value = { count, at: Date.now() };
  writeStored(STORED, known.value);
};

const DAY_MS = 86_400_000;

const ask = async (): Promise<void> => {
  await untilQuiet();
  if (sessionState.peek() !== "active") return;
  rememberSeasons((await api.get("/seasons")).seasons.length);
};

/** Asks at most once a day, until there is one: seasons are never removed. */
export const askForSeasons = (): void => {
  const { count, at } = known.peek() ?? { count: 0, at: 0 };
  if (count === 0 && Date.now() - at > DAY_MS) void ask().catch(() => {});
};
