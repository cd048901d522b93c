/** Pictures are decoded by a child process, one at a time; it ends when it takes too long or nobody waits for it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { DomainError } from "../../lib/domain/domainError.ts";
import { decodeInChild, startChild } from "../../lib/images/decodeInChild.ts";
import { openFairQueue } from "../../lib/images/fairQueue.ts";
import { examinePicture } from "../../lib/images/normalize.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { decoders, isRunning, until } from "../support/decoders.ts";
import { ROOT } from "../support/endpoints.ts";
import { blackPng, slowJpeg } from "../support/pictures.ts";

/** The native libraries of the decoder that a process has loaded after running these lines, and what it printed. */
const loadedBy = (lines: string[]): { loaded: string[]; printed: string } => {
  const script = [
    ...lines,
    "process.report.excludeNetwork = true;",
    "const { sharedObjects } = process.report.getReport();",
    "console.log(JSON.stringify(sharedObjects.filter((path) => /sharp|vips/.test(path))));",
  ].join("\n");
  const ran = spawnSync(process.execPath, ["--input-type=module", "-e", script], { encoding: "utf8" });
  expect(ran.status, ran.stderr).toBe(0);
  const [last = "", ...before] = ran.stdout.trim().split("\n").toReversed();
  return { loaded: JSON.parse(last), printed: before.join() };
};

const importing = (file: string): string => `await import(${JSON.stringify(join(ROOT, file))});`;

/** Decodes a file as `/set_pfp` does. */
const decode = (
  file: Buffer,
  options: { player?: string; timeLeft?: number; mostMs?: number } = {},
): Promise<{ width: number } | DomainError> => {
  const { player = "Ada", timeLeft = 20_000, mostMs } = options;
  const more = mostMs === undefined ? {} : { mostMs };
  return decodeInChild(examinePicture(file), { player, timeLeft: () => timeLeft, ...more }).catch(
    (refusal: DomainError) => refusal,
  );
};

/** The one child process, as soon as there is one. */
const decoder = (): Promise<number> => until(() => decoders()[0]);

/** The same, and from now on it does nothing: it will never end by itself. */
const stopped = async (): Promise<number> => {
  const pid = await decoder();
  process.kill(pid, "SIGSTOP");
  return pid;
};

describe("the decoder of pictures", () => {
  it("is loaded by no function", () => {
    const files = listedFunctions().map(({ file }) => file);
    expect(files.length).toBeGreaterThan(30);
    expect(files).toContain("functions/player/set_pfp.ts");
    expect(loadedBy(files.map(importing)).loaded).toEqual([]);
  });

  it("is not loaded by the process that has a picture decoded", () => {
    const { loaded, printed } = loadedBy([
      `const { examinePicture } = ${importing("lib/images/normalize.ts")}`,
      `const { decodeInChild } = ${importing("lib/images/decodeInChild.ts")}`,
      `const file = examinePicture(Buffer.from("${blackPng(2, 3).toString("base64")}", "base64"));`,
      "const { width, height } = await decodeInChild(file, { player: '', timeLeft: () => 20_000 });",
      "console.log(width, height);",
    ]);
    expect(printed).toBe("2 3");
    expect(loaded).toEqual([]);
  });
});

