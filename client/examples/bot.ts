/** A bot that plays a zombie: it reports tag codes and shares each meal with the hungriest other zombie. */
import { GameClient, GameError } from "../src/index.ts";

export const playZombie = async (
  options: {
    baseUrl: string;
    alias: string;
    password: string;
    codes: AsyncIterable<string> | Iterable<string>;
  },
  log: (line: string) => void = console.log,
): Promise<void> => {
  const { baseUrl, alias, password, codes } = options;
  const login = await new GameClient({ baseUrl }).post("/login", { body: { alias, password } });
  const game = new GameClient({ baseUrl, token: login.token });
  for await (const tag_code of codes) {
    try {
      const { zombies } = await game.get("/zombie/starvation/{url_id}", { query: { limit: 2 } });
      const share_with = zombies.map((zombie) => zombie.alias).filter((other) => other !== login.alias);
      const { prey, hunter } = await game.post("/zombie/hunt/{url_id}", {
        body: { tag_code, share_with: share_with.slice(0, 1) },
      });
      log(`Tagged ${prey.alias}: ${hunter.kills} so far, fed until ${hunter.starves_at}.`);
    } catch (error) {
      if (!(error instanceof GameError)) throw error;
      log(`${tag_code}: ${error.message} (${error.code})`);
    }
  }
  const { seconds_left } = await game.get("/zombie/next_feeding/{url_id}");
  log(`${Math.round(seconds_left / 3_600)} hours left.`);
};
