/** Requests of commands on a group of players, and the selection of the players. */
import * as z from "zod/mini";
import { foldAlias } from "../../domain/accounts/alias.ts";
import type { Game } from "../../domain/game/game.ts";
import { needsDecision, type Player, State, stateOf } from "../../domain/players/player.ts";
import { knowsSecrets, shownPlayer } from "../../domain/players/visibility.ts";
import type { CommandCall as Call } from "../../http/definition.ts";
import { AliasRef, atLeastOneOf, DRY_RUN_FIELDS, Label, pageOfDryRun } from "../../http/fields.ts";
import { compareBytes } from "../../store/lists.ts";
import type { Store } from "../../store/store.ts";
import { readPlayers } from "../accounts/listPlayers.ts";
import { findPlayers } from "../currentState.ts";

const MAX_ALIASES = 500;

/** The fields that select players. A player must match all given fields. */
const selectionFields = <S extends State>(states: readonly S[]) => ({
  aliases: z.optional(z.array(AliasRef).check(z.minLength(1), z.maxLength(MAX_ALIASES))),
  label: z.optional(Label),
  state: z.optional(z.enum(states)),
  ...DRY_RUN_FIELDS,
});

const isSelective = atLeastOneOf("aliases", "label", "state");

export const FeedGroupRequest = z.strictObject(selectionFields(["zombie"])).check(isSelective, pageOfDryRun);

export const ReviveAllRequest = z
  .strictObject({
    ...selectionFields(["corpse", "spectator"]),
    as: z.optional(z.enum(["human", "zombie"])),
    hidden: z.optional(z.boolean()),
  })
  .check(isSelective, pageOfDryRun)
  .check(
    z.refine(({ as, hidden }) => hidden === undefined || as === "zombie", {
      error: "is only for zombies",
      path: ["hidden"],
    }),
  );

type GroupRequest = z.infer<typeof FeedGroupRequest> | z.infer<typeof ReviveAllRequest>;

export const GroupResponse = z.object({
  /** The number of players who were, or would be, changed. */
  count: z.int(),
  /** The number of other selected players, whose state does not allow the command. */
  skipped: z.int(),
  complete: z.boolean(),
  job_id: z.nullable(z.string()),
  /** Only in a dry run. */
  players: z.optional(z.array(z.object({ alias: z.nullable(z.string()), state: State }))),
  next_cursor: z.optional(z.nullable(z.string())),
});
export type GroupResponse = z.infer<typeof GroupResponse>;

export type GroupCall = Call<"administrator", GroupRequest, unknown, GroupResponse>;

/** A command on each player of a group, and the state that it requires. */
export const GroupCommand = z.object({
  action: z.enum(["feed_group", "revive_all"]),
  /** The new state of revived players. */
  as: z.optional(z.enum(["human", "zombie"])),
  /** Of players revived as zombies: whether others see humans while originals are hidden. */
  hidden: z.optional(z.boolean()),
  from: State,
});
export type GroupCommand = z.infer<typeof GroupCommand>;

/** A selected player, and their position in the roster. */
export interface Selected {
  position: string;
  player: Player;
  /** Whether the player's state allows the command. */
  applies: boolean;
}

const byAlias = (players: readonly Player[]): { position: string; player: Player }[] =>
  players
    .map((player) => ({ position: foldAlias(player.alias), player }))
    .sort((one, other) => compareBytes(one.position, other.position));

/**
 * Whether a command of a group is for players in the state of this one. Game masters who know secrets do not revive
 * themselves.
 * @param actor the game master's player id
 */
export const isFor = (
  player: Player,
  { action, from }: GroupCommand,
  actor: string,
  game: Game,
  now: number,
): boolean => {
  const isOwnReturn = action === "revive_all" && player.player_id === actor && knowsSecrets(player);
  return !isOwnReturn && stateOf(player, game, now) === from;
};

/**
 * Yields the players whom a request selects, ordered by alias.
 * @param master the game master who makes the request
 * @throws DomainError `player_not_found` if an alias is unknown
 */
export async function* selectGroup(
  store: Store,
  game: Game,
  now: number,
  { aliases, label, state }: GroupRequest,
  command: GroupCommand,
  master: Player,
): AsyncGenerator<Selected> {
  const candidates =
    aliases === undefined
      ? readPlayers(store, store.rosterEntries(game, 500), 100)
      : byAlias(await findPlayers(store, aliases));
  for await (const { position, player } of candidates) {
    if (label !== undefined && !player.labels.includes(label)) continue;
    // It must not show who is a hidden original zombie, so it applies only if that is what the game master sees.
    const isMeant = [player, shownPlayer(player, master, game, now)].every((one) =>
      isFor(one, command, master.player_id, game, now),
    );
    const applies = isMeant && !needsDecision(player);
    if (isMeant || state === undefined) yield { position, player, applies };
  }
}
