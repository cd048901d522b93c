/** The missions that the player may know, shared by the pages, the navigation and what is next. */
import { effect, signal } from "@preact/signals";
import { paths } from "../paths.ts";
import { api, isUnreachable, type Mission, untilQuiet } from "./api.ts";
import { type LastKnown, readLastKnown, saveLastKnown } from "./lastKnown.ts";
import { publishedOf } from "./missionOrder.ts";
import { isOffline, now, sessionState, snapshot, unread } from "./session.ts";

/** How many of the required missions the player attended, and how many they need. */
interface Attended {
  attended: number;
  needed: number;
}

interface Known extends LastKnown<Mission> {
  /** `null` if none are required, or only what the last visit showed is known. */
  required: Attended | null;
  isLoading: boolean;
  /** Why the missions could not be read; `null` after a success. */
  error: unknown;
}

const NOTHING: Known = { items: [], readAt: 0, isLoading: true, error: null, required: null };

export const missions = signal(NOTHING);

/** As often as the missions are asked for without a reason, in milliseconds. */
const RARELY_MS = 10 * 60_000;
/** More missions than most seasons have. */
const PAGE_SIZE = 100;
/** The number of the latest request. The response to an earlier one may be about another side. */
let latest = 0;

const readAll = async (): Promise<Pick<Known, "items" | "required">> => {
  const first = await api.get("/missions/{url_id}", { query: { limit: PAGE_SIZE }, revalidate: true });
  const all = [...first.missions];
  let cursor = first.next_cursor;
  while (cursor !== null) {
    const page = await api.get("/missions/{url_id}", { query: { limit: PAGE_SIZE, cursor } });
    all.push(...page.missions);
    cursor = page.next_cursor;
  }
  const { missions_attended: attended, missions_needed: needed } = first;
  return {
    items: all,
    required: attended === undefined || needed === undefined ? null : { attended, needed },
  };
};

/** Reads the missions; without a response those that are known stay, with their time. */
export const loadMissions = async (): Promise<void> => {
  latest += 1;
  const turn = latest;
  missions.value = { ...missions.peek(), isLoading: true };
  try {
    const { items, required } = await readAll();
    if (turn !== latest || sessionState.peek() !== "active") return;
    const readAt = now.peek() ?? Date.now();
    missions.value = { items, readAt, isLoading: false, error: null, required };
    void saveLastKnown("missions", { items, readAt });
  } catch (error) {
    if (turn !== latest) return;
    const isKept = isUnreachable(error) && missions.value.readAt > 0;
    missions.value = { ...missions.value, isLoading: false, error: isKept ? null : error };
  }
};

const loadIfOld = (): void => {
  const { readAt } = missions.peek();
  if (document.visibilityState !== "visible" || (now.peek() ?? 0) - readAt < RARELY_MS) return;
  void loadMissions();
};

/** What is known of the missions depends on it. */
const viewerOf = (): string => {
  const player = snapshot.value?.player;
  return `${player?.player_id} ${player?.state} ${player?.role}`;
};

/** For whom the missions were read. */
let viewer = "";

/** Forgets what somebody else, or the player on another side, may know. */
const forget = (): void => {
  missions.value = NOTHING;
  void saveLastKnown<Mission>("missions", { items: [], readAt: 0 });
};

/** Shows the missions of the last visit, and reads them again if that is long ago and the page has been loaded. */
const begin = async (): Promise<void> => {
  const kept = missions.peek().readAt > 0 ? null : await readLastKnown<Mission>("missions");
  if (kept !== null && kept.readAt > 0 && missions.peek().readAt === 0)
    missions.value = { ...NOTHING, ...kept, isLoading: false };
  await untilQuiet();
  loadIfOld();
};

/**
 * Keeps the missions up to date: asked at a push about one, at a new message, when the player becomes something else, and
 * rarely. Returns a function that stops it.
 */
export const followMissions = (): (() => void) => {
  if (viewer !== "" && viewer !== viewerOf()) forget();
  viewer = viewerOf();
  void begin();
  let messages = unread.peek();
  const stopFollowing = effect(() => {
    const [is, count] = [viewerOf(), unread.value];
    const isOther = is !== viewer;
    const isNews = count > messages;
    [viewer, messages] = [is, count];
    if (sessionState.value !== "active" || (!isOther && !isNews)) return;
    if (isOther) forget();
    void loadMissions();
  });
  const loadAfterPush = ({ data }: MessageEvent): void => {
    if (data === paths.missions) void loadMissions();
  };
  const timer = setInterval(loadIfOld, RARELY_MS);
  document.addEventListener("visibilitychange", loadIfOld);
  navigator.serviceWorker?.addEventListener("message", loadAfterPush);
  return () => {
    stopFollowing();
    clearInterval(timer);
    document.removeEventListener("visibilitychange", loadIfOld);
    navigator.serviceWorker?.removeEventListener("message", loadAfterPush);
  };
};

/** The missions, with the briefings that are revealed. */
export const useMissions = (): readonly Mission[] => {
  const { items } = missions.value;
  // The clock is read only if there are missions, so that pages without them are not drawn every second.
  if (items.length === 0) return items;
  const at = now.value ?? Date.now();
  return publishedOf(items, at);
};

/** Whether the missions are those of an earlier visit. */
export const isStale = (): boolean => isOffline.value && missions.value.readAt > 0;
