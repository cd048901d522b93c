/** Check-ins at a desk, and which of them it keeps. */
import type { State } from "../../../schemas.ts";

/** Stored on the device, where earlier versions have written these names. `stranger`: nobody has the code or alias. */
export const DESK_STATES = ["waiting", "done", "duplicate", "stranger", "refused"] as const;
export type DeskStatus = (typeof DESK_STATES)[number];

export interface DeskEntry {
  key: string;
  /** The scanned or typed text: a tag code or an alias. */
  text: string;
  entered_at: number;
  /** The reason for a late check-in, for entries from a list on paper; otherwise `null`. */
  reason: string | null;
  /** The reason for a late check-in if the checkpoint closes before the entry is sent; `null` if it was closed already. */
  in_time: string | null;
  status: DeskStatus;
  alias: string | null;
  /** The player's alias if the text is only part of it, or of a name or code: tried if nobody is called as typed. */
  guess?: string | null;
  /** The state of a player to whom the checkpoint does not apply. */
  not_for?: State | null;
  /** The mission at which the player is checked in; without one, the checkpoint. */
  mission_id?: string | null;
  /** The checkpoint at which the player is checked in; entries of earlier versions have none. */
  checkpoint_id?: string | null;
  /** Several players of a list, whose names are known; `text` then tells how many. */
  aliases?: string[] | null;
  /** How many players of a list were here before. */
  before?: number | null;
  /** When the player passed the checkpoint, or was checked in at the mission. */
  passed_at: string | null;
  /** The error message if the service refused the check-in, or has it wait. */
  refusal: string | null;
}

const MAX_ENTRIES = 300;

/** The newest 300 entries, and older ones that still wait. @param entries newest first */
export const keptEntries = (entries: readonly DeskEntry[]): readonly DeskEntry[] =>
  entries.filter(({ status }, n) => n < MAX_ENTRIES || status === "waiting");

/** The names of a list on paper or of a spreadsheet, each once. */
export const namesIn = (pasted: string): string[] => [
  ...new Set(
    pasted
      .split(/[\n\r,;\t]+/)
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  ),
];
