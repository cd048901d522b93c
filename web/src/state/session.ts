/** The session, the last snapshot of the game, and the service's clock. */
import { computed, signal } from "@preact/signals";
import { APP, paths } from "../paths.ts";
import { en } from "../text/en.ts";
import {
  api,
  type Game,
  GameError,
  isUnreachable,
  type Live,
  onSessionEnd,
  onWaiting,
  type Player,
  type SignatureBody,
  untilQuiet,
} from "./api.ts";
import { keepPush, recordSuccess, unsubscribeDevice } from "./device.ts";
import { clearLastKnown } from "./lastKnown.ts";
import { type QueuedCode, queuedCodes, removeQueuedCode, SYNC, sendQueuedCodes } from "./queue.ts";
import { instant, isPlayerInGame, number, optional, shape } from "./shapes.ts";
import { readStored, readText, removeAllStored, removeStored, writeStored, writeText } from "./stored.ts";

/** The last response of the service. */
export interface Snapshot {
  player: Player;
  game: Game;
  /** The play time until the zombie starves, in seconds; `null` for others. */
  secondsLeft: number | null;
  /** By the page's monotonic clock, in milliseconds. */
  receivedAt: number;
}

export type SessionState = "unknown" | "anonymous" | "active";

export const sessionState = signal<SessionState>("unknown");
export const snapshot = signal<Snapshot | null>(null);
export const isOffline = signal(false);
/** Whether the service has answered since this page was opened. What is shown before then is from an earlier visit. */
export const isFresh = signal(false);
/** Whether a request waits because the service is busy. */
export const isBusy = signal(false);
/** An attempt may take this long, in milliseconds. The notice stays meanwhile. */
const ATTEMPT_MS = 1_200;
let calmTimer: ReturnType<typeof setTimeout> | undefined;
onWaiting((count) => {
  clearTimeout(calmTimer);
  if (count > 0) isBusy.value = true;
  else
    calmTimer = setTimeout(() => {
      isBusy.value = false;
    }, ATTEMPT_MS);
});
/** Whether the session ended without a logout. The login page then shows a notice. */
export const hasEnded = signal(false);

const SYNCED_AT = "seen_at";
const stored = Number(readText(SYNCED_AT) ?? Number.NaN);
/** When the service was last reached, in milliseconds since 1970 by its clock. */
export const lastSyncedAt = signal(instant(stored) ? stored : null);

const SNAPSHOT = "snapshot";
const DEVICE = "device_token";
/** Whether push has been compared with the service in this session. */
let isPushKept = false;
const LAST_READ = "inbox_after";
/** Under names that begin with this, earlier versions of /docs stored the tokens that were typed there. */
const DOCS_TOKENS = "scalar-reference-auth";

interface StoredSnapshot extends Snapshot {
  /** By the device's clock, in milliseconds since 1970. */
  savedAt: number;
}

/** Stores the snapshot with the wall-clock time, so that the app opens offline. */
const saveSnapshot = (value: Snapshot): void => {
  writeStored(SNAPSHOT, { ...value, savedAt: Date.now() });
};

const isStoredSnapshot = (value: unknown): boolean =>
  isPlayerInGame(value) && shape<StoredSnapshot>({ savedAt: instant, secondsLeft: optional(number) })(value);

const loadSnapshot = (): Snapshot | null => {
  const found = readStored<StoredSnapshot>(SNAPSHOT, isStoredSnapshot);
  if (found === null) return null;
  const { player, game, secondsLeft, savedAt } = found;
  return { player, game, secondsLeft, receivedAt: performance.now() - (Date.now() - savedAt) };
};

/** The page's monotonic clock, in milliseconds. A phone's wall clock may be wrong or jump. */
const ticks = signal(performance.now());
setInterval(() => {
  if (document.visibilityState === "visible") ticks.value = performance.now();
}, 1_000);

/** The service's current time, in milliseconds since 1970, updated every second; `null` before the first snapshot. */
export const now = computed((): number | null => {
  const last = snapshot.value;
  return last === null ? null : Date.parse(last.game.now) + ticks.value - last.receivedAt;
});

/** Returns the service's exact time, in milliseconds since 1970; `now` may be a second old. */
export const readNow = (): number | null => {
  ticks.value = performance.now();
  return now.peek();
};

/** The id of the latest game event. Pages that show events reload when it changes. */
export const lastEvent = signal<string | null>(null);
/** The number of unread inbox messages. */
export const unread = signal(0);

/** Marks a message and all older ones as read. */
export const markRead = (notificationId: string): void => {
  writeText(LAST_READ, notificationId);
  unread.value = 0;
};
/** Returns the id of the newest message that was marked as read. */
export const lastRead = (): string | null => {
  const id = readText(LAST_READ);
  return id !== null && /^[\da-f-]{36}$/.test(id) ? id : null;
};

