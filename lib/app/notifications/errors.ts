/** What the notification endpoints share: their own sentences about what failed. */
import { DomainError } from "../../domain/domainError.ts";
import { HttpError } from "../../http/responses.ts";
import type { PushSettings } from "../../push/settings.ts";
import type { KeySource, VapidPair } from "../../secrets/secrets.ts";

/** What is said when the player cannot be looked up, with the status that the seed gives the endpoint. */
export const playerLookupError = (status: 403 | 500): HttpError =>
  new HttpError(status, "The player could not be looked up. Try again shortly.");

/**
 * Does what may fail; a refusal stays one, but for a busy database.
 * @throws Failure 500 with this sentence for everything else
 */
export const orHttpError = async <T>(sentence: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.code !== "unavailable") throw error;
    throw new HttpError(500, sentence, error);
  }
};

/** @throws Failure 500 where the deployment has no keys to push with */
export const requireVapidKeys = ({ vapid }: PushSettings): KeySource<VapidPair> => {
  if (vapid === null) {
    throw new HttpError(500, "This deployment has no VAPID keys, so it cannot send push notifications.");
  }
  return vapid;
};
