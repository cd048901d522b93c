/** Players who come back after they have left during play: as if they had stayed (decision 85). */
import { enforceCheckpoint } from "../checkpoint/checkpoint.ts";
import { undoEnforcement } from "../checkpoint/undoCheckpoint.ts";
import { clockAt, dropSnapshots, SNAPSHOT_RETENTION_MS } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import type { Interaction } from "../hunts/interaction.ts";
import { withKnownHunter } from "../hunts/tag.ts";
import { voidHunt } from "../hunts/void.ts";
import type { CommandContext, Outcome } from "../outcome.ts";
import type { BeforeCheckpoint } from "../players/lifeRecords.ts";
import { type Player, readState, StoredPlayer } from "../players/player.ts";
import { applyStarvation, asZombie } from "../players/transitions.ts";
import { MAX_BADGES } from "../rewards/reward.ts";
import { instantOf, rfc3339 } from "../time.ts";
import {
  type Departure,
  PERSONAL,
  type StoredEnforcement,
  type StoredMissionsEnforcement,
  type StoredUndo,
} from "./departure.ts";

/**
 * The player of a departure as they left, under another account's alias, names and picture.
 * @param account the account that is, or may be, theirs
 */
export const departedPlayer = ({ player }: Departure, account: Player): Player => {
  const personal = Object.fromEntries(PERSONAL.map((name) => [name, account[name]]));
  const stored = StoredPlayer.parse({ ...player, ...personal });
  return readState({
    ...stored,
    wants_original: stored.wants_original || account.wants_original,
    // The deletion may have written the player once more than the departure says.
    rev: stored.rev + 1,
    returns: (stored.returns ?? 0) + 1,
    is_admin: false,
    is_moderator: false,
    // Only a newcomer waits for a signature or a birthday.
    waits: undefined,
  });
};

/**
 * A player who is back, with what the account got by missions that waited until game masters knew them.
 * @param rewarded the interactions that record it
 */
export const withPrizesOf = (player: Player, account: Player, rewarded: readonly Interaction[]): Player => {
  const by = new Set(rewarded.map(({ interaction_id }) => interaction_id));
  const badges = [...player.badges, ...account.badges.filter((badge) => by.has(badge.by))];
  return {
    ...player,
    points: rewarded.reduce((sum, { reward }) => sum + (reward?.points ?? 0), player.points),
    badges: badges.slice(0, MAX_BADGES),
  };
};

/** What has happened since a player left. */
export interface Missed {
  /** The hunt that has used their tag code; `null` if none has. */
  tag: Interaction | null;
  /** The present record of the hunt that had infected them, whose hunter may have become known. */
  infection: Interaction | null;
  /** The hunts that concern them and were voided, and when, RFC 3339. */
  voids: readonly { hunt: Interaction; at: string }[];
  enforcements: readonly StoredEnforcement[];
  /** Enforcements of required missions, and whether the player attended enough or was exempt. */
  missions: readonly (StoredMissionsEnforcement & { isSpared: boolean })[];
  undos: readonly StoredUndo[];
  /** Whether they can have their tag code again. */
  isCodeFree: boolean;
}

/** A player who has come back, and the interactions that record what happened while they were away. */
export interface Return {
  player: Player;
  hasNewCode: boolean;
  interactions: Interaction[];
  /** The earlier interactions that an undo has voided. */
  undone: { before: BeforeCheckpoint; voided: Interaction }[];
}

type Result = Partial<Return> & Pick<Return, "interactions">;
type Step = (player: Player, game: Game, command: CommandContext) => Partial<Return>;

/** The result of a rule that changes at most this player. */
const outcomeOf = (player: Player, outcome: Outcome | "spared" | "exempt"): Result => {
  if (typeof outcome === "string") return { interactions: [] };
  const [change] = outcome.players;
  return { player: change?.after ?? player, interactions: outcome.interactions };
};

const tagged =
  (hunt: Interaction, full: Game): Step =>
  (player, _game, command) => {
    if (player.state !== "human") return {};
    const { interaction_id: id, at, actor: by, recorded_at, cover } = hunt;
    // As for a prey who is present, a full feeding period counts from the hunter's report.
    const now = instantOf(recorded_at);
    const infection = { id, at, by, originalSince: cover?.since };
    return { player: asZombie(player, clockAt(full, now), { ...command, now }, infection) };
  };

const voided =
  ({ voided_by: _, ...hunt }: Interaction): Step =>
  (player, game, command) => {
    const named = new Map([[player.player_id, player]]);
    const outcome = voidHunt({ game, hunt, named, infected: [], actor: "", reason: "" }, command);
    // The void itself is recorded already.
    return outcomeOf(player, { ...outcome, interactions: outcome.interactions.slice(0, -1) });
  };

