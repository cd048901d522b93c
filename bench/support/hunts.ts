/** Writes hunters and prey into a table, without the service; their requests, and checks of the responses. */
import { randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { makeToken } from "../../lib/auth/token.ts";
import { NEW_GAME } from "../../lib/domain/game/game.ts";
import type { CommandContext } from "../../lib/domain/outcome.ts";
import { type Human, newSpectator, State } from "../../lib/domain/players/player.ts";
import { asHuman, asZombie } from "../../lib/domain/players/transitions.ts";
import { DAY, HOUR, rfc3339 } from "../../lib/domain/time.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { gameItem, playerItem } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { openStore } from "../../lib/store/store.ts";
import { fill } from "../../tests/support/table.ts";
import type { Request } from "./events.ts";
import type { Account, Game } from "./game.ts";
import type { Reply } from "./lambda.ts";

type Place = Game["place"];
type Hunter = Omit<Account, "code">;
export type Prey = Omit<Account, "token">;

/** All players joined an hour ago. */
const contextOfJoining = (): CommandContext =>
  commandContext({ feedingPeriod: () => 48 * HOUR }, Date.now() - HOUR);

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

interface Replies {
  replies: readonly Reply[];
}

/** Sends requests. @returns what was measured, and the replies in the order of the requests */
type Send<T extends Replies> = (requests: readonly Request[]) => Promise<T>;

const sendAll = async <T extends Replies>(requests: readonly Request[], send: Send<T>): Promise<T> => {
  const result = await send(requests);
  const { length } = result.replies;
  if (length !== requests.length) throw new Error(`${length} replies to ${requests.length} requests`);
  return result;
};

/** Writes a hunter into a table. @returns functions that send their requests */
export const startHunting = async (place: Place) => {
  const store = openStore(openDatabase(place));
  const hunter = await putHunter(place);
  return {
    /** Hunts new prey. @throws Error unless each hunt succeeded and is stored */
    async hunt<T extends Replies>(count: number, send: Send<T>): Promise<T> {
      const prey = await putPrey(place, count);
      const requests = prey.map((one) => huntRequest(hunter, one));
      const result = await sendAll(requests, send);
      const players = await store.players(prey.map(({ id }) => id));
      for (const [n, reply] of result.replies.entries()) {
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
      return result;
    },
    /** Requests `GET /player`. @throws Error unless each response is the hunter's */
    async view<T extends Replies>(count: number, send: Send<T>): Promise<T> {
      const result = await sendAll(Array(count).fill(playerRequest(hunter)), send);
      for (const reply of result.replies) {
        const { player_id, state } = bodyOf(reply, PlayerBody);
        if (player_id !== hunter.id || state !== "zombie") throw new Error(`not the hunter: ${reply.body}`);
      }
      return result;
    },
  };
};
