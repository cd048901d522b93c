/** Who may register and enrol, and when. */
import { DomainError } from "../domainError.ts";
import { type Game, phaseOf } from "../game/game.ts";
import type { Registration } from "../game/settings.ts";
import type { CommandContext } from "../outcome.ts";
import { HELD, type Human, isPending, type Player } from "../players/player.ts";
import { TRANSITIONS } from "../players/states.ts";
import { asHuman, requireState } from "../players/transitions.ts";
import { requireMayEnterPlay } from "../players/visibility.ts";
import { mustSign } from "../waiver/mustSign.ts";
import { WAITS } from "../waiver/waiver.ts";

/** How players register now. Nobody does between the end of a season and the next one. */
export const registrationOf = (game: Game, now: number): Registration => {
  // A newcomer would be a survivor of a season that is over.
  if (phaseOf(game, now) === "ended") return "closed";
  const { registration, registration_closes_at: closesAt } = game.settings;
  return closesAt !== null && now >= closesAt ? "closed" : registration;
};

/** Whether newcomers need a join code. @param otherwise the answer while the settings do not say */
export const needsJoinCode = ({ settings }: Game, otherwise: boolean): boolean =>
  settings.needs_join_code ?? otherwise;

/** How a newcomer registers now. @throws DomainError `registration_closed` */
export const requireRegistration = (game: Game, now: number): Exclude<Registration, "closed"> => {
  const registration = registrationOf(game, now);
  if (registration === "closed") {
    throw new DomainError("registration_closed", "Registration for this game is closed.");
  }
  return registration;
};

/**
 * Lets a spectator join this season as a human.
 * @param isOnlyAdministrator whether the player is a game master, and no other one could let them play
 * @throws DomainError `wrong_state`; `registration_closed` after the start, unless registration is open
 */
export const enrol = (
  player: Player,
  game: Game,
  command: CommandContext,
  isOnlyAdministrator: boolean,
): Human => {
  const spectator = requireState(player, TRANSITIONS.enrol.from, "enrol");
  requireMayEnterPlay(spectator, isOnlyAdministrator);
  if (isPending(spectator) && spectator.waits !== WAITS.signature) {
    throw new DomainError("wrong_state", "You are registered: a game master has to admit you.");
  }
  if (mustSign(spectator, game)) throw new DomainError("wrong_state", "Sign the waiver first, then join.");
  if (spectator.held === HELD.withdrawn) {
    throw new DomainError("wrong_state", "A game master has taken you out of play: ask them to play again.");
  }
  const hasStarted = phaseOf(game, command.now) !== "registration";
  if (hasStarted && registrationOf(game, command.now) !== "open") {
    throw new DomainError("registration_closed", "The game has started: ask a game master to let you play.");
  }
  return asHuman(spectator, command);
};
