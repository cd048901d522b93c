/** The checkpoint: setting it, and registering who went through. */
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
  text,
  ZonedTime,
} from "../../http/fields.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import type { Store } from "../../store/store.ts";
import { findPlayer, reloadOnRetry } from "../currentState.ts";
import { findPrey } from "../hunts/huntContext.ts";

/** A checkpoint to be set, or `clear`, which stands alone. */
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
  const { body, audit: note, now } = call;
  const again = reloadOnRetry(call);
  const { name } = body;
  const checkpoint = name === undefined ? null : checkpointOf({ ...body, name }, now);
  const told = (set: Checkpoint | null): void => {
    note.details = { checkpoint_id: set?.checkpoint_id ?? null };
  };
  const answer = await call.decide(async () => {
    const { game: before } = await again();
    told(checkpoint);
    return { changes: { game: { before, after: withCheckpoint(before, checkpoint) } }, response: checkpoint };
  });
  // A request that comes again is told of by the checkpoint that it had set, not by another.
  told(z.nullable(Checkpoint).parse(JSON.parse(answer.body ?? "null")));
  return answer;
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

const whoIs = async (store: Store, { tag_code, ...ref }: AtCheckpointRequest): Promise<Player> => {
  if (tag_code === undefined) return findPlayer(store, ref);
  const code = normalizeTagCode(tag_code);
  return requireLivePrey({ code, prey: await findPrey(store, code) });
};

/**
 * Registers a player at the current checkpoint; twice is harmless.
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
  const { body, context: moment, audit: note, now, services } = call;
  const { store } = services;
  const again = reloadOnRetry(call);
  return call.decide(async () => {
    const [{ game: read }, before] = await Promise.all([again(), whoIs(store, body)]);
    note.target = before.player_id;
    const game = await store.gameFor(read, before);
    const after = passCheckpoint(before, game, moment);
    return {
      changes: { players: [{ before, after }], seen: game.rev },
      response: {
        alias: after.alias,
        checkpoint_id: after.checkpoint_id ?? "",
        passed_at: after.passed_at ?? rfc3339(now),
      },
    };
  });
};
