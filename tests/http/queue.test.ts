/** A local service keeps its players, settings, queue and stream when all its processes are killed. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, it, onTestFinished } from "vitest";
import * as z from "zod/mini";
import { MINUTE } from "../../lib/domain/time.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { listeningAddresses } from "../support/listening.ts";
import { npmStart, type RunningService } from "../support/npmStart.ts";
import { messageStates, withBacklog } from "../support/queue.ts";
import { runScript } from "../support/runScript.ts";
import { fill, scan } from "../support/table.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();
const POLL = { timeout: 90_000, interval: 50 };
const PASSWORD = "correct horse battery";

/** Adds up a field of a worker's log lines. */
const total = (service: RunningService, worker: string, field: "records" | "failed") => (): number =>
  service
    .output()
    .split("\n")
    .filter((line) => line.includes(`"message":"worker"`) && line.includes(`"name":"${worker}"`))
    .reduce((sum, line) => sum + Number(new RegExp(`"${field}":(\\d+)`).exec(line)?.[1] ?? 0), 0);
const announced = (service: RunningService) => total(service, "announce", "records");
const failed = (service: RunningService) => total(service, "deliver", "failed");

const register = async ({ post }: RunningService, alias: string, join_code = "brains"): Promise<number> =>
  (await post("/new", { alias, password: PASSWORD, join_code })).status;

const send = (file: string, body: string, delay = 0) =>
  withBacklog(file, (backlog) => backlog.send(body, delay));

it("the workers process queue and stream, and continue after a kill -9, which loses no acknowledged change, nor the join code", async () => {
  const GAME_FILE = pathOf("game.db");
  const backlog = `${GAME_FILE}.backlog`;
  const first = await npmStart({ GAME_FILE, LOG_FORMAT: "json", JOIN_CODE: "brains" });
  const record = await first.runRecord(GAME_FILE);
  expect(JSON.stringify(record)).not.toContain("brains");
  const { pids, settings: ofFunctions } = record;
  expect((await first.post("/new", { alias: "Ada", password: PASSWORD })).status).toBe(400);
  expect(await register(first, "Ada", "hearts")).toBe(400);
  // The queue, the database and the service.
  const hosts = listeningAddresses(pids).map(({ host }) => host);
  expect(hosts.toSorted()).toEqual(["127.0.0.1", "127.0.0.1", expect.stringMatching(/^127\./)]);

  // The death of a player is an interaction.
  const settings = { GAME_FILE, PORT: String(first.port) };
  await runScript(["scripts/commands/create-admin.ts", "--alias", "gm"], settings, `${PASSWORD}\n`);
  const login = await first.post("/login", { alias: "gm", password: PASSWORD });
  const { token } = z.object({ token: z.string() }).parse(await login.json());
  expect(await register(first, "Ada")).toBe(201);
  expect((await first.post("/admin/corpsify/me", { alias: "Ada" }, token)).status).toBe(200);
  await expect.poll(announced(first), POLL).toBe(1);
  await send(backlog, "this is not a message");
  await expect.poll(failed(first), POLL).toBe(1);
  await send(backlog, "this is not one either", 15 * MINUTE);
  await expect.poll(() => messageStates(backlog), POLL).toEqual(["delayed", "in flight"]);

  const acknowledged: string[] = [];
  let isKilled = false;
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let n = 0; !isKilled; n += 1) {
      const alias = `Player ${writer} ${n}`;
      if ((await register(first, alias).catch(() => 0)) === 201) acknowledged.push(alias);
    }
  });
  while (acknowledged.length < 20) await sleep(5);
  for (const pid of pids.toReversed()) process.kill(pid, "SIGKILL");
  isKilled = true;
  await Promise.all(writers);

  // The interaction is written again while no service is running.
  const { TABLE_NAME: table = "" } = ofFunctions;
  const { endpoint, stop } = await startEngine({ file: GAME_FILE });
  const items = await scan({ place: () => ({ endpoint, table }) });
  const [item] = items.filter(({ pk }) => pk.startsWith("INTERACTIONS#"));
  if (item === undefined) throw new Error("there is no interaction");
  await fill({ endpoint, table }, [{ ...item, sk: `${item.sk}-again` }]);
  await stop();

  const second = await npmStart({ GAME_FILE, LOG_FORMAT: "json", JOIN_CODE: "hearts" });
  onTestFinished(async () => expect(await second.stop()).toBe(0));
  await expect.poll(second.output, POLL).toContain("Note: JOIN_CODE is ignored");
  expect(await register(second, "Ben", "hearts")).toBe(400);
  await expect.poll(announced(second), POLL).toBe(1);
  // The failed message comes again only after its visibility timeout.
  await expect.poll(() => messageStates(backlog), POLL).toEqual(["delayed", "in flight"]);
  await send(backlog, "nor is this");
  await expect.poll(failed(second), POLL).toBe(1);
  expect(announced(second)()).toBe(1);
  for (const alias of acknowledged) expect(await register(second, alias)).toBe(409);
});
