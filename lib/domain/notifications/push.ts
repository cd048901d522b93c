/** Push subscriptions, notifications and their progress. */
import * as z from "zod/mini";
import { LABEL_LENGTH, labelError, normalizeLabel } from "../accounts/labels.ts";
import type { Game } from "../game/game.ts";
import type { Cover } from "../players/lifeRecords.ts";
import { type State, stateOf, type WithState } from "../players/player.ts";
import { counterOf } from "../players/states.ts";
import { coverState, hidesOriginalsFrom, type Viewer } from "../players/visibility.ts";
import { optionalInteger, optionalText, optionalTrue, type Prose, text, zeroByDefault } from "../schemas.ts";
import { AUDIENCES, type ShownAudience } from "./audiences.ts";
import type { PushKind } from "./pushKinds.ts";

/** A push subscription of a player's browser: its endpoint and its public keys. */
export const Subscription = z.lazy(() =>
  z.object({
    subscription_id: text,
    player_id: text,
    endpoint: text,
    p256dh: text,
    auth: text,
    created_at: text,
  }),
);
export type Subscription = z.infer<typeof Subscription>;

export const SUBSCRIPTION_PROSE: Prose<Subscription> = {
  subscription_id: "The id of the subscription.",
  endpoint: "The `https` URL at a push service that the browser gave.",
  p256dh: "The public key of the browser: 65 bytes in base64url.",
  auth: "The authentication secret of the browser: 16 bytes in base64url.",
  created_at: "When it was stored.",
};

const LABEL = "label:";
export const AUDIENCE_LENGTH = { min: 3, max: LABEL.length + LABEL_LENGTH.max };

/** The audience of a notification: a group, or `label:` and a label. */
export const Audience = z.lazy(() => z.union([z.enum(AUDIENCES), z.templateLiteral([LABEL, text])]));
export type Audience = z.infer<typeof Audience>;

/** An audience as players see it. */
export const shownAudience = (audience: Audience): ShownAudience => (isLabel(audience) ? "label" : audience);

const isLabel = (audience: Audience): audience is `label:${string}` => audience.startsWith(LABEL);

/** Parses an audience as entered. @returns `null` if it is not valid */
export const parseAudience = (entered: string): Audience | null => {
  const group = AUDIENCES.find((audience) => audience === entered);
  if (group !== undefined || !entered.startsWith(LABEL)) return group ?? null;
  const label = entered.slice(LABEL.length);
  return labelError(label) === null ? `${LABEL}${normalizeLabel(label)}` : null;
};

/** The fields of a player that decide whether a notification is for them. */
type Addressee = WithState<{ state: State; deadline: number | null; epoch: number | null }> & {
  is_moderator?: unknown;
  infection_id: string | null;
  cover: Cover | null;
  labels: readonly string[];
};

const isIn = (
  audience: Audience,
  { is_moderator, labels }: Addressee,
  states: readonly (State | null)[],
): boolean => {
  if (audience === "all") return true;
  if (audience === "moderators") return is_moderator === true;
  return isLabel(audience)
    ? labels.includes(audience.slice(LABEL.length))
    : states.some((state) => state !== null && counterOf(state) === audience);
};

/**
 * Whether a notification is for a player, by the player's current state. Starved zombies are corpses. A hidden original
 * zombie gets the notifications for zombies, and those for the state that others see.
 */
export const isAddressed = (audience: Audience, player: Addressee, game: Game, now: number): boolean =>
  isIn(audience, player, [stateOf(player, game, now), coverState(player, game, now)]);

/** Whether a notification is for a player, as far as those know who take hidden original zombies for what others see. */
export const seemsAddressed = (audience: Audience, player: Addressee, game: Game, now: number): boolean =>
  isIn(audience, player, [coverState(player, game, now) ?? stateOf(player, game, now)]);

/** Whether a player has switched the pushes of a message off: those of missions, and no game master's own. */
export const isMuted = (
  { page: kind }: Pick<Notification, "page">,
  { push_kinds }: { push_kinds: readonly string[] | null },
): boolean => kind !== undefined && push_kinds !== null && !push_kinds.includes(kind satisfies PushKind);

/** A message from a game master to all players, or to some. */
export const Notification = z.lazy(() =>
  z.object({
    notification_id: text,
    player_id: text,
    title: text,
    content: text,
    player_group: z.literal("All"),
    audience: z._default(Audience, "all"),
    /** Only those who have not signed the present waiver. */
    unsigned: optionalTrue,
    /** Only those who attended fewer required missions. */
    missions_below: optionalInteger,
    /** Whether it also goes by mail. */
    also_email: optionalTrue,
    created_at: text,
    send_at: optionalText,
    /** The page that it leads to, if it is not the inbox, and the push kind of the same name. */
    page: z.optional(z.enum(["missions"])),
  }),
);
export type Notification = z.infer<typeof Notification>;

