/**
 * The check-ins of this desk. Each has a key, so that the service carries it out once however often it is sent; without a
 * network they wait, also over a reload, and are sent in their order.
 */
import { signal } from "@preact/signals";
import { GameError } from "../api.ts";
import { errorText } from "../ui/feedback.tsx";
import { checkRole, command } from "./calls.ts";

export type DeskStatus = "waiting" | "done" | "duplicate" | "stranger" | "refused";

export interface DeskEntry {
  key: string;
  /** What was scanned or typed. */
  text: string;
  entered_at: number;
  /** For a list on paper. */
  reason: string | null;
  /** What to give as the reason if the checkpoint has closed before this was sent; `null` if it was entered after that. */
  in_time: string | null;
  status: DeskStatus;
  alias: string | null;
  /** When the player was checked in. */
  passed_at: string | null;
  /** Why not, in words. */
  refusal: string | null;
}

/** Only the volunteer who entered something sends it. */
const STORAGE_PREFIX = "desk-";
const MAX_ENTRIES = 300;

const isEntry = (value: unknown): value is DeskEntry =>
  typeof value === "object" && value !== null && "key" in value && "text" in value && "status" in value;

const loadEntries = (player_id: string): DeskEntry[] => {
  const value: unknown = JSON.parse(localStorage.getItem(`${STORAGE_PREFIX}${player_id}`) ?? "[]");
  return Array.isArray(value) ? value.filter(isEntry) : [];
};

/** Newest first. */
export const entries = signal<readonly DeskEntry[]>([]);
let owner: string | null = null;

/** Shows the entries of a volunteer. */
export const openDesk = (player_id: string): void => {
  if (owner === player_id) return;
  owner = player_id;
  entries.value = loadEntries(player_id);
};

const store = (next: readonly DeskEntry[]): void => {
  entries.value = next.slice(0, MAX_ENTRIES);
  localStorage.setItem(`${STORAGE_PREFIX}${owner}`, JSON.stringify(entries.value));
};

export const clearDesk = (): void => store(entries.value.filter(({ status }) => status === "waiting"));

const CODE = /^[2-9A-HJKMNP-Z]{8}$/;

const codeOf = (text: string): string | null => {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return CODE.test(code) ? code : null;
};

const isUnknownPlayer = (error: unknown): boolean =>
  error instanceof GameError && (error.code === "unknown_tag_code" || error.code === "player_not_found");

/** A text of eight letters may be a code or an alias. */
const checkIn = async ({ key, text, reason }: Pick<DeskEntry, "key" | "text" | "reason">) => {
  const late = reason === null ? {} : { late: true, reason };
  const code = codeOf(text);
  if (code !== null) {
    try {
      return await command("/admin/player_at_checkpoint/{url_id}", { tag_code: code, ...late }, key);
    } catch (error) {
      if (!isUnknownPlayer(error)) throw error;
    }
  }
  return command("/admin/player_at_checkpoint/{url_id}", { alias: text, ...late }, `${key}-alias`);
};

/** What the volunteer entered in time counts, although the network came back after the checkpoint had closed. */
const checkInOrRetryLate = async (entry: DeskEntry) => {
  const { key, text, reason, in_time } = entry;
  try {
    return await checkIn(entry);
  } catch (error) {
    const isLate = error instanceof GameError && error.code === "closed" && reason === null;
    if (!isLate || in_time === null) throw error;
    return checkIn({ key: `${key}-late`, text, reason: in_time });
  }
};

/** Whether a failed request is to be sent again: the service has not decided it, or only that the session is over. */
const isRetryable = (error: unknown): boolean =>
  error instanceof GameError &&
  (error.status === 0 || error.status === 429 || error.status >= 500 || error.code === "token_rejected");

/** @throws GameError if the service cannot be reached */
const submitEntry = async (entry: DeskEntry): Promise<DeskEntry> => {
  try {
    const { alias, passed_at, repeated } = await checkInOrRetryLate(entry);
    // The tag code is not needed any more, and is nobody's business.
    return { ...entry, text: alias, status: repeated === true ? "duplicate" : "done", alias, passed_at };
  } catch (error) {
    if (isRetryable(error)) throw error;
    checkRole(error);
    return { ...entry, status: isUnknownPlayer(error) ? "stranger" : "refused", refusal: errorText(error) };
  }
};

const replace = (entry: DeskEntry): void =>
  store(entries.value.map((one) => (one.key === entry.key ? entry : one)));

let isSending = false;

/**
 * Sends what waits, in its order.
 * @param onOutcome is told of each entry that the service has decided
 */
export const sendWaiting = async (onOutcome: (entry: DeskEntry) => void): Promise<void> => {
  if (isSending) return;
  isSending = true;
  try {
    for (;;) {
      const entry = entries.value.findLast(({ status }) => status === "waiting");
      if (entry === undefined) return;
      const resolved = await submitEntry(entry);
      replace(resolved);
      onOutcome(resolved);
    }
  } catch {
    // It is sent again later.
  } finally {
    isSending = false;
  }
};

/** @param reason of a list on paper, or else `in_time` */
export const enqueue = (text: string, reasons: Pick<DeskEntry, "reason" | "in_time">): void => {
  const outcome = { status: "waiting", alias: null, passed_at: null, refusal: null } as const;
  store([
    { key: crypto.randomUUID(), text, ...reasons, entered_at: Date.now(), ...outcome },
    ...entries.value,
  ]);
};
