/** Connects to push services. Resolved addresses must be public; they are checked again before anything is sent. */
import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { isPublic } from "./publicAddress.ts";

/** Resolves a name to all its addresses. */
export type Resolver = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** The resolver of the operating system. */
export const systemResolver: Resolver = (hostname, options, done) => lookup(hostname, options, done);

/** The address of a host is not allowed. */
export class AddressNotAllowed extends Error {
  readonly code = "address not allowed";
}

/** A lookup that fails if one of the addresses is not public. */
const guardedLookup =
  (resolve: Resolver): LookupFunction =>
  (hostname, options, done) =>
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      const [first] = addresses ?? [];
      if (error !== null) done(error, "");
      else if (first === undefined || !addresses.every(({ address }) => isPublic(address)))
        done(new AddressNotAllowed(), "");
      else if (options.all === true) done(null, addresses);
      else done(null, first.address, first.family);
    });

interface Guard {
  /** undici's `buildConnector`. */
  build: typeof buildConnector;
  resolve: Resolver;
  /** Whether any address is allowed. */
  exempt: boolean;
  /** Certificates (PEM) to trust instead of the default ones. */
  ca: string | undefined;
  /** For connecting only. */
  timeoutMs: number;
}

/** Makes a connector for TLS with verified certificates. Only public addresses are allowed, unless the host is exempt. */
export const guardedConnector = ({
  build,
  resolve,
  exempt,
  ca,
  timeoutMs,
}: Guard): buildConnector.connector => {
  const settings = { timeout: timeoutMs, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  if (exempt) return build(settings);
  const connect = build({ ...settings, lookup: guardedLookup(resolve) });
  return (options, done) => {
    // There is no lookup for a numeric address.
    if (isIP(options.hostname) !== 0 && !isPublic(options.hostname)) {
      queueMicrotask(() => done(new AddressNotAllowed(), null));
      return;
    }
    connect(options, (error, socket) => {
      if (error !== null) done(error, null);
      else if (isPublic(socket.remoteAddress ?? "")) done(null, socket);
      else {
        socket.destroy();
        done(new AddressNotAllowed(), null);
      }
    });
  };
};
