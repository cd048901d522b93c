/** Lets a human report having been tagged (decision 47). */
import { foldAlias } from "../../domain/accounts/alias.ts";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import { requireInPlay } from "../../domain/hunts/hunt.ts";
import { reportTagged } from "../../domain/hunts/reportedTag.ts";
import type { Player } from "../../domain/players/player.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { reportedTagWrites } from "../../store/hunts/tagCodes.ts";
import type { Store } from "../../store/store.ts";
import { showPlayer } from "../lookups.ts";
import { type InteractionInfo, interactionView, type PlayerInfo } from "../shown.ts";
import { readTagTime } from "./huntContext.ts";

/** A player after a tag, and the interaction that records it. */
interface ChangedPlayer {
  player: PlayerInfo;
  interaction: InteractionInfo;
}

/** What a player reports of having been tagged. The time is RFC 3339. */
interface TagReport {
  by_alias?: string | undefined;
  tagged_at?: string | undefined;
}

const suspectOf = async (store: Store, alias: string | undefined): Promise<Player | null> => {
  if (alias === undefined) return null;
  const suspect = await store.playerByAlias(alias);
  if (suspect === null) throw new DomainError("player_not_found", `No player is called ${alias}.`);
  return suspect;
};

/**
 * Makes the caller a zombie whose infection does not have a hunter yet.
 * @throws DomainError `invalid_request`, `paused`, `not_running`, `player_not_found`, `wrong_state`, `too_early`
 */
export const reportBeingTagged = async (
  { context, game, now, player, services: { store } }: PlayerCall,
  report: TagReport,
): Promise<Decision<ChangedPlayer>> => {
  const { instant: taggedAt, issues } = readTagTime("tagged_at", report.tagged_at, game, now);
  if (report.by_alias !== undefined && foldAlias(report.by_alias) === foldAlias(player.alias))
    issues.push({ path: "by_alias", message: "You cannot tag yourself." });
  if (issues.length > 0) throw invalidRequest(...issues);
  requireInPlay(game, taggedAt, now);
  const suspect = await suspectOf(store, report.by_alias);
  const outcome = reportTagged(player, { taggedAt, suspect: suspect?.player_id ?? null }, game, context);
  const named = suspect === null ? [player] : [player, suspect];
  const aliases = new Map(named.map(({ player_id, alias }) => [player_id, alias]));
  return {
    changes: { ...outcome, basedOn: game, writes: reportedTagWrites(player, outcome.interaction) },
    result: {
      player: await showPlayer(store, outcome.player, game, now),
      interaction: interactionView(outcome.interaction, aliases, player),
    },
    aliases,
  };
};
