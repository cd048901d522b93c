/** Sets and clears the checkpoint, and registers the players who pass it. */
import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
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
import { Checkpoint, type Game } from "../../domain/game/game.ts";
import { requireLivePrey } from "../../domain/hunts/hunt.ts";
import { normalizeTagCode } from "../../domain/hunts/tagCode.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import { type Player, State } from "../../domain/players/player.ts";
import { publicPlay } from "../../domain/players/visibility.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import {
  AliasRef,
  bothCoordinates,
  COORDINATES,
  exactlyOneOf,
  PlayerId,
  TagCode,
  ZonedTime,
} from "../../http/fields.ts";
import { EarlierText } from "../../http/formFields.ts";
import { NoteText, text } from "../../http/textFields.ts";
import { Timestamp } from "../../http/views.ts";
import { isRecord } from "../../runtime/objects.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { announcementWrite } from "../../store/notifications/announcements.ts";
import { type CodeGuess, startCodeGuess } from "../accounts/codeGuess.ts";
import { findPlayer, reloadOnRetry } from "../currentState.ts";
import { findPrey, readSpentCode } from "../hunts/huntContext.ts";

/** A checkpoint to set; one to correct, by its `checkpoint_id`; or `clear` as the only field. */
export const SetCheckpointRequest = z
  .strictObject({
    clear: z.optional(z.literal(true)),
    checkpoint_id: z.optional(z.guid("must be the id of a checkpoint, a UUID")),
    name: z.optional(text(1, 80, "name")),
    description: z.optional(text(1, 1_000, "text")),
    ...COORDINATES,
    closes_at: z.optional(ZonedTime),
    applies_to: z.optional(z.enum(["all", "humans", "zombies"])),
    was: z.optional(
      z.strictObject({
        name: z.optional(EarlierText),
        description: z.optional(EarlierText),
        closes_at: z.optional(EarlierText),
      }),
    ),
  })
  .check(bothCoordinates)
  .check(
    z.refine<Record<string, unknown>>(
      ({ clear, name, checkpoint_id }) =>
        checkpoint_id !== undefined || (clear === undefined) !== (name === undefined),
      {
        error: "exactly one of name and clear is required",
        path: ["name"],
        when: ({ value }) => isRecord(value),
      },
    ),
  )
  .check(
    z.refine(
      ({ clear, ...rest }) =>
        clear === undefined || Object.values(rest).every((field) => field === undefined),
      { error: "must be the only field", path: ["clear"] },
    ),
  )
  .check(
    z.refine(({ checkpoint_id, applies_to }) => checkpoint_id === undefined || applies_to === undefined, {
      error: "cannot be corrected: set a new checkpoint",
      path: ["applies_to"],
    }),
  );
type SetCheckpointRequest = z.infer<typeof SetCheckpointRequest>;

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
  if (was !== undefined) requireNoneChanged(fieldsChangedSince(was, current, wanted));
  return {
    ...current,
    ...(name === undefined ? {} : { name }),
    ...(description === undefined ? {} : { description }),
    ...(latitude === undefined || longitude === undefined ? {} : { latitude, longitude }),
    ...(closes_at === undefined ? {} : { closes_at: closingTime(closes_at, now) }),
  };
};

const newCheckpointWrite = (
  { context, player }: { context: CommandContext; player: Player },
  { checkpoint_id, set_at: at }: Checkpoint,
): Write => {
  const { player_id: actor } = player;
  return announcementWrite(context.newId(), { cause: "set_checkpoint", at, actor, checkpoint_id });
};

/**
 * Sets the checkpoint, which is announced, corrects it, or clears it.
 * @throws DomainError `busy`, `no_checkpoint`, `checkpoint_changed`, `changed_meanwhile`, `invalid_request` for a
 *   closing time in the past
 */