export const NOTIFICATION_PROSE: Prose<Notification> = {
  notification_id: "The id of a notification.",
  player_id: "The sender.",
  title: "The title.",
  content: "The text.",
  player_group: "Always `All`.",
  audience: "For whom it is.",
  unsigned: "`true` if it is only for those who have not signed the present waiver.",
  missions_below: "Only for those who attended fewer required missions.",
  also_email: "`true` if it also goes by mail.",
  created_at: "When it was made.",
  send_at: "When it is to be sent, if not at once.",
  page: "The page of the app that it leads to; absent for the inbox.",
};

/** The delivery progress of a notification: numbers of subscriptions and of pages. */
export const DeliveryProgress = z.lazy(() =>
  z.object({
    /** All subscriptions that get it. */
    subscriptions: zeroByDefault,
    sent: zeroByDefault,
    failed: zeroByDefault,
    /** Removed because the push service reported them as expired. */
    expired: zeroByDefault,
    /** Planned pages of subscriptions, and delivered ones. */
    pages: zeroByDefault,
    pages_done: zeroByDefault,
  }),
);
export type DeliveryProgress = z.infer<typeof DeliveryProgress>;

/** The state of a notification that was scheduled for later. While `starting`, its delivery is being queued. */
export const Scheduling = z.enum(["scheduled", "withdrawn", "starting", "started"]);
export type Scheduling = z.infer<typeof Scheduling>;

/** When a notification is, or was, to be sent; RFC 3339. */
export const sendTime = ({ created_at, send_at }: Notification): string => send_at ?? created_at;

/** A notification and its delivery counts. */
export const SendResult = z.object({
  notification: Notification,
  status: z.optional(z.enum(["scheduled", "withdrawn"])),
  subscriptions: optionalInteger,
  sent: optionalInteger,
  failed: optionalInteger,
  expired: optionalInteger,
  queued: optionalInteger,
  emails: optionalInteger,
  sample: optionalText,
  warning: optionalText,
});
export type SendResult = z.infer<typeof SendResult>;

export const SEND_RESULT_PROSE: Prose<SendResult> = {
  status: "`scheduled` or `withdrawn`; absent from one that was sent.",
  subscriptions:
    "How many there are in the audience. This and the other counts are absent for a game master who plays, of what goes to a side while originals are hidden.",
  sent: "How many a push service has accepted.",
  failed: "How many were given up.",
  expired: "How many subscriptions the push services no longer knew; they are removed.",
  queued: "How many are still to be tried.",
  emails:
    "How many mails were put into the outbox, or with `dry_run` would be; absent from one that does not go by mail. `GET /admin/mail` says what became of each.",
  sample: "The plain text of the mail as it would be sent to the caller; only with `dry_run`.",
  warning:
    "Says that `player_groups` had no effect. Absent with an `audience`, and if `player_groups` is `All`.",
};

const queuedOf = ({ subscriptions, sent, failed, expired }: DeliveryProgress): number =>
  Math.max(0, subscriptions - sent - failed - expired);

/** The counts of a response. `sent`, `failed`, `expired` and `queued` add up to `subscriptions`. */
export const countsOf = (progress: DeliveryProgress) => {
  const { subscriptions, sent, failed, expired } = progress;
  return { subscriptions, sent, failed, expired, queued: queuedOf(progress) };
};

/** Whether all pages have been delivered. */
export const isDelivered = ({ pages, pages_done }: DeliveryProgress): boolean =>
  pages > 0 && pages_done >= pages;

/**
 * Whether a viewer may not know how many get a notification to an audience: those to a side count the hidden original
 * zombies who are on it.
 */
export const hidesDelivery = (audience: Audience, viewer: Viewer, game: Game, now: number): boolean =>
  audience !== "all" &&
  audience !== "moderators" &&
  !isLabel(audience) &&
  hidesOriginalsFrom(viewer, game, now);

/** The delivery of a notification as shown: its counts unless they are hidden, and its status if it has not been sent. */
export const deliveryOf = (progress: DeliveryProgress, isHidden: boolean, scheduling?: Scheduling) => ({
  ...(isHidden ? {} : countsOf(progress)),
  ...(scheduling === "scheduled" || scheduling === "withdrawn" ? { status: scheduling } : {}),
});

/** The maximum number of subscriptions that a player can have. */
export const MAX_SUBSCRIPTIONS = 10;

const creationOrder = ({ created_at, subscription_id }: Subscription): string =>
  `${created_at} ${subscription_id}`;

/** The oldest subscriptions of a player, which must be removed when one more is added. */
export const subscriptionsToReplace = (own: readonly Subscription[]): Subscription[] =>
  own
    .toSorted((one, other) => (creationOrder(one) < creationOrder(other) ? -1 : 1))
    .slice(0, Math.max(0, own.length - MAX_SUBSCRIPTIONS + 1));
