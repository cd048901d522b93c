/** A server in front of a service, as a club might have one: with TLS, out of reach, or without cookies. */
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { onTestFinished } from "vitest";
import { makeCertificate } from "./certificate.ts";
import { listen } from "./listen.ts";

interface FrontOptions {
  /** Whether it has a certificate, which it has signed itself. */
  tls?: boolean;
  /** Changes the headers of a response. */
  change?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
}

/**
 * Starts a front, which ends with the test. It names neither itself nor the client to the service, and leaves the host as the
 * browser sends it.
 * @returns its address, and what takes it out of reach and back
 */
export const startFront = async (
  target: string,
  { tls = false, change = (all) => all }: FrontOptions = {},
) => {
  let isReachable = true;
  const passOn: RequestListener = (incoming, outgoing) => {
    if (!isReachable) {
      outgoing.destroy();
      return;
    }
    const { method, headers, url } = incoming;
    const onward = request(`${target}${url}`, { method, headers }, (reply) => {
      outgoing.writeHead(reply.statusCode ?? 502, change(reply.headers));
      reply.pipe(outgoing);
    });
    onward.once("error", () => outgoing.destroy());
    incoming.pipe(onward);
  };
  const server = tls ? createTlsServer(makeCertificate(), passOn) : createServer(passOn);
  const port = await listen(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    base: `${tls ? "https" : "http"}://localhost:${port}`,
    setReachable: (reachable: boolean): void => {
      isReachable = reachable;
      if (!reachable) server.closeAllConnections();
    },
  };
};