/** The last response. The client returns the same object when the service answers that nothing has changed. */
let lastLive: Live | null = null;

interface RefreshOptions {
  /** Skips the cache, so that the service's clock is read even if nothing has changed. */
  clock?: boolean;
}

/** The number of refreshes that are running, and of those that have begun. */
let refreshes = 0;
let begun = 0;
/** The latest refresh with a response. One that began before it brings an older state. */
let latest = 0;

/** Reads the player and the game, and sends queued codes. Offline, the last snapshot stays. @throws GameError */
export const refresh = async ({ clock = false }: RefreshOptions = {}): Promise<void> => {
  refreshes += 1;
  begun += 1;
  const turn = begun;
  try {
    const after = lastLive?.next_after ?? undefined;
    const inbox_after = lastRead() ?? undefined;
    const query = {
      ...(after === undefined ? {} : { after }),
      ...(inbox_after === undefined ? {} : { inbox_after }),
    };
    const live = await api.get("/live/{url_id}", { query, revalidate: !clock });
    if (turn < latest) return;
    latest = turn;
    const before = snapshot.value?.player.player_id ?? live.player.player_id;
    if (live !== lastLive) {
      lastLive = live;
      lastEvent.value = live.next_after;
      unread.value = live.unread;
      const { player, game, seconds_left: secondsLeft } = live;
      snapshot.value = { player, game, secondsLeft, receivedAt: performance.now() };
      saveSnapshot(snapshot.value);
    }
    if (before !== live.player.player_id) {
      // Another player has logged in in another tab. What this page shows and keeps is not theirs.
      removeStored(LAST_READ);
      await clearLastKnown();
      location.reload();
      return;
    }
    lastSyncedAt.value = now.peek();
    writeText(SYNCED_AT, String(lastSyncedAt.value));
    sessionState.value = "active";
    isOffline.value = false;
    isFresh.value = true;
    if (!isPushKept) {
      isPushKept = true;
      void untilQuiet()
        .then(() => keepPush(readNow() ?? Date.now(), live.push_off_at))
        // The next start compares again.
        .catch(() => {});
    }
    void sendQueuedCodes(live.player.player_id)
      .catch(() => {})
      .then(loadQueue);
  } catch (error) {
    isOffline.value = isUnreachable(error);
    // The stored id may come from another version of the app, so drop it.
    if (error instanceof GameError && error.code === "invalid_request") removeStored(LAST_READ);
    throw error;
  } finally {
    refreshes -= 1;
  }
};

/** The queued and refused codes of the player. */
export const queue = signal<readonly QueuedCode[]>([]);

const loadQueue = async (): Promise<void> => {
  const { player } = snapshot.value ?? {};
  queue.value = player === undefined ? [] : await queuedCodes(player.player_id).catch(() => []);
};

interface WithSync extends ServiceWorkerRegistration {
  sync?: { register: (tag: string) => Promise<void> };
}

/** Shows the queued codes, and registers a background sync that sends them once the device is online. */
export const syncWhenOnline = async (): Promise<void> => {
  await loadQueue();
  // Without background sync, the next refresh sends them.
  const registration: WithSync | undefined = await navigator.serviceWorker?.getRegistration(APP);
  await registration?.sync?.register(SYNC).catch(() => {});
};

export const dismissCode = async (key: string): Promise<void> => {
  await removeQueuedCode(key);
  await loadQueue();
};

/** Called before a session is left on purpose, and not when it expires. */
let leaving = (): void => {};
export const onLogout = (listener: () => void): void => {
  leaving = listener;
};

const endByChoice = (): void => {
  leaving();
  clearSession();
};

/** Deletes the account. @throws GameError `ask_game_master`, `last_administrator` */
export const deleteAccount = async (): Promise<void> => {
  await api.delete("/delete_player/{url_id}");
  endByChoice();
};

/** Removes everything that belongs to the session. */
const clearSession = (): void => {
  sessionState.value = "anonymous";
  snapshot.value = null;
  lastLive = null;
  lastEvent.value = null;
  unread.value = 0;
  queue.value = [];
  isPushKept = false;
  removeStored(SNAPSHOT);
  removeStored(LAST_READ);
  removeAllStored(DOCS_TOKENS);
  void clearLastKnown();
};

onSessionEnd(() => {
  // Concurrent requests fail together.
  if (sessionState.value === "anonymous") return;
  hasEnded.value = true;
  clearSession();
});

