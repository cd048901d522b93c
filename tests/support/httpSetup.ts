/** Starts the whole service once for the stories that come in over HTTP, on an engine and a queue of its own. */
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { startEngine } from "../../scripts/local/engine.ts";
import { freePort } from "../../scripts/local/ports.ts";
import { startQueue } from "../../scripts/local/queue.ts";
import { REGION } from "../../scripts/local/settings.ts";
import { makeCertificate } from "./certificate.ts";
import { CURSOR_KEY, VAPID } from "./constants.ts";
import { npmStart } from "./npmStart.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** Where the service answers. */
    base: string;
    /** Where its database does, to look behind the answers. */
    engine: string;
    table: string;
    /** Its queue. */
    queue: { url: string; endpoint: string };
    /** Where a push service of the tests may listen, and the certificate that is trusted there. */
    push: { port: number; key: string; cert: string };
  }
}

const TABLE_NAME = "zombie-game-http-tests";

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const folder = await mkdtemp(join(tmpdir(), "http-tests-"));
  const certificate = makeCertificate();
  const trusted = join(folder, "push.pem");
  await writeFile(trusted, certificate.cert);
  const port = await freePort();
  const engine = await startEngine();
  const queue = await startQueue({ table: TABLE_NAME, region: REGION });
  const service = await npmStart({
    DYNAMODB_ENDPOINT: engine.endpoint,
    QUEUE_URL: queue.url,
    QUEUE_ENDPOINT: queue.endpoint,
    TABLE_NAME,
    CURSOR_KEY,
    ...VAPID,
    PUSH_ALLOWED_HOSTS: `127.0.0.1:${port}`,
    NODE_EXTRA_CA_CERTS: trusted,
  });
  project.provide("base", service.base);
  project.provide("engine", engine.endpoint);
  project.provide("table", TABLE_NAME);
  project.provide("queue", { url: queue.url, endpoint: queue.endpoint });
  project.provide("push", { port, ...certificate });
  return async () => {
    await service.stop();
    await queue.stop();
    await engine.stop();
    await rm(folder, { recursive: true });
  };
};
