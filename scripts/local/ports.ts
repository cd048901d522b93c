/** Ports of this machine: whether one is free, and one that is. */
import { createServer } from "node:net";
import { UserError } from "./userError.ts";

export const HOST = "127.0.0.1";

const listen = (port: number): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once("error", reject);
    server.listen({ port, host: HOST, exclusive: true }, () => {
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
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "EADDRINUSE") throw portInUse(port);
    if (code === "EACCES") {
      throw new UserError(`Port ${port} is not for this account: choose another, such as PORT=3000.`);
    }
    throw error;
  }
};
