/** Error responses of the service and of the gateway in front of it. */

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
   * The error code, such as `already_tagged`; `gateway` for a response of the gateway, `network` without a complete
   * response, and `text` for a plain-text error of `/notifications` without a code.
   */
  readonly code: string;
  /** All validation errors, if the code is `invalid_request`. */
  readonly errors: readonly FieldError[];
  /** Identifies the request in the log of the service; `null` without a response of the service. */
  readonly requestId: string | null;
  /** After how many seconds to retry, if the service has said so. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    init: Partial<Pick<GameError, "status" | "code" | "errors" | "requestId" | "retryAfter">> & {
      cause?: unknown;
    },
  ) {
    super(message, { cause: init.cause });
    this.status = init.status ?? 0;
    this.code = init.code ?? "network";
    this.errors = init.errors ?? [];
    this.requestId = init.requestId ?? null;
    this.retryAfter = init.retryAfter ?? null;
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

/** Converts an error response. */
export const toGameError = async (response: Response): Promise<GameError> => {
  const { status, headers } = response;
  const text = await response.text();
  const body = parseJson(text);
  const requestId = headers.get("x-request-id");
  const seconds = Number(headers.get("retry-after") ?? Number.NaN);
  const common = { status, requestId, retryAfter: Number.isFinite(seconds) ? seconds : null };
  if (isRecord(body) && typeof body.code === "string") {
    const errors = Array.isArray(body.errors) ? body.errors : [];
    return new GameError(String(body.detail), { ...common, code: body.code, errors });
  }
  if (requestId !== null) {
    return new GameError(text, { ...common, code: headers.get("x-problem-code") ?? "text" });
  }
  const message = isRecord(body) && typeof body.message === "string" ? body.message : `HTTP ${status}`;
  return new GameError(message, { ...common, code: "gateway" });
};
