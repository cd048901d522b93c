/**
 * Packages the service into `PACKAGES_FOLDER`, and starts the packages under AWS's own runtime loop, on the engine of
 * `ENGINE_ENDPOINT`. The command that sets both cleans up, also after Ctrl-C.
 */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { freePort } from "../../scripts/cli/ports.ts";
import { messageOf } from "../../scripts/cli/userError.ts";
import { startDeployment } from "../../scripts/emulator/deployment.ts";
import { makeCertificate } from "../support/certificate.ts";
import { serveClaims } from "../support/claims.ts";
import { CURSOR_KEY, MAIL_KEY, VAPID } from "../support/constants.ts";

declare module "vitest" {
  interface ProvidedContext {
    /** The Unix socket of Lambda's `Invoke`. */
    invocations: string;
  }
}

export default async (project: TestProject): Promise<() => Promise<void>> => {
  const { ENGINE_ENDPOINT: engine, PACKAGES_FOLDER: folder } = process.env;
  if (engine === undefined || folder === undefined)
    throw new Error("npm run test:emulator -- --packages runs these tests");
  const ending = new AbortController();
  const certificate = makeCertificate();
  const trusted = join(folder, "push.pem");
  await writeFile(trusted, certificate.cert);
  const port = await freePort();
  const write = (line: string): void => void process.stderr.write(`${line}\n`);
  const deployment = await startDeployment({
    ...{ folder, engine, onFault: write, warn: write, signal: ending.signal },
    settings: {
      ...{ CURSOR_KEY, MAIL_KEY, ...VAPID },
      ...{ PUSH_ALLOWED_HOSTS: `127.0.0.1:${port}`, NODE_EXTRA_CA_CERTS: trusted },
      ...{ MAIL_URL: `outbox:${join(folder, "mail")}`, MAIL_FROM: "game@example.org" },
      PUBLIC_URL: "https://game.example.org",
    },
  }).catch((error: unknown) => {
    // Vitest does not show the output of the framework.
    write(messageOf(error));
    throw error;
  });
  project.provide("invocations", deployment.invocations);
  const { base, table, backlog } = deployment;
  const running = { base, engine, table, backlog, push: { port, ...certificate } };
  // Also if no worker has claimed it.
  let stopped: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopped ??= deployment.stop();
    return stopped;
  };
  const stopClaims = await serveClaims(project, async () => ({ running, stop }));
  return async () => {
    ending.abort();
    await stopClaims();
    await stop();
  };
};
