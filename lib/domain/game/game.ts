/** The stored state of the game: its clock, settings and checkpoint; its phases. */
import * as z from "zod/mini";
import { counterOf, LIVING } from "../players/states.ts";
import {
  integer,
  nullableNumber,
  nullableText,
  nullTextByDefault,
  number,
  text,
  zeroByDefault,
} from "../schemas.ts";
import { Schedule } from "./schedule.ts";
import { Finish } from "./seasonResult.ts";
import { DEFAULT_SETTINGS, Settings } from "./settings.ts";

/** The clock before a change, in milliseconds: `at` in game time, `made_at` on the wall clock. */
export const ClockSnapshot = z.lazy(() =>
  z.looseObject({
    epoch: integer,
    at: number,
    offset: number,
    made_at: number,
    schedule: z.optional(Schedule),
  }),
);

/** The players to whom a checkpoint applies: all who live, or those in one state. */
export const CheckpointGroup = z.enum(["all", ...LIVING.map(counterOf)]);

/** The checkpoint that players must pass. */
export const Checkpoint = z.looseObject({
  checkpoint_id: text,
  name: text,
  description: nullableText,
  latitude: nullableNumber,
  longitude: nullableNumber,
  closes_at: nullableText,
  applies_to: CheckpointGroup,
  set_at: text,
  /** When its enforcement was first started. It does not apply to players who join after that. */
  enforced_at: nullTextByDefault,
  /** When its latest enforcement was undone. */
  undone_at: nullTextByDefault,
});
export type Checkpoint = z.infer<typeof Checkpoint>;

/** The state of the game: its clock, settings and checkpoint, and the number of shards of its lists. */
export const Game = z.looseObject({
  /**
   * Counts the writes of this item. Each player stores as `seen` the highest `rev` that its writers had read,
   * so that a stale read of the game is noticed (decision 2).
   */
  rev: integer,
  shards: z.int().check(z.positive()),
  offset: number,
  paused_at: nullableNumber,
  epoch: integer,
  cuts: z.array(ClockSnapshot),
  /** The instant of the last pause, resume, added day or change of the schedule. */
  changed_at: nullableNumber,
  schedule: z._default(z.nullable(Schedule), null),
  settings: z._default(Settings, DEFAULT_SETTINGS),
  /** Counts the changes of settings and texts. */
  settings_version: zeroByDefault,
  /** The latest pauses, as instants, so that a hunt dated during a pause is rejected. */
  pauses: z._default(z.array(z.looseObject({ from: number, until: number })), []),
  checkpoint: z.nullable(Checkpoint),
  /** The job that is enforcing a checkpoint or undoing an enforcement. */
  enforcing: nullTextByDefault,
  /** The result of the season; `null` until a game master has finished it. */
  finish: z._default(z.nullable(Finish), null),
});

export type Game = z.infer<typeof Game>;

export const NEW_GAME: Game = {
  rev: 0,
  shards: 1,
  offset: 0,
  paused_at: null,
  epoch: 0,
  cuts: [],
  changed_at: null,
  schedule: null,
  settings: DEFAULT_SETTINGS,
  settings_version: 0,
  pauses: [],
  checkpoint: null,
  enforcing: null,
  finish: null,
};

/** The phases of a game. `registration` lasts until the start; a schedule without a start has no such phase. */
export const PHASES = ["registration", "running", "paused", "ended"] as const;
export type Phase = (typeof PHASES)[number];

/** The phase of the game. Nights are part of `running`. */
export const phaseOf = ({ schedule, paused_at }: Game, now: number): Phase => {
  if (schedule?.ends_at != null && now >= schedule.ends_at) return "ended";
  if (schedule?.starts_at != null && now < schedule.starts_at) return "registration";
  return paused_at === null ? "running" : "paused";
};
