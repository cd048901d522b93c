/** The key pairs for push. Whoever loads this needs them: what reads their parameter comes along. */
import { keyReader } from "./keyReader.ts";
import { cachedVapidPairs } from "./parameters.ts";
import type { VapidPair } from "./secrets.ts";

/** @throws DomainError `unavailable` while they cannot be had; Error where the parameter holds none */
export const vapidPairs = keyReader<VapidPair>(async (parameter) => cachedVapidPairs(parameter));
