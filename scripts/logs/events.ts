/** The events of a log, as they come. */
import { sleep } from "../cli/sleep.ts";

/** One line of the log, and whose it is. */
export interface LogEvent {
  id: string;
  /** When it was written, in milliseconds since 1970. */
  at: number;
  stream: string;
  text: string;
}

/** What there is from an instant on, page by page. */
export type FetchPage = (
  from: number,
  next: string | undefined,
) => Promise<{ events: LogEvent[]; next: string | undefined }>;

/** So often is asked for more, in milliseconds. */
const EACH = 2_000;
/** Streams are written beside each other: what is so much older than the newest may still come, in milliseconds. */
const LATE = 60_000;

/**
 * All events from an instant on, each once, page by page in the order of their times.
 * @param following asks for more until its signal says that it is enough; without it, what is there is all
 * @param following.failed what to do about a fault of a later question: wait for so many milliseconds, or throw
 */
export const readEvents = async function* (
  ask: FetchPage,
  since: number,
  following?: { signal: AbortSignal; failed: (error: unknown) => number },
): AsyncGenerator<LogEvent[]> {
  const seen = new Map<string, number>();
  let from = since;
  let newest = since;
  let next: string | undefined;
  let isFirst = true;
  for (;;) {
    let pause = EACH;
    try {
      const page = await ask(from, next);
      isFirst = false;
      const fresh = page.events.filter(({ id }) => !seen.has(id));
      for (const { id, at } of fresh) {
        seen.set(id, at);
        newest = Math.max(newest, at);
      }
      if (fresh.length > 0) yield fresh.toSorted((one, other) => one.at - other.at);
      ({ next } = page);
    } catch (error) {
      if (following?.signal.aborted === true) return;
      if (following === undefined || isFirst) throw error;
      pause = following.failed(error);
      next = undefined;
    }
    if (following?.signal.aborted === true) return;
    if (next !== undefined) continue;
    if (following === undefined) return;
    from = Math.max(from, newest - LATE);
    for (const [id, at] of seen) if (at < from) seen.delete(id);
    await sleep(pause, following.signal);
    if (following.signal.aborted) return;
  }
};
