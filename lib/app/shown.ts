/** What a viewer may see of a player, an interaction and a log entry. Endpoints, pushes and webhooks show it. */
import { DISPUTE_STATUSES } from "../domain/disputes/dispute.ts";
import { wallDeadline } from "../domain/game/clock.ts";
import type { Game } from "../domain/game/game.ts";
import { SEASON_RESULTS } from "../domain/game/seasonResult.ts";
import { type Interaction, isInfection } from "../domain/hunts/interaction.ts";
import { isMailWanted, OPTIONAL_MAILS } from "../domain/mail/optionalMails.ts";
import { PUSH_KINDS } from "../domain/notifications/pushKinds.ts";
import {
  isPending,
  livingZombie,
  type Player,
  type Role,
  roleOf,
  stateOf,
} from "../domain/players/player.ts";
import {
  coverState,
  isInfectorHidden,
  maySeeSecrets,
  type ShownInteraction,
  shownPlayer,
} from "../domain/players/visibility.ts";
import { shownBadges } from "../domain/rewards/reward.ts";
import { nullableRfc3339 } from "../domain/time.ts";
import { mustSign } from "../domain/waiver/mustSign.ts";
import { isMinor, isUnsigned, WAITS } from "../domain/waiver/waiver.ts";
import { picturePath, playerRef } from "../store/accounts/playerRefs.ts";
import type { LogEntry, RosterEntry } from "../store/items.ts";

/** The player who looks. */
type Viewer = Pick<Player, "player_id" | "is_admin" | "is_moderator">;

/** See {@link IDENTITY_FIELDS}. */
export const identityOf = ({ player_id, picture_hash }: Pick<Player, "player_id" | "picture_hash">) => ({
  player_ref: playerRef(player_id),
  picture_url: picturePath(player_id, picture_hash),
});

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
) => {
  const player = shownPlayer(stored, viewer, game, now);
  const isHidden = isInfectorHidden(player, viewer, game, now);
  const shownAs = coverState(player, game, now);
  const state = stateOf(player, game, now);
  const zombie = livingZombie(player, game, now);
  const { checkpoint } = game;
  return {
    ...player,
    badges: shownBadges(player.badges),
    ...(isHidden ? { infected_by_hidden: true as const } : {}),
    ...(shownAs === null ? {} : { shown_as: shownAs }),
    ...identityOf(player),
    role: roleOf(player),
    state,
    email_confirmed: player.email_confirmed === true,
    pending_email: player.pending_email ?? null,
    pending: isPending(player) || isUnsigned(player, game, now),
    ...(mustSign(player, game) ? { must_sign: true as const } : {}),
    // Whom a game master has to admit does not wait for their birthday.
    ...(player.waits === WAITS.age || (viewer.is_admin && isMinor(player))
      ? { under_age: true as const }
      : {}),
    tag_code: state === "human" ? player.tag_code : null,
    infected_at: player.infection_id === null ? null : player.infected_at,
    infected_by: player.infection_id === null || isHidden ? null : infectedBy,
    starves_at: zombie === null ? null : nullableRfc3339(wallDeadline(game, zombie.deadline, now)),
    push_kinds: PUSH_KINDS.filter((kind) => player.push_kinds?.includes(kind) ?? true),
    mail_kinds: OPTIONAL_MAILS.filter((kind) => isMailWanted(kind, player.mail_kinds)),
    passed_at:
      checkpoint !== null && checkpoint.checkpoint_id === player.checkpoint_id ? player.passed_at : null,
  };
};

export type PlayerInfo = ReturnType<typeof playerInfo>;

/**
 * Administrators see all fields of a player; one who plays, or has played, sees no tag codes of others. Moderators see
 * no last name, e-mail address, tag code or note, and not whether a player waits for admission or wants to be an
 * original.
 */
export const infoForStaff = (info: PlayerInfo, { labels, note }: Player, viewer: Player) => {
  if (!viewer.is_admin) {
    const hidden = {
      ...{ last_name: null, email: null, email_confirmed: null, pending_email: null, tag_code: null },
      ...{ pending: null, wants_original: undefined, named_in_past: undefined },
      under_age: undefined,
    };
    return { ...info, ...hidden, labels, note: null };
  }
  const isCodeShown = maySeeSecrets(viewer) || info.player_id === viewer.player_id;
  return { ...info, labels, note, ...(isCodeShown ? {} : { tag_code: null }) };
};

