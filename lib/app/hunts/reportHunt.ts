/** Handles the report of a zombie who has tagged a human. */
import * as z from "zod/mini";
import type { Game } from "../../domain/game/game.ts";
import { MAX_SHARERS } from "../../domain/game/settings.ts";
import {
  hunt,
  reportingHunter,
  requireInPlay,
  requireNoLockout,
  unknownTagCode,
} from "../../domain/hunts/hunt.ts";
import { isTagCode, normalizeTagCode } from "../../domain/hunts/tagCode.ts";
import type { Hunter } from "../../domain/players/lives.ts";
import { type Player, State, stateOf } from "../../domain/players/player.ts";
import { shownInteraction, shownPlayer } from "../../domain/players/visibility.ts";
import { integer, nullableText } from "../../domain/schemas.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { AliasRef, bothCoordinates, COORDINATES, TagCode, TagTime } from "../../http/fields.ts";
import { NoteText } from "../../http/textFields.ts";
import { InteractionReturnType, interactionView, playerInfo, Timestamp } from "../../http/views.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { reloadOnRetry } from "../currentState.ts";
import { countUnknownCode, loadHuntContext, readHuntReport } from "./huntContext.ts";
import { eventsOf, revivalWrites } from "./lateTag.ts";

export const HuntRequest = z
  .strictObject({
    tag_code: TagCode,
    hunted_at: z.optional(TagTime),
    share_with: z.optional(z.array(AliasRef).check(z.maxLength(MAX_SHARERS))),
    ...COORDINATES,
    note: z.optional(NoteText),
  })
  .check(bothCoordinates);

export const HuntResponse = z.object({
  interaction: InteractionReturnType,
  hunter: z.object({ kills: integer, starves_at: z.nullable(Timestamp) }),
  /** `alias` is `null` if the prey's account has been deleted, and `state` if that was before the hunt. */
  prey: z.object({ alias: nullableText, state: z.nullable(State) }),
});

/**
 * Carries out a hunt. Checks whether the hunter may hunt before it looks up the tag code.
 * @throws DomainError `invalid_request`, and what {@link reportingHunter} and {@link hunt} throw
 */
export const reportHunt = (
  call: Call<"player", z.infer<typeof HuntRequest>, unknown, z.infer<typeof HuntResponse>>,
): Promise<CommandResponse> => {
  const { body, context, now, services } = call;
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const { player: hunter, game } = await reload();
    const report = readHuntReport(body, hunter, game, now);
    const { huntedAt } = report;
    requireInPlay(game, huntedAt, now);
    const readEvents = eventsOf(services.store, game, hunter.player_id, { from: huntedAt, until: huntedAt });
    const judge = (current: Game): Promise<Hunter> =>
      reportingHunter(hunter, huntedAt, current, context, readEvents);
    requireNoLockout(await judge(game), context);
    // A malformed code is a typing error and not a guess, so it does not count as a failed attempt.
    if (!isTagCode(normalizeTagCode(body.tag_code))) throw unknownTagCode();
    const huntContext = await loadHuntContext(services.store, hunter, judge, game, body, now);
    // Returned and not thrown, so that the failed attempt is saved.
    if (huntContext.prey === "unknown")
      return countUnknownCode(huntContext.hunter, context, huntContext.game);
    const outcome = hunt(huntContext, report, context);
    const writes = [
      ...(await huntContext.writes(outcome.interaction)),
      ...(await revivalWrites(services.store, huntContext.game, outcome, now)),
    ];
    // If the prey reported this tag first, they may have been revived since, even as a hidden original zombie.
    const preyState = (prey: Player): State =>
      stateOf(shownPlayer(prey, hunter, huntContext.game, now), huntContext.game, now);
    return {
      changes: { ...outcome, basedOn: huntContext.game, writes },
      result: {
        interaction: interactionView(
          shownInteraction(outcome.interaction, hunter, huntContext.game, now) ?? outcome.interaction,
          huntContext.aliases,
          hunter,
        ),
        hunter: playerInfo(outcome.hunter, hunter, huntContext.game, now, null),
        prey:
          outcome.prey === null
            ? { alias: null, state: null }
            : { alias: outcome.prey.alias, state: preyState(outcome.prey) },
      },
      aliases: huntContext.aliases,
    };
  });
};
