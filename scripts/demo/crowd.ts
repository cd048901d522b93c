/** A crowd that goes on playing the demo's game over HTTP, so that the pages visibly change. */
import { GameClient, GameError } from "../../client/src/index.ts";
import { DAY, SECOND } from "../../lib/domain/time.ts";
import { sleep } from "../cli/sleep.ts";
import { poisson, type Random } from "../simulate/crowd.ts";
import { GAME_MASTER, PASSWORD, RATE } from "./history.ts";

const STEP_MS = 2 * SECOND;

const pick = <T>(of: readonly T[], random: Random): T | undefined => of[Math.floor(random() * of.length)];

export interface Crowd {
  url: string;
  /** How many times faster than in a game the players tag each other. */
  speed: number;
  random: Random;
  /** Players whom the crowd leaves to the user of the demo. */
  spared: readonly string[];
  onTag: (hunter: string, prey: string) => void;
}

/** Plays until the signal aborts, or no humans or no zombies are left. */
export const playOn = async (
  { url, speed, random, spared, onTag }: Crowd,
  signal: AbortSignal,
): Promise<void> => {
  const login = async (alias: string): Promise<GameClient> => {
    const client = new GameClient({ baseUrl: url });
    return client.withToken((await client.post("/login", { body: { alias, password: PASSWORD } })).token);
  };
  const gm = await login(GAME_MASTER);
  const sessions = new Map<string, GameClient>();
  const sessionOf = async (alias: string): Promise<GameClient> => {
    const session = sessions.get(alias) ?? (await login(alias));
    sessions.set(alias, session);
    return session;
  };
  const playersIn = async (state: "human" | "zombie") => {
    const found: { alias: string; tag_code: string | null }[] = [];
    for await (const { players } of gm.pages("/admin/get_players/{url_id}", { query: { state } })) {
      found.push(...players.filter(({ alias }) => !spared.includes(alias)));
    }
    return found;
  };
  const tag = async (hunter: string, prey: { alias: string; tag_code: string | null }): Promise<void> => {
    const session = await sessionOf(hunter);
    await session.post("/zombie/hunt/{url_id}", { body: { tag_code: prey.tag_code ?? "" } });
    onTag(hunter, prey.alias);
  };

  while (!signal.aborted) {
    try {
      const [humans, zombies] = [await playersIn("human"), await playersIn("zombie")];
      if (humans.length === 0 || zombies.length === 0) return;
      const share = humans.length / (humans.length + zombies.length);
      const mean = (zombies.length * share * RATE * speed * STEP_MS) / DAY;
      for (let left = Math.min(poisson(mean, random), humans.length); left > 0; left -= 1) {
        const [hunter, prey] = [pick(zombies, random), pick(humans, random)];
        if (hunter === undefined || prey === undefined || signal.aborted) break;
        humans.splice(humans.indexOf(prey), 1);
        await tag(hunter.alias, prey);
      }
    } catch (error) {
      // The user of the demo may pause the game, or tag the same player first.
      if (!(error instanceof GameError)) throw error;
    }
    await sleep(STEP_MS);
  }
};
