/** A push service on this machine, over TLS: it keeps what it gets, and answers as each path is told to. */
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo, Socket } from "node:net";
import { afterAll, beforeAll, beforeEach, inject } from "vitest";
import type { Services } from "../../lib/lambda/services.ts";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { makeSender } from "../../lib/push/sender.ts";
import type { VapidKeys } from "../../lib/push/vapid.ts";
import { makeCertificate } from "./certificate.ts";
import { VAPID } from "./constants.ts";
import { TRANSPORT } from "./service.ts";

/** The keys of the deployment under test, as deliveries take them. */
export const VAPID_KEYS: VapidKeys = {
  since: 0,
  publicKey: VAPID.VAPID_PUBLIC_KEY,
  privateKey: VAPID.VAPID_PRIVATE_KEY,
  subject: VAPID.VAPID_SUBJECT,
};

/** A message as it came. */
export interface Received {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** How a path answers. */
export type Responder = (response: ServerResponse) => void;

/** Answers with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Responder =>
  (response) => {
    response.writeHead(code, headers).end();
  };

export interface PushService {
  origin: string;
  port: number;
  /** All that came, in order; for one path when it is named. */
  received: (path?: string) => Received[];
  /** From now on a path answers like this; with 201 unless told. */
  answer: (path: string, manner: Responder) => void;
  /** Is told of each message as it comes. */
  onReceived: (then: () => void) => void;
  /** Forgets everything. */
  reset: () => void;
  stop: () => Promise<void>;
}

/** Starts a push service with this certificate; on any free port unless one is named. */
export const startPushService = async (
  { key, cert }: { key: string; cert: string },
  wanted = 0,
): Promise<PushService> => {
  const received: Received[] = [];
  const manners = new Map<string, Responder>();
  let told = (): void => {};
  const sockets = new Set<Socket>();
  const server = createServer({ key, cert }, (request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      const path = request.url ?? "";
      received.push({ path, headers: request.headers, body: Buffer.concat(chunks) });
      told();
      (manners.get(path) ?? status(201))(response);
    });
    response.on("error", () => {});
  });
  server.on("secureConnection", (socket) => {
    sockets.add(socket);
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(wanted, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    origin: `https://127.0.0.1:${port}`,
    port,
    received: (path) => (path === undefined ? received : received.filter((one) => one.path === path)),
    answer: (path, manner) => {
      manners.set(path, manner);
    },
    onReceived: (then) => {
      told = then;
    },
    reset: () => {
      received.length = 0;
      manners.clear();
    },
    stop: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => {
        server.close(() => resolve());
      });
    },
  };
};

/**
 * A push service that the service under test trusts and may call, for all stories of a file.
 * @returns it, and the services that know it (in process; over HTTP the settings do)
 */
export const trustedPushService = (): {
  current: () => PushService;
  services: (usual: Services) => Partial<Services>;
} => {
  let service: PushService | undefined;
  const certificate = TRANSPORT === "http" ? inject("push") : { ...makeCertificate(), port: 0 };
  beforeAll(async () => {
    service = await startPushService(certificate, certificate.port);
  });
  beforeEach(() => service?.reset());
  afterAll(() => service?.stop());
  const current = (): PushService => {
    if (service === undefined) throw new Error("the push service is used outside a story");
    return service;
  };
  return {
    current,
    services: (usual) => ({
      push: {
        ...usual.push,
        allowed: allowedHosts(`127.0.0.1:${current().port}`),
        ca: certificate.cert,
        // Whom a story found failing, the next one does not leave alone.
        sender: makeSender(),
      },
    }),
  };
};
