/** Lets a human report having been tagged (decision 47). */
import * as z from "zod/mini";
import { foldAlias } from "../../domain/accounts/alias.ts";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import { requireInPlay } from "../../domain/hunts/hunt.ts";
import { reportTagged } from "../../domain/hunts/reportedTag.ts";
import type { Player } from "../../domain/players/player.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { AliasRef, TagTime } from "../../http/fields.ts";
import { reportedTagWrites } from "../../store/hunts/tagCodes.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import type { Store } from "../../store/store.ts";
import { reloadOnRetry } from "../currentState.ts";
import type { ChangeStateResponse } from "../game/changeState.ts";
import { showPlayer } from "../lookups.ts";
import { interactionView } from "../shown.ts";
import { readTagTime } from "./huntContext.ts";

export const ReportTaggedRequest = z.strictObject({
  by_alias: z.optional(AliasRef),
  tagged_at: z.optional(TagTime),
});

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
export const reportBeingTagged = (
  call: Call<"player", z.infer<typeof ReportTaggedRequest>, unknown, ChangeStateResponse>,
): Promise<CommandResponse> => {
  const { body, context, now, services } = call;
  const { store } = services;
  const reload = reloadOnRetry(call);
  return call.decide(async () => {
    const { player, game } = await reload();
    const { instant: taggedAt, issues } = readTagTime("tagged_at", body.tagged_at, game, now);
    if (body.by_alias !== undefined && foldAlias(body.by_alias) === foldAlias(player.alias))
      issues.push({ path: "by_alias", message: "You cannot tag yourself." });
    if (issues.length > 0) throw invalidRequest(...issues);
    requireInPlay(game, taggedAt, now);
    const suspect = await suspectOf(store, body.by_alias);
    const reported = { taggedAt, suspect: suspect?.player_id ?? null };
    const outcome = reportTagged(player, reported, game, context);
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
  });
};
