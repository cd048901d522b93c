/** Handles the report of a zombie who has tagged a human. */
import type { Game } from "../../domain/game/game.ts";
import { hunt, reportingHunter, unknownTagCode } from "../../domain/hunts/hunt.ts";
import { isTagCode, normalizeTagCode } from "../../domain/hunts/tagCode.ts";
import type { Hunter } from "../../domain/players/lives.ts";
import { type Player, type State, stateOf } from "../../domain/players/player.ts";
import { type ShownInteraction, shownInteraction, shownPlayer } from "../../domain/players/visibility.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { countUnknownCode, type HuntBody, loadHuntContext, readHuntReport } from "./huntContext.ts";
import { eventsOf, revivalWrites } from "./lateTag.ts";

/** A hunt as its hunter may see it, with the aliases of everyone in it by player id. */
interface ReportedHunt {
  game: Game;
  interaction: ShownInteraction;
  hunter: Player;
  /** `alias` is `null` if the prey's account has been deleted, and `state` if that was before the hunt. */
  prey: { alias: string | null; state: State | null };
  aliases: ReadonlyMap<string, string>;
}

/**
 * Carries out a hunt. Checks whether the hunter may hunt before it looks up the tag code.
 * @throws DomainError `invalid_request`, and what {@link reportingHunter} and {@link hunt} throw
 */
export const reportHunt = async (
  { context, game, now, player: hunter, services: { store } }: PlayerCall,
  body: HuntBody,
): Promise<Decision<ReportedHunt>> => {
  const report = readHuntReport(body, hunter, game, now);
  const { huntedAt } = report;
  const readEvents = eventsOf(store, game, hunter.player_id, { from: huntedAt, until: huntedAt });
  const judge = (current: Game): Promise<Hunter> =>
    reportingHunter(hunter, huntedAt, current, context, readEvents);
  const judged = await judge(game);
  // A malformed code is a typing error and not a guess, so it does not count as a failed attempt.
  if (!isTagCode(normalizeTagCode(body.tag_code))) throw unknownTagCode();
  const loaded = await loadHuntContext(store, hunter, game, body, now);
  // A player may have been read who knows a newer game.
  const found = { ...loaded, hunter: loaded.game === game ? judged : await judge(loaded.game) };
  // Returned and not thrown, so that the failed attempt is saved.
  if (found.prey === "unknown") return countUnknownCode(found.hunter, context, found.game);
  const outcome = hunt(found, report, context);
  const writes = [
    ...(await found.writes(outcome)),
    ...(await revivalWrites(store, found.game, outcome, now)),
  ];
  // If the prey reported this tag first, they may have been revived since, even as a hidden original zombie.
  const preyState = (prey: Player): State =>
    stateOf(shownPlayer(prey, hunter, found.game, now), found.game, now);
  return {
    changes: { ...outcome, basedOn: found.game, writes },
    result: {
      game: found.game,
      interaction: shownInteraction(outcome.interaction, hunter, found.game, now) ?? outcome.interaction,
      hunter: outcome.hunter,
      prey:
        outcome.prey === null
          ? { alias: null, state: null }
          : { alias: outcome.prey.alias, state: preyState(outcome.prey) },
      aliases: found.aliases,
    },
    aliases: found.aliases,
  };
};
