/** Finds and checks ports, and picks addresses that web pages cannot reach. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { codeOf, UserError } from "./userError.ts";

export const HOST = "127.0.0.1";

export interface Address {
  host: string;
  port: number;
}

const listen = (port: number, host = HOST): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });

/** Returns a port that is free now. Another process may take it, so callers must be ready to retry. */
export const freePort = (): Promise<number> => listen(0);

/** A free port after this one, which this account may use and browsers open. */
const portAfter = async (port: number): Promise<number> => {
  const next = port < 65_535 ? Math.max(port + 1, 1_024) : 3_000;
  return BROWSER_BLOCKED_PORTS.includes(next) ? portAfter(next) : listen(next).catch(() => portAfter(next));
};

/** The error for a port that another process uses. */
export const portInUse = async (port: number): Promise<UserError> =>
  new UserError(
    `Port ${port} is in use. Stop the process that uses it, or choose another port, such as PORT=${await portAfter(port)}.`,
  );

/** @throws UserError if the port cannot be used */
export const assertPortFree = async (port: number): Promise<void> => {
  try {
    await listen(port);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EADDRINUSE") throw await portInUse(port);
    if (code === "EACCES") {
      throw new UserError(`This account may not use port ${port}. Choose another one, such as PORT=3000.`);
    }
    throw error;
  }
};

/**
 * Unprivileged ports that browsers never connect to (https://fetch.spec.whatwg.org/#port-blocking). Chromium and
 * Firefox were both tested to block these.
 */
export const BROWSER_BLOCKED_PORTS: readonly number[] = [
  1719, 1720, 1723, 2049, 3659, 4045, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10_080,
];

/** A random loopback address. macOS has only 127.0.0.1; Linux and Windows have all of 127.0.0.0/8. */
const randomHost = (): string => `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;

/**
 * Picks an address for a server without access control: a port that browsers block, on a random loopback address
 * where the system has more than one. Another process may take it, so callers must be ready to retry.
 * @throws UserError if all of these ports are in use
 */
export const privateAddress = async (): Promise<Address> => {
  let host = randomHost();
  const start = randomInt(BROWSER_BLOCKED_PORTS.length);
  const ports = [...BROWSER_BLOCKED_PORTS.slice(start), ...BROWSER_BLOCKED_PORTS.slice(0, start)];
  for (const port of ports) {
    try {
      return { host, port: await listen(port, host) };
    } catch (error) {
      if (codeOf(error) !== "EADDRNOTAVAIL") continue;
      host = HOST;
      const isFree = await listen(port).then(
        () => true,
        () => false,
      );
      if (isFree) return { host, port };
    }
  }
  throw new UserError(
    `All ports for the database engine are in use (${BROWSER_BLOCKED_PORTS.join(", ")}). Stop a service that you do not need.`,
  );
};
