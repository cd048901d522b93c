/** Sends one request to a push service, with limits on time and on the size of the response. */
import type { Client, Dispatcher } from "undici";

/** The rest of a longer response body is not read. */
const MAX_RESPONSE_BYTES = 4 * 1024;
/** The limit of a response's headers. */
export const MAX_HEADER_BYTES = 8 * 1024;

export interface Post {
  path: string;
  headers: Record<string, string>;
  body: Buffer;
  /** For the complete exchange. */
  timeoutMs: number;
}

export interface PushResponse {
  status: number;
  retryAfter: string | undefined;
}

/** There was no status within the timeout. */
export class ResponseTimeout extends Error {
  readonly code = "no response in time";
}

/** The code of an error for the log. Messages of errors may contain personal data. */
export const errorCode = (error: unknown): string => {
  if (!(error instanceof Error)) return "unknown";
  return "code" in error && typeof error.code === "string" ? error.code : error.name;
};

/**
 * Posts a body. Redirects are not followed.
 * @returns the status, also if the rest of the response was not read
 * @throws Error if there was no status within the timeout; the caller must then destroy the client
 */
export const post = (client: Client, { path, headers, body, timeoutMs }: Post): Promise<PushResponse> =>
  new Promise((resolve, reject) => {
    let response: PushResponse | undefined;
    let exchange: Dispatcher.DispatchController | undefined;
    let read = 0;
    // Errors after the status are ignored.
    const end = (error?: Error): void => {
      clearTimeout(timer);
      if (response === undefined) reject(error ?? new ResponseTimeout());
      else resolve(response);
    };
    const giveUp = (): void => {
      const error = new ResponseTimeout();
      exchange?.abort(error);
      end(error);
    };
    const timer = setTimeout(giveUp, timeoutMs);
    client.dispatch(
      { method: "POST", path, headers, body },
      {
        onRequestStart: (controller) => {
          exchange = controller;
        },
        onResponseStart: (_, status, { "retry-after": retryAfter }) => {
          // Informational responses (1xx) may come first.
          if (status >= 200) response = { status, retryAfter: retryAfter?.toString() };
        },
        onResponseData: (_, { length }) => {
          read += length;
          if (read > MAX_RESPONSE_BYTES) giveUp();
        },
        onResponseEnd: () => end(),
        onResponseError: (_, error) => end(error),
      },
    );
  });
