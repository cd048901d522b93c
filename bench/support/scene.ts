/** The game that requests are measured in: a hunter who is logged in, and prey by the hundred. */
import { randomInt, randomUUID } from "node:crypto";
import { v7 } from "uuid";
import { makeToken } from "../../lib/auth/token.ts";
import { NEW_GAME } from "../../lib/domain/clock.ts";
import type { CommandContext } from "../../lib/domain/outcome.ts";
import { newSpectator, type Player } from "../../lib/domain/player.ts";
import { makeTagCode } from "../../lib/domain/tagCode.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { asHuman, asZombie } from "../../lib/domain/transitions.ts";
import type { Item } from "../../lib/dynamodb/database.ts";
import { gameItem, playerItem } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { fill } from "../../tests/support/table.ts";

export interface Someone {
  id: string;
  alias: string;
  token: string;
}

export interface Prey {
  id: string;
  alias: string;
  code: string;
}

interface Place {
  endpoint: string;
  table: string;
}

const PERIOD = 48 * HOUR;

/** When those who are put into the table joined: an hour ago. */
const past = (): CommandContext => ({
  now: Date.now() - HOUR,
  period: PERIOD,
  newId: v7,
  newCode: () => makeTagCode(() => randomInt(256)),
});

const human = (moment: CommandContext): Player => {
  const id = randomUUID();
  // Long enough to be nobody else's, and like a name.
  const spectator = newSpectator(id, 0, { alias: `Player ${id.slice(0, 13)}` }, rfc3339(moment.now - DAY));
  return { ...asHuman(spectator, moment), rev: 1 };
};

const sessionsItem = (id: string, hash: string, now: number): Item => ({
  ...keys.sessions(id),
  rev: 1,
  sessions: [{ hash, created_at: now, last_used: now, expires_at: now + 30 * DAY, from: "0123456789ab" }],
});

/** Puts an original zombie who is logged in into a table, and the game itself. */
export const putHunter = async (place: Place): Promise<Someone> => {
  const moment = past();
  const before = human(moment);
  const infection = { id: moment.newId(), at: rfc3339(moment.now), by: null };
  const hunter = asZombie(before, NEW_GAME, moment, infection);
  const { token, hash } = makeToken(hunter.player_id);
  await fill(place, [
    gameItem({ ...NEW_GAME, rev: 1 }),
    playerItem(hunter),
    sessionsItem(hunter.player_id, hash, moment.now),
  ]);
  return { id: hunter.player_id, alias: hunter.alias, token };
};

/** Puts so many humans into a table. */
export const putPrey = async (place: Place, count: number): Promise<Prey[]> => {
  const moment = past();
  const players = Array.from({ length: count }, () => human(moment));
  const prey = players.map(({ player_id: id, alias, tag_code }) => ({ id, alias, code: tag_code ?? "" }));
  const items = players.map(playerItem);
  const codes = prey.map(({ id, code }) => ({ ...keys.code(code), player_id: id }));
  await fill(place, [...items, ...codes]);
  return prey;
};
