/** Decides for whom a notification is: for pushes, the inbox and mails alike. */
import type { Game } from "../../domain/game/game.ts";
import { isAddressed, isMuted, type Notification, seemsAddressed } from "../../domain/notifications/push.ts";
import type { Player } from "../../domain/players/player.ts";
import { mustSign } from "../../domain/waiver/mustSign.ts";
import { commandContext, type Services } from "../../lambda/services.ts";
import type { Target } from "./deliverBatch.ts";

/** For whom a notification is: an audience, and within it those who lack something. */
export type Recipients = Pick<Notification, "audience" | "unsigned" | "missions_below">;

type Judging = Pick<Services, "store" | "clock" | "feedingPeriod">;

/**
 * Reads who lacks what a notification is about.
 * @param of the id of the only player of whom it is asked, if there is one
 * @returns `null` if it is for the whole audience
 */
const readLacking = async (
  services: Judging,
  game: Game,
  { unsigned, missions_below: min }: Recipients,
  of?: string,
): Promise<((player: Player) => boolean) | null> => {
  if (unsigned === undefined && min === undefined) return null;
  let isShort = (_: Player): boolean => true;
  if (min !== undefined) {
    // Imported on demand: few messages are about missions.
    const { readShortOfMissions } = await import("../missions/requirement.ts");
    const context = commandContext(services, services.clock());
    isShort = await readShortOfMissions(services.store, game, min, context, of);
  }
  return (player) => isShort(player) && (unsigned === undefined || mustSign(player, game));
};

/**
 * Reads what decides for whom a notification is. @param options.of the id of the only player of whom it is asked
 * @param options.isHiding whether it is asked for somebody who takes hidden original zombies for what others see
 */
export const readRecipients = async (
  services: Judging,
  game: Game,
  recipients: Recipients,
  { of, isHiding = false }: { of?: string; isHiding?: boolean } = {},
): Promise<(player: Player) => boolean> => {
  const isLacking = (await readLacking(services, game, recipients, of)) ?? (() => true);
  const isIn = isHiding ? seemsAddressed : isAddressed;
  return (player) => isIn(recipients.audience, player, game, services.clock()) && isLacking(player);
};

/** The targets whose players are addressed now, and have not switched such pushes off. */
export const addressedTargets = async (
  services: Judging,
  game: Game,
  recipients: Recipients & Pick<Notification, "page">,
  targets: readonly Target[],
): Promise<readonly Target[]> => {
  if (targets.length === 0) return targets;
  const { store, clock } = services;
  const { audience } = recipients;
  const ids = targets.map(({ subscription }) => subscription.player_id);
  const isLacking = await readLacking(services, game, recipients);
  if (isLacking !== null) {
    const players = await store.players(new Set(ids));
    return targets.filter(({ subscription }) => {
      const player = players.get(subscription.player_id);
      return player !== undefined && isAddressed(audience, player, game, clock()) && isLacking(player);
    });
  }
  if (audience === "all" && recipients.page === undefined) return targets;
  const players = await store.listeners(ids, { consistent: true });
  const now = clock();
  return targets.filter(({ subscription }) => {
    const player = players.get(subscription.player_id);
    return player !== undefined && isAddressed(audience, player, game, now) && !isMuted(recipients, player);
  });
};
