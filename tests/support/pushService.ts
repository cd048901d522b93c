/** A push service on this machine, over TLS: it records messages, and each path responds as it is told to. */
import type { ServerResponse } from "node:http";
import { createServer } from "node:https";
import { buffer } from "node:stream/consumers";
import { promisify } from "node:util";
import { afterAll, beforeAll, beforeEach } from "vitest";
import type { Services } from "../../lib/lambda/services.ts";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { makeSender } from "../../lib/push/sender.ts";
import type { VapidKeys } from "../../lib/push/vapid.ts";
import { makeCertificate } from "./certificate.ts";
import { VAPID } from "./constants.ts";
import { listen } from "./listen.ts";
import { running, TRANSPORT } from "./running.ts";

/** The keys of the deployment under test, as deliveries take them. */
export const VAPID_KEYS: VapidKeys = {
  since: 0,
  publicKey: VAPID.VAPID_PUBLIC_KEY,
  privateKey: VAPID.VAPID_PRIVATE_KEY,
  subject: VAPID.VAPID_SUBJECT,
};

/** A message as received. */
export interface Received {
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** How a path responds. */
export type Responder = (response: ServerResponse) => unknown;

/** Responds with a status. */
export const status =
  (code: number, headers: Record<string, string> = {}): Responder =>
  (response) => {
    response.writeHead(code, headers).end();
  };

export type PushService = Awaited<ReturnType<typeof startPushService>>;

/** Starts a push service with this certificate, on any free port by default. */
export const startPushService = async ({ key, cert }: { key: string; cert: string }, wanted = 0) => {
  const received: Received[] = [];
  const responders = new Map<string, Responder>();
  let notify = (): void => {};
  const server = createServer({ key, cert }, (request, response) => {
    const record = (body: Buffer): void => {
      const path = request.url ?? "";
      received.push({ path, headers: request.headers, body });
      notify();
      (responders.get(path) ?? status(201))(response);
    };
    buffer(request).then(record, () => {});
    response.on("error", () => {});
  });
  const port = await listen(server, wanted);
  return {
    origin: `https://127.0.0.1:${port}`,
    port,
    /** All messages in order; those of one path when it is named. */
    received: (path?: string) =>
      path === undefined ? received : received.filter((one) => one.path === path),
    /** Sets how a path responds; by default with 201. */
    answer(path: string, respond: Responder) {
      responders.set(path, respond);
    },
    /** Calls this for each message. */
    onReceived(then: () => void) {
      notify = then;
    },
    /** Forgets all messages and responses. */
    reset() {
      received.length = 0;
      responders.clear();
    },
    async stop() {
      server.closeAllConnections();
      await promisify(server.close.bind(server))();
    },
  };
};

/**
 * A push service that the service under test trusts and may call, for all tests of a file.
 * @returns the push service, and services that trust it; over HTTP, the service's settings do
 */
export const trustedPushService = () => {
  let service: PushService | undefined;
  const certificate = TRANSPORT === "http" ? running().push : { ...makeCertificate(), port: 0 };
  beforeAll(async () => {
    service = await startPushService(certificate, certificate.port);
  });
  beforeEach(() => service?.reset());
  afterAll(() => service?.stop());
  const current = (): PushService => {
    if (service === undefined) throw new Error("the push service is used outside a test");
    return service;
  };
  return {
    current,
    services: (usual: Services) => ({
      push: {
        ...usual.push,
        allowed: allowedHosts(`127.0.0.1:${current().port}`),
        ca: certificate.cert,
        // A service that failed in one test is called again in the next.
        sender: makeSender(),
      },
    }),
  };
};
