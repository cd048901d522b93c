/** What two game masters have changed at the same time: the page shows both values, and asks which shall count. */
import { signal } from "@preact/signals";
import { GameError } from "../../state/api.ts";
import { gm } from "../../text/staff.ts";
import type { Confirmation } from "./confirmation.tsx";
import { type Outcome, showToast } from "./toasts.tsx";

/** A field that somebody else has changed since it was read. */
export interface Conflict {
  label: string;
  theirs: string;
  mine: string;
}

/** Whether a command was refused because somebody else has changed the same. */
export const isChangedMeanwhile = (error: unknown): boolean =>
  error instanceof GameError && error.code === "changed_meanwhile";

const Value = ({ title, text }: { title: string; text: string }) => (
  <div>
    <dt class="muted">{title}</dt>
    <dd>{text}</dd>
  </div>
);

const Conflicts = ({ conflicts }: { conflicts: readonly Conflict[] }) => (
  <>
    <p>{gm.changed.lead}</p>
    <ul class="conflicts stack">
      {conflicts.map(({ label, theirs, mine }) => (
        <li key={label}>
          <h3>{label}</h3>
          <dl class="pair">
            <Value title={gm.changed.stored} text={theirs} />
            <Value title={gm.changed.yours} text={mine} />
          </dl>
        </li>
      ))}
    </ul>
  </>
);

interface Merge<T> {
  /** Reads what is stored now. */
  read: () => Promise<T>;
  /** Sends the change. @param theirs what it overwrites knowingly; `null` for what the form began with */
  send: (theirs: T | null, reason: { reason?: string }, key: string) => Promise<Outcome>;
  /** The fields that somebody else has changed. */
  conflicts: (theirs: T) => readonly Conflict[];
  /** Gives up what conflicts with what is stored. @returns whether the dialog goes on with the form */
  take: (theirs: T) => boolean;
}

/** A confirmation that shows both values, and asks which shall count, if somebody else has changed the same meanwhile. */
export const withMerge = <T,>(
  confirm: () => Omit<Confirmation, "run">,
  { read, send, conflicts, take }: Merge<T>,
): (() => Confirmation) => {
  /** What is stored and shown beside what was typed; `null` while the form is shown. */
  const theirs = signal<T | null>(null);
  /** What was stored when it was last read after a conflict. */
  let known: T | null = null;
  const run: Confirmation["run"] = async (reason, key) => {
    try {
      // The service has stored nothing under the key of a refused request.
      return await send(known, reason, key);
    } catch (error) {
      if (isChangedMeanwhile(error)) {
        known = await read();
        theirs.value = known;
      }
      throw error;
    }
  };
  return () => {
    const stored = theirs.value;
    if (stored === null) return { ...confirm(), run };
    const other = {
      text: gm.changed.take,
      run: () => {
        theirs.value = null;
        if (take(stored)) return false;
        showToast(gm.changed.taken);
        return true;
      },
    };
    return {
      action: confirm().action,
      title: gm.changed.title,
      effects: [],
      submit: gm.changed.keep,
      fields: <Conflicts conflicts={conflicts(stored)} />,
      other,
      run,
    };
  };
};
