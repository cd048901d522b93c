/** Sets and clears the checkpoint, and registers the players who pass it. */
import { randomUUID } from "node:crypto";
import { requireNotOwn } from "../../domain/accounts/staff.ts";
import { fieldsChangedSince, requireNoneChanged } from "../../domain/changedMeanwhile.ts";
import {
  closingTime,
  concernOf,
  noCheckpoint,
  passCheckpoint,
  requireCurrent,
  withCheckpoint,
} from "../../domain/checkpoint/checkpoint.ts";
import type { Checkpoint, Game } from "../../domain/game/game.ts";
import { requireLivePrey } from "../../domain/hunts/hunt.ts";
import { normalizeTagCode } from "../../domain/hunts/tagCode.ts";
import type { Player, State } from "../../domain/players/player.ts";
import { publicPlay } from "../../domain/players/visibility.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { announcementWrite } from "../../store/notifications/announcements.ts";
import { startCodeGuess } from "../accounts/codeGuess.ts";
import { findPlayer, type PlayerName } from "../currentState.ts";
import { findPrey, readSpentCode } from "../hunts/huntContext.ts";

/** A checkpoint to set; one to correct, by its `checkpoint_id`; or `clear` as the only field. */
export interface SetCheckpointRequest {
  clear?: true | undefined;
  checkpoint_id?: string | undefined;
  name?: string | undefined;
  description?: string | undefined;
  latitude?: number | undefined;
  longitude?: number | undefined;
  closes_at?: string | undefined;
  applies_to?: Checkpoint["applies_to"] | undefined;
  /** What fields to correct were when they were read. */
  was?: Readonly<Record<string, unknown>> | undefined;
}

const newCheckpoint = (wanted: SetCheckpointRequest & { name: string }, now: number): Checkpoint => ({
  checkpoint_id: randomUUID(),
  name: wanted.name,
  description: wanted.description ?? null,
  latitude: wanted.latitude ?? null,
  longitude: wanted.longitude ?? null,
  closes_at: wanted.closes_at === undefined ? null : closingTime(wanted.closes_at, now),
  applies_to: wanted.applies_to ?? "all",
  set_at: rfc3339(now),
  enforced_at: null,
  undone_at: null,
});

/**
 * The current checkpoint with the given fields changed. It keeps its id, so players who have passed it keep their pass.
 */
const corrected = ({ checkpoint }: Game, wanted: SetCheckpointRequest, now: number): Checkpoint => {
  if (checkpoint === null) throw noCheckpoint();
  const { name, description, latitude, longitude, closes_at, was } = wanted;
  const current = requireCurrent(checkpoint, wanted.checkpoint_id);
  if (was !== undefined) requireNoneChanged(fieldsChangedSince(was, current, { ...wanted }));
  return {
    ...current,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    ...(closes_at === undefined ? {} : { closes_at: closingTime(closes_at, now) }),
  };
};

const newCheckpointWrite = (
  { context, player }: PlayerCall,
  { checkpoint_id, set_at: at }: Checkpoint,
): Write => {
  const { player_id: actor } = player;
  return announcementWrite(context.newId(), { cause: "set_checkpoint", at, actor, checkpoint_id });
};

/** What the audit log tells of a checkpoint that was set, corrected or cleared. */
export const checkpointDetails = (
  { checkpoint_id }: SetCheckpointRequest,
  set: Pick<Checkpoint, "checkpoint_id" | "name"> | null,
) => ({
  checkpoint_id: set?.checkpoint_id ?? null,
  ...(set === null ? {} : { name: set.name }),
  ...(checkpoint_id === undefined ? {} : { corrected: true }),
});

/**
 * Sets the checkpoint, which is announced, corrects it, or clears it.
 * @throws DomainError `busy`, `no_checkpoint`, `checkpoint_changed`, `changed_meanwhile`, `invalid_request` for a
 *   closing time in the past
 */
export const setCheckpoint = async (
  call: PlayerCall,
  request: SetCheckpointRequest,
): Promise<Decision<Checkpoint | null>> => {
  const { audit, game: before, now } = call;
  const { name, checkpoint_id } = request;
  const isNew = checkpoint_id === undefined;
  const added = isNew && name !== undefined ? newCheckpoint({ ...request, name }, now) : null;
  const checkpoint = isNew ? added : corrected(before, request, now);
  audit.details = checkpointDetails(request, checkpoint);
  const writes = added === null ? [] : [newCheckpointWrite(call, added)];
  return {
    changes: { game: { before, after: withCheckpoint(before, checkpoint) }, writes },
    result: checkpoint,
  };
};

/** Who passes: exactly one of an alias, a player id and a tag code. */
interface Passing extends PlayerName {
  tag_code?: string | undefined;
  /** The checkpoint at which they were; without it, the current one. */
  checkpoint_id?: string | undefined;
  /** Registers after closing, from a list on paper; `reason` says why. */
  late?: boolean | undefined;
  reason?: string | undefined;
}

interface Passed {
  alias: string;
  checkpoint_id: string;
  passed_at: string;
  /** Whether the player had passed before. */
  repeated: boolean;
  state?: State;
  applies?: boolean;
}

/** Finds the player of a request. A hidden original zombie is also found by the tag code that others know. */
export const findPassing = async (
  { game: loaded, isRetry, now, player, services }: PlayerCall,
  { tag_code, alias, player_id }: Passing,
): Promise<Player> => {
  const { store } = services;
  if (tag_code === undefined) return findPlayer(store, { alias, player_id });
  const code = normalizeTagCode(tag_code);
  // A request counts once.
  const guess = isRetry ? null : await startCodeGuess(services, player, code, now);
  if (guess !== null && guess.error !== null) throw guess.error;
  const prey = await findPrey(store, code);
  if (prey !== "unknown") await guess?.isKnown();
  const record = await readSpentCode(store, code, prey);
  const isReplaced = record?.replaced_at !== undefined;
  if (typeof prey === "string") return requireLivePrey({ code, prey, isReplaced });
  const game = await store.gameFor(loaded, prey);
  requireLivePrey({ code, prey: publicPlay(prey, game, now), isReplaced });
  return prey;
};

/**
 * Registers that a player has passed the current checkpoint. Idempotent.
 * @throws DomainError `no_checkpoint`, `checkpoint_changed`, `player_not_found`, `unknown_tag_code`, `code_replaced`,
 *   `already_tagged`, `wrong_state`, `closed`; `ask_game_master` for a moderator who registers themselves; `too_many_attempts`
 */
export const registerAtCheckpoint = async (call: PlayerCall, passing: Passing): Promise<Decision<Passed>> => {
  const { audit, context, game: loaded, now, player, services } = call;
  const { late, reason } = passing;
  const before = await findPassing(call, passing);
  audit.target = before.player_id;
  requireNotOwn(player, before.player_id);
  audit.details = { ...(late === true ? { late } : {}), ...(reason === undefined ? {} : { reason }) };
  const game = await services.store.gameFor(loaded, before);
  if (game.checkpoint !== null) requireCurrent(game.checkpoint, passing.checkpoint_id);
  const after = passCheckpoint(before, game, context, late);
  return {
    changes: { players: [{ before, after }], basedOn: game },
    result: {
      alias: after.alias,
      checkpoint_id: after.checkpoint_id ?? "",
      passed_at: after.passed_at ?? rfc3339(now),
      repeated: after === before,
      ...(game.checkpoint === null ? {} : concernOf(after, game.checkpoint, game, now)),
    },
  };
};
