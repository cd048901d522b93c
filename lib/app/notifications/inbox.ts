/**
 * The inbox: game masters' messages to a player, and the game events that concern the player. It does not require push.
 */
import {
  checkpointEvents,
  type Recipient,
  recipientsOf,
  roleEvents,
} from "../../domain/events/eventRecipients.ts";
import { type GameEvent, pageOf, pushKindOf } from "../../domain/events/gameEvents.ts";
import type { ShownAudience } from "../../domain/notifications/audiences.ts";
import { PAGES } from "../../domain/notifications/pages.ts";
import { pastTextFor } from "../../domain/notifications/pastTexts.ts";
import { isAddressed, sendTime, shownAudience } from "../../domain/notifications/push.ts";
import type { PushKind } from "../../domain/notifications/pushKinds.ts";
import { isActorHidden } from "../../domain/players/visibility.ts";
import { instantOf } from "../../domain/time.ts";
import type { StoredItem } from "../../dynamodb/database.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { visibleEntries } from "../../store/hunts/hiddenOriginals.ts";
import { parseInteraction } from "../../store/items.ts";
import { firstIdAt, notificationsList } from "../../store/keys.ts";
import { type Entry, type ListPage, mergeDescending, readPage } from "../../store/lists.ts";
import { notificationEntries, parseRecord } from "../../store/notifications/notifications.ts";
import { pictureOf } from "../lookups.ts";
import { readRecipients } from "./audience.ts";

/** An entry of the inbox: a game master's message to an audience, or a game event of a kind. */
export interface InboxMessage {
  notification_id: string;
  title: string;
  content: string;
  audience?: ShownAudience;
  kind?: PushKind;
  /** The path of the page that the push of an event, or of a mission, leads to. */
  navigate?: string;
  /** The picture of the player who caused the event, if there is one. */
  actor_picture_url?: string | undefined;
  sent_at: string;
}

const MAX_UNREAD = 100;
/** The maximum number of messages and interactions that a page reads, for about 15 read units. */
const MAX_LOOKED_THROUGH = 300;

/** A message, or a game event that is not rendered yet. */
type InboxEntry = InboxMessage | { id: string; event: GameEvent; sent_at: string };

type Reader = Pick<ReadCall, "player" | "game" | "now" | "services">;

/** A stored notification as its reader sees it; `null` if it is for others, withdrawn, or scheduled for later. */
const messageFor = ({ player, game, now }: Reader, item: StoredItem): InboxMessage | null => {
  const { notification, scheduling } = parseRecord(item);
  const { notification_id, title, content, audience, page } = notification;
  const sent_at = sendTime(notification);
  if (scheduling === "withdrawn" || instantOf(sent_at) > now) return null;
  if (!isAddressed(audience, player, game, now)) return null;
  const navigate = page === undefined ? {} : { navigate: PAGES[page] };
  return { notification_id, title, content, audience: shownAudience(audience), ...navigate, sent_at };
};

const textOf = ({ player, game, now }: ReadCall, event: GameEvent, actor: string | null) =>
  pastTextFor(event, player, { actor, game, now });

/** The event that concerns the reader; `null` if there is none, or it happened before they joined. */
const eventFor = (
  call: ReadCall,
  id: string,
  recipients: readonly Recipient[],
  sent_at: string,
): InboxEntry | null => {
  const { player_id, created_at, infected_at } = call.player;
  const own = recipients.find(({ to }) => to === null || to === player_id);
  if (own === undefined || sent_at < created_at) return null;
  const { event } = own;
  // An added day concerns only players who were zombies then.
  if (event.what === "day_added" && (infected_at ?? sent_at) >= sent_at) return null;
  return textOf(call, event, null) === null ? null : { id, event, sent_at };
};

/** The announcement of the current checkpoint, which is no interaction. */
const checkpointIn = (call: ReadCall, { before, after }: Bounds): Entry[] => {
  const { checkpoint } = call.game;
  if (checkpoint === null) return [];
  const position = firstIdAt(instantOf(checkpoint.set_at));
  if ((before !== undefined && position >= before) || (after !== undefined && position <= after)) return [];
  return [{ position, item: { pk: CHECKPOINT, sk: position } }];
};
const CHECKPOINT = "CHECKPOINT";

/** The announcement of the reader's own role, which is no interaction. */
const appointmentIn = ({ player: { appointed_at } }: ReadCall, { before, after }: Bounds): Entry[] => {
  if (appointed_at === undefined) return [];
  const position = firstIdAt(instantOf(appointed_at));
  if ((before !== undefined && position >= before) || (after !== undefined && position <= after)) return [];
  return [{ position, item: { pk: APPOINTMENT, sk: position } }];
};
const APPOINTMENT = "APPOINTMENT";