export const setCheckpoint = async (
  call: Call<"administrator", SetCheckpointRequest, unknown, Checkpoint | null>,
): Promise<CommandResponse> => {
  const { audit, body, now } = call;
  const reload = reloadOnRetry(call);
  const { name, checkpoint_id } = body;
  const isNew = checkpoint_id === undefined;
  const logCheckpoint = (set: Checkpoint | null): void => {
    const details = { checkpoint_id: set?.checkpoint_id ?? null };
    audit.details = isNew ? details : { ...details, corrected: true };
  };
  const response = await call.decide(async () => {
    const { game: before } = await reload();
    const added = isNew && name !== undefined ? newCheckpoint({ ...body, name }, now) : null;
    const checkpoint = isNew ? added : corrected(before, body, now);
    logCheckpoint(checkpoint);
    const writes = added === null ? [] : [newCheckpointWrite(call, added)];
    return {
      changes: { game: { before, after: withCheckpoint(before, checkpoint) }, writes },
      result: checkpoint,
    };
  });
  // The log entry of a repeated request names the checkpoint that the first request has set.
  logCheckpoint(z.nullable(Checkpoint).parse(JSON.parse(response.body ?? "null")));
  return response;
};

/**
 * Exactly one of an alias, a player id and a tag code. `late`, with a reason, registers after closing, from a list on
 * paper.
 */
export const AtCheckpointRequest = z
  .strictObject({
    alias: z.optional(AliasRef),
    player_id: z.optional(PlayerId),
    tag_code: z.optional(TagCode),
    late: z.optional(z.boolean()),
    reason: z.optional(NoteText),
  })
  .check(exactlyOneOf("alias", "player_id", "tag_code"))
  .check(
    z.refine(({ late, reason }) => late !== true || reason !== undefined, {
      error: "is missing: say why the pass is entered late",
      path: ["reason"],
    }),
  );
/** A player who has passed. An earlier version stored responses without the optional fields. */
export const AtCheckpointResponse = z.object({
  alias: z.string(),
  checkpoint_id: z.string(),
  passed_at: Timestamp,
  repeated: z.optional(z.boolean()),
  state: z.optional(State),
  applies: z.optional(z.boolean()),
});
type AtCheckpointCall = Call<
  "moderator",
  z.infer<typeof AtCheckpointRequest>,
  unknown,
  z.infer<typeof AtCheckpointResponse>
>;

/**
 * Returns a function that finds the player of a request. A hidden original zombie is also found by the tag code that
 * others know.
 */
const playerFinder = ({ body, now, player, services }: AtCheckpointCall) => {
  const { store } = services;
  const { tag_code, alias, player_id } = body;
  let guess: CodeGuess | undefined;
  return async (loaded: Game): Promise<Player> => {
    if (tag_code === undefined) return findPlayer(store, { alias, player_id });
    const code = normalizeTagCode(tag_code);
    const isFirst = guess === undefined;
    guess ??= await startCodeGuess(services, player, code, now);
    if (guess.error !== null) throw guess.error;
    const prey = await findPrey(store, code);
    if (isFirst && prey !== "unknown") await guess.isKnown();
    const record = await readSpentCode(store, code, prey);
    const isReplaced = record?.replaced_at !== undefined;
    if (typeof prey === "string") return requireLivePrey({ code, prey, isReplaced });
    const game = await store.gameFor(loaded, prey);
    requireLivePrey({ code, prey: publicPlay(prey, game, now), isReplaced });
    return prey;
  };
};

/**
 * Registers that a player has passed the current checkpoint. Idempotent.
 * @throws DomainError `no_checkpoint`, `player_not_found`, `unknown_tag_code`, `code_replaced`, `already_tagged`,
 *   `wrong_state`, `closed`; `ask_game_master` for a moderator who registers themselves; `too_many_attempts`
 */
export const registerAtCheckpoint = (call: AtCheckpointCall): Promise<CommandResponse> => {
  const { audit, body, context, now, services } = call;
  const { store } = services;
  const reload = reloadOnRetry(call);
  const find = playerFinder(call);
  return call.decide(async () => {
    const { player, game: loaded } = await reload();
    const before = await find(loaded);
    audit.target = before.player_id;
    requireNotOwn(player, before.player_id);
    audit.details = {
      ...(body.late === true ? { late: true } : {}),
      ...(body.reason === undefined ? {} : { reason: body.reason }),
    };
    const game = await store.gameFor(loaded, before);
    const after = passCheckpoint(before, game, context, body.late);
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
  });
};
