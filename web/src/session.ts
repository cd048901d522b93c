/** Who is logged in, the game as last seen, and the service's clock. */
import { computed, signal } from "@preact/signals";
import { api, type Game, GameError, isUnreachable, type Live, onSessionEnd, type Player } from "./api.ts";
import { claimPush, recordSuccess, unsubscribeDevice } from "./device.ts";
import { clearLastKnown } from "./lastKnown.ts";
import { type QueuedTag, queuedTags, removeQueuedTag, SYNC, sendQueuedTags } from "./queue.ts";

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

const SYNCED_AT = "seen_at";
const stored = Number(localStorage.getItem(SYNCED_AT) ?? Number.NaN);
/** The service's time when it was last reached, in milliseconds since 1970. */
export const lastSyncedAt = signal(Number.isFinite(stored) ? stored : null);

const SNAPSHOT = "snapshot";
const DEVICE = "device_token";
const LAST_READ = "inbox_after";

/** The last snapshot is kept, with the wall clock's time, so that the app opens without a network. */
const saveSnapshot = (value: Snapshot | null): void => {
  if (value === null) localStorage.removeItem(SNAPSHOT);
  else localStorage.setItem(SNAPSHOT, JSON.stringify({ ...value, savedAt: Date.now() }));
};

const loadSnapshot = (): Snapshot | null => {
  const text = localStorage.getItem(SNAPSHOT);
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

/** The service's time at this instant, as `now`, which may be a second old. */
export const readNow = (): number | null => {
  ticks.value = performance.now();
  return now.peek();
};

/** The id of the last event of the game, so that pages which show events know when to read them again. */
export const lastEvent = signal<string | null>(null);
/** How many messages of game masters the player has not seen. */
export const unread = signal(0);

/** Remembers the newest message that the player has seen. */
export const markRead = (notificationId: string): void => {
  localStorage.setItem(LAST_READ, notificationId);
  unread.value = 0;
};
/** The id of the newest message that the player had seen before. */
export const lastRead = (): string | null => localStorage.getItem(LAST_READ);

/** The last answer: the service says when it is unchanged. */
let lastLive: Live | null = null;

interface RefreshOptions {
  /** Reads the clock of the service again, although nothing may have changed. */
  clock?: boolean;
}

/** Reads the player and the game. Without a network the last known state stays. */
export const refresh = async ({ clock = false }: RefreshOptions = {}): Promise<void> => {
  try {
    const after = lastLive?.next_after ?? undefined;
    const inbox_after = localStorage.getItem(LAST_READ) ?? undefined;
    const query = {
      ...(after === undefined ? {} : { after }),
      ...(inbox_after === undefined ? {} : { inbox_after }),
    };
    const live = await api.get("/live/{url_id}", { query, revalidate: !clock });
    if (live !== lastLive) {
      lastLive = live;
      lastEvent.value = live.next_after;
      unread.value = live.unread;
      const { player, game, seconds_left: secondsLeft } = live;
      snapshot.value = { player, game, secondsLeft, receivedAt: performance.now() };
      saveSnapshot(snapshot.value);
    }
    lastSyncedAt.value = now.peek();
    localStorage.setItem(SYNCED_AT, String(lastSyncedAt.value));
    sessionState.value = "active";
    isOffline.value = false;
    void sendQueuedTags(live.player.player_id)
      .catch(() => {})
      .then(loadTags);
  } catch (error) {
    isOffline.value = isUnreachable(error);
    // What is remembered is not what this version asks with.
    if (error instanceof GameError && error.code === "invalid_request") localStorage.removeItem(LAST_READ);
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

/** Shows the tags that wait, and has the browser send them when there is a network again. */
export const syncWhenOnline = async (): Promise<void> => {
  await loadTags();
  // Where the browser has no background sync, the next refresh of the page sends them.
  const registration: WithSync | undefined = await navigator.serviceWorker?.getRegistration("/app/");
  await registration?.sync?.register(SYNC).catch(() => {});
};

export const dismissTag = async (key: string): Promise<void> => {
  await removeQueuedTag(key);
  await loadTags();
};

/** Deletes the account. @throws GameError `ask_game_master`, `last_administrator` */
export const deleteAccount = async (): Promise<void> => {
  await api.delete("/delete_player/{url_id}");
  clearSession();
};

/** Forgets whose session it was. */
const clearSession = (): void => {
  sessionState.value = "anonymous";
  snapshot.value = null;
  lastLive = null;
  lastEvent.value = null;
  unread.value = 0;
  tags.value = [];
  saveSnapshot(null);
  localStorage.removeItem(LAST_READ);
  void clearLastKnown();
};

onSessionEnd(() => {
  // Requests that were sent together fail together.
  if (sessionState.value === "anonymous") return;
  hasEnded.value = true;
  clearSession();
});

/** Finds out whether there is a session. */
export const restoreSession = async (): Promise<void> => {
  const last = loadSnapshot();
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

const startSession = async (open: () => Promise<{ device_token?: string }>): Promise<void> => {
  const { device_token } = await open();
  if (device_token !== undefined) localStorage.setItem(DEVICE, device_token);
  hasEnded.value = false;
  await refresh();
  void claimPush().catch(() => {});
};

/** @throws GameError `bad_credentials`, `too_many_attempts` */
export const login = (alias: string, password: string): Promise<void> => {
  const device_token = localStorage.getItem(DEVICE);
  const device = device_token === null ? {} : { device_token };
  return startSession(() => api.post("/login", { body: { alias, password, cookie: true, ...device } }));
};

/** Sets a new password with a recovery code or an invitation, and logs in. @throws GameError `bad_credentials` */
export const recover = async (alias: string, code: string, password: string): Promise<void> => {
  const body = { alias, recovery_code: code, new_password: password };
  await api.post("/change_password", { body });
  await login(alias, password);
};

interface Newcomer {
  alias: string;
  password: string;
  joinCode: string;
}

/** Registers a player and logs in. @throws GameError `alias_taken`, `invalid_request` */
export const join = async ({ alias, password, joinCode }: Newcomer, key: string): Promise<void> => {
  const code = joinCode === "" ? {} : { join_code: joinCode };
  const body = { alias, password, login: true, cookie: true, ...code };
  await startSession(() => api.post("/new", { body, key }));
  recordSuccess();
};

export const logout = async (everywhere = false): Promise<void> => {
  await unsubscribeDevice();
  await api.post("/logout", { body: { everywhere } });
  clearSession();
};

const POLL_MS = 15_000;

/** Keeps the state fresh while the page is visible. @returns a function that stops it */
export const startPolling = (): (() => void) => {
  const isVisible = (): boolean => document.visibilityState === "visible" && sessionState.value === "active";
  const refreshIfVisible = (): void => {
    if (isVisible()) void refresh().catch(() => {});
  };
  // The page's clock may have stood still while the phone slept.
  const resync = (): void => {
    ticks.value = performance.now();
    if (isVisible()) void refresh({ clock: true }).catch(() => {});
  };
  const timer = setInterval(refreshIfVisible, POLL_MS);
  document.addEventListener("visibilitychange", resync);
  addEventListener("online", refreshIfVisible);
  // The service worker has received a push.
  navigator.serviceWorker?.addEventListener("message", refreshIfVisible);
  return () => {
    clearInterval(timer);
    navigator.serviceWorker?.removeEventListener("message", refreshIfVisible);
    document.removeEventListener("visibilitychange", resync);
    removeEventListener("online", refreshIfVisible);
  };
};
