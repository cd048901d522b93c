/** Views: the fields that players and administrators see. Only fields declared here are sent. */
import * as z from "zod/mini";
import { DisputeStatus } from "../domain/disputes/dispute.ts";
import { CheckpointGroup } from "../domain/game/game.ts";
import { SEASON_RESULTS } from "../domain/game/seasonResult.ts";
import { EFFECTS } from "../domain/hunts/effects.ts";
import { Kind } from "../domain/hunts/interaction.ts";
import { OptionalMail } from "../domain/mail/optionalMails.ts";
import { ShownAudience } from "../domain/notifications/audiences.ts";
import { PushKind } from "../domain/notifications/pushKinds.ts";
import { Role, State } from "../domain/players/player.ts";
import {
  boolean,
  integer,
  nullableNumber,
  nullableText,
  optionalBoolean,
  optionalInteger,
  optionalNullableText,
  optionalNumber,
  optionalText,
  optionalTrue,
  type Prose,
  text,
  textList,
} from "../domain/schemas.ts";
import { BadgeView, RewardView } from "./rewardViews.ts";

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
  email_confirmed: z.nullable(boolean),
  pending_email: nullableText,
  is_admin: boolean,
  role: Role,
  state: State,
  pending: z.nullable(boolean),
  must_sign: optionalTrue,
  under_age: optionalTrue,
  tag_code: nullableText,
  kills: integer,
  infected_at: OptionalTime,
  infected_by: nullableText,
  infected_by_hidden: optionalTrue,
  shown_as: z.optional(State),
  wants_original: optionalBoolean,
  named_in_past: optionalBoolean,
  last_fed_at: OptionalTime,
  starves_at: OptionalTime,
  passed_at: OptionalTime,
  has_pfp: boolean,
  push_kinds: z.array(PushKind),
  mail_kinds: z.array(OptionalMail),
  points: integer,
  badges: z.array(BadgeView),
  created_at: Timestamp,
});

/** A player as shown to that player and to administrators. */
export const PlayerReturnInfo = z.lazy(() => z.object(playerFields()));
export type PlayerReturnInfo = z.infer<typeof PlayerReturnInfo>;

export const PLAYER_PROSE = {
  player_ref: "An id of the player for links and reports, which survives a change of the alias.",
  picture_url: "The path of the player's picture, which needs no token; `null` for none.",
  alias: "The name that a player goes by in the game.",
  first_name: "The first name; `null` means none.",
  last_name: "The last name; `null` means none.",
  email: "The e-mail address; `null` means none.",
  email_confirmed:
    "Whether the player has confirmed the e-mail address; `null` in a moderator's view of a player.",
  pending_email: "The address that replaces the confirmed one as soon as it is confirmed; `null` for none.",
  is_admin: "Whether the player is an administrator.",
  role: "What the player may do.",
  state: "What the player is in the game.",
  pending:
    "Whether the player does not play yet: a game master has to admit them, or before the start they have not signed the waiver; `null` in a moderator's view of a player.",
  must_sign: "`true` if the player has not signed the present waiver.",
  under_age:
    "`true` if the player waits because they are under age, or for game masters also if they wait for approval and are under age; absent in a moderator's view of a player.",
  tag_code: "The code that a human gives to the zombie who tagged them.",
  kills: "How many humans the player has tagged.",
  infected_at: "When the present infection began.",
  infected_by: "The alias of the zombie who infected the player.",
  infected_by_hidden: "`true` if `infected_by` is `null` because the original zombie is hidden.",
  shown_as: "The state that others see of a hidden original zombie.",
  named_in_past: "`true` for who is named in the recaps of past seasons.",
  wants_original:
    "Whether the player wants to be an original zombie; absent in a moderator's view of a player.",
  last_fed_at: "When the zombie was last fed.",
  starves_at:
    "When the zombie starves; `null` if the player is not a zombie, or if the game ends before that.",
  passed_at: "When the player passed the current checkpoint.",
  has_pfp: "Whether the player has a picture.",
  push_kinds: "The game events that are pushed to the player.",
  mail_kinds: "The optional mails that the player gets at a confirmed address.",
  points: "The points of this season, from codes and missions.",
  badges: "The badges of this season, each once.",
  created_at: "When the player joined.",
} satisfies Prose<PlayerReturnInfo>;

