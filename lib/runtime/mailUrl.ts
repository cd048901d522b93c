/** The address of the mail server: `MAIL_URL`. */

/** A server by SMTP, or a folder in which messages are stored as files. */
export type MailServer =
  | {
      kind: "smtp";
      host: string;
      port: number;
      /** Whether the connection begins with TLS; otherwise it must be upgraded, except on this machine. */
      isSecure: boolean;
      isLoopback: boolean;
      auth?: { user: string; pass: string };
    }
  | { kind: "outbox"; folder: string };

/** The beginning of a `MAIL_URL` that names a folder. */
export const OUTBOX = "outbox:";
const LOOPBACK = /^(localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/** The ports of submission: RFC 8314, section 3.3, and RFC 6409. */
const PORTS = { "smtps:": 465, "smtp:": 587 } as const;

const isProtocol = (text: string): text is keyof typeof PORTS => Object.hasOwn(PORTS, text);

/** The folder of `outbox:`; `undefined` for a server. */
export const outboxFolder = (text: string): string | undefined =>
  text.startsWith(OUTBOX) ? text.slice(OUTBOX.length) : undefined;

const parsedUrl = (text: string): URL | null => (URL.canParse(text) ? new URL(text) : null);

/** A part of a URL without percent encoding; `null` if the encoding is invalid. */
const decoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
};

/**
 * Parses `MAIL_URL`: `smtps://user:secret@host:port`, `smtp://…`, or `outbox:` with a folder.
 * @returns `null` if it is invalid. No error names a part of it, because it contains a password
 */
export const parseMailUrl = (text: string): MailServer | null => {
  const folder = outboxFolder(text);
  if (folder !== undefined) return { kind: "outbox", folder };
  const url = parsedUrl(text);
  if (url === null || !isProtocol(url.protocol) || url.hostname === "") return null;
  if (url.search !== "" || url.hash !== "" || !["", "/"].includes(url.pathname)) return null;
  const [user, pass] = [decoded(url.username), decoded(url.password)];
  if (user === null || pass === null || (user === "") !== (pass === "")) return null;
  return {
    kind: "smtp",
    host: url.hostname.replace(/^\[|\]$/g, ""),
    port: url.port === "" ? PORTS[url.protocol] : Number(url.port),
    isSecure: url.protocol === "smtps:",
    isLoopback: LOOPBACK.test(url.hostname),
    ...(user === "" ? {} : { auth: { user, pass } }),
  };
};