/** @param player as the viewer may see them */
export const publicPlayer = (player: Player | RosterEntry, role: Role, game: Game, now: number) => ({
  ...identityOf(player),
  alias: player.alias,
  state: stateOf(player, game, now),
  kills: player.kills,
  has_pfp: player.has_pfp,
  role,
  created_at: player.created_at,
});

/** A player with what they have got, which only the whole player tells. @param player as the viewer may see them */
export const profileOf = (player: Player, game: Game, now: number) => ({
  ...publicPlayer(player, roleOf(player), game, now),
  points: player.points,
  badges: shownBadges(player.badges),
});

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

/** What gave a reward, and for the player and game masters also what it gave. */
const rewardDetails = ({ target, reward, isCovered }: ShownInteraction, { player_id, is_admin }: Viewer) => {
  if (reward === undefined) return {};
  const source = reward.source === "code" ? ("code" as const) : ("mission" as const);
  const { points, badge, message } = reward;
  const isAllShown = player_id === target || (is_admin && isCovered !== true);
  return { reward: isAllShown ? { source, points, badge, message } : { source } };
};

/** The status and resolution of a dispute; nothing for a status of a later version. */
const disputeDetails = ({ dispute, dispute_note }: Interaction) => {
  const status = DISPUTE_STATUSES.find((known) => known === dispute);
  return status === undefined ? {} : { dispute: status, dispute_note };
};

/** The result of a season, once it is known. */
const seasonDetails = ({ season }: ShownInteraction) => {
  const result = SEASON_RESULTS.find((known) => known === season?.result);
  return result === undefined ? {} : { season_result: result, season_note: season?.note ?? undefined };
};

/**
 * An interaction as shown to `viewer`: only the hunter and administrators see the note and place of a hunt.
 * @param interaction as `shownInteraction` gives it
 */
export const interactionView = (
  interaction: ShownInteraction,
  aliases: ReadonlyMap<string, string>,
  viewer: Viewer,
) => {
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
    ...(isCovered === true && kind === "hunt" ? { hidden: true as const } : {}),
    actor_ref: refOf(actor),
    target: aliasOf(target),
    target_ref: refOf(target),
    details: {
      ...(isInfection(kind) ? { infection_id: interaction_id, parent_infection_id: parent ?? null } : {}),
      ...(shared_with === undefined ? {} : { shared_with: shared_with.map(aliasOf) }),
      ...(maySeeHuntDetails(interaction, viewer) ? { note, latitude, longitude } : {}),
      ...(voided_by === undefined ? {} : { voided: true as const }),
      ...(voids === undefined ? {} : { voided_interaction_id: voids }),
      ...(late_tag === undefined ? {} : { late_tag_id: late_tag }),
      ...(waiting_since === undefined || voided_by !== undefined ? {} : { waiting: true as const }),
      ...(hunted_at === undefined || isCovered === true || !isConcerned(interaction, viewer)
        ? {}
        : { hunted_at }),
      ...(suspect !== undefined && viewer.is_admin ? { by_alias: aliasOf(suspect) } : {}),
      ...(reason !== undefined && maySeeReason(interaction, viewer) ? { reason } : {}),
      ...(isConcerned(interaction, viewer) ? disputeDetails(interaction) : {}),
      ...(entered_by === undefined ? {} : { entered_by_game_master: true as const }),
      ...(checkpoint_id === undefined ? {} : { checkpoint_id }),
      ...(interaction.of_missions === true ? { of_missions: true as const } : {}),
      ...(drawn === true ? { drawn } : {}),
      ...(admitted === true ? { admitted } : {}),
      ...(withdrawn === true ? { withdrawn } : {}),
      ...(returned === true ? { returned } : {}),
      ...rewardDetails(interaction, viewer),
      ...seasonDetails(interaction),
    },
  };
};

export type StaffInfo = ReturnType<typeof infoForStaff>;

/** An interaction with names, as its viewer may see it. */
export type InteractionInfo = ReturnType<typeof interactionView>;

/** The database keeps no order of the fields of a map. */
const inOrder = (details: LogEntry["details"]): LogEntry["details"] =>
  Object.fromEntries(Object.entries(details).toSorted(([one], [other]) => (one < other ? -1 : 1)));

/** @param isHidden whether original zombies are hidden from the viewer: then targets and details could tell who they are */
export const logEntryView = (entry: LogEntry, aliases: ReadonlyMap<string, string>, isHidden: boolean) => ({
  ...entry,
  actor: aliases.get(entry.actor ?? "") ?? null,
  target: isHidden ? null : (aliases.get(entry.target ?? "") ?? null),
  details: isHidden ? {} : inOrder(entry.details),
});
