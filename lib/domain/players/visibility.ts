/**
 * The visibility policy: what one player may know of another (decisions 55 and 90). While original zombies are hidden,
 * only they and game masters who do not play know who they are. Others see them as humans; what others see is called
 * their cover.
 */
import { DomainError } from "../domainError.ts";
import type { Game } from "../game/game.ts";
import type { Interaction } from "../hunts/interaction.ts";
import { withKill, withoutKill } from "../hunts/kills.ts";
import type { PlayerChange } from "../outcome.ts";
import { instantOf, rfc3339 } from "../time.ts";
import type { Cover, Kill } from "./lifeRecords.ts";
import { HELD, type Player, type PlayerIn, type State, type StoredPlayer, type Zombie } from "./player.ts";

/** The fields that determine whether a player may know what is secret of others. */
type Knowledge = Pick<StoredPlayer, "is_admin" | "state" | "held" | "saw_secrets_at">;

/** The player who gets a response; `null` for somebody without an account. */
export type Viewer = (Knowledge & Pick<StoredPlayer, "player_id">) | null;

/**
 * Whether a player has learned secrets and therefore cannot return to play on their own. An earlier version of the
 * service keeps the time when it revives somebody, so it counts only for a spectator.
 */
const hasSeenSecrets = ({ state, saw_secrets_at }: Knowledge): boolean =>
  state === "spectator" && saw_secrets_at !== undefined;

/**
 * Whether a viewer may know the tag codes of others and who is a hidden original zombie: a game master who has not
 * played in this season, or who has been shown a secret and so is out of play.
 */
export const maySeeSecrets = (viewer: Viewer): boolean =>
  viewer?.is_admin === true &&
  viewer.state === "spectator" &&
  (viewer.held !== HELD.withdrawn || hasSeenSecrets(viewer));

/** Whether a player knows secrets of others, so that they cannot bring themselves into play. */
export const knowsSecrets = (player: Player): boolean => hasSeenSecrets(player) || maySeeSecrets(player);

/** A spectator who knows secrets from now on. They stay out of play until a game master brings them in. */
export const withSecretsSeen = (player: PlayerIn<"spectator">, now: number): PlayerIn<"spectator"> => ({
  ...player,
  held: player.held ?? HELD.withdrawn,
  saw_secrets_at: player.saw_secrets_at ?? rfc3339(now),
});

/** A game master who gives up that role: what they may see then, they keep in mind. */
export const withoutOffice = (player: Player, now: number): Player =>
  player.state === "spectator" && maySeeSecrets(player) ? withSecretsSeen(player, now) : player;

/**
 * Requires that a player may bring themselves into play.
 * @param isOnlyAdministrator whether no other game master could do it; then a look at a list does not lock them out
 * @throws DomainError `wrong_state`
 */
export const requireMayEnterPlay = (player: Player, isOnlyAdministrator: boolean): void => {
  if (hasSeenSecrets(player))
    throw new DomainError(
      "wrong_state",
      "You know tag codes or hidden original zombies of this season: only another game master can let you play.",
    );
  if (maySeeSecrets(player) && !isOnlyAdministrator)
    throw new DomainError(
      "wrong_state",
      "You see all tag codes as a game master: ask another game master to let you play.",
    );
};

/** Whether a viewer may know everything of a player. */
const maySeeAll = (viewer: Viewer, playerId: string | null): boolean =>
  viewer !== null && (maySeeSecrets(viewer) || viewer.player_id === playerId);

/** When original zombies are revealed, as an instant; `null` if never. */
export const revealOf = ({ settings, schedule, finish }: Game): number | null => {
  const { reveal_originals_at: reveal } = settings;
  const planned = reveal === null ? schedule?.ends_at : instantOf(reveal);
  if (finish === null) return planned ?? null;
  // Until the grace is over, late tags are reported. A planned end that had passed before has revealed them.
  const plannedEnd = finish.schedule?.ends_at ?? Number.POSITIVE_INFINITY;
  const atEnd = plannedEnd <= finish.at ? plannedEnd : finish.final_at;
  return Math.min(finish.final_at, reveal === null ? atEnd : instantOf(reveal));
};

/** Since when original zombies are hidden, RFC 3339; `null` while they are not. */
export const hiddenSince = (game: Game, now: number): string | null => {
  const { hide_originals_since: since } = game.settings;
  if (since === null) return null;
  const revealedAt = revealOf(game);
  return revealedAt !== null && now >= revealedAt ? null : since;
};

/** Whether original zombies are hidden from a viewer. */
export const hidesOriginalsFrom = (viewer: Viewer, game: Game, now: number): boolean =>
  hiddenSince(game, now) !== null && !maySeeSecrets(viewer);

/** Whether the life as an original zombie that began at `beganAt` is hidden; `false` without such a time (RFC 3339). */
const isHidden = (beganAt: string | null | undefined, game: Game, now: number): boolean => {
  if (beganAt == null) return false;
  const since = hiddenSince(game, now);
  return since !== null && beganAt >= since;
};

