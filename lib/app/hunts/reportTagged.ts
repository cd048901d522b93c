/** A human reports to be tagged, and a game master names the hunter of such a report (decision 47). */
import * as z from "zod/mini";
import { foldAlias } from "../../domain/alias.ts";
import { DomainError, invalid } from "../../domain/domainError.ts";
import { requireInPlay } from "../../domain/hunt.ts";
import type { Player } from "../../domain/player.ts";
import { reportTagged, requireWaiting, tagBy, waitingTag } from "../../domain/tag.ts";
import { instantOf } from "../../domain/time.ts";
import { applyStarvation, requireState } from "../../domain/transitions.ts";
import type { Call } from "../../http/definition.ts";
import { AliasRef, EventId, exactlyOnePlayer, PLAYER_REF_FIELDS, ZonedTime } from "../../http/fields.ts";
import { NoteText } from "../../http/textFields.ts";
import { interactionView } from "../../http/views.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { parseIfFound, parseInteraction } from "../../store/items.ts";
import type { Store } from "../../store/store.ts";
import { completionWrites, reportedTagWrites } from "../../store/tagCodes.ts";
import { findPlayer, reloadOnRetry } from "../currentState.ts";
import type { ChangeStateResponse } from "../game/changeState.ts";
import { showPlayer } from "../lookups.ts";
import { findSuspect, readTagTime } from "./huntContext.ts";

export const ReportTaggedRequest = z.strictObject({
  by_alias: z.optional(AliasRef),
  tagged_at: z.optional(ZonedTime),
});

const suspectOf = async (store: Store, alias: string | undefined): Promise<Player | null> => {
  if (alias === undefined) return null;
  const suspect = await store.playerByAlias(alias);
  if (suspect === null) throw new DomainError("player_not_found", `No player is called ${alias}.`);
  return suspect;
};

/**
 * Makes the caller a zombie whose infection waits for its hunter.
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
    if (issues.length > 0) throw invalid(...issues);
    requireInPlay(game, taggedAt, now);
    const suspect = await suspectOf(store, body.by_alias);
    const reported = { taggedAt, suspect: suspect?.player_id ?? null };
    const outcome = reportTagged(player, reported, game, context);
    const named = suspect === null ? [player] : [player, suspect];
    const names = new Map(named.map(({ player_id, alias }) => [player_id, alias]));
    return {
      changes: { ...outcome, seen: game, writes: reportedTagWrites(player, outcome.interaction) },
      response: {
        player: await showPlayer(store, outcome.player, game, now),
        interaction: interactionView(outcome.interaction, names, player),
      },
      names,
    };
  });
};

/** A report by its interaction, and its hunter. */
export const NameHunterRequest = z
  .strictObject({ interaction_id: EventId, ...PLAYER_REF_FIELDS, reason: z.optional(NoteText) })
  .check(exactlyOnePlayer);

/**
 * Names the hunter of a tag that its prey reported, as if the hunter had reported it, also after the report window.
 * @throws DomainError `not_found`, `player_not_found`, `wrong_state`, `too_early`
 */
export const nameHunter = (
  call: Call<"administrator", z.infer<typeof NameHunterRequest>, unknown, ChangeStateResponse>,
): Promise<CommandResponse> => {
  const { audit, body, context, now, services } = call;
  const { interaction_id, reason, ...ref } = body;
  const { store } = services;
  const reload = reloadOnRetry(call);
  audit.details = { interaction_id, ...(reason === undefined ? {} : { reason }) };
  return call.decide(async () => {
    const [{ player: actor, game: loaded }, item, named] = await Promise.all([
      reload(),
      store.interactionItem(call.game, interaction_id),
      findPlayer(store, ref),
    ]);
    audit.target = named.player_id;
    const waiting = requireWaiting(parseIfFound(item, parseInteraction));
    const prey = waiting.target === null ? null : await store.player(waiting.target);
    const game = await store.gameFor(loaded, named, prey);
    const { player } = applyStarvation(named, game, context);
    const hunter = requireState(player, ["zombie"], "be named as a hunter");
    const outcome = tagBy(
      waitingTag(waiting, prey),
      { hunter, huntedAt: instantOf(waiting.at) },
      game,
      context,
    );
    const suspect = await findSuspect(store, waiting);
    const everyone = [actor, named, prey, ...suspect].filter((one) => one !== null);
    const names = new Map(everyone.map(({ player_id, alias }) => [player_id, alias]));
    return {
      changes: {
        ...outcome,
        seen: game,
        writes: item === undefined ? [] : completionWrites(item, outcome.interaction),
      },
      response: {
        player: await showPlayer(store, outcome.hunter, game, now, actor),
        interaction: interactionView(outcome.interaction, names, actor),
      },
      names,
    };
  });
};
