/** Reads the events of a log. */
import { sleep } from "../cli/sleep.ts";

export interface LogEvent {
  id: string;
  /** When it was written, in milliseconds since 1970. */
  at: number;
  stream: string;
  text: string;
}

/** Fetches one page of the events since a time. */
export type FetchPage = (
  from: number,
  next: string | undefined,
) => Promise<{ events: LogEvent[]; next: string | undefined }>;

/** The polling interval in milliseconds. */
const POLL_MS = 2_000;
/** Log streams are written concurrently, so an event may arrive this many milliseconds late. */
const MAX_DELAY_MS = 60_000;

/**
 * Yields all events since a time, each once, page by page and sorted by time.
 * @param following continues polling until its signal aborts; without it, only existing events are read
 * @param following.failed called with a later error; returns how many milliseconds to wait, or throws
 */
export const readEvents = async function* (
  fetchPage: FetchPage,
  since: number,
  following?: { signal: AbortSignal; failed: (error: unknown) => number },
): AsyncGenerator<LogEvent[]> {
  const seen = new Map<string, number>();
  let from = since;
  let newest = since;
  let next: string | undefined;
  let isFirst = true;
  for (;;) {
    let pause = POLL_MS;
    try {
      const page = await fetchPage(from, next);
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
    from = Math.max(from, newest - MAX_DELAY_MS);
    for (const [id, at] of seen) if (at < from) seen.delete(id);
    await sleep(pause, following.signal);
    if (following.signal.aborted) return;
  }
};
