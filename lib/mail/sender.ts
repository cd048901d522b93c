/** Sends messages by SMTP, or stores them as files. */
import { createTransport, type SendMailOptions, type Transporter } from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer";
import type { SMTPPoolSentMessageInfo } from "nodemailer/lib/smtp-pool";
import { type Content, headerText, htmlText, plainText } from "../domain/mail/content.ts";
import type { SendResult } from "../domain/mail/mail.ts";
import { SECOND } from "../domain/time.ts";
import type { MailServer } from "../runtime/mailUrl.ts";
import { storeMessage } from "./outbox.ts";

/** A message to one recipient. */
export interface Message {
  /** Makes the Message-ID, which is the same for each attempt. */
  id: string;
  from: { name: string; address: string };
  to: string;
  /** When the mail was caused, in milliseconds since 1970. */
  date: number;
  content: Content;
  /** The address at which a POST ends this kind of mails (RFC 8058); absent on mails that cannot be ended. */
  unsubscribe?: string;
}

export interface SenderOptions {
  /** Certificates (PEM) to trust instead of the default ones. */
  ca?: string | undefined;
  /** Milliseconds for each step of a connection, and for the whole message. */
  timeoutMs?: number | undefined;
}

/** Long for a server that responds, and short enough that one that hangs does not hold up the pushes of this worker. */
const TIMEOUT_MS = 10 * SECOND;

/** The whole message may take so many times the limit of a step. */
const STEPS = 2;

/** Connections per process, and how long an unused one stays open: Lambda stops a process without closing them. */
const CONNECTIONS = 4;
const IDLE_MS = 5 * SECOND;

const mimeOf = (message: Message): SendMailOptions => {
  const { id, from, to, date, content, unsubscribe } = message;
  return {
    messageId: `<${id}@${from.address.split("@").at(-1)}>`,
    from,
    // As an address alone, so that nothing in it is read as a list of addresses.
    to: { name: "", address: to },
    date: new Date(date),
    subject: headerText(content.subject),
    text: plainText(content),
    html: htmlText(content),
    // RFC 3834: no automatic responses.
    headers: {
      "Auto-Submitted": "auto-generated",
      ...(unsubscribe === undefined ? {} : { "List-Unsubscribe-Post": "List-Unsubscribe=One-Click" }),
    },
    ...(unsubscribe === undefined ? {} : { list: { unsubscribe: { url: unsubscribe, comment: "" } } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  };
};

/** The fields of nodemailer's errors that say what happened. */
interface SmtpError {
  code?: unknown;
  command?: unknown;
  responseCode?: unknown;
}

const isSmtpError = (error: unknown): error is SmtpError => typeof error === "object" && error !== null;

/** The commands at which a response is about this message and not about the connection. */
const OF_MESSAGE = ["MAIL FROM", "RCPT TO", "DATA"];

/** What follows from an error. Its message is not used: it has text of the server, which may repeat an address. */
const resultOf = (error: unknown): SendResult => {
  const { code, command, responseCode } = isSmtpError(error) ? error : {};
  const status = typeof responseCode === "number" ? responseCode : 0;
  const at = typeof command === "string" ? command : "CONN";
  const why = [typeof code === "string" ? code : "error", at, ...(status === 0 ? [] : [status])].join(" ");
  if (!OF_MESSAGE.includes(at) || status === 0 || status === 421) return { result: "server", why };
  if (status < 500) return { result: "retry", why };
  return { result: at === "RCPT TO" ? "bounced" : "failed", why };
};

type SmtpServer = Extract<MailServer, { kind: "smtp" }>;
type Pool = Transporter<SMTPPoolSentMessageInfo>;

const openPool = (
  { host, port, isSecure, isLoopback, auth }: SmtpServer,
  { ca, timeoutMs = TIMEOUT_MS }: SenderOptions,
): Pool =>
  createTransport({
    pool: true,
    maxConnections: CONNECTIONS,
    idleTimeout: IDLE_MS,
    // A message is never sent again by the pool: whether it was accepted is decided here.
    maxRequeues: 0,
    host,
    port,
    secure: isSecure,
    // On this machine nobody listens in, and a mail catcher has no certificate that could be checked.
    ...(isLoopback ? { ignoreTLS: true } : { requireTLS: !isSecure }),
    ...(auth === undefined ? {} : { auth }),
    tls: { minVersion: "TLSv1.2", ...(ca === undefined ? {} : { ca }) },
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    dnsTimeout: timeoutMs,
    logger: false,
    debug: false,
  });

/** Sends messages to one server, with connections that are used again. */
export interface Sender {
  /** Makes one attempt. It ends within a bound time, also if the server hangs. */
  send: (message: Message) => Promise<SendResult>;
  close: () => void;
}

const smtpSender = (server: SmtpServer, options: SenderOptions): Sender => {
  const { timeoutMs = TIMEOUT_MS } = options;
  let pool: { transport: Pool; usedAt: number } | undefined;
  const close = (): void => {
    pool?.transport.close();
    pool = undefined;
  };
  const current = (): Pool => {
    // The server may have closed connections while Lambda had stopped this process.
    if (pool !== undefined && Date.now() - pool.usedAt > IDLE_MS) close();
    pool ??= { transport: openPool(server, options), usedAt: 0 };
    pool.usedAt = Date.now();
    return pool.transport;
  };
  return {
    close,
    send: async (message) => {
      const limit = AbortSignal.timeout(timeoutMs * STEPS);
      try {
        await current().sendMail({ ...mimeOf(message), signal: limit });
        return { result: "sent", why: "" };
      } catch (error) {
        const failed = limit.aborted ? { result: "server" as const, why: "ETIMEDOUT CONN" } : resultOf(error);
        if (failed.result === "server") close();
        return failed;
      }
    },
  };
};

/** Stores each message instead of sending it. */
const outboxSender = (folder: string): Sender => ({
  close: () => {},
  send: async (message) => {
    const { id, from, to, content } = message;
    await storeMessage(folder, id, await new MailComposer(mimeOf(message)).compile().build(), {
      ...{ from: `${from.name} <${from.address}>`, to },
      subject: headerText(content.subject),
      text: plainText(content),
      html: htmlText(content),
    });
    return { result: "sent", why: "" };
  },
});

/** Makes a sender for a server. */
export const makeMailSender = (server: MailServer, options: SenderOptions = {}): Sender =>
  server.kind === "outbox" ? outboxSender(server.folder) : smtpSender(server, options);
