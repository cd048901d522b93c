/** What an earlier version stored about players who left during play, and how a game master lets them back (decision 85). */
import * as z from "zod/mini";
import { gameTime } from "../game/clock.ts";
import type { Game } from "../game/game.ts";
import type { Interaction } from "../hunts/interaction.ts";
import type { CommandContext } from "../outcome.ts";
import { Cover } from "../players/lifeRecords.ts";
import { type Player, type PlayerIn, State } from "../players/player.ts";
import { asCorpse, asHuman, asZombie, newInteraction } from "../players/transitions.ts";
import { coverState } from "../players/visibility.ts";
import { nullableNumber, nullableText, optionalText, text } from "../schemas.ts";
import { rfc3339 } from "../time.ts";

/** Of each alias and address, without a player id. Remove this file a season after decision 85. */
export const Tombstone = z.lazy(() =>
  z.looseObject({
    left_at: text,
    state: State,
    held: optionalText,
    /** Of a zombie: the game time that was left until the deadline, in milliseconds. */
    hunger: nullableNumber,
    /** Of a zombie: the infection, and who infected them. */
    infection_id: nullableText,
    infected_by: nullableText,
    /** If the infector was a hidden original zombie: since when they were one, RFC 3339. */
    infected_by_original_since: optionalText,
    /** Of a human: the tag code, with which a hunter may still report a tag. */
    tag_code: nullableText,
    code_since: nullableText,
    /** Of a hidden original zombie whom others take for a human: the cover, which is what others see. */
    cover: z.optional(Cover),
  }),
);
export type Tombstone = z.infer<typeof Tombstone>;

/** A player who has returned, and the interactions that record it. */
export interface Return {
  player: Player;
  interactions: Interaction[];
}

/** Makes a newcomer a zombie again. In the ancestry tree, the new infection is a child of `infection.parent`. */
const asReturnedZombie = (
  newcomer: PlayerIn<"spectator">,
  infection: { parent: string | null; by: string | null; originalSince: string | undefined; hunger: number },
  game: Game,
  command: CommandContext,
): Return => {
  const { parent, by, originalSince, hunger } = infection;
  const interaction: Interaction = {
    ...newInteraction("revive_zombie", newcomer, null, command),
    parent,
    returned: true,
  };
  const { interaction_id: id, at } = interaction;
  const zombie = asZombie(newcomer, game, command, { id, at, by, originalSince });
  return {
    player: { ...zombie, deadline: gameTime(game, command.now) + hunger },
    interactions: [interaction],
  };
};

/** To others, a hidden original zombie who returns looks like a returning human with the same tag code and no kills. */
const underNewCover = (returned: Return, { cover }: Tombstone, game: Game, now: number): Return => {
  const { infection_id, infected_at: since } = returned.player;
  if (cover === undefined || infection_id === null || since === null) return returned;
  // A player who was revealed in the meantime stays revealed.
  if (coverState({ cover, infection_id: cover.infection_id }, game, now) === null) return returned;
  const none = { infected_at: null, kills: 0, last_kill_at: null, latest_kills: [] };
  const shown = { ...cover, ...none, since, infection_id, human_since: rfc3339(now) };
  return { ...returned, player: { ...returned.player, cover: shown } };
};

/** The present state of the tag code of a human who has left. */
export interface DepartedCode {
  /** The hunt that has used it since; `null` if none has. */
  hunt: Interaction | null;
  /** Whether the player can have it again. */
  isFree: boolean;
}

/** Puts a newcomer into the state of a tombstone. A human whose code was used since becomes a zombie. */
export const raise = (
  newcomer: PlayerIn<"spectator">,
  tombstone: Tombstone,
  { hunt, isFree }: DepartedCode,
  game: Game,
  command: CommandContext,
): Return => {
  const { state, held, hunger, infection_id, infected_by, tag_code, code_since } = tombstone;
  if (hunt !== null && hunt.voided_by === undefined) {
    const infection = {
      parent: hunt.interaction_id,
      by: hunt.actor,
      originalSince: hunt.cover?.since,
      hunger: command.feedingPeriod(game),
    };
    return asReturnedZombie(newcomer, infection, game, command);
  }
  // Others must not learn that a hidden original zombie has starved: the player returns to that life without time left.
  if (state === "zombie" || tombstone.cover !== undefined) {
    const originalSince = tombstone.infected_by_original_since;
    const infection = { parent: infection_id, by: infected_by, originalSince, hunger: hunger ?? 0 };
    const returned = asReturnedZombie(newcomer, infection, game, command);
    return underNewCover(returned, tombstone, game, command.now);
  }
  if (state === "corpse") return { player: asCorpse(newcomer), interactions: [] };
  if (state === "spectator") return { player: { ...newcomer, held }, interactions: [] };
  const human = asHuman(newcomer, command);
  if (!isFree || tag_code === null || code_since === null) return { player: human, interactions: [] };
  return { player: { ...human, tag_code, code_since }, interactions: [] };
};
