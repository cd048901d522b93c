/** A local push service for Firefox: the browser connects with a WebSocket, and senders post messages over TLS. */
import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";
import { type WebSocket, WebSocketServer } from "ws";
import * as z from "zod/mini";
import { listen } from "./listen.ts";
import { readVapid } from "./webPush.ts";

export type BrowserPush = Awaited<ReturnType<typeof startBrowserPush>>;

/** A message of Firefox; a ping is empty. */
const BrowserMessage = z.looseObject({
  messageType: z.optional(z.string()),
  channelID: z.optional(z.string()),
  key: z.optional(z.string()),
  updates: z.optional(z.array(z.object({ version: z.string(), code: z.number() }))),
});
type BrowserMessage = z.infer<typeof BrowserMessage>;

/** Starts a push service. @param wanted the port for senders */
export const startBrowserPush = async (certificate: { key: string; cert: string }, wanted: number) => {
  /** The subscriptions by the path of the endpoint: how to send to the browser, and the sender's key. */
  const channels = new Map<string, { send: (message: object) => void; key: string }>();
  /** Called with the acknowledgement of a message, by its version. */
  const acknowledged = new Map<string, (code: number) => void>();
  let repeatLast = (): Promise<number> => Promise.reject(new Error("no message has arrived"));

  const server = createServer(certificate, async (request, response) => {
    const { headers, url = "" } = request;
    const channel = channels.get(url);
    const data = (await buffer(request)).toString("base64url");
    // Firefox does not check the sender, and a push service takes messages by the key of the subscription alone.
    const isFromSender = readVapid(headers.authorization).key === channel?.key;
    response.writeHead(isFromSender ? 201 : 403).end();
    repeatLast = () => {
      const version = randomUUID();
      const { promise, resolve } = Promise.withResolvers<number>();
      acknowledged.set(version, resolve);
      const encoding = { encoding: headers["content-encoding"] };
      const message = { messageType: "notification", version, data, headers: encoding };
      if (isFromSender) channel?.send({ ...message, ttl: Number(headers.ttl) });
      return promise;
    };
    void repeatLast();
  });
  const origin = `https://127.0.0.1:${await listen(server, wanted)}`;

  /** Responds to a message of the browser. */
  const respondTo = (socket: WebSocket, { messageType, channelID, key, updates = [] }: BrowserMessage) => {
    if (messageType === undefined) return {};
    if (messageType === "hello")
      return { messageType, uaid: randomUUID(), status: 200, use_webpush: true, broadcasts: {} };
    if (messageType === "unregister") return { messageType, channelID, status: 200 };
    if (messageType === "register") {
      const path = `/wpush/v2/${randomUUID()}`;
      const send = (message: object) => socket.send(JSON.stringify({ ...message, channelID }));
      // Firefox sends the key with padding.
      channels.set(path, { send, key: Buffer.from(key ?? "", "base64url").toString("base64url") });
      return { messageType, channelID, status: 200, pushEndpoint: `${origin}${path}` };
    }
    for (const { version, code } of updates) acknowledged.get(version)?.(code);
    return null;
  };

  const socketServer = new WebSocketServer({
    ...{ host: "127.0.0.1", port: 0 },
    handleProtocols: (offered) => offered.has("push-notification") && "push-notification",
  });
  socketServer.on("connection", (socket) => {
    socket.on("error", () => {});
    socket.on("message", (data) => {
      const response = respondTo(socket, BrowserMessage.parse(JSON.parse(String(data))));
      if (response !== null) socket.send(JSON.stringify(response));
    });
  });
  await once(socketServer, "listening");

  return {
    /** The URL that Firefox connects to. */
    socketUrl: `ws://127.0.0.1:${(socketServer.address() as AddressInfo).port}/`,
    /** Loses the connections. Firefox is another client to this service when it connects again, and drops its subscriptions. */
    disconnect: () => {
      channels.clear();
      for (const socket of socketServer.clients) socket.terminate();
    },
    /** Delivers the last message again. @returns the browser's acknowledgement: 100 if it decrypted it */
    repeatLast: () => repeatLast(),
    stop: () => {
      for (const socket of socketServer.clients) socket.terminate();
      socketServer.close();
      server.closeAllConnections();
      server.close();
    },
  };
};
