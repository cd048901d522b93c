/** What can stand between a phone and the service: a loopback proxy that answers some requests itself, or none. */
import { createServer, type IncomingHttpHeaders, type RequestListener, request } from "node:http";
import { createServer as createTlsServer } from "node:https";
import { buffer } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { makeCertificate } from "./certificate.ts";
import type { Tab } from "./engines.ts";
import { listen } from "./listen.ts";
import { running } from "./running.ts";

export interface Wanted {
  /** Such as `POST /zombie/hunt/me`, without the query. */
  what: string;
  /** Whether the browser or its service worker asks for a page. */
  isPage: boolean;
}

/** An answer in place of the service's. `keeps` leaves the service's headers as they are, and changes the body alone. */
export interface Answer {
  status: number;
  type: string;
  body: string;
  headers?: Record<string, string>;
  keeps?: true;
}

export type Fault = (wanted: Wanted) => Answer | "cut" | undefined;

/** A captive portal, which also says that its page may be cached. */
export const PORTAL: Answer = {
  ...{ status: 200, type: "text/html; charset=utf-8" },
  body: "<!doctype html><title>Free WiFi</title><h1>Welcome to Free WiFi</h1>",
  headers: { "cache-control": "max-age=3600", etag: '"portal"' },
};
export const BAD_GATEWAY: Answer = { ...PORTAL, status: 502, body: "<h1>502 Bad Gateway</h1>", headers: {} };
export const OTHER_JSON: Answer = { status: 200, type: "application/json", body: '{"status":"ok"}' };

const isApi = ({ what }: Wanted): boolean => !/^GET \/(app(\/|$)|$)/.test(what);
export const onApi =
  (answer: Answer | "cut"): Fault =>
  (wanted) =>
    isApi(wanted) ? answer : undefined;

interface FrontOptions {
  /** A script that runs in each page before those of the app, in place of the policy that forbids it. */
  script?: string;
  /** Whether it has a certificate, which it has signed itself. */
  tls?: boolean;
  /** Changes the headers of a response of the service. */
  change?: (headers: IncomingHttpHeaders) => IncomingHttpHeaders;
}

/** Starts the proxy, which ends with the test. */
export const openFront = async ({ script, tls = false, change = (all) => all }: FrontOptions = {}) => {
  const front = {
    base: "",
    fault: (() => undefined) as Fault,
    /** What the service itself got. */
    served: [] as string[],
    /** What was answered in its place. */
    faulted: [] as string[],
  };
  const passOn: RequestListener = async (incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    const what = `${method} ${url.split("?")[0]}`;
    const isPage = headers["sec-fetch-mode"] === "navigate" || what === "GET /app/me";
    const answer = front.fault({ what, isPage });
    const isReplaced = answer !== undefined && (answer === "cut" || answer.keeps !== true);
    (isReplaced ? front.faulted : front.served).push(what);
    if (answer === "cut") return void incoming.socket.destroy();
    if (answer !== undefined && answer.keeps !== true) {
      incoming.resume();
      outgoing.writeHead(answer.status, { "content-type": answer.type, ...answer.headers }).end(answer.body);
      return;
    }
    const sent = { ...headers, "accept-encoding": "identity" };
    const onward = request(`${running().base}${url}`, { method, headers: sent }, async (reply) => {
      const { statusCode = 502, headers: given } = reply;
      const isHtml = statusCode === 200 && given["content-type"]?.startsWith("text/html") === true;
      if (answer === undefined && !(isHtml && script !== undefined)) {
        outgoing.writeHead(statusCode, change(given));
        reply.pipe(outgoing);
        return;
      }
      const text = (await buffer(reply)).toString();
      const { "content-length": _, "content-security-policy": _1, etag: _2, ...kept } = given;
      outgoing
        .writeHead(answer?.status ?? statusCode, { ...kept, ...(answer && { "content-type": answer.type }) })
        .end(answer?.body ?? text.replace("<head>", () => `<head><script>${script}</script>`));
    });
    onward.once("error", () => outgoing.destroy());
    incoming.pipe(onward);
  };
  const server = tls ? createTlsServer(makeCertificate(), passOn) : createServer(passOn);
  front.base = `${tls ? "https" : "http"}://localhost:${await listen(server)}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return front;
};
export type Front = Awaited<ReturnType<typeof openFront>>;

/** What a page says that has no connection to the service. */
export const OFFLINE = "You are offline. This is from";
export const UNREACHABLE = "The service cannot be reached";

/** Has the page ask the service now, rather than within 15 seconds. */
export const ask = (tab: Tab) => tab.evaluate("void dispatchEvent(new Event('online'))");
/** Waits until the service worker has the whole app. */
export const untilInstalled = (tab: Tab) => tab.evaluate("navigator.serviceWorker.ready.then(() => true)");
/** Whose state is stored. */
export const storedAlias = (tab: Tab) =>
  tab.evaluate("JSON.parse(localStorage.getItem('snapshot')).player.alias");
