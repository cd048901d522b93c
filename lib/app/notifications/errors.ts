/** The error responses that the notification endpoints share. */
import { DomainError } from "../../domain/domainError.ts";
import { HttpError } from "../../http/responses.ts";
import type { PushSettings } from "../../push/settings.ts";
import type { KeySource, VapidPair } from "../../secrets/secrets.ts";

/** The error if the player cannot be looked up. @param status as the API defines it for the endpoint */
export const playerLookupError = (status: 403 | 500): HttpError =>
  new HttpError(status, "The player could not be looked up. Try again shortly.");

/**
 * Runs `work` and replaces its unexpected errors.
 * @throws HttpError 500 with this message, for `unavailable` and every error that is not a domain error
 */
export const orHttpError = async <T>(message: string, work: () => Promise<T>): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DomainError && error.code !== "unavailable") throw error;
    throw new HttpError(500, message, error);
  }
};

/** @throws HttpError 500 when the deployment has no VAPID keys */
export const requireVapidKeys = ({ vapid }: PushSettings): KeySource<VapidPair> => {
  if (vapid === null) {
    throw new HttpError(500, "This deployment has no VAPID keys, so it cannot send push notifications.");
  }
  return vapid;
};
