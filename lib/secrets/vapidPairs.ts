/** The VAPID key pairs. This imports the parameter reader statically, because all importers need it. */
import { keyReader } from "./keyReader.ts";
import { cachedVapidPairs } from "./parameters.ts";
import type { VapidPair } from "./secrets.ts";

/** Reads the key pairs. @throws DomainError `unavailable` if they cannot be read now; Error for an invalid parameter */
export const vapidPairs = keyReader<VapidPair>(async (parameter) => cachedVapidPairs(parameter));
