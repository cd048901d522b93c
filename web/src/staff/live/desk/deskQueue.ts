/**
 * The offline queue of check-ins at this desk. Each has an idempotency key. Entries are kept in local storage, survive a
 * reload, and are sent in order once the device is online.
 */
import { signal } from "@preact/signals";
import { GameError, isUnreachable } from "../../../state/api.ts";
import { errorText } from "../../../state/errors.ts";
import { instant, list, optional, shape, text, time } from "../../../state/shapes.ts";
import { readStored, writeStored } from "../../../state/stored.ts";
import { checkRole, command } from "../../calls.ts";
import { DESK_STATES, type DeskEntry, keptEntries } from "./deskEntries.ts";

/** The prefix of the local-storage keys. Each helper has a queue, which only their own session sends. */
const STORAGE_PREFIX = "desk-";

const isEntry = shape<DeskEntry>({
  ...{ key: text, text, entered_at: instant, passed_at: optional(time) },
  ...{ alias: optional(text), refusal: optional(text), reason: optional(text), in_time: optional(text) },
  status: (value) => DESK_STATES.some((one) => one === value),
});

/** An entry that cannot be read is left out, and the others stay. */
const loadEntries = (player_id: string): DeskEntry[] =>
  (
    readStored<DeskEntry[]>(
      `${STORAGE_PREFIX}${player_id}`,
      list(() => true),
    ) ?? []
  ).filter(isEntry);

/** The entries of this desk, newest first. */
export const entries = signal<readonly DeskEntry[]>([]);
let owner: string | null = null;
/** Whether the browser has stored the latest entries. */
let isStored = true;

/** Loads the entries of a helper. */
export const openDesk = (player_id: string): void => {
  if (owner === player_id) return;
  owner = player_id;
  entries.value = loadEntries(player_id);
};

/** Changes the entries as they are stored now: another tab of the helper may have changed them. */
const change = (to: (current: readonly DeskEntry[]) => readonly DeskEntry[]): void => {
  const stored = owner === null ? [] : loadEntries(owner);
  // Without storage there are only those of this page.
  const missing = isStored ? [] : entries.value.filter(({ key }) => stored.every((one) => one.key !== key));
  entries.value = keptEntries(to([...missing, ...stored]));
  isStored = writeStored(`${STORAGE_PREFIX}${owner}`, entries.value);
};

addEventListener("storage", ({ key }) => {
  if (owner !== null && key === `${STORAGE_PREFIX}${owner}`) entries.value = loadEntries(owner);
});

/** Removes all entries that are no longer waiting. */
export const clearDesk = (): void =>
  change((current) => current.filter(({ status }) => status === "waiting"));

const CODE = /^[2-9A-HJKMNP-Z]{8}$/;

const codeOf = (text: string): string | null => {
  const code = text.toUpperCase().replaceAll(/[\s-]/g, "");
  return CODE.test(code) ? code : null;
};

/** Whether a text has the form of a tag code; an alias can have it too. */
export const isTagCode = (text: string): boolean => codeOf(text) !== null;

const isUnknownPlayer = (error: unknown): boolean =>
  error instanceof GameError && (error.code === "unknown_tag_code" || error.code === "player_not_found");

const isCodeLimited = (error: unknown): boolean =>
  error instanceof GameError && error.code === "too_many_attempts";

/**
 * Checks a player in by tag code or by alias. A text of eight characters may be either, so the code is tried first; after
 * too many unknown codes, only the alias.
 */
const checkInAs = async ({ key, text, reason }: Pick<DeskEntry, "key" | "text" | "reason">) => {
  const late = reason === null ? {} : { late: true, reason };
  const code = codeOf(text);
  if (code !== null) {
    try {
      return await command("player_at_checkpoint", { tag_code: code, ...late }, key);
    } catch (error) {
      if (!isUnknownPlayer(error) && !isCodeLimited(error)) throw error;
      return command("player_at_checkpoint", { alias: text, ...late }, `${key}-alias`).catch(
        (cause: unknown) => {
          throw isCodeLimited(error) && isUnknownPlayer(cause) ? error : cause;
        },
      );
    }
  }
  return command("player_at_checkpoint", { alias: text, ...late }, `${key}-alias`);
};

/** Checks a player in by the text, or else as the player whom the text is a part of. */
const checkIn = async (entry: Pick<DeskEntry, "key" | "text" | "reason" | "guess">) => {
  const { key, guess, reason } = entry;
  try {
    return await checkInAs(entry);
  } catch (error) {
    if (guess == null || !isUnknownPlayer(error)) throw error;
    return checkInAs({ key: `${key}-guess`, text: guess, reason });
  }
};

/** Checks a player in, as late if the entry was made in time but could be sent only after the checkpoint had closed. */
const checkInOrRetryLate = async (entry: DeskEntry) => {
  const { key, text, guess = null, reason, in_time } = entry;
  try {
    return await checkIn(entry);
  } catch (error) {
    const isLate = error instanceof GameError && error.code === "closed" && reason === null;
    if (!isLate || in_time === null) throw error;
    return checkIn({ key: `${key}-late`, text, guess, reason: in_time });
  }
};

/** Whether a failed request should be retried, because the service has not decided it or the session has ended. */
const isRetryable = (error: unknown): boolean =>
  error instanceof GameError &&
  (isUnreachable(error) || error.status === 429 || error.status >= 500 || error.code === "token_rejected");

/** Sends an entry and returns it with its outcome. @throws GameError if the request should be retried */
const submitEntry = async (entry: DeskEntry): Promise<DeskEntry> => {
  try {
    const { alias, passed_at, repeated, state, applies } = await checkInOrRetryLate(entry);
    const status = repeated === true ? "duplicate" : "done";
    const not_for = applies === false && state !== undefined ? state : null;
    // Replaces the tag code, which is secret and no longer needed.
    return { ...entry, text: alias, guess: null, status, alias, passed_at, not_for };
  } catch (error) {
    if (isRetryable(error)) throw error;
    checkRole(error);
    return { ...entry, status: isUnknownPlayer(error) ? "stranger" : "refused", refusal: errorText(error) };
  }
};

const replace = (entry: DeskEntry): void =>
  change((current) => current.map((one) => (one.key === entry.key ? entry : one)));

let isSending = false;

/**
 * Sends the waiting entries, oldest first.
 * @param onOutcome called with each entry that the service has accepted or refused
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
    // The entry stays in the queue and is retried later.
  } finally {
    isSending = false;
  }
};

/** Adds an entry to the queue. */
export const enqueue = (text: string, reasons: Pick<DeskEntry, "reason" | "in_time" | "guess">): void => {
  const outcome = { status: "waiting", alias: null, passed_at: null, refusal: null } as const;
  const entry = { key: crypto.randomUUID(), text, ...reasons, entered_at: Date.now(), ...outcome };
  change((current) => [entry, ...current]);
};
