/** Views: the fields that players and administrators see. Only fields declared here are sent. */
import * as z from "zod/mini";
import { DisputeStatus } from "../domain/disputes/dispute.ts";
import { CheckpointGroup, type Game } from "../domain/game/game.ts";
import { EFFECTS } from "../domain/hunts/effects.ts";
import { Kind } from "../domain/hunts/interaction.ts";
import { ShownAudience } from "../domain/notifications/audiences.ts";
import { PushKind } from "../domain/notifications/pushKinds.ts";
import { Role, State } from "../domain/players/player.ts";
import {
  boolean,
  integer,
  nullableNumber,
  nullableText,
  optionalNumber,
  optionalText,
  text,
  textList,
} from "../domain/schemas.ts";
import { nullableRfc3339 } from "../domain/time.ts";
import type { Ban } from "../store/accounts/bans.ts";

export const Timestamp = z.iso.datetime();
const OptionalTime = z.nullable(Timestamp);

/** The fields that identify a player in every view. */
export const IDENTITY_FIELDS = { player_ref: text, picture_url: nullableText };

/** Makes the fields of {@link PlayerReturnInfo}. */
export const playerFields = () => ({
  player_id: text,
  ...IDENTITY_FIELDS,
  alias: text,
  first_name: nullableText,
  last_name: nullableText,
  email: nullableText,
  is_admin: boolean,
  role: Role,
  state: State,
  /** Whether the player waits for admission by a game master; `null` for moderators. */
  pending: z.nullable(boolean),
  /** Only for humans. */
  tag_code: nullableText,
  kills: integer,
  infected_at: OptionalTime,
  infected_by: nullableText,
  /** Whether `infected_by` is `null` because the original zombie is hidden. */
  infected_by_hidden: z.optional(z.literal(true)),
  /** Only for a hidden original zombie: the state that others see. */
  shown_as: z.optional(State),
  /** Whether the player wants to be an original zombie; not for moderators. */
  wants_original: z.optional(boolean),
  last_fed_at: OptionalTime,
  starves_at: OptionalTime,
  /** When the player passed the current checkpoint. */
  passed_at: OptionalTime,
  has_pfp: boolean,
  /** The kinds of game events for which the player gets a push. */
  push_kinds: z.array(PushKind),
  created_at: Timestamp,
});

/** A player as shown to that player and to administrators. */
export const PlayerReturnInfo = z.lazy(() => z.object(playerFields()));
export type PlayerReturnInfo = z.infer<typeof PlayerReturnInfo>;

/** A player as moderators and administrators see them. */
export const StaffPlayer = z.lazy(() =>
  z.object({ ...playerFields(), labels: textList, note: nullableText }),
);
export type StaffPlayer = z.infer<typeof StaffPlayer>;

/** A player as shown to other players: without player id, name, e-mail address and tag code. */
export const PublicPlayer = z.lazy(() =>
  z.object({
    ...IDENTITY_FIELDS,
    alias: text,
    state: State,
    kills: integer,
    has_pfp: boolean,
    role: Role,
    created_at: Timestamp,
  }),
);
export type PublicPlayer = z.infer<typeof PublicPlayer>;

const InteractionDetails = z.object({
  infection_id: optionalText,
  parent_infection_id: z.optional(nullableText),
  shared_with: z.optional(z.array(nullableText)),
  note: optionalText,
  latitude: optionalNumber,
  longitude: optionalNumber,
  /** Only for a voided hunt, and for a death that was undone. */
  voided: z.optional(z.literal(true)),
  /** The interaction that voided it. */
  voided_interaction_id: optionalText,
  /** Only for a revival by a late tag: the hunt. */
  late_tag_id: optionalText,
  reason: optionalText,
  /** Only for a tag that its prey reported, until the hunter is known. */
  waiting: z.optional(z.literal(true)),
  /** Only for such a tag, if its hunter has reported another time than `at`: that time. Shown like `dispute`. */
  hunted_at: z.optional(Timestamp),
  /** Only for such a tag, and only for administrators: the hunter that the prey has named. */
  by_alias: z.optional(nullableText),
  entered_by_game_master: z.optional(z.literal(true)),
  /** Only for a disputed hunt: for its hunter, its prey, moderators and administrators. */
  dispute: z.optional(DisputeStatus),
  dispute_note: optionalText,
  /** Only for a human whom a missed checkpoint made a zombie, and for a void that undoes this. */
  checkpoint_id: optionalText,
  /** Only for a human who was drawn as an original zombie. */
  drawn: z.optional(z.literal(true)),
  /** Only for a revival that admitted a newcomer. */
  admitted: z.optional(z.literal(true)),
  /** Only for a death that took a player out of play, as a spectator. */
  withdrawn: z.optional(z.literal(true)),
  /** Only for what happened to a player who had deleted their account, recorded when they came back. */
  returned: z.optional(z.literal(true)),
});

