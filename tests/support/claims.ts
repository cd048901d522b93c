/** Services that workers claim for their test files, because starting one takes seconds. */
import { createServer, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { TestProject } from "vitest/node";
import { messageOf } from "../../scripts/cli/userError.ts";
import { listen } from "./listen.ts";
import type { Running } from "./running.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The URL at which a worker claims a service, by its number. */
    claims: string;
  }
}

export interface Claimable {
  running: Running;
  stop: () => Promise<void>;
}

/**
 * Starts a service for each worker that claims one. It keeps it, because it runs one test file at a time.
 * @param start starts another service
 * @returns a function that stops all of them
 */
export const serveClaims = async (
  project: TestProject,
  start: () => Promise<Claimable>,
): Promise<() => Promise<void>> => {
  const services = new Map<string, Promise<Claimable>>();
  const claim = async (request: IncomingMessage): Promise<string> => {
    const worker = await text(request);
    const service = services.get(worker) ?? start();
    services.set(worker, service);
    return JSON.stringify((await service).running);
  };
  const server = createServer((request, response) => {
    claim(request).then(
      (body) => response.end(body),
      (error: unknown) => response.writeHead(500).end(messageOf(error)),
    );
  });
  project.provide("claims", `http://127.0.0.1:${await listen(server)}`);
  return async () => {
    server.close();
    await Promise.all([...services.values()].map(async (service) => (await service).stop()));
  };
};