/**
 * Restores the session of the last visit, if there was one. If what is stored of it cannot be used, the state stays unknown
 * until the service has been reached.
 */
export const restoreSession = async (): Promise<void> => {
  if (readText(SNAPSHOT) === null) {
    sessionState.value = "anonymous";
    return;
  }
  // Show the last snapshot until the response arrives.
  snapshot.value = loadSnapshot();
  if (snapshot.value !== null) sessionState.value = "active";
  await loadQueue();
  await refresh().catch(() => {});
};

/**
 * @param done what has succeeded if only the session is missing
 * @throws GameError `not_kept` if the browser has not stored the cookie of the session
 */
const startSession = async (
  done: string,
  open: () => Promise<{ player_id: string; device_token?: string }>,
): Promise<void> => {
  const { device_token, player_id } = await open();
  // Somebody else was logged in here, such as a game master who has opened a player's invitation.
  if (snapshot.value !== null && snapshot.value.player.player_id !== player_id) endByChoice();
  if (device_token !== undefined) writeText(DEVICE, device_token);
  hasEnded.value = false;
  try {
    await refresh();
  } catch (error) {
    if (!(error instanceof GameError) || error.code !== "token_rejected") throw error;
    throw new GameError(en.login.notKept(done), { status: error.status, code: "not_kept" });
  }
};

/** @throws GameError `bad_credentials`, `banned`, `too_many_attempts` */
export const login = (alias: string, password: string): Promise<void> => {
  const device_token = readText(DEVICE);
  const device = device_token === null ? {} : { device_token };
  return startSession(en.login.right, () =>
    api.post("/login", { body: { alias, password, cookie: true, ...device } }),
  );
};

/** Sets a password with a recovery code or an invitation code, and logs in. @throws GameError as `login` */
export const recover = async (alias: string, code: string, password: string): Promise<void> => {
  const body = { alias, recovery_code: code, new_password: password };
  const changed = await api.post("/change_password", { body });
  // The alias of a link may have been given up since.
  await login(changed?.alias ?? alias, password);
};

interface Newcomer {
  alias: string;
  password: string;
  joinCode?: string;
  /** The set-up secret, for the first game master. */
  setup?: string;
  signature?: SignatureBody;
}

/**
 * Registers a player and logs in.
 * @throws GameError `alias_taken`, `invalid_request`; with a set-up secret also `already_set_up`, `bad_credentials`
 */
export const join = async (
  { alias, password, joinCode = "", setup, signature }: Newcomer,
  key: string,
): Promise<void> => {
  const code = joinCode === "" ? {} : { join_code: joinCode };
  const body = {
    alias,
    password,
    login: true,
    cookie: true,
    ...code,
    ...(setup === undefined ? {} : { setup }),
    ...(signature === undefined ? {} : { signature }),
  };
  const done = setup === undefined ? en.login.joined : en.setUp.done;
  await startSession(done, () => api.post("/new", { body, key }));
  if (setup === undefined) recordSuccess();
};

export const logout = async (everywhere = false): Promise<void> => {
  await unsubscribeDevice();
  await api.post("/logout", { body: { everywhere } });
  endByChoice();
};

const POLL_MS = 15_000;
/** For how long after a change of the game a response may still show the game before it (docs/api.md, "Age"). */
const OUTDATED_MS = 1_000;

/** Refreshes the state every 15 seconds while the page is visible. Returns a function that stops it. */
export const startPolling = (): (() => void) => {
  const isVisible = (): boolean =>
    document.visibilityState === "visible" && sessionState.value !== "anonymous";
  const refreshIfVisible = (): void => {
    // A busy service may take longer than the interval.
    if (isVisible() && refreshes === 0) void refresh().catch(() => {});
  };
  // The monotonic clock may have stopped while the phone slept.
  const resync = (): void => {
    ticks.value = performance.now();
    if (isVisible()) void refresh({ clock: true }).catch(() => {});
  };
  const timer = setInterval(refreshIfVisible, POLL_MS);
  document.addEventListener("visibilitychange", resync);
  addEventListener("online", refreshIfVisible);
  // The service worker posts the page to which a push leads. What is about this player shows at once; a change of the game
  // may not be in the first response.
  const refreshAfterPush = ({ data }: MessageEvent): void => {
    if (data === paths.me) refreshIfVisible();
    setTimeout(refreshIfVisible, OUTDATED_MS);
  };
  navigator.serviceWorker?.addEventListener("message", refreshAfterPush);
  return () => {
    clearInterval(timer);
    navigator.serviceWorker?.removeEventListener("message", refreshAfterPush);
    document.removeEventListener("visibilitychange", resync);
    removeEventListener("online", refreshIfVisible);
  };
};
