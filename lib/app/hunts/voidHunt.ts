/** Voids a hunt, or previews the effects. */
import { asVoided } from "../../domain/disputes/dispute.ts";
import { wallDeadline } from "../../domain/game/clock.ts";
import type { Game } from "../../domain/game/game.ts";
import type { Interaction } from "../../domain/hunts/interaction.ts";
import { type Effect, requireHunt, type VoidContext, voidHunt } from "../../domain/hunts/void.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { Player, State } from "../../domain/players/player.ts";
import { coverState, shownInteraction, shownPlayer } from "../../domain/players/visibility.ts";
import { nullableRfc3339 } from "../../domain/time.ts";
import type { StoredItem, Write } from "../../dynamodb/database.ts";
import type { PlayerCall } from "../../lambda/call.ts";
import { disputeWrite, readDispute } from "../../store/hunts/disputes.ts";
import { absentAsRead, curedAsRead, markVoided } from "../../store/hunts/voids.ts";
import { parseIfFound, parseInteraction } from "../../store/items.ts";
import { lateTagResolved } from "../../store/notifications/alerts.ts";
import type { Store } from "../../store/store.ts";
import { interactionView } from "../shown.ts";

interface VoidedHunt {
  interaction_id: string;
  dry_run?: boolean | undefined;
  reason: string;
}

/** What a void changes for a player. */
export interface EffectInfo {
  alias: string | null;
  effect: Effect["effect"];
  state: State | null;
  kills?: number;
  points?: number;
  starves_at?: string | null;
  at?: string;
}

const playersIn = ({ target, actor, shared_with = [] }: VoidContext["hunt"]): ReadonlySet<string> =>
  new Set([target, actor, ...shared_with].filter((id) => id !== null));

/**
 * The players whom the zombie of an infection has infected, except deleted ones. Stale reads suffice, because the
 * players are only listed.
 */
const infectedIn = async (store: Store, life: string): Promise<VoidContext["infected"]> => {
  const infections = await store.infectedBy(life);
  const ids = new Set(infections.filter(({ voided }) => !voided).map(({ target }) => target));
  const players = await store.players(ids, { consistent: false });
  return infections.flatMap(({ infection_id, target }) => {
    const player = players.get(target);
    return player === undefined ? [] : [{ infection_id, player }];
  });
};

/** An effect with the alias of its player, and the deadline as a time. */
export const effectInfo = (
  { player, effect, state, kills, points, deadline, at }: Effect,
  aliases: ReadonlyMap<string, string>,
  game: Game,
  now: number,
): EffectInfo => ({
  alias: aliases.get(player) ?? null,
  effect,
  state,
  ...(kills === undefined ? {} : { kills }),
  ...(points === undefined ? {} : { points }),
  ...(deadline === undefined
    ? {}
    : { starves_at: deadline === null ? null : nullableRfc3339(wallDeadline(game, deadline, now)) }),
  ...(at === undefined ? {} : { at }),
});

/** An effect as a game master may see it who may not know who is a hidden original zombie. */
const shownEffect = (
  view: EffectInfo,
  player: Player | undefined,
  { hunt, actor, game, now }: { hunt: Interaction; actor: Player; game: Game; now: number },
): EffectInfo => {
  const isHunterHidden = shownInteraction(hunt, actor, game, now)?.isCovered === true;
  if (isHunterHidden && (player === undefined || player.player_id === hunt.actor))
    return { alias: null, effect: view.effect, state: null };
  if (player === undefined || coverState(player, game, now) === null) return view;
  const shown = shownPlayer(player, actor, game, now);
  return shown === player ? view : { alias: view.alias, effect: "unchanged", state: shown.state };
};

const aliasesOf = (...players: Player[]): Map<string, string> =>
  new Map(players.map(({ player_id, alias }) => [player_id, alias]));

interface VoidRequest {
  store: Store;
  /** As read; `undefined` if there is no such interaction. */
  item: StoredItem | undefined;
  /** The game master. */
  actor: Player;
  /** The game as read with the game master. */
  game: Game;
  reason: string;
  context: CommandContext;
  /** Players as earlier voids of a dry run would leave them. */
  changed?: ReadonlyMap<string, Player>;
}

/**
 * Decides a void, which also closes the dispute of the hunt.
 * @returns the changes and the hunt; for the response, the interaction, the effects and the aliases
 * @throws DomainError `not_found`, `wrong_state`
 */
export const prepareVoid = async ({
  store,
  item,
  actor,
  game: loaded,
  reason,
  context,
  changed = new Map(),
}: VoidRequest) => {
  const hunt = requireHunt(parseIfFound(item, parseInteraction));
  const { interaction_id, dispute } = hunt;
  const [read, below, disputed, alert] = await Promise.all([
    store.players(playersIn(hunt)),
    infectedIn(store, interaction_id),
    dispute === undefined ? null : readDispute(store.db, interaction_id),
    lateTagResolved(store.db, hunt, context.now),
  ]);
  const latest = (player: Player): Player => changed.get(player.player_id) ?? player;
  const named = new Map([...read].map(([id, player]) => [id, latest(player)]));
  const infected = below.map((one) => ({ ...one, player: latest(one.player) }));
  const game = await store.gameFor(loaded, ...read.values());
  const by = actor.player_id;
  const { now } = context;
  const outcome = voidHunt({ game, hunt, named, infected, actor: by, reason }, context);
  const aliases = aliasesOf(actor, ...infected.map(({ player }) => player), ...named.values());
  const writes: Write[] = [
    ...(item === undefined ? [] : [markVoided(item, outcome.interaction)]),
    ...curedAsRead(read.get(hunt.target ?? "")),
    ...absentAsRead([...playersIn(hunt)].filter((id) => !read.has(id))),
    ...(disputed === null ? [] : [disputeWrite(asVoided(disputed, hunt, { by, note: reason, now }))]),
    ...alert,
  ];
  return {
    hunt,
    changes: { ...outcome, basedOn: game, writes },
    interaction: interactionView(outcome.interaction, aliases, actor),
    effects: outcome.effects.map((effect) =>
      shownEffect(effectInfo(effect, aliases, game, now), named.get(effect.player), {
        hunt,
        actor,
        game,
        now,
      }),
    ),
    aliases,
  };
};

/**
 * Voids a hunt. A dry run returns the effects and changes nothing.
 * @throws DomainError `not_found`, `wrong_state`
 */
export const voidReportedHunt = async (
  { audit, context, game, player: actor, services: { store } }: PlayerCall,
  { interaction_id, reason, dry_run = false }: VoidedHunt,
) => {
  audit.details = { interaction_id, dry_run, reason };
  const item = await store.interactionItem(game, interaction_id);
  const prepared = await prepareVoid({ store, item, actor, game, reason, context });
  const { hunt, changes, interaction, effects, aliases } = prepared;
  audit.target = hunt.target;
  return {
    changes: dry_run ? {} : changes,
    result: { interaction: dry_run ? null : interaction, dry_run, effects },
    aliases,
  };
};
