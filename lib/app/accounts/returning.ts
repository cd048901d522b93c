/**
 * Players who deleted their account during play and register again return in the state in which they left (decision
 * 52).
 */

import { comeBack, worstTombstone } from "../../domain/departure.ts";
import type { Game } from "../../domain/game.ts";
import type { CommandContext } from "../../domain/outcome.ts";
import type { PlayerIn } from "../../domain/player.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";
import { returnedCodeWrite } from "../../store/tagCodes.ts";
import { findTombstones } from "../../store/tombstones.ts";
import type { Entrant } from "./newAccount.ts";

/** A newcomer in the state in which they left earlier in this season; `null` if they did not leave. */
export const returningPlayer = async (
  store: Store,
  newcomer: PlayerIn<"spectator">,
  game: Game,
  context: CommandContext,
): Promise<Entrant | null> => {
  const tombstone = worstTombstone(await findTombstones(store.db, newcomer));
  if (tombstone === undefined) return null;
  const { tag_code: code } = tombstone;
  const record = code === null ? null : await store.tagCode(code);
  const hunt = record?.hunt_id === undefined ? null : await store.interaction(game, record.hunt_id);
  const isFree = record?.left_at !== undefined && record.hunt_id === undefined;
  const returned = comeBack(newcomer, tombstone, { hunt, isFree }, game, context);
  const { player } = returned;
  const knownCode = tombstone.cover?.tag_code;
  // The tag code that a hidden original zombie had as a human leads to the new account: other players may know it.
  if (knownCode !== undefined && knownCode !== "") {
    return {
      ...returned,
      writes: [{ set: keys.code(knownCode), to: { player_id: player.player_id }, by: { rev: 1 } }],
    };
  }
  if (code === null || record === null || player.tag_code !== code) return returned;
  return { ...returned, writes: [returnedCodeWrite(code, record, player.player_id)], isCodeStored: true };
};