interface Bounds {
  before?: string | undefined;
  after?: string | undefined;
}

const readEntry = (call: ReadCall, item: StoredItem): InboxEntry | null => {
  if (item.pk.startsWith(notificationsList(""))) return messageFor(call, item);
  if (item.pk === NOT_LACKING) return null;
  const { checkpoint } = call.game;
  if (item.pk === CHECKPOINT && checkpoint !== null) {
    const { checkpoint_id, set_at } = checkpoint;
    return eventFor(call, item.sk, checkpointEvents(checkpoint_id, null, set_at), set_at);
  }
  const { player } = call;
  if (item.pk === APPOINTMENT) {
    const { player_id, appointed_at = "" } = player;
    return eventFor(call, item.sk, roleEvents(item.sk, player_id, appointed_at), appointed_at);
  }
  const interaction = parseInteraction(item);
  const { interaction_id, recorded_at, completed_at = recorded_at } = interaction;
  return eventFor(call, interaction_id, recipientsOf(interaction), completed_at);
};

/** The newest entries between two ids. */
const newest = (call: ReadCall, bounds: Bounds, limit: number): Promise<ListPage<InboxEntry>> => {
  const { store } = call.services;
  const all = mergeDescending([
    notificationsFor(call, limit + 1, bounds),
    visibleEntries(store.interactionEntries(call.game, MAX_UNREAD, bounds), call.player, call.game, call.now),
    checkpointIn(call, bounds),
    appointmentIn(call, bounds),
  ]);
  return readPage(all, limit, (item) => readEntry(call, item), MAX_LOOKED_THROUGH);
};

const withTexts = async (call: ReadCall, entries: readonly InboxEntry[]): Promise<InboxMessage[]> => {
  const actors = entries.flatMap((one) =>
    "event" in one && one.event.actor !== null ? [one.event.actor] : [],
  );
  const players = await call.services.store.named(actors);
  return entries.flatMap((one) => {
    if (!("event" in one)) return [one];
    const { id: notification_id, event, sent_at } = one;
    const isHidden = isActorHidden(event, call.player.player_id, call.game, call.now);
    const actor = isHidden ? null : event.actor;
    const text = textOf(call, event, players.get(actor ?? "")?.alias ?? null);
    if (text === null) return [];
    const { title, body: content } = text;
    const actor_picture_url = pictureOf(players, actor);
    const [kind, navigate] = [pushKindOf(event), pageOf(event)];
    return [{ notification_id, title, content, kind, navigate, actor_picture_url, sent_at }];
  });
};

/** Stands for a message that is for those who lack something, which the reader does not. */
const NOT_LACKING = "NOT_LACKING";

/** The stored notifications, of which those that the reader lacks nothing for are replaced. */
async function* notificationsFor(call: Reader, expected: number, bounds: Bounds): AsyncGenerator<Entry> {
  const { game, player, services } = call;
  for await (const entry of notificationEntries(services.store, game, expected, bounds)) {
    const { unsigned, missions_below } = entry.item;
    if (unsigned === undefined && missions_below === undefined) yield entry;
    else {
      const { notification } = parseRecord(entry.item);
      const isMeant = await readRecipients(services, game, notification, { of: player.player_id });
      yield isMeant(player) ? entry : { ...entry, item: { pk: NOT_LACKING, sk: entry.position } };
    }
  }
}

/** The notifications for a player that are newer than `after`, newest first, at most {@link MAX_UNREAD}. */
export const unreadMessages = async (call: Reader, after: string | undefined): Promise<InboxMessage[]> => {
  const newest = notificationsFor(call, MAX_UNREAD, { after });
  return (
    await readPage(newest, MAX_UNREAD, (item) => (item.pk === NOT_LACKING ? null : messageFor(call, item)))
  ).items;
};

/**
 * A page of the inbox before a position, newest first, for the player's current state, and how many entries are newer than
 * `after`.
 */
export const readInbox = async (
  call: ReadCall,
  { limit, after }: { limit: number; after?: string | undefined },
  before: string | undefined,
) => {
  const page = await newest(call, { before }, limit);
  const idOf = (one: InboxEntry): string => ("event" in one ? one.id : one.notification_id);
  const hasAllUnread =
    before === undefined && (page.next === null || (after !== undefined && page.next <= after));
  const unread = hasAllUnread
    ? page.items.filter((one) => after === undefined || idOf(one) > after)
    : (await newest(call, { after }, MAX_UNREAD)).items;
  return {
    notifications: await withTexts(call, page.items),
    unread: Math.min(unread.length, MAX_UNREAD),
    next: page.next,
  };
};
