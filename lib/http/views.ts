/** Views: the fields that players and administrators see. Only fields declared here are sent. */
import * as z from "zod/mini";
import type { Game } from "../domain/clock.ts";
import { wallDeadline } from "../domain/clock.ts";
import { DISPUTE_STATUSES, DisputeStatus } from "../domain/dispute.ts";
import { type Interaction, isInfection, Kind } from "../domain/interaction.ts";
import {
  forEachCounter,
  isPending,
  LIVING,
  livingZombie,
  type Player,
  Role,
  roleOf,
  State,
  stateOf,
} from "../domain/player.ts";
import { PUSH_KINDS, PushKind } from "../domain/pushKinds.ts";
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
import { coverState, isInfectorHidden, type ShownInteraction, shownPlayer } from "../domain/visibility.ts";
import type { LogEntry, RosterEntry } from "../store/items.ts";
import { picturePath, playerRef } from "../store/playerRefs.ts";

export const Timestamp = z.iso.datetime();
const OptionalTime = z.nullable(Timestamp);

/** How every view of a player names and shows them. */
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
  /** Whether a game master has to admit them; `null` for moderators. */
  pending: z.nullable(boolean),
  /** Of humans only. */
  tag_code: nullableText,
  kills: integer,
  infected_at: OptionalTime,
  infected_by: nullableText,
  /** Whether `infected_by` is `null` because the original zombie is hidden. */
  infected_by_hidden: z.optional(z.literal(true)),
  /** Of a hidden original zombie: the state that others see. */
  shown_as: z.optional(State),
  /** Whether the player wants to be an original zombie; not for moderators. */
  wants_original: z.optional(boolean),
  last_fed_at: OptionalTime,
  starves_at: OptionalTime,
  /** Of the current checkpoint. */
  passed_at: OptionalTime,
  has_pfp: boolean,
  /** The kinds of push about the game that the player gets. */
  push_kinds: z.array(PushKind),
  created_at: Timestamp,
});

/** A player as shown to that player and to administrators. */
export const PlayerReturnInfo = z.lazy(() => z.object(playerFields()));
export type PlayerReturnInfo = z.infer<typeof PlayerReturnInfo>;

/**
 * A player's own information, or what those see who run the game.
 * @param infectedBy the alias of the player who infected them; `null` when nobody did or the account was deleted
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
  const info = {
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
  return info;
};

/** A player as those who run the game see them. */
export const StaffPlayer = z.lazy(() =>
  z.object({ ...playerFields(), labels: textList, note: nullableText }),
);
export type StaffPlayer = z.infer<typeof StaffPlayer>;

/**
 * Administrators see everything of a player, but while they play no code of others. Moderators see no last name, address,
 * code and note, and not who waits to be admitted.
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
  const mayUseCodes = LIVING.includes(viewer.state) && info.player_id !== viewer.player_id;
  return { ...info, labels, note, ...(mayUseCodes ? { tag_code: null } : {}) };
};

/** A player as shown to other players: without account id, name, mail address and tag code. */
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
  /** Of a voided hunt. */
  voided: z.optional(z.literal(true)),
  /** Of the interaction that voided it. */
  voided_interaction_id: optionalText,
  reason: optionalText,
  /** Of a tag that its prey reported, until its hunter is known. */
  waiting: z.optional(z.literal(true)),
  /** Of the same, for administrators: whom the prey takes for the hunter. */
  by_alias: z.optional(nullableText),
  entered_by_game_master: z.optional(z.literal(true)),
  /** Of a disputed hunt, for its hunter, its prey and those who run the game. */
  dispute: z.optional(DisputeStatus),
  dispute_note: optionalText,
  /** Of a human whom a missed checkpoint made a zombie, and of a void that undoes a checkpoint for its player. */
  checkpoint_id: optionalText,
  /** Of a human who was drawn as an original zombie. */
  drawn: z.optional(z.literal(true)),
  /** Of a revival that admitted a newcomer. */
  admitted: z.optional(z.literal(true)),
  /** Of a killing that made a spectator. */
  withdrawn: z.optional(z.literal(true)),
  /** Of a zombie who had left and registered again. */
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
  /** The pictures are in lists only, and absent without one. */
  actor_picture_url: optionalText,
  target: nullableText,
  target_ref: nullableText,
  target_picture_url: optionalText,
  details: InteractionDetails,
});
export type InteractionReturnType = z.infer<typeof InteractionReturnType>;

