/** Connecting: every address that a name really has is judged at that moment, and again before anything is sent. */
import { type LookupAddress, type LookupAllOptions, lookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { isPublic } from "./publicAddress.ts";

/** Tells all addresses of a name. */
export type Resolver = (
  hostname: string,
  options: LookupAllOptions,
  done: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

/** As the operating system has it. */
export const systemResolver: Resolver = (hostname, options, done) => lookup(hostname, options, done);

/** An address that may not be connected to. */
export class AddressNotAllowed extends Error {
  readonly code = "address not allowed";
}

/** A lookup that tells no address of a name when one of them is not public. */
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
  /** undici's own. */
  build: typeof buildConnector;
  resolve: Resolver;
  /** Whether any address will do. */
  exempt: boolean;
  /** Certificates (PEM) that are trusted in the place of the usual ones. */
  ca: string | undefined;
  /** For connecting alone, in milliseconds. */
  patience: number;
}

/** Connects over TLS, with the certificate verified, to public addresses alone unless the host is exempt. */
export const guardedConnector = ({
  build,
  resolve,
  exempt,
  ca,
  patience,
}: Guard): buildConnector.connector => {
  const usual = { timeout: patience, rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }) };
  if (exempt) return build(usual);
  const connect = build({ ...usual, lookup: guardedLookup(resolve) });
  return (options, done) => {
    // For an address that is written as a number, no lookup is ever called.
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
