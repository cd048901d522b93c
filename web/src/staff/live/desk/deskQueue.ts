/**
 * The offline queue of check-ins at this desk. Each has an idempotency key. Entries are kept in local storage, survive a
 * reload, and are sent in order once the device is online.
 */
import { signal } from "@preact/signals";
import { GameError, isUndecided, type State } from "../../../state/api.ts";
import { errorText } from "../../../state/errors.ts";
import { instant, list, number, optional, shape, text, time } from "../../../state/shapes.ts";
import { readStored, writeStored } from "../../../state/stored.ts";
import { checkRole, command } from "../../calls.ts";
import { DESK_STATES, type DeskEntry, keptEntries } from "./deskEntries.ts";

/** The prefix of the local-storage keys. Each helper has a queue, which only their own session sends. */
const STORAGE_PREFIX = "desk-";

const isEntry = shape<DeskEntry>({
  ...{ key: text, text, entered_at: instant, passed_at: optional(time) },
  ...{ alias: optional(text), refusal: optional(text), reason: optional(text), in_time: optional(text) },
  ...{
    mission_id: optional(text),
    checkpoint_id: optional(text),
    aliases: optional(list(text)),
    before: optional(number),
  },
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

type Whom = { tag_code: string } | { alias: string };
type What = Pick<DeskEntry, "mission_id" | "checkpoint_id" | "reason">;

/** What the endpoints say of a player who was checked in. */
interface CheckedIn {
  alias: string;
  passed_at: string | null;
  repeated: boolean;
  /** The state of a player to whom the checkpoint does not apply. */
  not_for: State | null;
}

/** Checks one player in, at the checkpoint or at a mission. @throws GameError */
const send = async (
  { mission_id, checkpoint_id, reason }: What,
  whom: Whom,
  key: string,
): Promise<CheckedIn> => {
  const late = reason === null ? {} : { late: true, reason };
  if (mission_id == null) {
    const { alias, passed_at, repeated, state, applies } = await command(
      "player_at_checkpoint",
      { ...whom, ...late, ...(checkpoint_id == null ? {} : { checkpoint_id }) },
      key,
    );
    const not_for = applies === false && state !== undefined ? state : null;
    return { alias, passed_at, repeated: repeated === true, not_for };
  }
  const { players = [] } = await command("mission_attendance", { mission_id, ...whom, ...late }, key);
  const [one] = players;
  return {
    alias: one?.alias ?? ("alias" in whom ? whom.alias : ""),
    passed_at: one?.attended_at ?? null,
    repeated: one?.repeated === true,
    not_for: null,
  };
};

/**
 * Checks a player in by tag code or by alias. A text of eight characters may be either, so the code is tried first; after
 * too many unknown codes, only the alias.
 */
const checkInAs = async (entry: What & Pick<DeskEntry, "key" | "text">): Promise<CheckedIn> => {
  const { key, text } = entry;
  const byAlias = (): Promise<CheckedIn> => send(entry, { alias: text }, `${key}-alias`);
  const code = codeOf(text);
  if (code === null) return byAlias();
  try {
    return await send(entry, { tag_code: code }, key);
  } catch (error) {
    if (!isUnknownPlayer(error) && !isCodeLimited(error)) throw error;
    return byAlias().catch((cause: unknown) => {
      throw isCodeLimited(error) && isUnknownPlayer(cause) ? error : cause;
    });
  }
};

/** Checks a player in by the text, or else as the player whom the text is a part of. */
const checkIn = async (entry: What & Pick<DeskEntry, "key" | "text" | "guess">): Promise<CheckedIn> => {
  const { key, guess } = entry;
  try {
    return await checkInAs(entry);
  } catch (error) {
    if (guess == null || !isUnknownPlayer(error)) throw error;
    return checkInAs({ ...entry, key: `${key}-guess`, text: guess });
  }
};

/** Sends an entry, as late if it was made in time but could be sent only after the checkpoint or the mission had ended. */
const orLate = async <T>(entry: DeskEntry, sent: (entry: DeskEntry) => Promise<T>): Promise<T> => {
  const { key, reason, in_time } = entry;
  try {
    return await sent(entry);
  } catch (error) {
    const isLate = error instanceof GameError && error.code === "closed" && reason === null;
    if (!isLate || in_time === null) throw error;
    return sent({ ...entry, key: `${key}-late`, reason: in_time });
  }
};

/** Checks the players of a list in at once. */
const checkInList = async ({ mission_id, aliases, reason, key }: DeskEntry) => {
  const late = reason === null ? {} : { late: true, reason };
  const body = { mission_id: mission_id ?? "", aliases: aliases ?? [], ...late };
  return command("mission_attendance", body, key);
};

/** Whether a failed request should be retried, because the service has not decided it or the session has ended. */
const isRetryable = (error: unknown): boolean =>
  isUndecided(error) || (error instanceof GameError && error.code === "token_rejected");

/** Sends an entry and returns it with its outcome. @throws GameError if the request should be retried */
const submitEntry = async (entry: DeskEntry): Promise<DeskEntry> => {
  try {
    if (entry.aliases != null) {
      const { repeated_count: before, repeated } = await orLate(entry, checkInList);
      return { ...entry, status: repeated ? "duplicate" : "done", before, aliases: [] };
    }
    const { alias, passed_at, repeated, not_for } = await orLate(entry, checkIn);
    const status = repeated ? "duplicate" : "done";
    // Replaces the tag code, which is secret and no longer needed.
    return { ...entry, text: alias, guess: null, status, alias, passed_at, not_for };
  } catch (error) {
    if (isRetryable(error)) throw error;
    checkRole(error);
    return { ...entry, status: isUnknownPlayer(error) ? "stranger" : "refused", refusal: errorText(error) };
  }
};

/** A list with somebody who is called otherwise by now, as an entry for each: the others are checked in. */
const asSingles = (entry: DeskEntry): DeskEntry[] =>
  (entry.aliases ?? []).map((text, at) => ({
    ...entry,
    ...{ key: `${entry.key}-${at}`, text, aliases: null, status: "waiting" as const, refusal: null },
  }));

const replace = (entry: DeskEntry): void =>
  change((current) =>
    current.flatMap((one) => {
      if (one.key !== entry.key) return [one];
      return entry.status === "stranger" && entry.aliases != null ? asSingles(entry) : [entry];
    }),
  );

let isSending = false;

/**
 * Sends the waiting entries, oldest first. While too many unknown codes were entered, only codes wait.
 * @param onOutcome called with each entry that the service has accepted or refused
 */
export const sendWaiting = async (onOutcome: (entry: DeskEntry) => void): Promise<void> => {
  if (isSending) return;
  isSending = true;
  let isLimited = false;
  try {
    for (;;) {
      const entry = entries.value.findLast(
        ({ status, text }) => status === "waiting" && !(isLimited && isTagCode(text)),
      );
      if (entry === undefined) return;
      try {
        const resolved = await submitEntry(entry);
        replace(resolved);
        onOutcome(resolved);
      } catch (error) {
        if (isLimited || !isTagCode(entry.text) || !isCodeLimited(error)) throw error;
        isLimited = true;
        replace({ ...entry, refusal: errorText(error) });
      }
    }
  } catch {
    // The entry stays in the queue and is retried later.
  } finally {
    isSending = false;
  }
};

type Entered = Pick<DeskEntry, "reason" | "in_time" | "mission_id" | "checkpoint_id"> &
  Partial<Pick<DeskEntry, "guess" | "aliases">>;

/** Adds an entry to the queue. */
export const enqueue = (text: string, entered: Entered): void => {
  const outcome = { status: "waiting", alias: null, passed_at: null, refusal: null } as const;
  const entry = { key: crypto.randomUUID(), text, ...entered, entered_at: Date.now(), ...outcome };
  change((current) => [entry, ...current]);
};
