/** Error responses of the service and of the gateway in front of it. */
import { isTurnedAway, retryAfterOf } from "./retry.ts";

/** A validation error of one field of a request. */
export interface FieldError {
  path: string;
  message: string;
  code: string;
  params?: Record<string, unknown>;
}

export class GameError extends Error {
  override readonly name = "GameError";
  /** The HTTP status; 0 without a complete response. */
  readonly status: number;
  /**
   * The error code, such as `already_tagged`; `gateway` for an error response that is not the service's, such as of the
   * gateway or of a proxy; `network` without a complete response of the declared type; and `text` for a plain-text error of
   * `/notifications` without a code.
   */
  readonly code: string;
  /** All validation errors, if the code is `invalid_request`. */
  readonly errors: readonly FieldError[];
  /** Identifies the request in the log of the service; `null` without a response of the service. */
  readonly requestId: string | null;
  /** After how many seconds to retry, if the service has said so. */
  readonly retryAfter: number | null;
  /** Whether the gateway turned the request away before it reached a function, so that any request may be repeated. */
  readonly turnedAway: boolean;

  constructor(
    message: string,
    init: Partial<
      Pick<GameError, "status" | "code" | "errors" | "requestId" | "retryAfter" | "turnedAway">
    > & { cause?: unknown },
  ) {
    super(message, { cause: init.cause });
    this.status = init.status ?? 0;
    this.code = init.code ?? "network";
    this.errors = init.errors ?? [];
    this.requestId = init.requestId ?? null;
    this.retryAfter = init.retryAfter ?? null;
    this.turnedAway = init.turnedAway ?? false;
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null;

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Converts an error response. @param elapsedMs the time from the request to the response, in milliseconds */
export const toGameError = async (response: Response, elapsedMs: number): Promise<GameError> => {
  const { status, headers } = response;
  const text = await response.text();
  const body = parseJson(text);
  const requestId = headers.get("x-request-id");
  const turnedAway = isTurnedAway(response, elapsedMs);
  const common = { status, requestId, retryAfter: retryAfterOf(headers), turnedAway };
  if (requestId !== null) {
    if (isRecord(body) && typeof body.code === "string") {
      const errors = Array.isArray(body.errors) ? body.errors : [];
      return new GameError(String(body.detail), { ...common, code: body.code, errors });
    }
    return new GameError(text, { ...common, code: headers.get("x-problem-code") ?? "text" });
  }
  const message = isRecord(body) && typeof body.message === "string" ? body.message : `HTTP ${status}`;
  return new GameError(message, { ...common, code: "gateway" });
};
