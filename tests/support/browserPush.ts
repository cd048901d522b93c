/**
 * A local push service for Firefox: the browser connects with a WebSocket, and senders post messages over TLS.
 * Firefox does not check the sender, so this service is as strict as a real one.
 */
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type WebSocket, WebSocketServer } from "ws";
import * as z from "zod/mini";
import { DAY } from "../../lib/domain/time.ts";
import { listen } from "./listen.ts";
import { readVapid } from "./webPush.ts";

/** A message as it is sent. */
interface Posted {
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** A subscription. */
interface Channel {
  channelID: string;
  /** The connection of the browser that subscribed. */
  socket: WebSocket;
  /** The key that the browser subscribed with, in base64url; `null` if it gave none. */
  key: string | null;
}

const MAX_BYTES = 4_096;

const Claims = z.object({
  aud: z.string(),
  exp: z.number(),
  sub: z.string().check(z.regex(/^(mailto:|https:)/)),
});

const isSender = (authorization: string, origin: string, key: string | null): boolean => {
  try {
    const vapid = readVapid(authorization);
    const { aud, exp } = Claims.parse(vapid.claims);
    const ahead = exp * 1_000 - Date.now();
    return aud === origin && ahead > 0 && ahead <= DAY && (key === null || vapid.key === key);
  } catch {
    return false;
  }
};

/** Returns the status of the response to a message. */
const statusOf = ({ headers, body }: Posted, origin: string, key: string | null): number => {
  const { authorization, ttl, topic, "content-encoding": encoding } = headers;
  if (authorization?.startsWith("vapid ") !== true) return 401;
  if (!isSender(authorization, origin, key)) return 403;
  if (encoding !== "aes128gcm" || !/^\d+$/.test(String(ttl))) return 400;
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) return 400;
  return body.length > MAX_BYTES ? 413 : 201;
};

export interface BrowserPush {
  /** The URL that Firefox connects to. */
  socketUrl: string;
  /** The status of each response to a sender, in order. */
  statuses: readonly number[];
  /** Delivers the last message again. @returns the browser's acknowledgement: 100 if it decrypted it */
  repeatLast: () => Promise<number>;
  stop: () => Promise<void>;
}

/** A message of Firefox; a ping is empty. */
const BrowserMessage = z.looseObject({
  messageType: z.optional(z.string()),
  channelID: z.optional(z.string()),
  key: z.optional(z.string()),
  updates: z.optional(z.array(z.object({ version: z.string(), code: z.number() }))),
});

/** Starts a push service. @param wanted the port for senders */
export const startBrowserPush = async (
  certificate: { key: string; cert: string },
  wanted: number,
): Promise<BrowserPush> => {
  /** By the path of the endpoint. */
  const channels = new Map<string, Channel>();
  /** Called with the acknowledgement of a message, by its version. */
  const acknowledged = new Map<string, (code: number) => void>();
  const statuses: number[] = [];
  let last: (() => Promise<number>) | undefined;

  const deliver = ({ socket, channelID }: Channel, { headers, body }: Posted): Promise<number> => {
    const { promise, resolve } = Promise.withResolvers<number>();
    const version = randomUUID();
    acknowledged.set(version, resolve);
    const message = { messageType: "notification", channelID, version, data: body.toString("base64url") };
    const encoding = headers["content-encoding"];
    socket.send(JSON.stringify({ ...message, headers: { encoding }, ttl: Number(headers.ttl) }));
    return promise;
  };

  const server = createServer(certificate, async (request, response) => {
    const posted = { headers: request.headers, body: await buffer(request) };
    const channel = channels.get(request.url ?? "");
    const status = channel === undefined ? 404 : statusOf(posted, origin, channel.key);
    statuses.push(status);
    if (channel !== undefined && status === 201) {
      last = () => deliver(channel, posted);
      void last();
    }
    response.writeHead(status, status === 201 ? { location: `${origin}/message/${randomUUID()}` } : {}).end();
  });
  const origin = `https://127.0.0.1:${await listen(server, wanted)}`;

  const register = (socket: WebSocket, channelID: string, key: string | undefined) => {
    const path = `/wpush/v2/${randomUUID()}`;
    // Firefox sends the key with padding.
    const unpadded = key === undefined ? null : Buffer.from(key, "base64url").toString("base64url");
    channels.set(path, { channelID, socket, key: unpadded });
    return { channelID, status: 200, pushEndpoint: `${origin}${path}` };
  };

  const socketServer = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    handleProtocols: (offered) => offered.has("push-notification") && "push-notification",
  });
  socketServer.on("connection", (socket) => {
    const reply = (message: unknown): void => socket.send(JSON.stringify(message));
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const {
        messageType,
        channelID = "",
        key,
        updates = [],
      } = BrowserMessage.parse(JSON.parse(String(data)));
      if (messageType === undefined) reply({});
      else if (messageType === "hello") {
        reply({ messageType, uaid: randomUUID(), status: 200, use_webpush: true, broadcasts: {} });
      } else if (messageType === "register") reply({ messageType, ...register(socket, channelID, key) });
      else if (messageType === "unregister") reply({ messageType, channelID, status: 200 });
      else for (const { version, code } of updates) acknowledged.get(version)?.(code);
    });
  });
  await new Promise<void>((resolve) => socketServer.once("listening", resolve));
  const { port } = socketServer.address() as AddressInfo;

  return {
    socketUrl: `ws://127.0.0.1:${port}/`,
    statuses,
    repeatLast: async () => {
      if (last === undefined) throw new Error("no message has arrived");
      return last();
    },
    stop: async () => {
      for (const socket of socketServer.clients) socket.terminate();
      await new Promise((resolve) => socketServer.close(resolve));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
