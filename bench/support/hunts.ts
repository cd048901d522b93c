/** Writes hunters and prey into a table, without the service; their requests, and checks of the responses. */
import { randomInt, randomUUID } from "node:crypto";
import { v7 } from "uuid";
import * as z from "zod/mini";
import { makeToken } from "../../lib/auth/token.ts";
import { NEW_GAME } from "../../lib/domain/clock.ts";
import type { CommandContext } from "../../lib/domain/outcome.ts";
import { type Human, newSpectator, State } from "../../lib/domain/player.ts";
import { makeTagCode } from "../../lib/domain/tagCode.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { asHuman, asZombie } from "../../lib/domain/transitions.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { gameItem, playerItem } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { openStore, type Store } from "../../lib/store/store.ts";
import { fill } from "../../tests/support/table.ts";
import type { Request } from "./events.ts";
import type { Reply } from "./lambda.ts";

export interface Place {
  endpoint: string;
  table: string;
}

export interface Hunter {
  id: string;
  alias: string;
  token: string;
}

export interface Prey {
  id: string;
  alias: string;
  code: string;
}

/** All players joined an hour ago. */
const contextOfJoining = (): CommandContext => ({
  now: Date.now() - HOUR,
  feedingPeriod: () => 48 * HOUR,
  newId: v7,
  newCode: () => makeTagCode(() => randomInt(256)),
});

const makeHuman = (context: CommandContext): Human => {
  const id = randomUUID();
  const spectator = newSpectator(id, 0, { alias: `Player ${id.slice(0, 13)}` }, rfc3339(context.now - DAY));
  return { ...asHuman(spectator, context), rev: 1 };
};

/** Writes the game, and an original zombie who is logged in. */
export const putHunter = async (place: Place): Promise<Hunter> => {
  const context = contextOfJoining();
  const { now } = context;
  const infection = { id: context.newId(), at: rfc3339(now), by: null };
  const hunter = asZombie(makeHuman(context), NEW_GAME, context, infection);
  const { player_id: id, alias } = hunter;
  const { token, hash } = makeToken(id);
  const session = { hash, created_at: now, last_used: now, expires_at: now + 30 * DAY, from: "0123456789ab" };
  await fill(place, [
    gameItem({ ...NEW_GAME, rev: 1 }),
    playerItem(hunter),
    { ...keys.sessions(id), rev: 1, sessions: [session] },
  ]);
  return { id, alias, token };
};

/** Writes a number of humans. */
export const putPrey = async (place: Place, count: number): Promise<Prey[]> => {
  const context = contextOfJoining();
  const players = Array.from({ length: count }, () => makeHuman(context));
  const prey = players.map(({ player_id: id, alias, tag_code }) => ({ id, alias, code: tag_code }));
  const codes = prey.map(({ id, code }) => ({ ...keys.code(code), player_id: id }));
  await fill(place, [...players.map(playerItem), ...codes]);
  return prey;
};

export const huntRequest = (as: Hunter, { code }: Prey): Request => ({
  route: "POST /zombie/hunt/{url_id}",
  as,
  body: { tag_code: code },
});

export const playerRequest = (as: Hunter): Request => ({ route: "GET /player/{url_id}", as });

const HuntBody = z.object({
  interaction: z.looseObject({ interaction_id: z.string(), kind: z.literal("hunt"), target: z.string() }),
  hunter: z.object({ kills: z.int().check(z.positive()), starves_at: z.iso.datetime() }),
  prey: z.object({ alias: z.string(), state: z.literal("zombie") }),
});
const PlayerBody = z.looseObject({ player_id: z.string(), state: State, starves_at: z.iso.datetime() });

/** @throws Error unless a response has status 200 and a body of this schema */
export const bodyOf = <T>({ statusCode, body }: Reply, schema: z.ZodMiniType<T>): T => {
  const parsed = statusCode === 200 ? schema.safeParse(JSON.parse(body ?? "")) : undefined;
  if (parsed?.success !== true) throw new Error(`wrong response: ${statusCode} ${body}`);
  return parsed.data;
};

export const openPlace = ({ endpoint, table }: Place): Store => openStore(openDatabase({ table, endpoint }));

/** @throws Error unless each hunt succeeded and is stored; replies are in the order of the prey */
export const checkHunts = async (
  store: Store,
  hunter: Hunter,
  prey: readonly Prey[],
  replies: readonly Reply[],
): Promise<void> => {
  if (replies.length !== prey.length) throw new Error(`${replies.length} replies to ${prey.length} hunts`);
  const players = await store.players(prey.map(({ id }) => id));
  for (const [n, reply] of replies.entries()) {
    const { interaction, prey: infected } = bodyOf(reply, HuntBody);
    const { id = "", alias } = prey[n] ?? {};
    const stored = players.get(id);
    const isRight =
      infected.alias === alias &&
      interaction.target === alias &&
      stored?.state === "zombie" &&
      stored.infection_id === interaction.interaction_id &&
      stored.infected_by === hunter.id;
    if (!isRight) throw new Error(`${alias} was not infected by the hunter: ${reply.body}`);
  }
};

/** @throws Error unless these are `count` responses to the hunter's `GET /player` */
export const checkPlayers = (hunter: Hunter, replies: readonly Reply[], count: number): void => {
  if (replies.length !== count) throw new Error(`${replies.length} replies to ${count} requests`);
  for (const reply of replies) {
    const { player_id, state } = bodyOf(reply, PlayerBody);
    if (player_id !== hunter.id || state !== "zombie") throw new Error(`not the hunter: ${reply.body}`);
  }
};
