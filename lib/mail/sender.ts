/** Sends messages by SMTP, or stores them as files. */
import { createTransport, type SendMailOptions } from "nodemailer";
import MailComposer from "nodemailer/lib/mail-composer";
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
  /** Milliseconds for the whole message, from the connection to the last response. */
  timeoutMs?: number | undefined;
}

/** Long for a server that responds, and short enough that one that hangs does not hold up the pushes of this worker. */
const TIMEOUT_MS = 15 * SECOND;

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
  response?: unknown;
}

const isSmtpError = (error: unknown): error is SmtpError => typeof error === "object" && error !== null;

/** The commands at which a response is about this message. At others, MAIL FROM among them, it is the same for every message. */
const OF_MESSAGE = ["RCPT TO", "DATA"];

/** Responses to RCPT TO about the sender, or by a policy (RFC 3463): Postfix checks a sender only then. */
const NOT_OF_RECIPIENT = /^\d{3}[ -]5\.(?:1\.[78]|7\.)/;

/** What follows from an error. Its texts are not used: they are those of the server, which may repeat an address. */
const resultOf = (error: unknown): SendResult => {
  const { code, command, responseCode, response } = isSmtpError(error) ? error : {};
  const status = typeof responseCode === "number" ? responseCode : 0;
  const at = typeof command === "string" ? command : "CONN";
  const why = [typeof code === "string" ? code : "error", at, ...(status === 0 ? [] : [status])].join(" ");
  if (!OF_MESSAGE.includes(at) || status === 0 || status === 421) return { result: "server", why };
  if (status < 500) return { result: "retry", why };
  const isOfRecipient = at === "RCPT TO" && !NOT_OF_RECIPIENT.test(String(response));
  return { result: isOfRecipient ? "bounced" : "failed", why };
};

type SmtpServer = Extract<MailServer, { kind: "smtp" }>;

/** Sends messages to one server. */
export interface Sender {
  /** Makes one attempt. It ends within a bound time, also if the server hangs. */
  send: (message: Message) => Promise<SendResult>;
  /** Ends the connections that are open, so that a command can end. */
  close: () => void;
}

const smtpSender = (
  { host, port, isSecure, isLoopback, auth }: SmtpServer,
  { ca, timeoutMs = TIMEOUT_MS }: SenderOptions,
): Sender => {
  const pool = createTransport({
    pool: true,
    // Lambda stops a process without closing its connections, and servers close those that wait.
    idleTimeout: timeoutMs / 3,
    // A server may have closed a connection that was used before. Then a message of which it has no byte takes another one.
    maxRequeues: 1,
    host,
    port,
    secure: isSecure,
    // On this machine nobody listens in, and a mail catcher has no certificate that could be checked.
    ...(isLoopback ? { ignoreTLS: true } : { requireTLS: !isSecure }),
    ...(auth === undefined ? {} : { auth }),
    ...(ca === undefined ? {} : { tls: { ca } }),
  });
  return {
    close: () => pool.close(),
    send: async (message) => {
      const limit = AbortSignal.timeout(timeoutMs);
      try {
        await pool.sendMail({ ...mimeOf(message), signal: limit });
        return { result: "sent", why: "" };
      } catch (error) {
        return limit.aborted ? { result: "server", why: "ETIMEDOUT CONN" } : resultOf(error);
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