/** The life in which a hunter made a tag. */
type ZombieLife = Pick<Zombie, "infection_id">;

type Life = Pick<StoredPlayer, "cover" | "infection_id">;

/** The cover of a player who is in the life of a hidden original zombie, or has died in it. */
export const coverOfLife = ({ cover, infection_id }: Life): Cover | null =>
  cover !== null && cover.infection_id === infection_id ? cover : null;

/** A player with the fields that their cover shows to others. */
const underCover = (player: Player): Player => {
  const { cover } = player;
  if (cover === null) return player;
  const { since, infected_at, kills, last_kill_at, latest_kills, state } = cover;
  const { tag_code, code_since, human_since } = cover;
  const points = player.points - (cover.hidden_points ?? 0);
  const badges = player.badges.filter(({ hidden }) => hidden !== true);
  const known = { kills, last_kill_at, latest_kills, points, badges, cover: null };
  // After that life, its kills, the time of its infection and what it got as a zombie are hidden, and that it ended: a human who
  // was cured of it has survived since before it.
  if (coverOfLife(player) === null) {
    if (player.state === "zombie" || player.infected_at !== since) return { ...player, ...known };
    if (player.state !== "human") return { ...player, ...known, infected_at };
    return { ...player, ...known, infected_at, code_since: player.human_since ?? player.code_since };
  }
  const uninfected = { infection_id: null, infected_at, infected_by: null, infected_by_original_since: null };
  const unfed = { last_fed_at: null, deadline: null, epoch: null, meals: [] };
  // A human who is killed keeps the tag code, so the cover does too.
  const code = { tag_code, code_since, human_since };
  return { ...player, ...known, ...uninfected, ...unfed, ...code, state };
};

/** A player as other players see them. */
export const publicPlay = (player: Player, game: Game, now: number): Player =>
  isHidden(player.cover?.since, game, now) ? underCover(player) : player;

/** A player as a viewer may see them. */
export const shownPlayer = (player: Player, viewer: Viewer, game: Game, now: number): Player =>
  maySeeAll(viewer, player.player_id) ? player : publicPlay(player, game, now);

/** The state that others see of a hidden original zombie; `null` for any other player. */
export const coverState = (
  player: Life & { cover: Cover | null },
  game: Game,
  now: number,
): Cover["state"] | null => {
  const cover = coverOfLife(player);
  return cover !== null && isHidden(cover.since, game, now) ? cover.state : null;
};

/** Whether a viewer may not know who infected a player. */
export const isInfectorHidden = (
  { infected_by, infected_by_original_since }: StoredPlayer,
  viewer: Viewer,
  game: Game,
  now: number,
): boolean => isHidden(infected_by_original_since, game, now) && !maySeeAll(viewer, infected_by);

/** Whether others have known a player as a zombie in this season, which no death, cure or void changes. */
export const wasKnownAsZombie = (player: Player, game: Game, now: number): boolean =>
  publicPlay(player, game, now).infected_at !== null;

/** The cover of a player who becomes an original zombie; `null` unless originals are hidden. */
export const newCover = (
  player: Player,
  infection: { id: string; at: string },
  game: Game,
  now: number,
): Cover | null => {
  if (hiddenSince(game, now) === null) return null;
  const shown = publicPlay(player, game, now);
  const { state, tag_code, code_since, human_since, infected_at, kills, last_kill_at, latest_kills } = shown;
  const { at } = infection;
  const code =
    state === "human"
      ? { tag_code, code_since, human_since }
      : { tag_code: "", code_since: at, human_since: at };
  return {
    since: infection.at,
    infection_id: infection.id,
    state: "human",
    ...code,
    infected_at,
    kills,
    last_kill_at,
    latest_kills,
    ...(player.cover?.hidden_points === undefined ? {} : { hidden_points: player.cover.hidden_points }),
  };
};

/** Since when a player has survived as a human in the eyes of others, RFC 3339; `null` without such a cover. */
export const survivedUnderCover = (player: Player): string | null => {
  const cover = coverOfLife(player);
  return cover?.state === "human" ? (cover.human_since ?? player.created_at) : null;
};

/** The cover of a player after a change of state that others can see. */
export const withCoverState = (player: Player, state: Cover["state"]): Cover | null => {
  const cover = coverOfLife(player);
  return cover === null ? player.cover : { ...cover, state };
};

/** Adds a kill to a hunter. The cover does not show kills of the life as a hidden original zombie. */
export const withKillOf = (hunter: Player, { infection_id }: ZombieLife, kill: Kill): Player => {
  const { cover } = hunter;
  const isKnown = cover !== null && cover.infection_id !== infection_id;
  return { ...withKill(hunter, kill), cover: isKnown ? withKill(cover, kill) : cover };
};