export const InteractionReturnType = z.object({
  interaction_id: text,
  kind: Kind,
  at: Timestamp,
  recorded_at: Timestamp,
  actor: nullableText,
  /** Whether `actor` is `null` because the original zombie is hidden. */
  hidden: z.optional(z.literal(true)),
  actor_ref: nullableText,
  /** Only in lists, and only for players with a picture. */
  actor_picture_url: optionalText,
  target: nullableText,
  target_ref: nullableText,
  target_picture_url: optionalText,
  details: InteractionDetails,
});
export type InteractionReturnType = z.infer<typeof InteractionReturnType>;

export const LogEntryView = z.lazy(() =>
  z.object({
    log_id: text,
    at: Timestamp,
    action: text,
    actor: nullableText,
    target: nullableText,
    request_id: text,
    outcome: text,
    details: z.record(text, z.unknown()),
  }),
);

export const CheckpointView = z.lazy(() =>
  z.object({
    checkpoint_id: text,
    name: text,
    description: nullableText,
    latitude: nullableNumber,
    longitude: nullableNumber,
    closes_at: OptionalTime,
    applies_to: CheckpointGroup,
    set_at: Timestamp,
    enforced_at: OptionalTime,
    undone_at: OptionalTime,
  }),
);

/** A ban of an alias with its account, if there is one, or of an e-mail address, of which only a hash is stored. */
export const BanView = z.object({
  ban_id: text,
  /** `null` for the ban of an e-mail address. */
  alias: nullableText,
  /** The aliases that the account had given up before. */
  former_aliases: textList,
  covers_email: boolean,
  /** Whether it has locked out an account. */
  has_account: boolean,
  until: OptionalTime,
  reason: nullableText,
  created_at: Timestamp,
});

export const banView = (ban: Ban): z.infer<typeof BanView> => ({
  ...ban,
  covers_email: ban.email_hash !== null || ban.former_addresses.length > 0,
  has_account: ban.player_id !== null,
});

/** Whether the game is paused, and since when. */
export const PauseResponse = z.object({ paused: boolean, since: OptionalTime });

export const pauseView = ({ paused_at }: Game): z.infer<typeof PauseResponse> => ({
  paused: paused_at !== null,
  since: nullableRfc3339(paused_at),
});

/** A player after a game master's command, and the interaction that records it. */
export const ChangeStateResponse = z.object({ player: PlayerReturnInfo, interaction: InteractionReturnType });

/** The effects of a void. */
export const EffectsView = z.array(
  z.object({
    alias: nullableText,
    effect: z.enum(EFFECTS),
    state: z.nullable(State),
    kills: z.optional(integer),
    starves_at: z.optional(OptionalTime),
    at: z.optional(Timestamp),
  }),
);

export const InboxMessage = z.object({
  notification_id: text,
  title: text,
  content: text,
  /** Only for a game master's message. */
  audience: z.optional(ShownAudience),
  /** Only for a game event. */
  kind: z.optional(PushKind),
  /** Only for a game event, and only in the inbox: the path of the page that its push leads to. */
  navigate: optionalText,
  /** The picture of the player who caused an event, if there is one; only in the inbox. */
  actor_picture_url: optionalText,
  sent_at: Timestamp,
});

/** A node of the tree of infections. */
export const ZombieTree = z.object({
  /** `null` for the root above the infections of hidden original zombies. */
  infection_id: z.nullable(z.string()),
  player_ref: z.nullable(z.string()),
  alias: z.nullable(z.string()),
  state: z.nullable(State),
  picture_url: z.nullable(z.string()),
  infected_at: z.nullable(Timestamp),
  kills: z.int(),
  /** Whether the hunt was voided. The players whom this zombie infected stay below it. */
  voided: z.boolean(),
  /** Whether it represents the hidden original zombies. */
  hidden: z.optional(z.literal(true)),
  get children() {
    return z.array(ZombieTree);
  },
});
