/** Whether what was measured answered correctly, in its reply and in the table. */
import * as z from "zod/mini";
import { State } from "../../lib/domain/player.ts";
import { openDatabase } from "../../lib/dynamodb/client.ts";
import { openStore, type Store } from "../../lib/store/store.ts";
import type { Reply } from "./lambda.ts";
import type { Prey, Someone } from "./scene.ts";

const Hunted = z.object({
  interaction: z.looseObject({ interaction_id: z.string(), kind: z.literal("hunt"), target: z.string() }),
  hunter: z.object({ kills: z.int().check(z.positive()), starves_at: z.iso.datetime() }),
  prey: z.object({ alias: z.string(), state: z.literal("zombie") }),
});
const OwnPlayer = z.looseObject({ player_id: z.string(), state: State, starves_at: z.iso.datetime() });

const answerOf = <T>({ statusCode, body }: Reply, schema: z.ZodMiniType<T>): T => {
  const parsed = statusCode === 200 ? schema.safeParse(JSON.parse(body ?? "")) : undefined;
  if (parsed?.success !== true) throw new Error(`a wrong answer: ${statusCode} ${body}`);
  return parsed.data;
};

const must = (condition: boolean, what: string): void => {
  if (!condition) throw new Error(`a wrong answer: ${what}`);
};

export const openPlace = ({ endpoint, table }: { endpoint: string; table: string }): Store =>
  openStore(openDatabase({ table, endpoint }));

/** @throws Error unless this is the status */
export const requireStatus = ({ statusCode, body }: Reply, status: number): void =>
  must(statusCode === status, `${statusCode} ${body}`);

/** A hunt, and how it was answered. */
export interface Answered {
  reply: Reply;
  prey: Prey;
}

/** @throws Error unless the hunts succeeded and the table has them */
export const checkHunts = async (
  store: Store,
  hunter: Someone,
  hunts: readonly Answered[],
): Promise<void> => {
  const players = await store.players(hunts.map(({ prey }) => prey.id));
  for (const { reply, prey } of hunts) {
    const { interaction, prey: infected } = answerOf(reply, Hunted);
    must(infected.alias === prey.alias && interaction.target === prey.alias, `not ${prey.alias}`);
    const after = players.get(prey.id);
    const isStored =
      after?.state === "zombie" &&
      after.infection_id === interaction.interaction_id &&
      after.infected_by === hunter.id;
    must(isStored, `in the table ${prey.alias} is not the hunter's zombie`);
  }
};

/** @throws Error unless these are answers to the player's own view */
export const checkPlayers = (someone: Someone, replies: readonly Reply[]): void => {
  must(replies.length > 0, "none at all");
  for (const reply of replies) {
    const { player_id, state } = answerOf(reply, OwnPlayer);
    must(player_id === someone.id && state === "zombie", `not the hunter: ${reply.body}`);
  }
};

/** Requests with their replies. @throws Error when one has none */
export const paired = (prey: readonly Prey[], replies: readonly Reply[]): Answered[] => {
  must(replies.length === prey.length, `${replies.length} answers to ${prey.length} hunts`);
  return prey.flatMap((one, n) => {
    const reply = replies[n];
    return reply === undefined ? [] : [{ reply, prey: one }];
  });
};
