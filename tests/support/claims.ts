/** Services that test files claim for themselves, one after the other, because starting one takes seconds. */
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { messageOf } from "../../scripts/cli/userError.ts";
import { listen } from "./listen.ts";
import type { Running } from "./running.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL at which a test file claims a service (POST) and releases it (DELETE). */
    claims: string;
  }
}

export interface Claimable {
  running: Running;
  stop: () => Promise<void>;
}

/**
 * Starts services as test files claim them.
 * @param start starts another service, when none is free
 * @returns a function that stops all of them
 */
export const serveClaims = async (
  project: TestProject,
  start: () => Promise<Claimable>,
): Promise<() => Promise<void>> => {
  const services: Claimable[] = [];
  const free: Running[] = [];
  const claim = async (): Promise<Running> => {
    const known = free.pop();
    if (known !== undefined) return known;
    const started = await start();
    services.push(started);
    return started.running;
  };
  const respondTo = async (request: IncomingMessage): Promise<string> => {
    if (request.method === "POST") return JSON.stringify(await claim());
    const released = await text(request);
    free.push(...services.map(({ running }) => running).filter(({ base }) => base === released));
    return "";
  };
  const server = createServer((request, response) => {
    respondTo(request).then(
      (body) => response.end(body),
      (error: unknown) => response.writeHead(500).end(messageOf(error)),
    );
  });
  project.provide("claims", `http://127.0.0.1:${await listen(server)}`);
  return async () => {
    server.close();
    await Promise.all(services.map(({ stop }) => stop()));
  };
};
