/** Calls the service on the page's own origin; the session is a cookie that no script can read. */

export type State = "human" | "zombie" | "corpse" | "spectator";
export type Phase = "registration" | "running" | "paused" | "ended";

export interface Player {
  player_id: string;
  alias: string;
  first_name: string | null;
  last_name: string | null;
  email: string | null;
  is_admin: boolean;
  role: "player" | "moderator" | "game_master";
  state: State;
  tag_code: string | null;
  kills: number;
  infected_at: string | null;
  infected_by: string | null;
  last_fed_at: string | null;
  starves_at: string | null;
  has_pfp: boolean;
  picture_url?: string | null;
}

export interface Game {
  now: string;
  phase: Phase;
  in_play: boolean;
  paused: boolean;
  starts_at: string | null;
  ends_at: string | null;
  next_change_at: string | null;
  time_zone: string;
  feeding_period_seconds: number;
  report_window_seconds: number;
  sharers: number;
  counts: { total: number; humans: number; zombies: number; corpses: number; spectators: number };
}

/** What anybody may know of the game. */
export interface PublicGame {
  name: string;
  description: string | null;
  rules: string | null;
  contact: string | null;
  phase: Phase;
  counts: Game["counts"];
  registration: "open" | "approval" | "closed";
  needs_join_code: boolean;
}

export interface Feeding {
  next_feeding: string | null;
  seconds_left: number;
  last_fed_at: string;
}

export interface Interaction {
  interaction_id: string;
  kind: string;
  at: string;
  actor: string | null;
  actor_ref: string | null;
  target: string | null;
  target_ref: string | null;
  details: { voided?: true; waiting?: true; shared_with?: (string | null)[] };
}

export interface Message {
  notification_id: string;
  title: string;
  content: string;
  sent_at: string;
}

export interface Leader {
  rank: number;
  alias: string;
  state: State;
  kills: number;
}

export interface HungryZombie {
  alias: string;
  starves_at: string | null;
  seconds_left: number;
}

/** A request that failed. `code` is that of the service, or `offline` or `gateway`. */
export class ApiError extends Error {
  readonly code: string;
  readonly status: number;
  /** Seconds after which a retry makes sense. */
  readonly retryAfter: number | null;
  /** The faults of single fields, by their name. */
  readonly fields: ReadonlyMap<string, string>;

  constructor(
    message: string,
    {
      code,
      status = 0,
      retryAfter = null,
      fields = new Map(),
    }: { code: string; status?: number; retryAfter?: number | null; fields?: ReadonlyMap<string, string> },
  ) {
    super(message);
    this.code = code;
    this.status = status;
    this.retryAfter = retryAfter;
    this.fields = fields;
  }
}

interface Problem {
  code?: string;
  detail?: string;
  errors?: { path: string; message: string }[];
}

const errorOf = async (response: Response): Promise<ApiError> => {
  const retryAfter = Number(response.headers.get("retry-after")) || null;
  const problem: Problem = await response.json().catch(() => ({}));
  return new ApiError(problem.detail ?? response.statusText, {
    code: problem.code ?? "gateway",
    status: response.status,
    retryAfter,
    fields: new Map(problem.errors?.map(({ path, message }) => [path, message])),
  });
};

/** Called when the service no longer accepts the session. */
let sessionEnded = (): void => {};
export const onSessionEnd = (listener: () => void): void => {
  sessionEnded = listener;
};

const send = async <T>(path: string, init: RequestInit): Promise<T> => {
  const response = await fetch(path, { credentials: "same-origin", ...init }).catch(() => {
    throw new ApiError("offline", { code: "offline" });
  });
  if (response.ok) return response.status === 204 ? (undefined as T) : ((await response.json()) as T);
  const error = await errorOf(response);
  if (error.code === "token_rejected") sessionEnded();
  throw error;
};

/** Sends a GET. `query` fields that are undefined are left out. */
export const get = <T>(path: string, query: Record<string, string | undefined> = {}): Promise<T> => {
  const fields = Object.entries(query).filter((field): field is [string, string] => field[1] !== undefined);
  const search = new URLSearchParams(fields).toString();
  return send<T>(search === "" ? path : `${path}?${search}`, {});
};

/** Sends the bytes of a picture. */
export const postBytes = <T>(path: string, bytes: Blob): Promise<T> =>
  send<T>(path, { method: "POST", headers: { "content-type": "application/octet-stream" }, body: bytes });

/** Sends a POST with a key, so that the service carries out a repeated request only once. */
export const post = <T>(path: string, body: object = {}, key: string = crypto.randomUUID()): Promise<T> =>
  send<T>(path, {
    method: "POST",
    headers: { "content-type": "application/json", "idempotency-key": key },
    body: JSON.stringify(body),
  });
