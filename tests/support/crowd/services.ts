/**
 * Three push services in a process of their own: the first accepts everything, the second answers 429 half of the time,
 * the third 410 for a tenth. They count accepted messages by path, and report the counts on request.
 */
import { createHash } from "node:crypto";
import { createServer } from "node:https";
import { listen } from "../listen.ts";
import { isBusy, isGone, type Report } from "./manners.ts";

const { CROWD_KEY: key = "", CROWD_CERT: cert = "" } = process.env;

/** How often a path was called, and the topics of its accepted messages. */
interface Path {
  calls: number;
  taken: number;
  topics: Set<string>;
}

const services = Array.from({ length: 3 }, (_, at) => {
  const paths = new Map<string, Path>();
  const server = createServer({ key, cert }, (request, response) => {
    const path = request.url ?? "";
    const known: Path = paths.get(path) ?? { calls: 0, taken: 0, topics: new Set() };
    paths.set(path, known);
    known.calls += 1;
    const { calls } = known;
    request.resume();
    request.on("end", () => {
      if (at === 1 && isBusy(path, calls)) {
        // Some with Retry-After.
        response.writeHead(429, calls % 2 === 0 ? { "retry-after": "1" } : {}).end();
        return;
      }
      if (at === 2 && isGone(path)) {
        response.writeHead(410).end();
        return;
      }
      known.taken += 1;
      known.topics.add(String(request.headers.topic));
      response.writeHead(201).end();
    });
    request.on("error", () => {});
  });
  server.on("tlsClientError", () => {});
  return { paths, server };
});

const report = (): Report[] =>
  services.map(({ paths }) => {
    const all = [...paths.values()];
    const taken = [...paths].filter(([, path]) => path.taken > 0).map(([name]) => name);
    return {
      paths: taken.length,
      digest: createHash("sha256").update(taken.toSorted().join("\n")).digest("hex"),
      twiceUnderOtherTopics: all.filter(({ topics }) => topics.size > 1).length,
    };
  });

process.on("message", () => process.send?.({ report: report() }));

const ports = await Promise.all(services.map(({ server }) => listen(server)));
process.send?.({ ports });