const undone =
  (undo: StoredUndo): Step =>
  (player, game, command) => {
    const { before_checkpoint: before } = player;
    const result = outcomeOf(player, undoEnforcement(player, game, undo, command));
    const done = result.interactions.find(({ kind }) => kind === "void");
    return {
      ...result,
      undone: before === undefined || done === undefined ? [] : [{ before, voided: done }],
    };
  };

/** Whether an enforcement was not over when the player left. */
const isMissed = (
  { started_at, job_id }: Pick<StoredEnforcement, "started_at" | "job_id">,
  left: Departure,
): boolean => started_at > left.left_at || job_id === left.during;

/** The start of an enforcement that the player has missed, RFC 3339; `null` if it was over when they left. */
const missedAt = (enforcement: StoredEnforcement, left: Departure): string | null => {
  const { began_at, started_at } = enforcement;
  if (began_at > left.left_at) return began_at;
  return isMissed(enforcement, left) ? started_at : null;
};

/** The steps in which the player changes, in order of time. */
const stepsOf = (left: Departure, missed: Missed, game: Game): { at: string; step: Step }[] => {
  const { tag, voids, enforcements, missions, undos } = missed;
  return [
    ...(tag === null ? [] : [{ at: tag.at, step: tagged(tag, game) }]),
    // An earlier void has done to the player all that it does.
    ...voids.filter(({ at }) => at >= left.left_at).map(({ hunt, at }) => ({ at, step: voided(hunt) })),
    ...enforcements.flatMap((enforcement) => {
      const at = missedAt(enforcement, left);
      const step: Step = (player, game, command) =>
        outcomeOf(player, enforceCheckpoint(player, game, enforcement, command));
      return at === null ? [] : [{ at, step }];
    }),
    ...missions
      .filter((one) => isMissed(one, left))
      .map(({ started_at: at, job_id, isSpared, ...rest }) => {
        const enforcement = {
          ...rest,
          checkpoint_id: job_id,
          applies_to: "all" as const,
          of_missions: true as const,
        };
        const step: Step = (player, game, command) =>
          outcomeOf(player, enforceCheckpoint(player, game, enforcement, command, isSpared));
        return { at, step };
      }),
    // One that was at work when the player left may not have come to them. It changes nobody whom it has restored.
    ...undos
      .filter(({ began_at }) => began_at > left.left_at || left.during !== undefined)
      .map((undo) => ({ at: undo.began_at, step: undone(undo) })),
  ].sort((one, other) => (one.at < other.at ? -1 : 1));
};

/**
 * The player of a departure as if they had stayed: what they have missed applies in order of time, and their time to feed
 * has run on.
 * @param departed from {@link departedPlayer}
 * @param clocked the game with all snapshots of its clock; those that it had dropped when the player left do not count, as for
 *   those who stayed
 */
export const comeBack = (
  departed: Player,
  left: Departure,
  missed: Missed,
  clocked: Game,
  context: CommandContext,
): Return => {
  const game = dropSnapshots(clocked, instantOf(left.left_at) - SNAPSHOT_RETENTION_MS);
  const codes = new Set<string | null>();
  const newCode = (): string => {
    const code = context.newCode();
    codes.add(code);
    return code;
  };
  const command = { ...context, newCode, reason: undefined };
  let player = withKnownHunter(departed, missed.infection);
  let interactions: Interaction[] = [];
  const undoneBefore: Return["undone"] = [];
  for (const { at, step } of stepsOf(left, missed, game)) {
    const now = Math.max(instantOf(at), instantOf(left.left_at));
    const result = step(player, clockAt(game, now), { ...command, now });
    player = result.player ?? player;
    interactions.push(...(result.interactions ?? []));
    for (const one of result.undone ?? []) {
      const { interaction_id: id } = one.before;
      // What happened and was undone while they were away leaves no trace.
      if (interactions.some(({ interaction_id }) => interaction_id === id)) {
        interactions = interactions.filter((made) => made.interaction_id !== id && made !== one.voided);
      } else undoneBefore.push(one);
    }
  }
  const { player: current, deaths } = applyStarvation(player, game, command);
  const hasUsedCode = current.tag_code === departed.tag_code && !missed.isCodeFree;
  const after =
    current.state === "human" && hasUsedCode
      ? { ...current, tag_code: newCode(), code_since: rfc3339(command.now) }
      : current;
  return {
    player: after,
    hasNewCode: codes.has(after.tag_code),
    interactions: [...interactions, ...deaths].map((interaction) => ({
      ...interaction,
      recorded_at: rfc3339(command.now),
      returned: true,
    })),
    undone: undoneBefore,
  };
};
