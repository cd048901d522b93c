/** The connection pools of a sender, one for each service. */
import { buildConnector, Client } from "undici";
import { MESSAGE_TIMEOUT_MS, makeConnectionPool } from "./connectionPool.ts";
import { guardedConnector, systemResolver } from "./connector.ts";
import { MAX_HEADER_BYTES } from "./request.ts";
import type { ConnectionPool, Sender } from "./sender.ts";

/** Some services have a host for each region. */
const MAX_POOLS = 256;
/** A longer timer of Node.js fires immediately. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Starts the timer of a delivery. */
export const startTimer = (then: () => void, timeoutMs: number): NodeJS.Timeout =>
  setTimeout(then, Math.min(Math.max(timeoutMs, 0), MAX_TIMER_MS));

/**
 * The connection pool of a service.
 * @param options.exempt whether any address is allowed
 * @param options.ca certificates (PEM) to trust instead of the default ones
 * @param options.owner identifies the VAPID keys or the webhook whose connections are not shared with others
 */
export const poolOf = (
  sender: Sender,
  { origin }: URL,
  { exempt, ca, owner }: { exempt: boolean; ca: string | undefined; owner: readonly string[] },
): ConnectionPool => {
  // The name contains everything that a connection depends on.
  const name = JSON.stringify([origin, exempt, ca, ...owner]);
  const known = sender.pools.get(name);
  if (known !== undefined) return known;
  for (const [other, pool] of sender.pools) {
    if (sender.pools.size < MAX_POOLS) break;
    if (!pool.isIdle()) continue;
    pool.close();
    sender.pools.delete(other);
  }
  const { resolve = systemResolver, build = buildConnector } = sender;
  const connector = guardedConnector({ build, resolve, exempt, ca, timeoutMs: MESSAGE_TIMEOUT_MS });
  const pool = makeConnectionPool({
    sender,
    connect: () =>
      // The timeout of each message replaces these timers.
      new Client(origin, {
        connect: connector,
        maxHeaderSize: MAX_HEADER_BYTES,
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
  });
  sender.pools.set(name, pool);
  return pool;
};
