/** Ports of this machine: whether one is free, one that is, and addresses that no web page can call. */
import { randomInt } from "node:crypto";
import { createServer } from "node:net";
import { UserError } from "./userError.ts";

export const HOST = "127.0.0.1";

/** Where a server listens. */
export interface Address {
  host: string;
  port: number;
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && "code" in error ? error.code : undefined;

const listen = (port: number, host = HOST): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host, exclusive: true }, () => {
      const address = server.address();
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : port));
    });
  });

/** A port that was free a moment ago: whoever takes it must be ready to try another. */
export const freePort = (): Promise<number> => listen(0);

/** What to say when somebody else listens on the port. */
export const portInUse = (port: number): UserError =>
  new UserError(
    `Port ${port} is in use: end what uses it, or choose another port, such as PORT=${port < 65_535 ? port + 1 : 3000}.`,
  );

/** @throws UserError when nobody can listen on the port now */
export const assertPortFree = async (port: number): Promise<void> => {
  try {
    await listen(port);
  } catch (error) {
    const code = codeOf(error);
    if (code === "EADDRINUSE") throw portInUse(port);
    if (code === "EACCES") {
      throw new UserError(`Port ${port} is not for this account: choose another, such as PORT=3000.`);
    }
    throw error;
  }
};

/**
 * Unprivileged ports that browsers refuse to connect to, whatever page asks, by any scheme
 * (https://fetch.spec.whatwg.org/#port-blocking): those that Chromium and Firefox were both seen to block.
 */
export const BROWSER_BLOCKED_PORTS = [
  1719, 1720, 1723, 2049, 3659, 4045, 5060, 5061, 6000, 6566, 6665, 6666, 6667, 6668, 6669, 6697, 10_080,
] as const;

/** A loopback address that nobody can guess. macOS has only 127.0.0.1; Linux and Windows have all of 127.0.0.0/8. */
const secretHost = (): string => `127.${randomInt(1, 255)}.${randomInt(1, 255)}.${randomInt(1, 255)}`;

/**
 * An address for a server that does not check who calls it: on a port that browsers block, and at a loopback address
 * that is a secret where the system has more than one. It was free a moment ago: be ready to try another.
 * @throws UserError when all of these ports are in use
 */
export const privateAddress = async (): Promise<Address> => {
  let host = secretHost();
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
    `Each of the ports that the database engine may listen on is in use (${BROWSER_BLOCKED_PORTS.join(", ")}): end a service that you do not need.`,
  );
};
