/** Previews the closing of a mission. */

import type { Mission } from "../../domain/missions/mission.ts";
import { giveKnownRewards, giveRewards, rewardsFor } from "../../domain/missions/rewards.ts";
import { type State, stateOf } from "../../domain/players/player.ts";
import { hidesOriginalsFrom, shownPlayer } from "../../domain/players/visibility.ts";
import { BATCHES_RESERVE_MS } from "../../jobs/bulk.ts";
import type { ReadCall } from "../../lambda/call.ts";
import { chunk } from "../../runtime/chunk.ts";
import { unavailable } from "../../store/commit.ts";
import { pageCollector } from "../../store/lists.ts";
import type { PageRequest } from "../checkpoint/preview.ts";
import { attendedFor, type CloseRequest, requireOpenMission } from "./closeMission.ts";
import { sidesAtClosing } from "./sidesAtStart.ts";

/** Somebody whom closing a mission would reward, as a viewer may see them. */
interface RewardedPlayer {
  alias: string;
  state: State;
  becomes: State;
  side: State;
  rewards: Mission["rewards"];
}

/**
 * Counts and lists those whom closing the mission would reward, and with what.
 * @throws DomainError as `closeMission`
 */
export const previewClosing = async (call: ReadCall, request: CloseRequest, page: PageRequest) => {
  const { audit, context, game, now, player: viewer, services, timeLeft } = call;
  const { store } = services;
  const { mission_id, result } = request;
  const mission = await requireOpenMission(call, mission_id);
  const attended = await attendedFor(call, mission, result);
  const { sidesOf, prepare } = sidesAtClosing({ store, game, context, timeLeft }, mission);
  const listed = pageCollector<{ id: string; shown: RewardedPlayer }>(page.limit, page.after);
  const isHidden = hidesOriginalsFrom(viewer, game, now);
  let count = 0;
  for (const batch of chunk(attended, 100)) {
    if (timeLeft() < BATCHES_RESERVE_MS) throw unavailable();
    const players = await store.players(batch.map(({ player_id }) => player_id));
    await prepare([...players.values()], game);
    for (const { player_id } of batch) {
      const player = players.get(player_id);
      if (player === undefined) continue;
      const sides = sidesOf(player, game);
      const give = isHidden ? giveKnownRewards : giveRewards;
      const given = give(player, mission, sides, game, context);
      if (given === null) continue;
      count += 1;
      const known = isHidden ? { side: sides.shown, shown: sides.shown } : sides;
      const shown = {
        ...{ alias: player.alias, becomes: stateOf(given.player, game, now), side: known.side },
        state: stateOf(shownPlayer(player, viewer, game, now), game, now),
        rewards: rewardsFor(mission, known).map(({ audience, effect }) => ({ audience, effect })),
      };
      listed.add(player_id, { id: player_id, shown });
    }
  }
  const { items, next } = listed.page();
  const skipped = attended.length - count;
  audit.details = { mission_id, title: mission.title, result, dry_run: true, count, skipped };
  return {
    result: {
      ...{ mission_id, count, skipped, complete: true, job_id: null },
      players: items.map(({ shown }) => shown),
    },
    next,
    aliases: new Map(items.map(({ id, shown: { alias } }) => [id, alias])),
  };
};
