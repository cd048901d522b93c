/** The texts of events that have been pushed, for the inbox. */
import { type GameEvent, textFor } from "../events/gameEvents.ts";
import { instantOf } from "../time.ts";
import type { Listener, PushText, RenderContext } from "./pushTexts.ts";

/** The text of an event as it was pushed, for somebody who reads it later. Switched-off kinds are included. */
export const pastTextFor = (
  event: GameEvent,
  listener: Omit<Listener, "push_kinds">,
  context: RenderContext,
): PushText | null => {
  const isOfPause = event.what === "paused" || event.what === "resumed";
  const paused_at = event.what === "paused" ? instantOf(event.at) : null;
  const game = isOfPause ? { ...context.game, paused_at } : context.game;
  const state = event.what === "tagged" ? "zombie" : listener.state;
  const now = isOfPause ? instantOf(event.at) : context.now;
  return textFor(event, { ...listener, state, push_kinds: null }, { ...context, game, now });
};
