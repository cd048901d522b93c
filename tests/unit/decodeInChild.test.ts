/** Pictures are decoded by one child process at a time, which is ended when it takes too long or is not needed. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, describe, expect, it } from "vitest";
import type { DomainError } from "../../lib/domain/domainError.ts";
import { decodeInChild, startChild } from "../../lib/images/decodeInChild.ts";
import { examinePicture } from "../../lib/images/normalize.ts";
import { openFairQueue } from "../../lib/runtime/fairQueue.ts";
import { listedFunctions } from "../../scripts/project/functions.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { decoders, HAS_PROC, isRunning, until } from "../support/decoders.ts";
import { blackPng, slowPng } from "../support/pictures.ts";

const NODE_ARGS = ["--input-type=module", "-e"];
const importing = (file: string): string => `await import(${JSON.stringify(join(ROOT, file))});`;
const UNAVAILABLE = { code: "unavailable", retryAfter: expect.any(Number) };

/** Decodes a file as `/set_pfp` does. @returns the picture or the error */
const decode = (file: Buffer, { player = "Ada", timeLeft = 20_000 } = {}) =>
  decodeInChild(examinePicture(file), { player, timeLeft: () => timeLeft }).catch(
    (error: DomainError) => error,
  );

/** Stops the one child process, so that it does not end by itself. */
const stopDecoder = async (): Promise<number> => {
  const pid = await until(() => decoders()[0]);
  process.kill(pid, "SIGSTOP");
  return pid;
};

it("the decoder's native libraries are loaded by no function, nor by the process that has a picture decoded", () => {
  const files = listedFunctions().map(({ file }) => file);
  expect(files).toContain("functions/player/set_pfp.ts");
  const script = [
    ...files.map(importing),
    `const { examinePicture } = ${importing("lib/images/normalize.ts")}`,
    `const { decodeInChild } = ${importing("lib/images/decodeInChild.ts")}`,
    `const file = examinePicture(Buffer.from("${blackPng(2, 3).toString("base64")}", "base64"));`,
    "const { width, height } = await decodeInChild(file, { player: '', timeLeft: () => 20_000 });",
    "process.report.excludeNetwork = true;",
    "const loaded = process.report.getReport().sharedObjects.filter((path) => /sharp|vips/.test(path));",
    "console.log(JSON.stringify({ width, height, loaded }));",
  ].join("\n");
  const { stdout, stderr } = spawnSync(process.execPath, [...NODE_ARGS, script], { encoding: "utf8" });
  expect(JSON.parse(stdout || stderr)).toEqual({ width: 2, height: 3, loaded: [] });
});

describe("the child process", () => {
  // A failing test must not leave child processes behind.
  afterEach(() => {
    for (const pid of decoders()) process.kill(pid, "SIGKILL");
  });

  it("rejects the picture when the kernel ends it for its CPU time", async () => {
    const decoding = decode(slowPng());
    process.kill(await until(() => decoders()[0]), "SIGXCPU");
    const detail = "A picture must not take more than 6 seconds to decode.";
    expect(await decoding).toMatchObject({ code: "too_large", detail });
  });

  it("is killed when the request has no more time, and not started when it has none", async () => {
    expect(await decode(blackPng(1, 1), { timeLeft: 0 })).toMatchObject(UNAVAILABLE);
    const decoding = decode(slowPng(), { timeLeft: 500 });
    const pid = await stopDecoder();
    await until(() => !isRunning(pid));
    expect(await decoding).toMatchObject(UNAVAILABLE);
  });

  const REQUEST = { format: "png", size: 1, maxPixels: 1, maxSidePixels: 1 } as const;

  it("ends when its parent is killed", async () => {
    const script = [
      `const { startChild } = ${importing("lib/images/decodeInChild.ts")}`,
      `console.log((await startChild(${JSON.stringify(REQUEST)})).pid);`,
    ].join("\n");
    const parent = spawn(process.execPath, [...NODE_ARGS, script]);
    const [line] = await once(parent.stdout, "data");
    const pid = Number(line);
    expect(isRunning(pid)).toBe(true);
    parent.kill("SIGKILL");
    await until(() => !isRunning(pid));
  });

  it.runIf(HAS_PROC)(
    "has limited memory and CPU time, and nothing of the service's environment",
    async () => {
      const child = await startChild(REQUEST);
      const read = (file: string): string => readFileSync(`/proc/${child.pid}/${file}`, "utf8");
      // The shell has become the child.
      await until(() => read("cmdline").startsWith(process.execPath));
      const [limits, environment] = [read("limits"), read("environ")];
      child.kill("SIGKILL");
      await once(child, "close");
      expect(Number(/^Max data size +(\d+) +\1 /m.exec(limits)?.[1])).toBeLessThanOrEqual(2 * 1024 ** 3);
      expect(limits).toMatch(/^Max cpu time +6 /m);
      const names = environment.match(/^\w+|(?<=\0)\w+/g) ?? [];
      // The variables that the child needs, and those that the shell adds.
      const known = ["LD_LIBRARY_PATH", "NODE_COMPILE_CACHE", "PWD", "OLDPWD", "SHLVL", "_"];
      expect(names.filter((name) => !known.includes(name))).toEqual([]);
    },
  );

  it("is the only one at any time, and is waited for only as long as the request has time", async () => {
    const first = decode(slowPng());
    const pid = await stopDecoder();
    expect(await decode(blackPng(1, 1), { player: "Ben", timeLeft: 100 })).toMatchObject(UNAVAILABLE);
    const last = decode(blackPng(2, 1), { player: "Cid" });
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(decoders()).toEqual([pid]);
    process.kill(pid, "SIGKILL");
    expect(await first).toMatchObject({ code: "unsupported_media_type" });
    expect(await last).toMatchObject({ width: 2 });
  });
});

it("players get their turns, however many pictures one of them sends", async () => {
  const takeTurn = openFairQueue();
  const order: string[] = [];
  const send = (player: string, n: number) =>
    takeTurn({ who: player, waitMs: 60_000 }, async () => order.push(`${player} ${n}`));
  await Promise.all([...[1, 2, 3, 4].map((n) => send("Ada", n)), send("Ben", 1), send("Cid", 1)]);
  expect(order).toEqual(["Ada 1", "Ben 1", "Ada 2", "Cid 1", "Ada 3", "Ada 4"]);
});
