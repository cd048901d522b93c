/** Reports a hunt. */
import * as z from "zod/mini";
import { hunt, requireCanHunt, unknownTagCode } from "../../domain/hunt.ts";
import { type Player, State, stateOf } from "../../domain/player.ts";
import { integer, nullableText } from "../../domain/schemas.ts";
import { MAX_SHARERS } from "../../domain/settings.ts";
import { isTagCode, normalizeTagCode } from "../../domain/tagCode.ts";
import { shownPlayer } from "../../domain/visibility.ts";
import type { Call } from "../../http/definition.ts";
import { AliasRef, bothCoordinates, COORDINATES, TagCode, ZonedTime } from "../../http/fields.ts";
import { NoteText } from "../../http/textFields.ts";
import { InteractionReturnType, interactionView, playerInfo, Timestamp } from "../../http/views.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { reloadOnRetry } from "../currentState.ts";
import { countUnknownCode, loadHuntContext, readHuntReport } from "./huntContext.ts";

export const HuntRequest = z
  .strictObject({
    tag_code: TagCode,
    hunted_at: z.optional(ZonedTime),
    share_with: z.optional(z.array(AliasRef).check(z.maxLength(MAX_SHARERS))),
    ...COORDINATES,
    note: z.optional(NoteText),
  })
  .check(bothCoordinates);

export const HuntResponse = z.object({
  interaction: InteractionReturnType,
  hunter: z.object({ kills: integer, starves_at: z.nullable(Timestamp) }),
  /** The alias is `null` for a prey who has left, also since; the state, for one who had left before the hunt. */
  prey: z.object({ alias: nullableText, state: z.nullable(State) }),
});

/**
 * Carries out a hunt. Whether the hunter may hunt at all is checked before the tag code is looked up.
 * @throws DomainError `invalid_request`, and what {@link requireCanHunt} and {@link hunt} throw
 */
export const reportHunt = (
  call: Call<"player", z.infer<typeof HuntRequest>, unknown, z.infer<typeof HuntResponse>>,
): Promise<CommandResponse> => {
  const { body, context, now, services } = call;
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const { player: hunter, game } = await reload();
    const report = readHuntReport(body, hunter, game, now);
    requireCanHunt(hunter, game, report.huntedAt, context);
    // A text that cannot be a code is a typing error and not a guess, so it is not counted.
    if (!isTagCode(normalizeTagCode(body.tag_code))) throw unknownTagCode();
    const loaded = await loadHuntContext(services.store, hunter, game, body, now);
    if (loaded.prey === "unknown") return countUnknownCode(hunter, context, loaded.game, report.huntedAt);
    const outcome = hunt(loaded, report, context);
    // The prey of a tag that was reported before may live another life by now.
    const shown = (prey: Player): Player => shownPlayer(prey, hunter, loaded.game, now);
    return {
      changes: { ...outcome, seen: loaded.game, writes: loaded.writes(outcome.interaction) },
      response: {
        interaction: interactionView(outcome.interaction, loaded.names, hunter),
        hunter: playerInfo(outcome.hunter, hunter, loaded.game, now, null),
        prey:
          outcome.prey === null
            ? { alias: null, state: null }
            : { alias: outcome.prey.alias, state: stateOf(shown(outcome.prey), loaded.game, now) },
      },
    };
  });
};
