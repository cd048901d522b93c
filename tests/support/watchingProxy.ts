/**
 * The proxy of a browser that does not tell tests the faults of its pages. It adds a script to each page, which records
 * them, and sends everything else on as it is.
 */
import { createHash } from "node:crypto";
import {
  createServer,
  request as httpRequest,
  type IncomingMessage,
  type RequestListener,
  type ServerResponse,
} from "node:http";
import { createServer as createTlsServer, request as httpsRequest } from "node:https";
import { text } from "node:stream/consumers";
import { makeCertificate } from "./certificate.ts";
import { listen } from "./listen.ts";

// A tab keeps it over navigations and reloads, also without a network.
const KEY = "faults of this tab";

/** Records what other browsers report as an uncaught exception, or as an error on the console. */
const SCRIPT = `(() => {
  const record = (text) =>
    sessionStorage.setItem("${KEY}", JSON.stringify([...JSON.parse(sessionStorage.getItem("${KEY}") ?? "[]"), text]));
  addEventListener("error", (event) => record("" + (event.error ?? event.message)));
  addEventListener("unhandledrejection", ({ reason }) => record("unhandled rejection: " + reason));
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI }) =>
    record("Content-Security-Policy: " + violatedDirective + " " + blockedURI));
  const { error } = console;
  console.error = (...all) => {
    record(all.join(" "));
    error.apply(console, all);
  };
})()`;

/** An expression for the faults of a page and of those before it in the tab, which are then forgotten. */
export const TAKE_FAULTS = `(() => {
  const faults = JSON.parse(sessionStorage.getItem("${KEY}") ?? "[]");
  sessionStorage.removeItem("${KEY}");
  return faults;
})()`;

const ALLOWED = `script-src 'sha256-${createHash("sha256").update(SCRIPT).digest("base64")}'`;

const sendOn = async (response: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
  const { statusCode = 502, headers } = response;
  const policy = headers["content-security-policy"];
  // Also of a 304: the browser combines its headers with the stored page.
  const allowed =
    policy === undefined ? {} : { "content-security-policy": `${policy}`.replace("script-src", ALLOWED) };
  if (!/^text\/html/.test(headers["content-type"] ?? "")) {
    outgoing.writeHead(statusCode, { ...headers, ...allowed });
    response.pipe(outgoing);
    return;
  }
  const html = (await text(response)).replace(/<head>/, `<head><script>${SCRIPT}</script>`);
  outgoing.writeHead(statusCode, { ...headers, ...allowed, "content-length": Buffer.byteLength(html) });
  outgoing.end(html);
};

/**
 * Starts a proxy for pages over HTTP and HTTPS on loopback.
 * @param fault is told requests to other hosts, which are not sent
 */
export const startWatchingProxy = async (fault: (text: string) => void) => {
  const passOn =
    (protocol: "http:" | "https:"): RequestListener =>
    (incoming, outgoing) => {
      // A request to a proxy has the whole address, and one in a tunnel the path.
      const url = new URL(incoming.url ?? "", `${protocol}//${incoming.headers.host}`);
      if (!/^(localhost|127\.0\.0\.1|\[::1\])$/.test(url.hostname)) {
        fault(url.href);
        outgoing.destroy();
        return;
      }
      const { "accept-encoding": _, "proxy-connection": __, ...headers } = incoming.headers;
      const request = url.protocol === "https:" ? httpsRequest : httpRequest;
      const options = { method: incoming.method, headers, rejectUnauthorized: false };
      // A service that does not answer, or stops to, is for the page like one without a proxy.
      const sent = request(
        url,
        options,
        (response) => void sendOn(response, outgoing).catch(() => outgoing.destroy()),
      );
      sent.on("error", () => outgoing.destroy());
      incoming.pipe(sent);
    };
  const inTunnel = createTlsServer(makeCertificate(), passOn("https:"));
  const server = createServer(passOn("http:"));
  server.on("connect", (_request, socket) => {
    socket.on("error", () => socket.destroy());
    socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
    inTunnel.emit("connection", socket);
  });
  const port = await listen(server);
  return {
    port,
    stop: (): void => {
      server.closeAllConnections();
      inTunnel.closeAllConnections();
      server.close();
    },
  };
};
