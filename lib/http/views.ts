/** Views: the fields that players and administrators see. Only fields declared here are sent. */
import * as z from "zod/mini";
import { DISPUTE_STATUSES, DisputeStatus } from "../domain/disputes/dispute.ts";
import { wallDeadline } from "../domain/game/clock.ts";
import type { Game } from "../domain/game/game.ts";
import { type Interaction, isInfection, Kind } from "../domain/hunts/interaction.ts";
import { PUSH_KINDS, PushKind } from "../domain/notifications/pushKinds.ts";
import {
  forEachCounter,
  isPending,
  livingZombie,
  type Player,
  Role,
  roleOf,
  State,
  stateOf,
} from "../domain/players/player.ts";
import {
  coverState,
  isInfectorHidden,
  maySeeSecrets,
  type ShownInteraction,
  shownPlayer,
} from "../domain/players/visibility.ts";
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
import { picturePath, playerRef } from "../store/accounts/playerRefs.ts";
import type { LogEntry, RosterEntry } from "../store/items.ts";

export const Timestamp = z.iso.datetime();
const OptionalTime = z.nullable(Timestamp);

/** The fields that identify a player in every view. */
export const IDENTITY_FIELDS = { player_ref: text, picture_url: nullableText };

/** See {@link IDENTITY_FIELDS}. */
export const identityOf = ({ player_id, picture_hash }: Pick<Player, "player_id" | "picture_hash">) => ({
  player_ref: playerRef(player_id),
  picture_url: picturePath(player_id, picture_hash),
});

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

/**
 * A player's information, as shown to the player and to administrators.
 * @param infectedBy the alias of the player who infected them; `null` if nobody did or the account is deleted
 */
export const playerInfo = (
  stored: Player,
  viewer: Player,
  game: Game,
  now: number,
  infectedBy: string | null,
): PlayerReturnInfo => {
  const player = shownPlayer(stored, viewer, game, now);
  const isHidden = isInfectorHidden(player, viewer, game, now);
  const shownAs = coverState(player, game, now);
  const state = stateOf(player, game, now);
  const zombie = livingZombie(player, game, now);
  const { checkpoint } = game;
  return {
    ...player,
    ...(isHidden ? { infected_by_hidden: true as const } : {}),
    ...(shownAs === null ? {} : { shown_as: shownAs }),
    ...identityOf(player),
    role: roleOf(player),
    state,
    pending: isPending(player),
    tag_code: state === "human" ? player.tag_code : null,
    infected_at: player.infection_id === null ? null : player.infected_at,
    infected_by: player.infection_id === null || isHidden ? null : infectedBy,
    starves_at: zombie === null ? null : nullableRfc3339(wallDeadline(game, zombie.deadline, now)),
    push_kinds: PUSH_KINDS.filter((kind) => player.push_kinds?.includes(kind) ?? true),
    passed_at:
      checkpoint !== null && checkpoint.checkpoint_id === player.checkpoint_id ? player.passed_at : null,
  };
};

/** A player as moderators and administrators see them. */
export const StaffPlayer = z.lazy(() =>
  z.object({ ...playerFields(), labels: textList, note: nullableText }),
);
export type StaffPlayer = z.infer<typeof StaffPlayer>;

/**
 * Administrators see all fields of a player; one who plays, or has played, sees no tag codes of others. Moderators see
 * no last name, e-mail address, tag code or note, and not whether a player waits for admission or wants to be an
 * original.
 */
export const infoForStaff = (
  info: PlayerReturnInfo,
  { labels, note }: Player,
  viewer: Player,
): StaffPlayer => {
  if (!viewer.is_admin) {
    const hidden = { last_name: null, email: null, tag_code: null, pending: null, wants_original: undefined };
    return { ...info, ...hidden, labels, note: null };
  }
  const isCodeShown = maySeeSecrets(viewer) || info.player_id === viewer.player_id;
  return { ...info, labels, note, ...(isCodeShown ? {} : { tag_code: null }) };
};

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

/** @param player as the viewer may see them */
export const publicPlayer = (
  player: Player | RosterEntry,
  role: Role,
  game: Game,
  now: number,
): PublicPlayer => ({
  ...identityOf(player),
  alias: player.alias,
  state: stateOf(player, game, now),
  kills: player.kills,
  has_pfp: player.has_pfp,
  role,
  created_at: player.created_at,
});

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

/** Whether a player may see the note and the place of a hunt. They may tell who a hidden hunter is. */
export const maySeeHuntDetails = ({ actor, isCovered }: ShownInteraction, viewer: Viewer): boolean =>
  (viewer.is_admin && isCovered !== true) || viewer.player_id === actor;

