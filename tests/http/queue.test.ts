/** The queue and the stream of a local service: reachable on loopback only, processed by its workers, and durable. */
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { SendMessageCommand } from "@aws-sdk/client-sqs";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { createAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { commandContext, makeServices } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { startQueue } from "../../scripts/local/queue.ts";
import { type RunRecord, readRecord } from "../../scripts/local/runFile.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { CHEAP } from "../support/cost.ts";
import { listeningAddresses } from "../support/listening.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { messageCounts, withQueue } from "../support/queue.ts";
import { fill, scan } from "../support/table.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();
const POLL = { timeout: 90_000, interval: 50 };
const PASSWORD = "correct horse battery";
const region = "eu-central-1";

const readRunFile = async (file: string): Promise<RunRecord> => {
  const record = await readRecord(file);
  if (record === null) throw new Error("no service is running");
  return record;
};

const WorkerLine = z.object({
  message: z.literal("worker"),
  name: z.string(),
  records: z.optional(z.number()),
  failed: z.optional(z.number()),
});

/** Adds up a field of a worker's log lines. */
const total = (service: RunningService, worker: string, field: "records" | "failed"): number =>
  service
    .output()
    .split("\n")
    .flatMap((line) => {
      const { data } = line.startsWith("{") ? WorkerLine.safeParse(JSON.parse(line)) : {};
      return data?.name === worker ? [data[field] ?? 0] : [];
    })
    .reduce((sum, count) => sum + count, 0);

const announced = (service: RunningService) => () => total(service, "announce", "records");
const failed = (service: RunningService) => () => total(service, "deliver", "failed");

const Account = z.looseObject({ token: z.optional(z.string()), player_id: z.optional(z.string()) });

/** Makes a corpse of a player, which is an interaction. */
const playOn = async ({ post }: RunningService, { settings }: RunRecord): Promise<void> => {
  process.env.AWS_REGION = settings.AWS_REGION;
  const services = makeServices(parseEnv(settings), { cost: CHEAP });
  const context = commandContext(services, Date.now());
  await createAdministrator(services, { alias: "gm", password: PASSWORD, playing: false }, context);
  expect((await post("/new", { alias: "Ada", password: PASSWORD })).status).toBe(201);
  const login = await post("/login", { alias: "gm", password: PASSWORD });
  const { token, player_id } = Account.parse(await login.json());
  expect((await post(`/admin/corpsify/${player_id}`, { alias: "Ada" }, token)).status).toBe(200);
};

const queueOf = ({ settings }: RunRecord) => ({
  url: settings.QUEUE_URL ?? "",
  endpoint: settings.QUEUE_ENDPOINT ?? "",
});

const send = (queue: ReturnType<typeof queueOf>, MessageBody: string, DelaySeconds = 0) =>
  withQueue(queue.endpoint, (client) =>
    client.send(new SendMessageCommand({ QueueUrl: queue.url, MessageBody, DelaySeconds })),
  );

/** Writes the first interaction of a game again, while no service is running. */
const repeatInteraction = async (file: string, table: string): Promise<void> => {
  const { endpoint, stop } = await startEngine({ file });
  const items = await scan({ place: () => ({ endpoint, table }) });
  const again = items.filter(({ pk }) => pk.startsWith("INTERACTIONS#")).slice(0, 1);
  await fill(
    { endpoint, table },
    again.map((item) => ({ ...item, sk: `${item.sk}-again` })),
  );
  await stop();
};

const killAll = async (service: RunningService, { children }: RunRecord): Promise<void> => {
  const ended = new Promise((resolve) => service.process.once("exit", resolve));
  service.process.kill("SIGKILL");
  for (const { pid } of children) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It has ended with npm start.
    }
  }
  await ended;
};

it("the workers process queue and stream, and continue after a kill -9", async () => {
  const GAME_FILE = pathOf("game.db");
  const runFile = `${GAME_FILE}.run.json`;
  const first = await npmStart({ GAME_FILE, LOG_FORMAT: "json" });
  const running = await readRunFile(runFile);
  const pids = [first.process.pid ?? 0, ...running.children.map(({ pid }) => pid)];
  // The queue, the database and the service.
  const hosts = (await listeningAddresses(pids)).map(({ host }) => host);
  expect(hosts.toSorted()).toEqual(["127.0.0.1", "127.0.0.1", expect.stringMatching(/^127\./)]);

  await playOn(first, running);
  await expect.poll(announced(first), POLL).toBe(1);
  await send(queueOf(running), "this is not a message");
  await expect.poll(failed(first), POLL).toBe(1);
  await send(queueOf(running), "this is not one either", 900);
  await expect.poll(() => messageCounts(queueOf(running)), POLL).toEqual(["0", "1", "1"]);
  await killAll(first, running);

  // Both messages are still there, and another one arrives.
  const { TABLE_NAME: table = "" } = running.settings;
  const queue = await startQueue({ table, region, folder: `${GAME_FILE}.queue` });
  expect(queue.inspect().map(({ state }) => state)).toEqual(["delayed", "in flight"]);
  await send(queue, "nor is this");
  await queue.stop();
  await repeatInteraction(GAME_FILE, table);

  const second = await npmStart({ GAME_FILE, LOG_FORMAT: "json" });
  try {
    await expect.poll(announced(second), POLL).toBe(1);
    await expect.poll(failed(second), POLL).toBe(1);
    // Failed messages come again only after their visibility timeout.
    const again = await readRunFile(runFile);
    await expect.poll(() => messageCounts(queueOf(again)), POLL).toEqual(["0", "2", "1"]);
    expect(announced(second)()).toBe(1);
  } finally {
    expect(await second.stop()).toBe(0);
  }
});

it("a game in memory has a queue and a stream too, and leaves no files behind", async () => {
  const service = await npmStart({ GAME_FILE: ":memory:", LOG_FORMAT: "json" });
  const running = await readRunFile(join(ROOT, `.local/memory-${service.port}.run.json`));
  const folder = running.scratch ?? "";
  expect(await readdir(folder)).toContain("game.db");
  await playOn(service, running);
  await expect.poll(announced(service), POLL).toBe(1);
  await send(queueOf(running), "this is not a message");
  await expect.poll(failed(service), POLL).toBe(1);
  expect(await service.stop()).toBe(0);
  await expect(readdir(folder)).rejects.toThrow("ENOENT");
});
