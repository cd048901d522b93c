/** Loaded first by the functions of `npm start`: two of them are then those of the peer `floor`. */
import { registerHooks } from "node:module";

const PEERS = {
  "/functions/zombie/hunt.ts": "../peers/floorHunt.ts",
  "/functions/player/player.ts": "../peers/floorPlayer.ts",
};

registerHooks({
  resolve(specifier, context, next) {
    const [, peer] = Object.entries(PEERS).find(([path]) => specifier.endsWith(path)) ?? [];
    return next(peer === undefined ? specifier : new URL(peer, import.meta.url).href, context);
  },
});