/** Whether a player may see a game master's reason: administrators, the target, and the hunter of a hunt may. */
const maySeeReason = (
  { actor, target, hunter, isCovered }: ShownInteraction,
  { player_id, is_admin }: Viewer,
): boolean => (is_admin && isCovered !== true) || [actor, target, hunter].includes(player_id);

/** Whether a player may see the dispute and the hunter's time of a hunt: moderators, administrators, hunter and prey may. */
const isConcerned = (
  { actor, target }: Interaction,
  { player_id, is_admin, is_moderator }: Viewer,
): boolean => is_admin || is_moderator || player_id === actor || player_id === target;

/** The status and resolution of a dispute; nothing for a status of a later version. */
const disputeDetails = ({ dispute, dispute_note }: Interaction) => {
  const status = DISPUTE_STATUSES.find((known) => known === dispute);
  return status === undefined ? {} : { dispute: status, dispute_note };
};

/** The player who reads an interaction. */
type Viewer = Pick<Player, "player_id" | "is_admin" | "is_moderator">;

/**
 * An interaction as shown to `viewer`: only the hunter and administrators see the note and place of a hunt.
 * @param interaction as `shownInteraction` gives it
 */
export const interactionView = (
  interaction: ShownInteraction,
  aliases: ReadonlyMap<string, string>,
  viewer: Viewer,
): InteractionReturnType => {
  const { interaction_id, kind, at, recorded_at, actor, target, parent, shared_with } = interaction;
  const aliasOf = (id: string | null): string | null => (id === null ? null : (aliases.get(id) ?? null));
  const refOf = (id: string | null): string | null => (id !== null && aliases.has(id) ? playerRef(id) : null);
  const { note, latitude, longitude, voided_by, voids, reason, waiting_since, suspect } = interaction;
  const { hunted_at, checkpoint_id, drawn, entered_by, isCovered, admitted, withdrawn, returned, late_tag } =
    interaction;
  return {
    interaction_id,
    kind,
    at,
    recorded_at,
    actor: aliasOf(actor),
    ...(isCovered === true && kind === "hunt" ? { hidden: true } : {}),
    actor_ref: refOf(actor),
    target: aliasOf(target),
    target_ref: refOf(target),
    details: {
      ...(isInfection(kind) ? { infection_id: interaction_id, parent_infection_id: parent ?? null } : {}),
      ...(shared_with === undefined ? {} : { shared_with: shared_with.map(aliasOf) }),
      ...(maySeeHuntDetails(interaction, viewer) ? { note, latitude, longitude } : {}),
      ...(voided_by === undefined ? {} : { voided: true }),
      ...(voids === undefined ? {} : { voided_interaction_id: voids }),
      ...(late_tag === undefined ? {} : { late_tag_id: late_tag }),
      ...(waiting_since === undefined || voided_by !== undefined ? {} : { waiting: true }),
      ...(hunted_at === undefined || isCovered === true || !isConcerned(interaction, viewer)
        ? {}
        : { hunted_at }),
      ...(suspect !== undefined && viewer.is_admin ? { by_alias: aliasOf(suspect) } : {}),
      ...(reason !== undefined && maySeeReason(interaction, viewer) ? { reason } : {}),
      ...(isConcerned(interaction, viewer) ? disputeDetails(interaction) : {}),
      ...(entered_by === undefined ? {} : { entered_by_game_master: true }),
      ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
      ...(drawn === true ? { drawn } : {}),
      ...(admitted === true ? { admitted } : {}),
      ...(withdrawn === true ? { withdrawn } : {}),
      ...(returned === true ? { returned } : {}),
    },
  };
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

/** @param isHidden whether original zombies are hidden from the viewer: then targets and details could tell who they are */
export const logEntryView = (
  entry: LogEntry,
  aliases: ReadonlyMap<string, string>,
  isHidden: boolean,
): z.infer<typeof LogEntryView> => ({
  ...entry,
  actor: aliases.get(entry.actor ?? "") ?? null,
  target: isHidden ? null : (aliases.get(entry.target ?? "") ?? null),
  ...(isHidden ? { details: {} } : {}),
});

/** The number of players in each state. */
export const CountsView = z.lazy(() => z.object({ total: integer, ...forEachCounter(integer) }));

export const CheckpointView = z.lazy(() =>
  z.object({
    checkpoint_id: text,
    name: text,
    description: nullableText,
    latitude: nullableNumber,
    longitude: nullableNumber,
    closes_at: OptionalTime,
    applies_to: z.enum(["all", "humans", "zombies"]),
    set_at: Timestamp,
    enforced_at: OptionalTime,
    undone_at: OptionalTime,
  }),
);