/** Removes the kill of a hunt from its hunter. */
export const withoutKillOf = (hunter: Player, { interaction_id: id, cover: hidden }: Interaction): Player => {
  const { cover } = hunter;
  const isKnown =
    cover !== null && (hidden === undefined || cover.latest_kills.some(({ hunt }) => hunt === id));
  return { ...withoutKill(hunter, id), cover: isKnown ? withoutKill(cover, id) : cover };
};

/** The `cover` field of an interaction that records a hunt by a hidden original zombie. */
export const coverOfHunt = ({ cover }: Player, { infection_id }: ZombieLife): Pick<Interaction, "cover"> => {
  return cover?.infection_id !== infection_id ? {} : { cover: { since: cover.since, kind: "hunt" } };
};

/** Adds to an interaction how others see it, which follows from what they see of its target before and after. */
const coveredInteraction = (interaction: Interaction, { before, after }: PlayerChange): Interaction => {
  const cover = [after, before].map((one) => (one === null ? null : coverOfLife(one))).find(Boolean);
  if (cover == null) return interaction;
  const isSame = before?.player_id === after?.player_id;
  const [from, to] = [before, after].map((one): State | null =>
    one === null || !isSame ? null : underCover(one).state,
  );
  const { since } = cover;
  // Others do not see what happens to an account that is deleted or that returns.
  if (from === to || from === null || to === null) return { ...interaction, cover: { since, kind: null } };
  // Others see the revival of a human.
  const isRevival = interaction.kind === "revive_zombie" && to === "human";
  return isRevival ? { ...interaction, cover: { since, kind: "revive_human" } } : interaction;
};

/** Marks those interactions of a change that others see differently, or not at all. */
export const withCovers = (
  interactions: readonly Interaction[],
  players: readonly PlayerChange[],
): readonly Interaction[] => {
  const changes = new Map(
    players
      .filter(({ before, after }) => before?.cover != null || after?.cover != null)
      .map((change) => [change.after?.player_id ?? change.before?.player_id, change]),
  );
  if (changes.size === 0) return interactions;
  return interactions.map((interaction) => {
    const { kind, target } = interaction;
    const change = target === null || kind === "hunt" || kind === "void" ? undefined : changes.get(target);
    return change === undefined ? interaction : coveredInteraction(interaction, change);
  });
};

/** An interaction as a viewer may see it. */
export type ShownInteraction = Interaction & {
  /** Whether the viewer may not know what it shows of a hidden original zombie, such as the actor of a hunt. */
  isCovered?: true;
};

/** Whether others see an interaction differently, or not at all, because original zombies are hidden now. */
export const isCovered = ({ cover }: Interaction, game: Game, now: number): boolean =>
  isHidden(cover?.since, game, now);

/** The id of the hidden original zombie whom the cover of an interaction protects. */
export const coveredPlayer = ({ kind, actor, target, hunter = null }: Interaction): string | null =>
  kind === "hunt" ? actor : kind === "void" ? hunter : target;

/**
 * Whether an interaction is none of a viewer's business: only its target and game masters see it. While original zombies are
 * hidden, game masters who play do not: what somebody got may be what a zombie gets.
 */
const isPrivateTo = ({ is_private, target }: Interaction, viewer: Viewer, game: Game, now: number): boolean =>
  is_private === true &&
  !maySeeAll(viewer, target) &&
  (viewer?.is_admin !== true || hiddenSince(game, now) !== null);

/** The end of a season without its result, which players learn when the grace is over. */
const shownSeason = (season: NonNullable<Interaction["season"]>, now: number): Interaction["season"] =>
  season.final_at !== undefined && instantOf(season.final_at) > now ? { is: season.is } : season;

/** An interaction as a viewer may see it; `null` if they may not know of it. */
export const shownInteraction = (
  interaction: Interaction,
  viewer: Viewer,
  game: Game,
  now: number,
): ShownInteraction | null => {
  const { cover, kind, suspect, season, ...all } = interaction;
  if (isPrivateTo(interaction, viewer, game, now)) return null;
  const others = { ...all, ...(season === undefined ? {} : { season: shownSeason(season, now) }) };
  // Whom a prey suspects may be an original whom everybody takes for a human.
  const isSuspectShown = suspect !== undefined && !hidesOriginalsFrom(viewer, game, now);
  const known = { ...others, kind, ...(isSuspectShown ? { suspect } : {}) };
  if (cover === undefined || !isHidden(cover.since, game, now)) return { ...known, cover };
  if (maySeeAll(viewer, coveredPlayer(interaction))) return { ...known, cover };
  if (cover.kind === null) return null;
  const { parent: _, ...rest } = { ...known, cover, isCovered: true as const };
  if (kind === "hunt") return { ...rest, actor: null, parent: null };
  return kind === "void" ? { ...rest, hunter: null } : { ...rest, kind: cover.kind };
};

/** Whether the player who caused an event is hidden from its recipient. */
export const isActorHidden = (
  { actor, original_since }: { actor: string | null; original_since?: string | undefined },
  recipient: string,
  game: Game,
  now: number,
): boolean => recipient !== actor && isHidden(original_since, game, now);
