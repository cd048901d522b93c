/** The checkpoint: setting it, and registering who went through. */
import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { passCheckpoint, withCheckpoint } from "../domain/checkpoint.ts";
import type { Checkpoint } from "../domain/clock.ts";
import { livePrey } from "../domain/hunt.ts";
import type { Player } from "../domain/player.ts";
import { normalizeTagCode } from "../domain/tagCode.ts";
import { instantOf, rfc3339 } from "../domain/time.ts";
import type { Answer } from "../store/decide.ts";
import type { Store } from "../store/store.ts";
import type { Call } from "./endpoint.ts";
import { AliasRef, PLACE, PlayerId, TagCode, Time, text, wholePlace } from "./fields.ts";
import { preyOf } from "./huntScene.ts";
import { freshly, namedPlayer } from "./scene.ts";

const NewCheckpoint = z
  .strictObject({
    name: text(1, 80),
    description: z.optional(text(1, 1_000, true)),
    ...PLACE,
    closes_at: z.optional(Time),
    applies_to: z.optional(z.enum(["all", "humans", "zombies"])),
  })
  .check(wholePlace);

/** A checkpoint to be set, or `clear`. */
export const SetCheckpoint = z.union([z.strictObject({ clear: z.literal(true) }), NewCheckpoint]);
type SetCheckpoint = z.infer<typeof SetCheckpoint>;

const checkpointOf = (wanted: z.infer<typeof NewCheckpoint>, now: number): Checkpoint => ({
  checkpoint_id: randomUUID(),
  name: wanted.name,
  description: wanted.description ?? null,
  latitude: wanted.latitude ?? null,
  longitude: wanted.longitude ?? null,
  closes_at: wanted.closes_at === undefined ? null : rfc3339(instantOf(wanted.closes_at)),
  applies_to: wanted.applies_to ?? "all",
  set_at: rfc3339(now),
});

/** Sets the checkpoint, or clears it. @throws Refusal `busy` */
export const setCheckpoint = (
  call: Call<"administrator", SetCheckpoint, unknown, Checkpoint | null>,
): Promise<Answer> => {
  const { body, note, now } = call;
  const again = freshly(call);
  const checkpoint = "clear" in body ? null : checkpointOf(body, now);
  return call.decide(async () => {
    const { game: before } = await again();
    note.details = { checkpoint_id: checkpoint?.checkpoint_id ?? null };
    return { changes: { game: { before, after: withCheckpoint(before, checkpoint) } }, answer: checkpoint };
  });
};

/** Exactly one of an alias, a player's id and a tag code. */
export const AtCheckpoint = z
  .strictObject({
    alias: z.optional(AliasRef),
    player_id: z.optional(PlayerId),
    tag_code: z.optional(TagCode),
  })
  .check(
    z.refine(
      (given) => Object.values(given).filter((value) => value !== undefined).length === 1,
      "exactly one of alias, player_id and tag_code is needed",
    ),
  );
type AtCheckpoint = z.infer<typeof AtCheckpoint>;

const whoIs = async (store: Store, { tag_code, ...ref }: AtCheckpoint): Promise<Player> => {
  if (tag_code === undefined) return namedPlayer(store, ref);
  const code = normalizeTagCode(tag_code);
  return livePrey({ code, prey: await preyOf(store, code) });
};

/**
 * Registers a player at the current checkpoint; twice is harmless.
 * @throws Refusal `no_checkpoint`, `player_not_found`, `unknown_tag_code`, `already_tagged`, `wrong_state`, `closed`
 */
export const registerAtCheckpoint = (
  call: Call<
    "administrator",
    AtCheckpoint,
    unknown,
    { alias: string; checkpoint_id: string; passed_at: string }
  >,
): Promise<Answer> => {
  const { body, moment, note, now, services } = call;
  const { store } = services;
  const again = freshly(call);
  return call.decide(async () => {
    const [{ game: read }, before] = await Promise.all([again(), whoIs(store, body)]);
    note.target = before.player_id;
    const game = await store.gameFor(read, before);
    const after = passCheckpoint(before, game, moment);
    return {
      changes: { players: [{ before, after }], seen: game.rev },
      answer: {
        alias: after.alias,
        checkpoint_id: after.checkpoint_id ?? "",
        passed_at: after.passed_at ?? rfc3339(now),
      },
    };
  });
};