/** Whether a player may see the note and the place of a hunt. */
export const maySeeHuntDetails = ({ actor }: Interaction, viewer: Viewer): boolean =>
  viewer.is_admin || viewer.player_id === actor;

/** Whether a player may see the reason of a game master: administrators and the target may, and the hunter of a hunt. */
const maySeeReason = ({ actor, target, hunter }: Interaction, { player_id, is_admin }: Viewer): boolean =>
  is_admin || [actor, target, hunter].includes(player_id);

/** Whether a player may see the dispute of a hunt: those who run the game may, its hunter and its prey. */
const isParty = ({ actor, target }: Interaction, { player_id, is_admin, is_moderator }: Viewer): boolean =>
  is_admin || is_moderator || player_id === actor || player_id === target;

/** The status of a dispute and why it was resolved like this; nothing for a status of a later version. */
const disputeDetails = ({ dispute, dispute_note }: Interaction) => {
  const status = DISPUTE_STATUSES.find((known) => known === dispute);
  return status === undefined ? {} : { dispute: status, dispute_note };
};

/** Who looks at an interaction. */
type Viewer = Pick<Player, "player_id" | "is_admin" | "is_moderator">;

/**
 * An interaction as shown to `viewer`: only the hunter and administrators see the note and place of a hunt.
 * @param interaction as `shownInteraction` gives it
 */
export const interactionView = (
  interaction: ShownInteraction,
  names: ReadonlyMap<string, string>,
  viewer: Viewer,
): InteractionReturnType => {
  const { interaction_id, kind, at, recorded_at, actor, target, parent, shared_with } = interaction;
  const nameOf = (id: string | null): string | null => (id === null ? null : (names.get(id) ?? null));
  const refOf = (id: string | null): string | null => (id !== null && names.has(id) ? playerRef(id) : null);
  const { note, latitude, longitude, voided_by, voids, reason, waiting_since, suspect } = interaction;
  const { checkpoint_id, drawn, entered_by, isActorHidden, admitted, withdrawn, returned } = interaction;
  return {
    interaction_id,
    kind,
    at,
    recorded_at,
    actor: nameOf(actor),
    ...(isActorHidden === true ? { hidden: true } : {}),
    actor_ref: refOf(actor),
    target: nameOf(target),
    target_ref: refOf(target),
    details: {
      ...(isInfection(kind) ? { infection_id: interaction_id, parent_infection_id: parent ?? null } : {}),
      ...(shared_with === undefined ? {} : { shared_with: shared_with.map(nameOf) }),
      ...(maySeeHuntDetails(interaction, viewer) ? { note, latitude, longitude } : {}),
      ...(voided_by === undefined ? {} : { voided: true }),
      ...(voids === undefined ? {} : { voided_interaction_id: voids }),
      ...(waiting_since === undefined || voided_by !== undefined ? {} : { waiting: true }),
      ...(suspect !== undefined && viewer.is_admin ? { by_alias: nameOf(suspect) } : {}),
      ...(reason !== undefined && maySeeReason(interaction, viewer) ? { reason } : {}),
      ...(isParty(interaction, viewer) ? disputeDetails(interaction) : {}),
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

export const logEntryView = (
  entry: LogEntry,
  names: ReadonlyMap<string, string>,
): z.infer<typeof LogEntryView> => ({
  ...entry,
  actor: names.get(entry.actor ?? "") ?? null,
  target: names.get(entry.target ?? "") ?? null,
});

/** How many players are in each state. */
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