describe("a child process that decodes", () => {
  // One that fails leaves none behind.
  afterEach(() => {
    for (const pid of decoders()) process.kill(pid, "SIGKILL");
  });

  it("is killed when the picture takes too long", async () => {
    const decoding = decode(slowJpeg(), { mostMs: 500 });
    const pid = await stopped();
    await until(() => !isRunning(pid));
    expect(await decoding).toMatchObject({
      code: "too_large",
      detail: expect.stringContaining("0.5 seconds"),
    });
  });

  it("is killed when the request has no more time, and the request may be tried again", async () => {
    const decoding = decode(slowJpeg(), { timeLeft: 500 });
    const pid = await stopped();
    await until(() => !isRunning(pid));
    expect(await decoding).toMatchObject({ code: "unavailable", retryAfter: expect.any(Number) });
    expect(await decode(blackPng(1, 1), { timeLeft: 0 })).toMatchObject({ code: "unavailable" });
  });

  it("costs its own picture alone when it crashes", async () => {
    const decoding = decode(slowJpeg());
    process.kill(await decoder(), "SIGSEGV");
    expect(await decoding).toMatchObject({ code: "unsupported_media_type" });
    expect(await decode(blackPng(1, 1))).toMatchObject({ width: 1 });
  });

  it("ends when its parent is killed", async () => {
    const script = [
      `const { startChild } = ${importing("lib/images/decodeInChild.ts")}`,
      `const child = await startChild({ format: "png", size: 1, mostPixels: 1, longestSide: 1 });`,
      "console.log(child.pid);",
    ].join("\n");
    const parent = spawn(process.execPath, ["--input-type=module", "-e", script]);
    const pid = await new Promise<number>((resolve) => {
      parent.stdout.once("data", (line) => resolve(Number(line)));
    });
    expect(isRunning(pid)).toBe(true);
    parent.kill("SIGKILL");
    await until(() => !isRunning(pid));
  });

  it("has a bound on its memory, and nothing of the service's environment", async () => {
    const child = await startChild({ format: "png", size: 1, mostPixels: 1, longestSide: 1 });
    const read = (file: string): string => readFileSync(`/proc/${child.pid}/${file}`, "utf8");
    // The shell has become the child.
    await until(() => read("cmdline").startsWith(process.execPath));
    const [limits, environment] = [read("limits"), read("environ")];
    child.kill("SIGKILL");
    await once(child, "close");
    const names = environment.match(/^\w+|(?<=\0)\w+/g) ?? [];
    expect(Number(/^Max data size +(\d+) +\1 /m.exec(limits)?.[1])).toBeLessThanOrEqual(2 * 1024 ** 3);
    // Beside what it needs there is what the shell adds.
    const known = ["LD_LIBRARY_PATH", "NODE_COMPILE_CACHE", "PWD", "OLDPWD", "SHLVL", "_"];
    expect(names.filter((name) => !known.includes(name))).toEqual([]);
  });

  it("is the only one at any time", async () => {
    const players = ["Ada", "Ben", "Cid"];
    let [most, done] = [0, false];
    const watching = until(() => {
      most = Math.max(most, decoders().length);
      return done;
    });
    const pictures = await Promise.all(players.map((player, n) => decode(blackPng(n + 1, 1), { player })));
    done = true;
    await watching;
    expect(pictures).toMatchObject([{ width: 1 }, { width: 2 }, { width: 3 }]);
    expect(most).toBe(1);
  });

  it("is not waited for without end", async () => {
    const first = decode(slowJpeg());
    const pid = await stopped();
    expect(await decode(blackPng(1, 1), { player: "Ben", timeLeft: 100 })).toMatchObject({
      code: "unavailable",
      retryAfter: expect.any(Number),
    });
    process.kill(pid, "SIGKILL");
    await first;
  });
});

describe("the queue of pictures", () => {
  it("lets players take turns, however many pictures one of them sends", async () => {
    const takeTurn = openFairQueue();
    const order: string[] = [];
    const picture = (player: string, name: string) =>
      takeTurn({ player, waitMs: 60_000 }, async () => order.push(`${player} ${name}`));
    const all = [1, 2, 3, 4].map((n) => picture("Ada", `${n}`));
    await Promise.all([...all, picture("Ben", "1"), picture("Cid", "1")]);
    expect(order).toEqual(["Ada 1", "Ben 1", "Ada 2", "Cid 1", "Ada 3", "Ada 4"]);
  });

  it("goes on when work fails, or when somebody has left it", async () => {
    const takeTurn = openFairQueue();
    const { promise: end, resolve } = Promise.withResolvers<void>();
    const first = takeTurn({ player: "Ada", waitMs: 0 }, () => end);
    expect(await takeTurn({ player: "Ben", waitMs: 1 }, async () => "done")).toBeNull();
    const failing = takeTurn({ player: "Ben", waitMs: 60_000 }, () => Promise.reject(new Error("broken")));
    const last = takeTurn({ player: "Cid", waitMs: 60_000 }, async () => "done");
    resolve();
    await first;
    await expect(failing).rejects.toThrow("broken");
    expect(await last).toBe("done");
  });
});
