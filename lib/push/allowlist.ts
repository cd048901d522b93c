/** The allowlist of push services, and the validation of endpoints and browser keys. */
import { ECDH } from "node:crypto";
import { HOST_ENTRY } from "../runtime/env.ts";

/** An allowed host. */
interface AllowedHost {
  /** In the form of `hostname` in a parsed URL. */
  host: string;
  /** Whether its subdomains are allowed, instead of the host itself. */
  isWildcard: boolean;
  /** Whether its entry names a port. Then its IP addresses are not checked. */
  exempt: boolean;
  port: string;
}
export type AllowedHosts = readonly AllowedHost[];

/** The services of the known browsers: Chrome, Firefox, Safari and Edge. */
const KNOWN_HOSTS =
  "fcm.googleapis.com, updates.push.services.mozilla.com, *.push.apple.com, *.notify.windows.com";

const HTTPS_PORT = "443";

const splitList = (text: string): string[] =>
  text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");

const allowedHost = (entry: string): AllowedHost => {
  const [, wildcard, host = "", port] = HOST_ENTRY.exec(entry) ?? [];
  const { hostname } = new URL(`https://${host}`);
  return {
    host: hostname,
    isWildcard: wildcard !== undefined,
    exempt: port !== undefined,
    port: port ?? HTTPS_PORT,
  };
};

/**
 * The allowed hosts: the services of the known browsers, and those of a setting.
 * @param extra validated entries `host`, `*.host` or `host:port`, separated by commas
 */
export const allowedHosts = (extra: string): AllowedHosts =>
  splitList(`${KNOWN_HOSTS}, ${extra}`).map(allowedHost);

/** An allowed endpoint and whether its IP addresses are exempt from checks, or the reason why it is not allowed. */
export type EndpointCheck = { url: URL; exempt: boolean } | { error: string };

/** Longer than the endpoints of all browsers. */
export const MAX_ENDPOINT_LENGTH = 2_048;

/** Visible ASCII without backslash. URL parsers skip white space, and treat a backslash as a slash. */
const VISIBLE_ASCII = /^[\x21-\x5b\x5d-\x7e]+$/;

const LABELS = /^[\da-z-]+(\.[\da-z-]+)*$/;

const isSubdomain = (hostname: string, host: string): boolean =>
  hostname.endsWith(`.${host}`) && LABELS.test(hostname);

/** Checks that a text is an https URL without anything unusual. */
const checkUrl = (text: string): { url: URL } | { error: string } => {
  if (text.length > MAX_ENDPOINT_LENGTH)
    return { error: `must have at most ${MAX_ENDPOINT_LENGTH} characters` };
  if (!VISIBLE_ASCII.test(text))
    return { error: "must have only visible ASCII characters, and no backslash" };
  const [, authority] = /^https:\/\/([^/?#]+)/i.exec(text) ?? [];
  if (authority === undefined || !URL.canParse(text)) return { error: "must be an https URL" };
  if (authority.includes("@")) return { error: "must not have a user name or password" };
  if (text.includes("#")) return { error: "must not have a fragment" };
  return { url: new URL(text) };
};

/**
 * Checks the URL of an endpoint. It does not resolve the name.
 * @returns the URL to call, or an error that does not repeat the endpoint
 */
export const checkEndpoint = (text: string, allowed: AllowedHosts): EndpointCheck => {
  const check = checkUrl(text);
  if ("error" in check) return check;
  const { url } = check;
  const port = url.port === "" ? HTTPS_PORT : url.port;
  const matchingHosts = allowed.filter(({ host, isWildcard }) =>
    isWildcard ? isSubdomain(url.hostname, host) : url.hostname === host,
  );
  if (matchingHosts.length === 0) return { error: "is not of a push service that this deployment allows" };
  const matching = matchingHosts.filter((one) => one.port === port);
  if (matching.length === 0) return { error: "must not name this port" };
  return { url, exempt: matching.some(({ exempt }) => exempt) };
};

/**
 * Checks the URL of a webhook: any host by its name, at the usual port, or one that is in `allowed`. Whether its
 * addresses are public is checked when it is called.
 */
export const checkWebhook = (text: string, allowed: AllowedHosts): EndpointCheck => {
  const endpoint = checkEndpoint(text, allowed);
  if (!("error" in endpoint)) return endpoint;
  const check = checkUrl(text);
  if ("error" in check) return check;
  const { hostname, port } = check.url;
  if (port !== "") return { error: "must not name a port" };
  const isName = LABELS.test(hostname) && /\.[a-z][\da-z-]*$/.test(hostname);
  return isName ? { url: check.url, exempt: false } : { error: "must name a public host" };
};

const bytesOf = (text: string, length: number): Buffer | null => {
  const bytes = Buffer.from(text, "base64url");
  // The decoder skips invalid characters, so compare with the encoded result.
  return bytes.length === length && bytes.toString("base64url") === text ? bytes : null;
};

const UNCOMPRESSED = 0x04;

/** Checks the public key of a browser. @returns an error; `null` for a point on P-256 */
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

/** Checks the authentication secret of a browser. @returns an error; `null` if it is valid */
export const authError = (text: string): string | null =>
  bytesOf(text, 16) === null ? "must be 16 bytes in base64url" : null;
