/**
 * Drafts of forms: what somebody has typed and not sent. A draft belongs to one player on this device, also after an
 * expired session, and is gone when it is sent, discarded, or the player logs out. Forms keep no passwords, no recovery
 * codes and no other secrets in it.
 */
import { type Signal, signal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import { onLogout, snapshot } from "./session.ts";
import { readStored, removeAllStored, removeStored, storedNames, writeStored } from "./stored.ts";

const PREFIX = "draft:";
/** A tag code or a message of last week is of no use. */
const KEPT_MS = 7 * 86_400_000;

const ownPrefix = (): string => `${PREFIX}${snapshot.peek()?.player.player_id ?? ""}:`;

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/**
 * Whether a stored value has the form of a model. Where the model has `null`, text and numbers are accepted, too.
 */
export const isLike = (model: unknown, value: unknown): boolean => {
  if (model === null) return !isObject(value) && !Array.isArray(value);
  if (Array.isArray(model)) return Array.isArray(value);
  if (!isObject(model)) return typeof value === typeof model;
  const names = Object.keys(model);
  return (
    isObject(value) &&
    Object.keys(value).length === names.length &&
    names.every((name) => name in value && isLike(model[name], value[name]))
  );
};

/** Whether a stored value has the form of some fields of a model, any of which may be `null`. */
const isPartOf = (model: object, value: unknown): boolean => {
  const fields: Record<string, unknown> = { ...model };
  return (
    isObject(value) &&
    Object.entries(value).every(
      ([name, one]) => name in fields && (one === null || fields[name] === null || isLike(fields[name], one)),
    )
  );
};

/** Whether a stored value has parts, each of which has the form of some fields of its model. */
export const hasPartsOf = (models: Readonly<Record<string, object>>, value: unknown): boolean =>
  isObject(value) && Object.entries(models).every(([name, model]) => isPartOf(model, value[name]));

/** What the browser did not take, which is kept until the page is closed: somebody else may save meanwhile. */
const unstored = new Map<string, unknown>();

const forget = (key: string): void => {
  unstored.delete(key);
  removeStored(key);
};

/** Reads a kept draft, and removes one that is malformed, too old or of another version of the form. */
const load = (key: string, isValid: (value: unknown) => boolean): unknown => {
  const here = unstored.get(key);
  if (here !== undefined && isValid(here)) return here;
  const found = readStored<{ value: unknown }>(
    key,
    (draft) =>
      isObject(draft) &&
      typeof draft.at === "number" &&
      Date.now() - draft.at < KEPT_MS &&
      isValid(draft.value),
  );
  if (found === null) forget(key);
  return found?.value;
};

const store = (key: string, value: unknown): void => {
  unstored.delete(key);
  if (!writeStored(key, { at: Date.now(), value })) unstored.set(key, value);
};

export interface Draft<T> {
  value: T;
  set: (value: T) => void;
  /** Forgets what was typed. @param content what the form then shows; what it showed at first by default */
  clear: (content?: T) => void;
  /** Forgets what was sent, unless something else has been typed since. */
  sent: (content: T) => void;
  /** Whether the form shows what was typed on an earlier visit. */
  isRestored: boolean;
}

/** A draft as a signal, for forms that are described outside of a component. */
export interface DraftSignal<T> {
  signal: Signal<T>;
  isRestored: Signal<boolean>;
  clear: Draft<T>["clear"];
  sent: Draft<T>["sent"];
}

/**
 * Opens the draft of a form.
 * @param name the name of the form, with the id of what it is about
 * @param initial the content of the form without a draft
 * @param isValid whether a stored value can be shown
 */
export const openDraft = <T>(
  name: string,
  initial: T,
  isValid: (value: unknown) => boolean = (value) => isLike(initial, value),
): DraftSignal<T> => {
  const key = ownPrefix() + name;
  let plain = JSON.stringify(initial);
  const stored = load(key, isValid);
  // `isValid` has checked it.
  const content = signal(stored === undefined ? initial : (stored as T));
  const isRestored = signal(stored !== undefined && JSON.stringify(stored) !== plain);
  let seen = content.peek();
  content.subscribe((value) => {
    if (value === seen) return;
    seen = value;
    if (JSON.stringify(value) === plain) forget(key);
    else store(key, value);
  });
  const clear = (next = initial): void => {
    plain = JSON.stringify(next);
    content.value = next;
    forget(key);
    isRestored.value = false;
  };
  const sent = (value: T): void => {
    // Another visit of the form may have changed it.
    const latest = load(key, isValid) ?? content.peek();
    if (JSON.stringify(latest) === JSON.stringify(value)) clear();
  };
  return { signal: content, isRestored, clear, sent };
};

/**
 * Opens the draft of a form that changes what is stored. It keeps what was typed, and what was stored when that was begun:
 * others may change it before it is sent.
 * @param stored the fields as they are stored now
 * @param isSound whether fields that were kept can be shown, beyond their form
 */
export const openEdit = <T extends object>(
  name: string,
  stored: T,
  isSound: (part: unknown) => boolean = () => true,
) => {
  const nothing: { values: Partial<T>; was: Partial<T> } = { values: {}, was: {} };
  const draft = openDraft(name, nothing, (value) => {
    const models = { values: stored, was: stored };
    return (
      hasPartsOf(models, value) &&
      isObject(value) &&
      Object.keys(models).every((part) => isSound(value[part]))
    );
  });
  const { signal: parts } = draft;
  return {
    draft,
    /** The fields as the form shows them. */
    shown: (): T => ({ ...stored, ...parts.value.values }),
    /** The fields as they were stored when their change was begun. */
    before: (): T => ({ ...stored, ...parts.value.was }),
    set: (part: Partial<T>): void => {
      const { values, was } = parts.value;
      const begun = Object.fromEntries(Object.entries(stored).filter(([field]) => field in part));
      parts.value = { values: { ...values, ...part }, was: { ...begun, ...was } };
    },
    /** Shows what is stored by now, and counts it as known. */
    take: (part: Partial<T>): void => {
      const { values, was } = parts.value;
      parts.value = { values: { ...values, ...part }, was: { ...was, ...part } };
    },
  };
};

/** Keeps what is typed into a form until it is sent. The parameters are those of `openDraft`. */
export const useDraft = <T>(name: string, initial: T, isValid?: (value: unknown) => boolean): Draft<T> => {
  const draft = useMemo(() => openDraft(name, initial, isValid), [name]);
  return {
    value: draft.signal.value,
    set: (value) => {
      draft.signal.value = value;
    },
    clear: draft.clear,
    sent: draft.sent,
    isRestored: draft.isRestored.value,
  };
};

/** Whether the player has typed something on this device that a logout forgets. */
export const hasDrafts = (): boolean => unstored.size + storedNames(ownPrefix()).length > 0;

onLogout(() => {
  unstored.clear();
  removeAllStored(ownPrefix());
});
