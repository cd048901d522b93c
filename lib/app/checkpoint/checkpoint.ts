/** Sets and clears the checkpoint, and registers the players who pass it. */
import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { passCheckpoint, withCheckpoint } from "../../domain/checkpoint.ts";
import { Checkpoint } from "../../domain/clock.ts";
import { requireLivePrey } from "../../domain/hunt.ts";
import type { Player } from "../../domain/player.ts";
import { normalizeTagCode } from "../../domain/tagCode.ts";
import { instantOf, rfc3339 } from "../../domain/time.ts";
import type { Call } from "../../http/definition.ts";
import {
  AliasRef,
  bothCoordinates,
  COORDINATES,
  exactlyOneOf,
  PlayerId,
  TagCode,
  ZonedTime,
} from "../../http/fields.ts";
import { text } from "../../http/textFields.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import type { Store } from "../../store/store.ts";
import type { CheckpointDetails } from "../../store/stream.ts";
import { findPlayer, reloadOnRetry } from "../currentState.ts";
import { findPrey } from "../hunts/huntContext.ts";

/** A checkpoint to set, or `clear` as the only field. */
export const SetCheckpointRequest = z
  .strictObject({
    clear: z.optional(z.literal(true)),
    name: z.optional(text(1, 80, "name")),
    description: z.optional(text(1, 1_000, "text")),
    ...COORDINATES,
    closes_at: z.optional(ZonedTime),
    applies_to: z.optional(z.enum(["all", "humans", "zombies"])),
  })
  .check(bothCoordinates)
  .check(exactlyOneOf("name", "clear"))
  .check(
    z.refine(
      ({ clear, ...rest }) =>
        clear === undefined || Object.values(rest).every((field) => field === undefined),
      { error: "must be the only field", path: ["clear"] },
    ),
  );
type SetCheckpointRequest = z.infer<typeof SetCheckpointRequest>;

const checkpointOf = (wanted: SetCheckpointRequest & { name: string }, now: number): Checkpoint => ({
  checkpoint_id: randomUUID(),
  name: wanted.name,
  description: wanted.description ?? null,
  latitude: wanted.latitude ?? null,
  longitude: wanted.longitude ?? null,
  closes_at: wanted.closes_at === undefined ? null : rfc3339(instantOf(wanted.closes_at)),
  applies_to: wanted.applies_to ?? "all",
  set_at: rfc3339(now),
});

/** Sets the checkpoint, or clears it. @throws DomainError `busy` */
export const setCheckpoint = async (
  call: Call<"administrator", SetCheckpointRequest, unknown, Checkpoint | null>,
): Promise<CommandResponse> => {
  const { audit, body, now } = call;
  const reload = reloadOnRetry(call);
  const { name } = body;
  const checkpoint = name === undefined ? null : checkpointOf({ ...body, name }, now);
  const logCheckpoint = (set: Checkpoint | null): void => {
    audit.details = { checkpoint_id: set?.checkpoint_id ?? null } satisfies CheckpointDetails;
  };
  const response = await call.decide(async () => {
    const { game: before } = await reload();
    logCheckpoint(checkpoint);
    return { changes: { game: { before, after: withCheckpoint(before, checkpoint) } }, response: checkpoint };
  });
  // The log entry of a repeated request names the checkpoint that the first request has set.
  logCheckpoint(z.nullable(Checkpoint).parse(JSON.parse(response.body ?? "null")));
  return response;
};

/** Exactly one of an alias, a player's id and a tag code. */
export const AtCheckpointRequest = z
  .strictObject({
    alias: z.optional(AliasRef),
    player_id: z.optional(PlayerId),
    tag_code: z.optional(TagCode),
  })
  .check(exactlyOneOf("alias", "player_id", "tag_code"));
type AtCheckpointRequest = z.infer<typeof AtCheckpointRequest>;

const findPlayerAtCheckpoint = async (
  store: Store,
  { tag_code, ...ref }: AtCheckpointRequest,
): Promise<Player> => {
  if (tag_code === undefined) return findPlayer(store, ref);
  const code = normalizeTagCode(tag_code);
  return requireLivePrey({ code, prey: await findPrey(store, code) });
};

/**
 * Registers that a player has passed the current checkpoint. It is idempotent.
 * @throws DomainError `no_checkpoint`, `player_not_found`, `unknown_tag_code`, `already_tagged`, `wrong_state`, `closed`
 */
export const registerAtCheckpoint = (
  call: Call<
    "administrator",
    AtCheckpointRequest,
    unknown,
    { alias: string; checkpoint_id: string; passed_at: string }
  >,
): Promise<CommandResponse> => {
  const { audit, body, context, now, services } = call;
  const { store } = services;
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const [{ game: loaded }, before] = await Promise.all([reload(), findPlayerAtCheckpoint(store, body)]);
    audit.target = before.player_id;
    const game = await store.gameFor(loaded, before);
    const after = passCheckpoint(before, game, context);
    return {
      changes: { players: [{ before, after }], seen: game },
      response: {
        alias: after.alias,
        checkpoint_id: after.checkpoint_id ?? "",
        passed_at: after.passed_at ?? rfc3339(now),
      },
    };
  });
};
