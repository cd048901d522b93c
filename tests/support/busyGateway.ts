/** A gateway in front of a service that turns requests away, as API Gateway does when an account is busy. */
import { createServer, request, type Server } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { onTestFinished } from "vitest";
import { listen } from "./listen.ts";
import { running } from "./running.ts";

/** Starts a gateway, which ends with the test. It delays responses, turns requests away, and counts those that run at once. */
export const startBusyGateway = async () => {
  const gateway = {
    base: "",
    /** The most requests of pages that ran at once, and how many there were, since the last reset. */
    most: 0,
    count: 0,
    /** The most requests of service workers' installations that ran at once, since the last reset. */
    mostOfInstallations: 0,
    /** How often each request is turned away before it is sent on. */
    refusals: 0,
    /** The paths for which the service has a fault, so that a retry does not help. */
    broken: /^$/,
    /** What runs first in the service worker. */
    workerScript: "",
    /** The requests that the service itself got, such as `POST /new`. */
    served: [] as string[],
    reset: () => Object.assign(gateway, { most: 0, count: 0, mostOfInstallations: 0, served: [] }),
  };
  const inFlight = { pages: 0, installations: 0 };
  const refused = new Map<string, number>();
  const server: Server = createServer(async (incoming, outgoing) => {
    const { method = "", url = "", headers } = incoming;
    // Pages fetch their files as documents, scripts and style sheets; an installation fetches them as data.
    const isFile = url.startsWith("/app/");
    const sender = isFile && headers["sec-fetch-dest"] === "empty" ? "installations" : "pages";
    inFlight[sender] += 1;
    if (sender === "pages") gateway.count += 1;
    gateway.most = Math.max(gateway.most, inFlight.pages);
    gateway.mostOfInstallations = Math.max(gateway.mostOfInstallations, inFlight.installations);
    outgoing.once("close", () => {
      inFlight[sender] -= 1;
    });
    // Long enough for requests that are sent together to run together.
    await sleep(100);
    const what = `${method} ${url.split("?")[0]}`;
    const times = refused.get(what) ?? 0;
    // A browser shows what it gets for the address of a page, and no script of the page can do anything about it.
    const isPage = headers["sec-fetch-mode"] === "navigate";
    if (times < gateway.refusals && !isPage) {
      refused.set(what, times + 1);
      incoming.resume();
      outgoing
        .writeHead(503, { "content-type": "application/json" })
        .end('{"message":"Service Unavailable"}');
      return;
    }
    if (gateway.broken.test(url)) {
      outgoing.writeHead(500, { "x-request-id": "1" }).end();
      return;
    }
    gateway.served.push(what);
    const isWorker = url === "/app/sw.js";
    const sent = isWorker ? { ...headers, "accept-encoding": "identity" } : headers;
    const onward = request(`${running().base}${url}`, { method, headers: sent }, (reply) => {
      const { "content-length": _, ...others } = reply.headers;
      outgoing.writeHead(reply.statusCode ?? 502, isWorker ? others : reply.rawHeaders);
      if (isWorker) outgoing.write(gateway.workerScript);
      reply.pipe(outgoing);
    });
    onward.once("error", () => outgoing.destroy());
    incoming.pipe(onward);
  });
  gateway.base = `http://localhost:${await listen(server)}`;
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return gateway;
};