/** A player as moderators and administrators see them. */
export const StaffPlayer = z.lazy(() =>
  z.object({ ...playerFields(), labels: textList, note: nullableText }),
);
export type StaffPlayer = z.infer<typeof StaffPlayer>;

export const STAFF_PLAYER_PROSE: Prose<StaffPlayer> = {
  labels: "The labels that game masters gave to the player.",
  note: "What game masters note about the player.",
};

const publicFields = () => ({
  ...IDENTITY_FIELDS,
  alias: text,
  state: State,
  kills: integer,
  has_pfp: boolean,
  role: Role,
  created_at: Timestamp,
});

/** A player as shown to other players: without player id, name, e-mail address and tag code. */
export const PublicPlayer = z.lazy(() => z.object(publicFields()));
export type PublicPlayer = z.infer<typeof PublicPlayer>;

/** The profile of one player, as shown to other players. */
export const PublicProfile = z.lazy(() =>
  z.object({ ...publicFields(), points: integer, badges: z.array(BadgeView) }),
);

const InteractionDetails = z.object({
  infection_id: optionalText,
  parent_infection_id: optionalNullableText,
  shared_with: z.optional(z.array(nullableText)),
  note: optionalText,
  latitude: optionalNumber,
  longitude: optionalNumber,
  voided: optionalTrue,
  voided_interaction_id: optionalText,
  late_tag_id: optionalText,
  reason: optionalText,
  waiting: optionalTrue,
  hunted_at: z.optional(Timestamp),
  by_alias: optionalNullableText,
  entered_by_game_master: optionalTrue,
  dispute: z.optional(DisputeStatus),
  dispute_note: optionalText,
  /** Only for a human whom a missed checkpoint made a zombie, and for a void that undoes this. */
  checkpoint_id: optionalText,
  /** Only for what the enforcement of required missions did. */
  of_missions: optionalTrue,
  drawn: optionalTrue,
  admitted: optionalTrue,
  withdrawn: optionalTrue,
  returned: optionalTrue,
  /** Only for what a code or a mission gave, and for what takes it back. */
  reward: z.optional(RewardView),
  /** Only for the end of the season, once the result is known. */
  season_result: z.optional(z.enum(SEASON_RESULTS)),
  season_note: optionalText,
});

export const DETAILS_PROSE: Prose<z.infer<typeof InteractionDetails>> = {
  infection_id: "The id of an infection, which is that of the event that began it.",
  parent_infection_id: "The infection of the hunter; `null` for a root of the tree.",
  shared_with: "The aliases of those who were fed too.",
  note: "A note, visible to the hunter and to administrators.",
  voided: "`true` for a hunt that was voided, and for a death that was undone.",
  voided_interaction_id:
    "What was undone: the hunt that was voided, or the starvation that a late tag prevented.",
  late_tag_id:
    "Only for `revived_by_late_tag`: the hunt, food or antidote that happened before the player starved, and was recorded afterwards.",
  waiting: "`true` until the hunter of a reported tag is known.",
  hunted_at:
    "When its hunter says that the tag happened, if its prey has reported another time. The kill and the feeding have this time. For its hunter, its prey and those who run the game.",
  by_alias: "For administrators: whom the prey takes for the hunter.",
  entered_by_game_master: "`true` for a hunt that a game master entered.",
  dispute: "The status of the dispute of a hunt, for its hunter, its prey and those who run the game.",
  dispute_note: "Why the dispute was resolved like this.",
  of_missions: "`true` for what happened to a player who attended too few missions.",
  drawn: "`true` for a human who was drawn as an original zombie.",
  admitted: "`true` for a revival that admitted a newcomer.",
  withdrawn: "`true` for a death that made the player a spectator.",
  reward:
    "What a code or a mission gave, or what takes it back. All but `source` is for the player and administrators.",
  season_result: "Only for `finish`, once it is known: who has won the season.",
  season_note: "What game masters say about that.",
  returned: "`true` for what happened to a player while they had left, recorded when they came back.",
};

