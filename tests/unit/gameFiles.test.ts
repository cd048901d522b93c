/** A local game: permissions, lock and damages of its files, and its handlers. */
import { rmSync } from "node:fs";
import { chmod, link, open, readdir, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { log } from "../../lib/runtime/log.ts";
import { reasonOf } from "../../scripts/cli/userError.ts";
import { openBacklog } from "../../scripts/local/backlog.ts";
import { startEngine } from "../../scripts/local/engine.ts";
import { acquireGameLock, type Game, gameOf } from "../../scripts/local/gameLock.ts";
import { localHandler } from "../../scripts/local/gateway.ts";
import { lambdaContext } from "../../scripts/local/inProcess.ts";
import { untilInstalled } from "../../scripts/local/installedPackages.ts";
import { openLocal } from "../../scripts/local/openLocal.ts";
import { readSettings } from "../../scripts/local/settings.ts";
import { createTable } from "../../scripts/local/table.ts";
import { tempDirOfTest } from "../support/tempDir.ts";

/** A full disk. */
vi.mock("node:fs/promises", async (original) => ({
  ...(await original<object>()),
  statfs: async () => ({ bavail: 0, bsize: 4096 }),
}));

let folder: string;
let file: string;
beforeEach(() => {
  folder = tempDirOfTest();
  file = join(folder, "game.db");
});

const game = (path = file): Game => gameOf({ place: { kind: "file", file: path }, port: 3000 });

/** The files and folders of the game that other accounts of the machine may read. */
const readableByOthers = async (): Promise<string[]> => {
  const found: string[] = [];
  for (const name of await readdir(folder, { recursive: true })) {
    const { mode } = await stat(join(folder, name));
    if (name.startsWith("game.db") && (mode & 0o077) !== 0) found.push(name);
  }
  return found;
};

describe("the files of a game", () => {
  it("are readable by their owner only, also those of engine and queue, and after a change", async () => {
    const engine = await startEngine({ file });
    const backlog = openBacklog(game().backlog);
    try {
      await createTable(engine.endpoint, "a-game", { stream: true });
      expect(await readdir(folder)).toContain("game.db-wal");
      expect(await readableByOthers()).toEqual([]);
    } finally {
      backlog.close();
      await engine.stop();
    }
    const names = ["", "-wal", "-shm", ".keys.json", ".run.json", ".backlog", ".backlog-wal"];
    for (const path of names.map((name) => `${file}${name}`)) {
      await writeFile(path, "");
      await chmod(path, 0o644);
    }
    expect(await readableByOthers()).toHaveLength(names.length);
    game();
    expect(await readableByOthers()).toEqual([]);
  });

  it("do not include the messages and the position of an earlier game whose file was removed", () => {
    const earlier = openBacklog(game().backlog);
    earlier.send("a message", 0);
    earlier.positions.set("a shard", "7");
    earlier.close();
    const counted = (): number => {
      const backlog = openBacklog(game().backlog);
      onTestFinished(() => backlog.close());
      return backlog.inspect().length + Number(backlog.positions.get("a shard") ?? 0);
    };
    expect(counted()).toBe(8);
    rmSync(file);
    expect(counted()).toBe(0);
  });

  it("are locked for one service, by any path, and must not have two hard links", async () => {
    const lock = acquireGameLock(game());
    const other = join(folder, "other.db");
    await symlink(file, other);
    expect(acquireGameLock(game(other))).toBeNull();
    lock?.release();
    const early = join(folder, "early.db");
    await symlink(join(folder, "later.db"), early);
    expect(game(early).lock).toBe(game(join(folder, "later.db")).lock);
    const lost = join(folder, "lost.db");
    await symlink(join(folder, "away/later.db"), lost);
    expect(() => game(lost)).toThrow(
      /lost\.db cannot be written \(it is a link into a folder that does not exist\)/,
    );
    await link(file, join(folder, "second.db"));
    for (const name of ["game.db", "second.db"]) {
      expect(() => game(join(folder, name))).toThrow(/has 2 names \(hard links\).*npm run export/);
    }
  });
});

describe("a game that cannot be stored", () => {
  it("is reported before anything is written when its file is damaged", async () => {
    const engine = await startEngine({ file });
    await createTable(engine.endpoint, "a-game");
    await engine.stop();
    const { size } = await stat(file);
    const damaged = await open(file, "r+");
    for (let at = 4096; at < size; at += 4096) await damaged.write(Buffer.alloc(64, 0xff), 0, 64, at);
    await damaged.close();
    const malformed = /game.db is damaged \(database disk image is malformed\)/;
    await expect(startEngine({ file })).rejects.toThrow(malformed);
  });

  it("because the disk is full is reported with what is safe", async () => {
    const full = Object.assign(new Error("database or disk is full"), { errcode: 13 });
    const exec = vi.spyOn(DatabaseSync.prototype, "exec").mockImplementationOnce(() => {
      throw full;
    });
    expect(() => acquireGameLock(game())).toThrow(/^The disk with .*game\.db\.lock is full: .* is safe\.$/);
    exec.mockRestore();
    vi.stubEnv("GAME_FILE", file);
    onTestFinished(() => void vi.unstubAllEnvs());
    await expect(openLocal(readSettings())).rejects.toThrow(/^The disk with .*game\.db is full/);
    using database = new DatabaseSync(file);
    database.exec("PRAGMA max_page_count = 3; CREATE TABLE things (thing BLOB)");
    const fill = async () => database.exec("INSERT INTO things VALUES (zeroblob(100000))");
    const cause: unknown = await fill().catch((error: unknown) => error);
    expect(reasonOf(new Error("away", { cause }))).toMatch(/is full: .* is safe$/);
  });
});

it.each([
  ["cannot be loaded", "handler cannot be loaded", 'import "no-such-package"; export const handler = 1;'],
  ["is not exported", "handler cannot be loaded", "export const other = 1;"],
  ["throws", "handler failed", 'export const handler = async () => { throw new Error("broken"); };'],
])("a handler that %s is logged, and is 500 or, for a worker, an error", async (_, message, source) => {
  const logged = vi.spyOn(log, "error").mockImplementation(() => {});
  onTestFinished(() => logged.mockRestore());
  const module = join(folder, "handler.mjs");
  await writeFile(module, source);
  const handler = localHandler("a_function", module);
  const response = await handler({ requestContext: { http: {} } }, lambdaContext());
  expect(response).toMatchObject({ statusCode: 500, headers: { "x-request-id": expect.any(String) } });
  expect(JSON.stringify(response)).not.toMatch(/broken|no-such-package|stack/);
  expect(logged).toHaveBeenCalledExactlyOnceWith(message, expect.objectContaining({ name: "a_function" }));
  await expect(handler({ Records: [] }, lambdaContext())).rejects.toThrow();
});

it("an installation is complete when npm has written its last file", async () => {
  const lock = join(folder, ".package-lock.json");
  await writeFile(lock, "{}");
  const done = vi.fn();
  const installed = untilInstalled(lock, 20).then(done);
  for (const change of [() => chmod(lock, 0o600), () => rm(lock)]) {
    await change();
    await sleep(100);
  }
  expect(done).not.toHaveBeenCalled();
  await writeFile(lock, "{}");
  await installed;
});
