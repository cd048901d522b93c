/** Queue and stream of a service on this machine: on loopback alone, worked on by its workers, and kept. */
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DynamoDBClient } from "@aws-sdk/client-dynamodb";
import { GetQueueAttributesCommand, SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
import { DynamoDBDocumentClient, PutCommand, paginateScan } from "@aws-sdk/lib-dynamodb";
import { expect, it } from "vitest";
import * as z from "zod/mini";
import { createAdministrator } from "../../lib/app/accounts/bootstrapAdmin.ts";
import { commandContext, makeServices } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { type RunRecord as Running, readRecord } from "../../scripts/local/runFile.ts";
import { CHEAP } from "../support/cost.ts";
import { listeningAddresses } from "../support/listening.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";

const PATIENCE = { timeout: 15_000 };
const PASSWORD = "correct horse battery";
const credentials = { accessKeyId: "local", secretAccessKey: "local" };

const recordOf = async (gameFile: string): Promise<Running> => {
  const record = await readRecord(`${gameFile}.run.json`);
  if (record === null) throw new Error("no service runs");
  return record;
};

const Line = z.object({
  message: z.literal("worker"),
  name: z.string(),
  records: z.optional(z.number()),
  messages: z.optional(z.number()),
  failed: z.optional(z.number()),
});

/** What a service's log tells of a worker's invocations. */
const invocations = (service: RunningService, name: string): z.infer<typeof Line>[] =>
  service
    .said()
    .split("\n")
    .flatMap((line) => {
      if (!line.startsWith("{")) return [];
      const { data } = Line.safeParse(JSON.parse(line));
      return data?.name === name ? [data] : [];
    });

const recordsIn = (service: RunningService): number =>
  invocations(service, "announce").reduce((sum, { records = 0 }) => sum + records, 0);

const failuresIn = (service: RunningService): number =>
  invocations(service, "deliver").reduce((sum, { failed = 0 }) => sum + failed, 0);

const post = async (
  base: string,
  path: string,
  token: string,
  body: unknown,
): Promise<z.infer<typeof Reply>> => {
  const reply = await fetch(`${base}${path}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      ...(token === "" ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  expect(reply.status, path).toBeLessThan(300);
  return Reply.parse(await reply.json());
};
const Reply = z.looseObject({ token: z.optional(z.string()), player_id: z.optional(z.string()) });

/** Makes a corpse of somebody, which is an interaction. */
const playOn = async (base: string, { settings }: Running): Promise<void> => {
  process.env.AWS_REGION = settings.AWS_REGION;
  const services = makeServices(parseEnv(settings), { cost: CHEAP });
  const moment = commandContext(services, Date.now());
  await createAdministrator(services, { alias: "gm", password: PASSWORD, playing: false }, moment);
  await post(base, "/new", "", { alias: "Ada", password: PASSWORD });
  const { token = "", player_id } = await post(base, "/login", "", { alias: "gm", password: PASSWORD });
  await post(base, `/admin/corpsify/${player_id}`, token, { alias: "Ada" });
};

const send = async ({ settings }: Running, MessageBody: string, DelaySeconds = 0): Promise<void> => {
  const endpoint = settings.QUEUE_ENDPOINT ?? "";
  const client = new SQSClient({
    endpoint,
    useQueueUrlAsEndpoint: false,
    region: "eu-central-1",
    credentials,
  });
  await client.send(new SendMessageCommand({ QueueUrl: settings.QUEUE_URL, MessageBody, DelaySeconds }));
  client.destroy();
};

/** How many messages wait, are being worked on or have failed lately, and are held back. */
const lying = async ({ settings }: Running): Promise<(string | undefined)[]> => {
  const endpoint = settings.QUEUE_ENDPOINT ?? "";
  const client = new SQSClient({
    endpoint,
    useQueueUrlAsEndpoint: false,
    region: "eu-central-1",
    credentials,
  });
  const all = new GetQueueAttributesCommand({ QueueUrl: settings.QUEUE_URL, AttributeNames: ["All"] });
  const { Attributes = {} } = await client.send(all);
  client.destroy();
  return [
    Attributes.ApproximateNumberOfMessages,
    Attributes.ApproximateNumberOfMessagesNotVisible,
    Attributes.ApproximateNumberOfMessagesDelayed,
  ];
};

/** Records the first interaction of a game once more, behind the back of the service. */
const repeatInteraction = async (file: string, table: string): Promise<void> => {
  const { endpoint, stop } = await startEngine({ file });
  const client = DynamoDBDocumentClient.from(
    new DynamoDBClient({ endpoint, region: "eu-central-1", credentials }),
  );
  try {
    for await (const { Items = [] } of paginateScan({ client }, { TableName: table })) {
      const found = Items.find(({ pk }) => String(pk).startsWith("INTERACTIONS#"));
      if (found === undefined) continue;
      await client.send(new PutCommand({ TableName: table, Item: { ...found, sk: `${found.sk}-again` } }));
      return;
    }
  } finally {
    client.destroy();
    await stop();
  }
};

const killAll = async (service: RunningService, { children }: Running): Promise<void> => {
  const gone = new Promise((resolve) => service.process.once("exit", resolve));
  service.process.kill("SIGKILL");
  for (const { pid } of children) {
    try {
      process.kill(pid, "SIGKILL");
    } catch {
      // It ends with npm start, and may have done so.
    }
  }
  await gone;
};

it("queue and stream are worked on, on loopback alone, and go on where a kill -9 found them", async () => {
  const folder = await mkdtemp(join(tmpdir(), "queue-"));
  const GAME_FILE = join(folder, "game.db");
  try {
    const first = await npmStart({ GAME_FILE, LOG_FORMAT: "json" });
    const running = await recordOf(GAME_FILE);
    const pids = [first.process.pid ?? 0, ...running.children.map(({ pid }) => pid)];
    // The queue, the database and the service.
    const hosts = (await listeningAddresses(pids)).map(({ host }) => host);
    expect(hosts.toSorted()).toEqual(["127.0.0.1", "127.0.0.1", expect.stringMatching(/^127\./)]);

    await playOn(first.base, running);
    await expect.poll(() => recordsIn(first), PATIENCE).toBe(1);

    await send(running, "this is not a message");
    await expect.poll(() => failuresIn(first), PATIENCE).toBe(1);
    // What is held back for a moment, so that it is due only after the next start.
    await send(running, "this is not one either", 6);
    await expect.poll(() => lying(running), PATIENCE).toEqual(["0", "1", "1"]);
    await killAll(first, running);

    await repeatInteraction(GAME_FILE, running.settings.TABLE_NAME ?? "");
    const second = await npmStart({ GAME_FILE, LOG_FORMAT: "json" });
    try {
      await expect.poll(() => recordsIn(second), PATIENCE).toBe(1);
      await expect.poll(() => failuresIn(second), PATIENCE).toBe(1);
      // Both come again when their visibility timeout is over, and no sooner.
      const again = await recordOf(GAME_FILE);
      await expect.poll(() => lying(again), PATIENCE).toEqual(["0", "2", "0"]);
      expect(recordsIn(second)).toBe(1);
    } finally {
      expect(await second.stop()).toBe(0);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});

it("a game in memory has both too, and leaves nothing behind", async () => {
  const service = await npmStart({ GAME_FILE: ":memory:", LOG_FORMAT: "json" });
  const record = join(import.meta.dirname, `../../.local/memory-${service.port}.run.json`);
  const running = await readRecord(record);
  if (running === null) throw new Error("no service runs");
  expect(await readdir(running.scratch ?? "")).toContain("game.db");
  await playOn(service.base, running);
  await expect.poll(() => recordsIn(service), PATIENCE).toBe(1);
  await send(running, "this is not a message");
  await expect.poll(() => failuresIn(service), PATIENCE).toBe(1);
  expect(await service.stop()).toBe(0);
  await expect(readdir(running.scratch ?? "")).rejects.toThrow("ENOENT");
});