export const InteractionReturnType = z.object({
  interaction_id: text,
  kind: Kind,
  at: Timestamp,
  recorded_at: Timestamp,
  actor: nullableText,
  hidden: optionalTrue,
  actor_ref: nullableText,
  actor_picture_url: optionalText,
  target: nullableText,
  target_ref: nullableText,
  target_picture_url: optionalText,
  details: InteractionDetails,
});
export type InteractionReturnType = z.infer<typeof InteractionReturnType>;

export const INTERACTION_PROSE: Prose<InteractionReturnType> = {
  interaction_id: "The id of an event.",
  kind: "What kind of event it is.",
  at: "When it happened.",
  recorded_at: "When the service recorded it.",
  actor: "The alias of who did it; `null` if nobody did, if they have left, or with `hidden`.",
  hidden: "`true` if `actor` is `null` because the original zombie is hidden.",
  actor_ref: "The `player_ref` of `actor`.",
  actor_picture_url: "Where the picture of `actor` is; absent without one, and in responses to commands.",
  target: "The alias of whom it happened to; `null` if nobody, or they have left.",
  target_ref: "The `player_ref` of `target`.",
  target_picture_url: "Where the picture of `target` is; absent without one, and in responses to commands.",
  details: "More about it, by kind.",
};

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

export const LOG_ENTRY_PROSE: Prose<z.infer<typeof LogEntryView>> = {
  log_id: "The id of the entry.",
  action: "The action, which is the last word of the endpoint's path.",
  request_id: "The id of the request.",
  outcome: "`done`, or the code of the error.",
  details: "More about it, by action.",
};

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

export const CHECKPOINT_PROSE: Prose<z.infer<typeof CheckpointView>> = {
  checkpoint_id: "The id of a checkpoint.",
  name: "What it is called.",
  description: "Where it is, and what players do there.",
  closes_at: "When it closes; `null` for never.",
  applies_to: "Whom it applies to.",
  set_at: "When it was set.",
  enforced_at: "When it was first enforced.",
  undone_at: "When its latest enforcement was undone.",
};

/** A player after a game master's command, and the interaction that records it. */
export const ChangeStateResponse = z.lazy(() =>
  z.object({ player: PlayerReturnInfo, interaction: InteractionReturnType }),
);

export const EffectsView = z.lazy(() =>
  z.array(
    z.object({
      alias: nullableText,
      effect: z.enum(EFFECTS),
      state: z.nullable(State),
      kills: optionalInteger,
      points: optionalInteger,
      starves_at: z.optional(OptionalTime),
      at: z.optional(Timestamp),
    }),
  ),
);

export const EFFECTS_PROSE: Prose<z.infer<typeof EffectsView>[number]> = {
  points: "For `points_taken_back`: the points that are left.",
};

export const InboxMessage = z.lazy(() =>
  z.object({
    notification_id: text,
    title: text,
    content: text,
    /** Only for a game master's message. */
    audience: z.optional(ShownAudience),
    /** Only for a game event. */
    kind: z.optional(PushKind),
    navigate: optionalText,
    actor_picture_url: optionalText,
    sent_at: Timestamp,
  }),
);

export const MESSAGE_PROSE: Prose<z.infer<typeof InboxMessage>> = {
  navigate:
    "The path of the page of the app that an event or a mission leads to, as in its push; absent from other messages of game masters.",
  sent_at: "When it was sent.",
};

/** A node of the tree of infections. */
export const ZombieTree = z.object({
  /** `null` for the root above the infections of hidden original zombies. */
  infection_id: nullableText,
  player_ref: nullableText,
  alias: nullableText,
  state: z.nullable(State),
  picture_url: nullableText,
  infected_at: z.nullable(Timestamp),
  kills: integer,
  voided: boolean,
  hidden: optionalTrue,
  get children() {
    return z.array(ZombieTree);
  },
});

export const TREE_PROSE: Prose<z.infer<typeof ZombieTree>> = {
  kills:
    "How many players the zombie infected in this life, including those that the tree leaves out; voided hunts do not count.",
  voided: "Whether the hunt was voided; then it does not count in `kills` of the node above.",
  hidden: "`true` for the node that stands for all hidden original zombies.",
  children: "The infections by this zombie, in their order.",
};
