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

/** What the sender must match. */
interface Allowed {
  /** The origin of the push service. */
  origin: string;
  /** The key that the browser subscribed with, in base64url; `null` if it gave none. */
  key: string | null;
}

const MOST_BYTES = 4_096;

const Claims = z.object({
  aud: z.string(),
  exp: z.number(),
  sub: z.string().check(z.regex(/^(mailto:|https:)/)),
});

const isSender = (authorization: string, { origin, key }: Allowed, now: number): boolean => {
  try {
    const vapid = readVapid(authorization);
    const { aud, exp } = Claims.parse(vapid.claims);
    const ahead = exp * 1_000 - now;
    return aud === origin && ahead > 0 && ahead <= DAY && (key === null || vapid.key === key);
  } catch {
    return false;
  }
};

/** Returns the status for a rejected message, or `null` if it is accepted. */
const rejectionStatus = ({ headers, body }: Posted, allowed: Allowed, now: number): number | null => {
  const { authorization, ttl, topic, "content-encoding": encoding } = headers;
  if (authorization?.startsWith("vapid ") !== true) return 401;
  if (!isSender(authorization, allowed, now)) return 403;
  if (encoding !== "aes128gcm" || !/^\d+$/.test(String(ttl))) return 400;
  if (topic !== undefined && !/^[\w-]{1,32}$/.test(String(topic))) return 400;
  return body.length > MOST_BYTES ? 413 : null;
};

/** An accepted message. */
export interface PushMessage extends Posted {
  version: string;
  /** The browser's acknowledgement: 100 decrypted, 101 not. It is sent before the service worker runs. */
  acked: Promise<number>;
}

interface Message extends PushMessage {
  channel: Channel;
  ack: (code: number) => void;
}

/** A subscription. */
interface Channel {
  channelID: string;
  uaid: string;
  key: string | null;
  /** Not acknowledged yet, in order. */
  waiting: Message[];
  answered: number[];
  taken: PushMessage[];
  isEnded: boolean;
  ended: PromiseWithResolvers<void>;
}

export interface BrowserPush {
  /** The URL that Firefox connects to. */
  socketUrl: string;
  origin: string;
  port: number;
  /** The accepted messages of a subscription, in order. */
  taken: (endpoint: string) => readonly PushMessage[];
  /** The status of each message to a subscription. */
  answered: (endpoint: string) => readonly number[];
  /** Checks a message and delivers it. @returns the status */
  post: (endpoint: string, posted: Posted) => number;
  /** Flips a bit of the next message. */
  damageNext: () => void;
  /** Disconnects all browsers and rejects them until `letIn`. */
  cutOff: () => void;
  letIn: () => void;
  /** The id of the browser that subscribed. */
  browserOf: (endpoint: string) => string;
  /** The id that each connecting browser sent; `undefined` from a new one. */
  greeted: () => readonly (string | undefined)[];
  /** Resolves when the browser has ended the subscription; its messages are then rejected with 410. */
  ended: (endpoint: string) => Promise<void>;
  stop: () => Promise<void>;
}

/** A message of Firefox; a ping is empty. */
const Said = z.looseObject({
  messageType: z.optional(z.string()),
  uaid: z.optional(z.string()),
  channelID: z.optional(z.string()),
  key: z.optional(z.string()),
  updates: z.optional(z.array(z.object({ version: z.string(), code: z.number() }))),
});
type Said = z.infer<typeof Said>;

const flipped = (body: Buffer): Buffer => {
  const copy = Buffer.from(body);
  const at = copy.length >> 1;
  copy.writeUInt8(copy.readUInt8(at) ^ 1, at);
  return copy;
};

/**
 * Starts a push service with this certificate.
 * @param wanted the port for senders; a free one by default
 */
