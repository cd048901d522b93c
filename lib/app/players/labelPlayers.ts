/** Adds labels to players and removes them. */
import { withLabels } from "../../domain/accounts/labels.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import type { Decision } from "../../store/decide.ts";
import { findPlayers } from "../currentState.ts";

interface LabelChange {
  aliases: string[];
  add?: string[] | undefined;
  remove?: string[] | undefined;
}

interface Labelled {
  players: { alias: string; labels: string[] }[];
}

/**
 * Changes the labels of all players that the request names, or on error of none.
 * @throws DomainError `player_not_found`, `invalid_request` if a player would have too many labels
 */
export const labelPlayers = async (
  { audit, game, services }: PlayerCall,
  { aliases, add = [], remove = [] }: LabelChange,
): Promise<Decision<Labelled>> => {
  const found = await findPlayers(services.store, aliases);
  const players = found.map((before) => ({ before, after: withLabels(before, add, remove) }));
  audit.details = { add, remove, player_ids: found.map(({ player_id }) => player_id) };
  return {
    changes: { players, basedOn: game },
    result: { players: players.map(({ after: { alias, labels } }) => ({ alias, labels })) },
  };
};
