/** The endpoint guard: which push services may be called, by the text of a URL; and what keys a browser may have. */
import { ECDH } from "node:crypto";
import { HOST_ENTRY } from "../runtime/env.ts";

/** A host that may be called. */
interface AllowedHost {
  /** As in a parsed URL. */
  host: string;
  /** Whether the hosts below it are meant, and not itself. */
  below: boolean;
  /** Whether its entry names a port: then no address of it is judged when connecting. */
  exempt: boolean;
  port: string;
}
export type AllowedHosts = readonly AllowedHost[];

/** The services of the known browsers: Chrome and Edge, Firefox, Safari, Windows. */
const KNOWN = "fcm.googleapis.com, updates.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com";

const HTTPS_PORT = "443";

const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

const allowedHost = (entry: string): AllowedHost => {
  const [, star, host = "", port] = HOST_ENTRY.exec(entry) ?? [];
  const { hostname } = new URL(`https://${host}`);
  return { host: hostname, below: star !== undefined, exempt: port !== undefined, port: port ?? HTTPS_PORT };
};

/**
 * The hosts that may be called: the services of the known browsers, and those of a setting.
 * @param extra entries `host`, `*.host` or `host:port`, separated by commas; checked before
 */
export const allowedHosts = (extra: string): AllowedHosts => splitList(`${KNOWN}, ${extra}`).map(allowedHost);

/** An endpoint that may be called, or what is wrong with it. */
export type EndpointCheck = { url: URL; exempt: boolean } | { fault: string };

/** Longer than any that a browser gives. */
const LONGEST_ENDPOINT = 2_048;

/** Just what goes over the wire: parsers pass over white space, and take a backslash for a slash. */
const PLAIN = /^[\x21-\x5b\x5d-\x7e]+$/;

const LABELS = /^[\da-z-]+(\.[\da-z-]+)*$/;

const isBelow = (hostname: string, host: string): boolean =>
  hostname.endsWith(`.${host}`) && LABELS.test(hostname.slice(0, -host.length - 1));

/**
 * Judges an endpoint by its text; no name is resolved.
 * @returns the URL as it will be called, or the fault in words that do not repeat it
 */
export const checkEndpoint = (text: string, allowed: AllowedHosts): EndpointCheck => {
  if (text.length > LONGEST_ENDPOINT) return { fault: `must have at most ${LONGEST_ENDPOINT} characters` };
  if (!PLAIN.test(text)) return { fault: "must have visible ASCII characters alone, and no backslash" };
  const [, authority] = /^https:\/\/([^/?#]+)/i.exec(text) ?? [];
  if (authority === undefined || !URL.canParse(text)) return { fault: "must be an https URL" };
  if (authority.includes("@")) return { fault: "must not have a user name or password" };
  if (text.includes("#")) return { fault: "must not have a fragment" };
  const url = new URL(text);
  const port = url.port === "" ? HTTPS_PORT : url.port;
  const ofHost = allowed.filter(({ host, below }) =>
    below ? isBelow(url.hostname, host) : url.hostname === host,
  );
  if (ofHost.length === 0) return { fault: "is not of a push service that this deployment allows" };
  const fitting = ofHost.filter((one) => one.port === port);
  if (fitting.length === 0) return { fault: "must not name this port" };
  return { url, exempt: fitting.some(({ exempt }) => exempt) };
};

const bytesOf = (text: string, length: number): Buffer | null => {
  const bytes = Buffer.from(text, "base64url");
  // The decoder passes over what is no base64url: only what comes out again went in.
  return bytes.length === length && bytes.toString("base64url") === text ? bytes : null;
};

const UNCOMPRESSED = 0x04;

/** What is wrong with the public key of a browser; `null` when it is a point on P-256. */
export const p256dhError = (text: string): string | null => {
  const bytes = bytesOf(text, 65);
  if (bytes?.[0] !== UNCOMPRESSED) return "must be an uncompressed point, 65 bytes in base64url";
  try {
    ECDH.convertKey(bytes, "prime256v1");
    return null;
  } catch {
    return "is not a point on P-256";
  }
};

/** What is wrong with the authentication secret of a browser. */
export const authError = (text: string): string | null =>
  bytesOf(text, 16) === null ? "must be 16 bytes in base64url" : null;
