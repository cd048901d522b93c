/** Starts servers of the tests. */
import { once } from "node:events";
import type { AddressInfo, Server } from "node:net";

/** Starts a server on loopback, at a free port by default. @returns the port */
export const listen = async (server: Server, port = 0): Promise<number> => {
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
};
