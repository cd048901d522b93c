/** The hunt as it is reported, judged and answered. */
import * as z from "zod/mini";
import { hunt, requireCanHunt, unknownTagCode } from "../../domain/hunt.ts";
import { State } from "../../domain/player.ts";
import { integer, nullableText } from "../../domain/schemas.ts";
import { isTagCode, normalizeTagCode } from "../../domain/tagCode.ts";
import type { Call } from "../../http/definition.ts";
import { AliasRef, bothCoordinates, COORDINATES, NoteText, TagCode, ZonedTime } from "../../http/fields.ts";
import { InteractionReturnType, interactionView, playerInfo, Timestamp } from "../../http/views.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { reloadOnRetry } from "../currentState.ts";
import { countUnknownCode, loadHuntContext, readHuntReport } from "./huntContext.ts";

export const HuntRequest = z
  .strictObject({
    tag_code: TagCode,
    hunted_at: z.optional(ZonedTime),
    share_with: z.optional(z.array(AliasRef).check(z.maxLength(2))),
    ...COORDINATES,
    note: z.optional(NoteText),
  })
  .check(bothCoordinates);

export const HuntResponse = z.object({
  interaction: InteractionReturnType,
  hunter: z.object({ kills: integer, starves_at: z.nullable(Timestamp) }),
  /** The alias is `null` in a repeated answer when the prey has left since. */
  prey: z.object({ alias: nullableText, state: State }),
});

/**
 * Carries out a hunt. Whether its hunter may hunt at all is judged before its code is looked up.
 * @throws DomainError `invalid_request`, and what {@link requireCanHunt} and {@link hunt} throw
 */
export const reportHunt = (
  call: Call<"player", z.infer<typeof HuntRequest>, unknown, z.infer<typeof HuntResponse>>,
): Promise<CommandResponse> => {
  const { body, context: moment, now, services } = call;
  const again = reloadOnRetry(call);
  return call.decide(async () => {
    const { player: hunter, game } = await again();
    const report = readHuntReport(body, hunter, now);
    requireCanHunt(hunter, game, moment);
    // A slip of the hand is no guess: what cannot be a code at all is not counted.
    if (!isTagCode(normalizeTagCode(body.tag_code))) throw unknownTagCode();
    const scene = await loadHuntContext(services.store, hunter, game, body);
    if (scene.prey === "unknown") return countUnknownCode(hunter, moment, scene.game);
    const outcome = hunt(scene, report, moment);
    return {
      changes: { ...outcome, seen: scene.game.rev },
      response: {
        interaction: interactionView(outcome.interaction, scene.names, hunter),
        hunter: playerInfo(outcome.hunter, scene.game, now, null),
        prey: outcome.prey,
      },
    };
  });
};
