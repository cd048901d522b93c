/** Serves the page and the service worker of `tests/browser/site` locally. */
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { ROOT } from "../../scripts/project/root.ts";
import { listen } from "./listen.ts";

const file = (name: string): Buffer => readFileSync(join(ROOT, "tests/browser/site", name));

const FILES: ReadonlyMap<string, [type: string, content: Buffer]> = new Map([
  ["/", ["text/html; charset=utf-8", file("index.html")]],
  ["/page.js", ["text/javascript", file("page.js")]],
  ["/worker.js", ["text/javascript", file("worker.js")]],
]);

export interface Site {
  url: string;
  stop: () => Promise<void>;
}

/** Serves the site on a new port. For a browser that is a new origin, without subscriptions and notifications. */
export const startSite = async (): Promise<Site> => {
  const server = createServer((request, response) => {
    const [type, content] = FILES.get(request.url ?? "") ?? [];
    if (type === undefined) response.writeHead(404).end();
    else response.writeHead(200, { "content-type": type }).end(content);
  });
  return {
    // Loopback addresses are secure contexts.
    url: `http://127.0.0.1:${await listen(server)}/`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
};
