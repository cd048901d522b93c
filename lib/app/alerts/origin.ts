/** Stores a keyed hash of the IP address from which a player has registered, for a day. */
import { createHmac } from "node:crypto";
import type { ClientAddress } from "../../auth/rateLimit.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Services } from "../../lambda/services.ts";
import { log } from "../../runtime/log.ts";
import { cursorKeys } from "../../secrets/cursorKeys.ts";
import { keysToTry } from "../../secrets/rotation.ts";
import { originWrite } from "../../store/notifications/alerts.ts";

/**
 * The write that stores the hash; none for a loopback address, or if the key cannot be read. Without the hash, an alert
 * may be missed, but the registration succeeds.
 */
export const rememberOrigin = async (
  services: Pick<Services, "cursorKeys">,
  { address, isLoopback }: ClientAddress,
  playerId: string,
  now: number,
): Promise<Write[]> => {
  if (isLoopback || services.cursorKeys === null) return [];
  try {
    const [newest] = keysToTry(await cursorKeys(services.cursorKeys), now);
    if (newest === undefined) return [];
    // A derived key, because the key itself encrypts cursors.
    const key = createHmac("sha256", Buffer.from(newest.key, "base64url"))
      .update("origins of players")
      .digest();
    return [originWrite(playerId, createHmac("sha256", key).update(address).digest("base64url"), now)];
  } catch (error) {
    log.warn("origin of a registration not stored", { error });
    return [];
  }
};
