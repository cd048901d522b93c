/** A real SMTP server on loopback that receives mails, and misbehaves as a test says. */
import type { AddressInfo, Socket } from "node:net";
import { type ParsedMail, simpleParser } from "mailparser";
import { SMTPServer, type SMTPServerOptions } from "smtp-server";
import { afterEach, beforeEach } from "vitest";

/** A mail as received. */
export interface ReceivedMail extends ParsedMail {
  /** The address of RCPT TO. */
  recipient: string;
  /** The message as its bytes were sent. */
  raw: string;
}

/** What the server does with a message: it accepts it, or fails at a stage with a code, or ends or keeps the connection. */
export type Behaviour =
  | "accept"
  | { at: "connect" | "mail" | "rcpt" | "data" | "auth"; code: number }
  /** Ends the connection before the greeting, at the sender, in the middle of the message, or after it without a response. */
  | "drop"
  | "drop at mail"
  | "drop in data"
  | "drop after data"
  /** Never responds: from the beginning, or to the message; or responds to it without an end. */
  | "hang"
  | "hang in data"
  | "respond forever"
  | { delayMs: number };

const failed = (code: number): Error =>
  Object.assign(new Error("refused secret-text-of-server"), { responseCode: code });

/** Starts a server. @param options of smtp-server, such as those of TLS */
export const startSmtpServer = async (options: SMTPServerOptions = {}) => {
  const received: ReceivedMail[] = [];
  const connections = { count: 0 };
  let behave: (recipient: string, attempt: number) => Behaviour = () => "accept";
  const attempts = new Map<string, number>();
  const ofNext = (recipient: string): Behaviour => behave(recipient, (attempts.get(recipient) ?? 0) + 1);
  const isAt = (behaviour: Behaviour, at: string): behaviour is { at: "data"; code: number } =>
    typeof behaviour === "object" && "at" in behaviour && behaviour.at === at;
  const sockets = (): Socket[] =>
    [...server.connections].map((connection) => Reflect.get(connection, "_socket"));
  const destroyAll = (): void => {
    for (const socket of sockets()) socket.destroy();
  };
  const respondForever = (): void => {
    const timer = setInterval(() => {
      const open = sockets().filter(({ writable }) => writable);
      for (const socket of open) socket.write("250-\r\n");
      if (open.length === 0) clearInterval(timer);
    }, 50);
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    // As most servers do.
    hideENHANCEDSTATUSCODES: false,
    closeTimeout: 1,
    ...options,
    onConnect: (_, callback) => {
      connections.count += 1;
      const behaviour = ofNext("");
      if (behaviour === "drop") return destroyAll();
      if (behaviour === "hang") return;
      if (isAt(behaviour, "connect")) return callback(failed(behaviour.code));
      callback();
    },
    onAuth: ({ username, password }, _, callback) => {
      const isRight = username === "user" && password === "s3cret/+@";
      callback(isRight ? null : failed(535), isRight ? { user: username } : undefined);
    },
    onMailFrom: (_, __, callback) => {
      const behaviour = ofNext("");
      if (behaviour === "drop at mail") return destroyAll();
      callback(isAt(behaviour, "mail") ? failed(behaviour.code) : null);
    },
    onRcptTo: ({ address }, _, callback) => {
      const behaviour = ofNext(address);
      if (isAt(behaviour, "rcpt")) {
        attempts.set(address, (attempts.get(address) ?? 0) + 1);
        return callback(failed(behaviour.code));
      }
      callback();
    },
    onData: (stream, { envelope }, callback) => {
      const recipient = envelope.rcptTo[0]?.address ?? "";
      const behaviour = ofNext(recipient);
      attempts.set(recipient, (attempts.get(recipient) ?? 0) + 1);
      const parts: Buffer[] = [];
      stream.on("data", (part: Buffer) => {
        parts.push(part);
        if (behaviour === "drop in data") destroyAll();
      });
      stream.on("end", async () => {
        if (behaviour === "drop in data" || behaviour === "hang in data") return;
        if (behaviour === "respond forever") return respondForever();
        if (isAt(behaviour, "data")) return callback(failed(behaviour.code));
        const raw = Buffer.concat(parts).toString();
        received.push({ ...(await simpleParser(raw)), recipient, raw });
        if (behaviour === "drop after data") return destroyAll();
        if (typeof behaviour === "object" && "delayMs" in behaviour) {
          setTimeout(() => callback(), behaviour.delayMs);
        } else callback();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.server.address() as AddressInfo;
  return {
    port,
    received,
    /** How many connections were made. */
    connections,
    /** How many connections are open. */
    open: () => server.connections.size,
    /** Sets what the server does with each further message. @param next gets the recipient and its attempt, from 1 */
    behave: (next: typeof behave) => {
      behave = next;
      attempts.clear();
    },
    stop: () => {
      destroyAll();
      return new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
};

export type TestSmtpServer = Awaited<ReturnType<typeof startSmtpServer>>;

/** A server for each test. */
export const smtpServer = (): (() => TestSmtpServer) => {
  let server: TestSmtpServer | undefined;
  beforeEach(async () => {
    server = await startSmtpServer();
  });
  afterEach(() => server?.stop());
  return () => {
    if (server === undefined) throw new Error("the server is used outside a test");
    return server;
  };
};
