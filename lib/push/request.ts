/** One request to a push service, whatever the other end does: bounded in time and in what is read. */
import type { Client, Dispatcher } from "undici";

/** More of an answer than this is not waited for. */
const MOST_ANSWER_BYTES = 4 * 1024;
/** The head of an answer may have so many bytes. */
export const MAX_HEADER_BYTES = 8 * 1024;

/** A request. */
export interface Post {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** For the whole exchange, in milliseconds. */
  timeoutMs: number;
}

/** What came back. */
export interface PushResponse {
  status: number;
  retryAfter: string | undefined;
}

/** Time was up before there was a status. */
export class ResponseTimeout extends Error {
  readonly code = "no answer in time";
}

/** A fault by its code, which names nobody; a message may. */
export const errorCode = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};

/**
 * Posts a body; follows no redirect.
 * @returns the status, also of an answer whose rest was not waited for
 * @throws Error when there was no status in time; then the client may still be at it, and is to be destroyed
 */
export const post = (
  client: Client,
  { path, headers, body, timeoutMs: patience }: Post,
): Promise<PushResponse> =>
  new Promise((resolve, reject) => {
    let answer: PushResponse | undefined;
    let exchange: Dispatcher.DispatchController | undefined;
    let read = 0;
    // What breaks after the status changes nothing.
    const end = (error?: Error): void => {
      clearTimeout(timer);
      if (answer === undefined) reject(error ?? new ResponseTimeout());
      else resolve(answer);
    };
    const giveUp = (): void => {
      const error = new ResponseTimeout();
      exchange?.abort(error);
      end(error);
    };
    const timer = setTimeout(giveUp, patience);
    client.dispatch(
      { method: "POST", path, headers, body },
      {
        onRequestStart: (controller) => {
          exchange = controller;
        },
        onResponseStart: (_, status, { "retry-after": retryAfter }) => {
          // Before the answer there may be others that only say that it will come.
          if (status >= 200) answer = { status, retryAfter: retryAfter?.toString() };
        },
        onResponseData: (_, { length }) => {
          read += length;
          if (read > MOST_ANSWER_BYTES) giveUp();
        },
        onResponseEnd: () => end(),
        onResponseError: (_, error) => end(error),
      },
    );
  });
