/** Renders game events for the players who receive them. */
import { type GameEvent, textFor } from "../../domain/events/gameEvents.ts";
import type { Game } from "../../domain/game/game.ts";
import type { PushText } from "../../domain/notifications/pushTexts.ts";
import { coverState, isActorHidden } from "../../domain/players/visibility.ts";
import type { ListenerEntry } from "../../store/items.ts";

/** The state from which events are rendered: the game, and the players by id, including actors. */
export interface RenderState {
  listeners: ReadonlyMap<string, ListenerEntry>;
  game: Game;
  clock: () => number;
}

/** The text of an event for one player; `null` if the player does not receive it. */
export const renderEvent = (
  event: GameEvent,
  playerId: string,
  { listeners, game, clock }: RenderState,
): PushText | null => {
  const listener = listeners.get(playerId);
  const now = clock();
  const by = listeners.get(event.actor ?? "");
  // A game master who plays must not learn from an alarm that a hidden original zombie hunts; the page names them.
  const isCoverAtRisk = event.what === "alarm" && by !== undefined && coverState(by, game, now) !== null;
  const isHidden = isCoverAtRisk || isActorHidden(event, playerId, game, now);
  const actor = isHidden ? null : (by?.alias ?? null);
  return listener === undefined ? null : textFor(event, listener, { actor, game, now });
};