export const startBrowserPush = async (
  certificate: { key: string; cert: string },
  wanted = 0,
): Promise<BrowserPush> => {
  /** By the path of the endpoint. */
  const channels = new Map<string, Channel>();
  const messages = new Map<string, Message>();
  const sockets = new Map<string, WebSocket>();
  const greeted: (string | undefined)[] = [];
  let open = true;
  let damage = false;

  const channelOf = (endpoint: string): Channel => {
    const channel = channels.get(new URL(endpoint).pathname);
    if (channel === undefined) throw new Error("no browser has subscribed to this endpoint");
    return channel;
  };

  const deliver = ({ channel, version, headers, body }: Message): void => {
    const { channelID, uaid } = channel;
    const data = body.toString("base64url");
    const encoding = headers["content-encoding"];
    const message = { messageType: "notification", channelID, version, data, headers: { encoding } };
    sockets.get(uaid)?.send(JSON.stringify({ ...message, ttl: Number(headers.ttl) }));
  };

  const take = (channel: Channel, { headers, body }: Posted): Message => {
    const { promise: acked, resolve: ack } = Promise.withResolvers<number>();
    const sent = damage ? flipped(body) : body;
    damage = false;
    const message = { channel, version: randomUUID(), headers, body: sent, acked, ack };
    // A later message replaces an unacknowledged one with the same topic.
    const { topic } = headers;
    const isReplaced = (other: Message) => topic !== undefined && other.headers.topic === topic;
    channel.waiting = [...channel.waiting.filter((other) => !isReplaced(other)), message];
    channel.taken.push(message);
    messages.set(message.version, message);
    return message;
  };

  /** Responds to a message and delivers it if it is accepted. */
  const answer = (path: string, posted: Posted): { status: number; version?: string } => {
    const channel = channels.get(path);
    if (channel === undefined) return { status: 404 };
    const { key, isEnded, answered } = channel;
    const refusal = isEnded ? 410 : rejectionStatus(posted, { origin, key }, Date.now());
    answered.push(refusal ?? 201);
    if (refusal !== null) return { status: refusal };
    const message = take(channel, posted);
    deliver(message);
    return { status: 201, version: message.version };
  };

  const server = createServer(certificate, (request, response) => {
    const reply = (body: Buffer): void => {
      const { status, version } = answer(request.url ?? "", { headers: request.headers, body });
      const location = version === undefined ? {} : { location: `${origin}/message/${version}` };
      response.writeHead(status, location).end();
    };
    buffer(request).then(reply, () => response.destroy());
  });
  const port = await listen(server, wanted);
  const origin = `https://127.0.0.1:${port}`;

  const register = (uaid: string, { channelID, key }: Said) => {
    if (channelID === undefined) return { status: 400 };
    const path = `/wpush/v2/${randomUUID()}`;
    channels.set(path, {
      channelID,
      uaid,
      // Firefox sends it with padding.
      key: key === undefined ? null : Buffer.from(key, "base64url").toString("base64url"),
      waiting: [],
      answered: [],
      taken: [],
      isEnded: false,
      ended: Promise.withResolvers(),
    });
    return { channelID, status: 200, pushEndpoint: `${origin}${path}` };
  };

  const unregister = (uaid: string, { channelID }: Said) => {
    for (const channel of channels.values()) {
      if (channel.uaid !== uaid || channel.channelID !== channelID) continue;
      channel.isEnded = true;
      channel.ended.resolve();
    }
    return { channelID, status: 200 };
  };

  const acknowledge = ({ updates = [] }: Said): void => {
    for (const { version, code } of updates) {
      const message = messages.get(version);
      if (message === undefined) continue;
      message.channel.waiting = message.channel.waiting.filter((other) => other !== message);
      message.ack(code);
    }
  };

  /** Handles the connection of one browser. */
  const converse = (socket: WebSocket): void => {
    let uaid = "";
    const say = (message: unknown): void => socket.send(JSON.stringify(message));
    const hello = (known: string | undefined): void => {
      greeted.push(known);
      uaid = known ?? randomUUID();
      sockets.set(uaid, socket);
      say({ messageType: "hello", uaid, status: 200, use_webpush: true, broadcasts: {} });
      const own = [...channels.values()].filter((channel) => channel.uaid === uaid);
      for (const { waiting } of own) waiting.forEach(deliver);
    };
    socket.on("message", (data) => {
      const said = Said.parse(JSON.parse(data.toString()));
      const { messageType } = said;
      if (messageType === undefined) say({});
      else if (messageType === "hello") hello(said.uaid);
      else if (messageType === "register") say({ messageType, ...register(uaid, said) });
      else if (messageType === "unregister") say({ messageType, ...unregister(uaid, said) });
      else if (messageType === "ack") acknowledge(said);
    });
    socket.on("close", () => {
      if (sockets.get(uaid) === socket) sockets.delete(uaid);
    });
    socket.on("error", () => {});
  };

  const socketServer = new WebSocketServer({
    host: "127.0.0.1",
    port: 0,
    handleProtocols: (offered) => offered.has("push-notification") && "push-notification",
    verifyClient: (_client, decide) => decide(open, 503),
  });
  socketServer.on("connection", converse);
  await new Promise<void>((resolve) => socketServer.once("listening", resolve));
  const { port: socketPort } = socketServer.address() as AddressInfo;

  const cutOff = (): void => {
    open = false;
    sockets.clear();
    for (const socket of socketServer.clients) socket.terminate();
  };

  return {
    socketUrl: `ws://127.0.0.1:${socketPort}/`,
    origin,
    port,
    taken: (endpoint) => channelOf(endpoint).taken,
    answered: (endpoint) => channelOf(endpoint).answered,
    post: (endpoint, posted) => answer(new URL(endpoint).pathname, posted).status,
    damageNext: () => {
      damage = true;
    },
    cutOff,
    letIn: () => {
      open = true;
    },
    browserOf: (endpoint) => channelOf(endpoint).uaid,
    greeted: () => greeted,
    ended: (endpoint) => channelOf(endpoint).ended.promise,
    stop: async () => {
      cutOff();
      await new Promise((resolve) => socketServer.close(resolve));
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
};
