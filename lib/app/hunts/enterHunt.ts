/**
 * Lets a game master enter a tag for its hunter, or name the hunter of an infection that has none (decisions 47, 58, 91,
 * 98).
 */
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import type { Game } from "../../domain/game/game.ts";
import { decideEnteredHunt, requireInPlay } from "../../domain/hunts/hunt.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import {
  type HuntOutcome,
  requireWithoutHunter,
  type TagTimes,
  tagBy,
  timesOfReported,
  waitingTag,
} from "../../domain/hunts/tag.ts";
import { type Hunter, requireHunterAt } from "../../domain/players/lives.ts";
import type { Player } from "../../domain/players/player.ts";
import { isCovered, shownInteraction } from "../../domain/players/visibility.ts";
import { instantOf } from "../../domain/time.ts";
import type { StoredItem } from "../../dynamodb/database.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { parseIfFound, parseInteraction } from "../../store/items.ts";
import { restateWrites } from "../../store/statistics.ts";
import type { Store } from "../../store/store.ts";
import { findPlayer, type PlayerName } from "../currentState.ts";
import { showPlayer } from "../lookups.ts";
import { infoForStaff, interactionView } from "../shown.ts";
import { completeTag } from "./completeTag.ts";
import { findSuspect, readHuntReport } from "./huntContext.ts";
import { eventsOf, revivalWrites } from "./lateTag.ts";

/** The data for the response to a tag that a game master has entered. */
interface Entered {
  call: PlayerCall;
  game: Game;
  outcome: HuntOutcome;
  /** The interaction that was waiting for its hunter, as read. */
  item: StoredItem | undefined;
  named: readonly (Player | null)[];
}
const entered = async ({ call, game, outcome, item, named }: Entered) => {
  const { player: actor } = call;
  const { store } = call.services;
  const { interaction, hunter } = outcome;
  const everyone = [actor, ...named, ...(await findSuspect(store, interaction))].filter(
    (one) => one !== null,
  );
  const aliases = new Map(everyone.map(({ player_id, alias }) => [player_id, alias]));
  return {
    changes: {
      ...outcome,
      basedOn: game,
      writes: [
        ...(item === undefined ? [] : await completeTag(store, game, item, outcome)),
        ...(item === undefined || parseInteraction(item).kind === "hunt"
          ? []
          : await restateWrites(store, item)),
        ...(await revivalWrites(store, game, outcome, call.now)),
      ],
    },
    result: {
      player: infoForStaff(await showPlayer(store, hunter, game, call.now, actor), hunter, actor),
      interaction: interactionView(
        shownInteraction(interaction, actor, game, call.now) ?? interaction,
        aliases,
        actor,
      ),
    },
    aliases,
  };
};

const findHunter = (
  { context, services }: PlayerCall,
  player: Player,
  game: Game,
  times: TagTimes,
): Promise<Hunter> =>
  requireHunterAt(player, times, game, context, eventsOf(services.store, game, player.player_id, times));

/** When a tag happened. A time after the prey's report, such as now, says only that the tag was before it. */
const timesOf = (huntedAt: number, reported: TagTimes | null): TagTimes =>
  reported === null || huntedAt < reported.until ? { from: huntedAt, until: huntedAt } : reported;

/** An infection without a hunter, its hunter, and when they tagged the prey. */
interface NamedHunter extends PlayerName {
  interaction_id: string;
  hunted_at?: string | undefined;
}

/**
 * The infection of which a game master names the hunter. Who was hidden when it began must be revealed first.
 * @throws DomainError `not_found`, `wrong_state`
 */
const requireNameable = (
  infection: Interaction | null,
  actor: Player,
  game: Game,
  now: number,
): Interaction => {
  const shown = infection === null ? null : shownInteraction(infection, actor, game, now);
  requireWithoutHunter(shown);
  if (infection !== null && !isCovered(infection, game, now)) return infection;
  // A hunt would show everybody that the prey is a zombie.
  throw new DomainError(
    "wrong_state",
    "Others take this player for a human: name the hunter after the reveal.",
  );
};

