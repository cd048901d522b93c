/** Who is logged in, the game as last seen, and the service's clock. */
import { computed, signal } from "@preact/signals";
import { api, type Game, isUnreachable, type Live, onSessionEnd, type Player } from "./api.ts";
import { enqueueTag, forgetTag, type QueuedTag, queuedTags, SYNC, sendQueuedTags } from "./queue.ts";

/** What the service last said, and when that was by the page's monotonic clock. */
export interface Snapshot {
  player: Player;
  game: Game;
  /** The play time until the zombie starves, in seconds; `null` for others. */
  secondsLeft: number | null;
  receivedAt: number;
}

export type SessionState = "unknown" | "anonymous" | "active";

export const sessionState = signal<SessionState>("unknown");
export const snapshot = signal<Snapshot | null>(null);
export const isOffline = signal(false);
/** Whether the session ended by itself, which the login page explains. */
export const hasEnded = signal(false);

const REMEMBERED = "snapshot";
const DEVICE = "device_token";

/** The last snapshot is kept, with the wall clock's time, so that the app opens without a network. */
const remember = (value: Snapshot | null): void => {
  if (value === null) localStorage.removeItem(REMEMBERED);
  else localStorage.setItem(REMEMBERED, JSON.stringify({ ...value, savedAt: Date.now() }));
};

const recall = (): Snapshot | null => {
  const text = localStorage.getItem(REMEMBERED);
  if (text === null) return null;
  const { savedAt, ...value }: Snapshot & { savedAt: number } = JSON.parse(text);
  return { ...value, receivedAt: performance.now() - (Date.now() - savedAt) };
};

/** The page's monotonic clock, in milliseconds; a phone's wall clock may be wrong or jump. */
const ticks = signal(performance.now());
setInterval(() => {
  if (document.visibilityState === "visible") ticks.value = performance.now();
}, 1_000);

/** The service's time now, in milliseconds since 1970; `null` before the first answer. */
export const now = computed((): number | null => {
  const last = snapshot.value;
  return last === null ? null : Date.parse(last.game.now) + ticks.value - last.receivedAt;
});

/** The last answer: the service says when it is unchanged. */
let lastLive: Live | null = null;

interface RefreshOptions {
  /** Reads the clock of the service again, although nothing may have changed. */
  clock?: boolean;
}

/** Reads the player and the game. Without a network the last known state stays. */
export const refresh = async ({ clock = false }: RefreshOptions = {}): Promise<void> => {
  try {
    const after = lastLive?.next_after;
    const live = await api.get("/live/{url_id}", {
      ...(after == null ? {} : { query: { after } }),
      revalidate: !clock,
    });
    if (live !== lastLive) {
      lastLive = live;
      const { player, game, seconds_left: secondsLeft } = live;
      snapshot.value = { player, game, secondsLeft, receivedAt: performance.now() };
      remember(snapshot.value);
    }
    sessionState.value = "active";
    isOffline.value = false;
    void sendQueuedTags(live.player.player_id)
      .catch(() => {})
      .then(loadTags);
  } catch (error) {
    isOffline.value = isUnreachable(error);
    throw error;
  }
};

/** The tags that wait to be sent, and those that were refused. */
export const tags = signal<readonly QueuedTag[]>([]);

const loadTags = async (): Promise<void> => {
  const { player } = snapshot.value ?? {};
  tags.value = player === undefined ? [] : await queuedTags(player.player_id);
};

interface WithSync extends ServiceWorkerRegistration {
  sync?: { register: (tag: string) => Promise<void> };
}

/** Keeps a tag until there is a network again. */
export const queueTag = async (tag: QueuedTag): Promise<void> => {
  await enqueueTag(tag);
  await loadTags();
  // Where the browser has no background sync, the next refresh of the page sends it.
  const registration: WithSync | undefined = await navigator.serviceWorker?.getRegistration("/app/");
  await registration?.sync?.register(SYNC).catch(() => {});
};

export const dismissTag = async (key: string): Promise<void> => {
  await forgetTag(key);
  await loadTags();
};

/** Forgets whose session it was. */
const forget = (): void => {
  sessionState.value = "anonymous";
  snapshot.value = null;
  lastLive = null;
  tags.value = [];
  remember(null);
};

onSessionEnd(() => {
  // Requests that were sent together fail together.
  if (sessionState.value === "anonymous") return;
  hasEnded.value = true;
  forget();
});

/** Finds out whether there is a session. */
export const restore = async (): Promise<void> => {
  const last = recall();
  if (last === null) {
    sessionState.value = "anonymous";
    return;
  }
  // The last known state is shown at once; the answer replaces it.
  snapshot.value = last;
  sessionState.value = "active";
  await loadTags();
  await refresh().catch(() => {});
};

const begin = async (open: () => Promise<{ device_token?: string }>): Promise<void> => {
  const { device_token } = await open();
  if (device_token !== undefined) localStorage.setItem(DEVICE, device_token);
  hasEnded.value = false;
  await refresh();
};

/** @throws GameError `bad_credentials`, `too_many_attempts` */
export const login = (alias: string, password: string): Promise<void> => {
  const device_token = localStorage.getItem(DEVICE);
  const device = device_token === null ? {} : { device_token };
  return begin(() => api.post("/login", { body: { alias, password, cookie: true, ...device } }));
};

interface Newcomer {
  alias: string;
  password: string;
  joinCode: string;
}

/** Registers a player and logs in. @throws GameError `alias_taken`, `invalid_request` */
export const join = ({ alias, password, joinCode }: Newcomer, key: string): Promise<void> => {
  const code = joinCode === "" ? {} : { join_code: joinCode };
  const body = { alias, password, login: true, cookie: true, ...code };
  return begin(() => api.post("/new", { body, key }));
};

export const logout = async (everywhere = false): Promise<void> => {
  await api.post("/logout", { body: { everywhere } });
  forget();
};

const POLL_MS = 15_000;

/** Keeps the state fresh while the page is visible. @returns a function that stops it */
export const poll = (): (() => void) => {
  const again = (): void => {
    if (document.visibilityState === "visible" && sessionState.value === "active")
      void refresh().catch(() => {});
  };
  const timer = setInterval(again, POLL_MS);
  document.addEventListener("visibilitychange", again);
  addEventListener("online", again);
  // The service worker has received a push.
  navigator.serviceWorker?.addEventListener("message", again);
  return () => {
    clearInterval(timer);
    navigator.serviceWorker?.removeEventListener("message", again);
    document.removeEventListener("visibilitychange", again);
    removeEventListener("online", again);
  };
};