/**
 * Names the hunter of an infection that has none, as if the hunter had reported the tag, even after the report window.
 * Without a time, it counts from the recording of the infection.
 * @throws DomainError `not_found`, `player_not_found`, `wrong_state`, `too_early`
 */
export const nameHunter = async (call: PlayerCall, { interaction_id, hunted_at, ...ref }: NamedHunter) => {
  const { audit, context, game: loaded, now, player: actor } = call;
  const { store } = call.services;
  audit.details = { interaction_id };
  const [item, named] = await Promise.all([
    store.interactionItem(loaded, interaction_id),
    findPlayer(store, ref),
  ]);
  audit.target = named.player_id;
  const waiting = requireNameable(parseIfFound(item, parseInteraction), actor, loaded, now);
  const prey = waiting.target === null ? null : await store.player(waiting.target);
  const game = await store.gameFor(loaded, named, prey);
  const reported = timesOfReported(waiting, game);
  const huntedAt = hunted_at === undefined ? reported.until : instantOf(hunted_at);
  const hunter = await findHunter(call, named, game, timesOf(huntedAt, reported));
  const enteredBy = waiting.kind === "hunt" ? undefined : actor.player_id;
  const outcome = tagBy(waitingTag(waiting, prey), { hunter, huntedAt, enteredBy }, game, context);
  return entered({ call, game, outcome, item, named: [named, prey] });
};

/** A tag. Hunter and prey are an alias or a player id; no alias has the form of a player id. */
interface EnteredHunt {
  hunter: string;
  prey: string;
  hunted_at?: string | undefined;
  share_with?: string[] | undefined;
}

const UUID_LENGTH = 36;

const findByText = (store: Store, text: string): Promise<Player> =>
  findPlayer(store, text.length === UUID_LENGTH ? { player_id: text.toLowerCase() } : { alias: text });

/** The current infection of a player, if it is waiting for its hunter, and its stored item. */
const readWaiting = async (
  store: Store,
  game: Game,
  { infection_id }: Player,
): Promise<{ item?: StoredItem; waiting: Interaction | null }> => {
  const item = infection_id === null ? undefined : await store.interactionItem(game, infection_id);
  const infection = parseIfFound(item, parseInteraction);
  return item === undefined || infection?.waiting_since === undefined
    ? { waiting: null }
    : { item, waiting: infection };
};

/**
 * Enters a tag for its hunter, who need no longer be a zombie. If the prey has reported the tag, it gets this hunter.
 * @throws DomainError `invalid_request`, `player_not_found`, `paused`, `not_running`, `wrong_state`, `too_early`
 */
export const enterHunt = async (call: PlayerCall, body: EnteredHunt) => {
  const { audit, context, game: loaded, now, player: actor } = call;
  const { store } = call.services;
  const { hunter: by, prey: of, share_with = [] } = body;
  const [named, prey, ...sharers] = await Promise.all([
    findByText(store, by),
    findByText(store, of),
    ...share_with.map(async (alias) => ({ alias, player: await store.playerByAlias(alias) })),
  ]);
  audit.target = named.player_id;
  if (named.player_id === prey.player_id)
    throw invalidRequest({ path: "prey", message: "The prey must be another player than the hunter." });
  const sharing = sharers.map(({ player }) => player);
  const game = await store.gameFor(loaded, named, prey, ...sharing);
  const { huntedAt } = readHuntReport(body, named, game, now, true);
  requireInPlay(game, huntedAt, now);
  const { item, waiting } = await readWaiting(store, game, prey);
  const reported = waiting === null ? null : timesOfReported(waiting, game);
  const hunter = await findHunter(call, named, game, timesOf(huntedAt, reported));
  const enteredBy = actor.player_id;
  const outcome = decideEnteredHunt({ game, hunter, prey, waiting, sharers, huntedAt, enteredBy }, context);
  audit.details = { interaction_id: outcome.interaction.interaction_id };
  return entered({ call, game, outcome, item, named: [named, prey, ...sharing] });
};
