/** Starts the installed WebKitGTK, which has the engine of Safari, on a screen of its own. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Builder, type WebDriver } from "selenium-webdriver";
import { findWebKit } from "../../scripts/cli/findProgram.ts";
import { freePort } from "../../scripts/cli/ports.ts";
import { startWatchingProxy, TAKE_FAULTS } from "./watchingProxy.ts";

/** The programs of WebKitGTK; `undefined` if one is not installed. */
export const WEBKIT = findWebKit();

/** Starts a program in a process group of its own, and ends them all with the tests. */
const startGroup = (program: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
  const child: ChildProcess = spawn(program, args, {
    env,
    detached: true,
    stdio: ["ignore", "ignore", "ignore", "pipe"],
  });
  const stop = (): void => {
    process.off("exit", stop);
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  // Before files are removed.
  process.prependOnceListener("exit", stop);
  return { child, stop };
};

/** A screen without a display. @returns its name */
const startScreen = async (program: string) => {
  const { child, stop } = startGroup(
    program,
    ["-displayfd", "3", "-screen", "0", "1440x900x24", "-nolisten", "tcp"],
    {},
  );
  const output = child.stdio[3];
  if (!output) throw new Error("Xvfb has no output");
  const [number] = await Promise.race([
    once(output, "data"),
    once(child, "exit").then(() => Promise.reject(new Error("Xvfb has ended"))),
  ]);
  return { display: `:${String(number).trim()}`, stop };
};

const SESSION_MS = 60_000;
const RETRY_MS = 50;

/** Waits until something succeeds. */
const retry = async <T>(action: () => Promise<T>): Promise<T> => {
  const end = Date.now() + SESSION_MS;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (Date.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
};

/**
 * Starts a screen. `open` starts a browser on it, as large as a phone, which has a profile of its own and no toolbar;
 * `stop` removes all files.
 */
export const startWebKit = async () => {
  if (WEBKIT === undefined) throw new Error("WebKitGTK (webkit2gtk-driver, xvfb) is not installed");
  const { driver: program, browser: binary, screen: screenProgram } = WEBKIT;
  const folder = mkdtempSync(join(tmpdir(), "webkit-tests-"));
  const clean = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  process.once("exit", clean);
  const screen = await startScreen(screenProgram);
  const env = {
    PATH: process.env.PATH,
    LANG: "C.UTF-8",
    TZ: process.env.TZ,
    DISPLAY: screen.display,
    HOME: folder,
    // Without user namespaces, as in containers, its sandbox does not start. It opens pages of this machine only.
    WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: "1",
    WEBKIT_DISABLE_DMABUF_RENDERER: "1",
    LIBGL_ALWAYS_SOFTWARE: "1",
  };

  /** @param fault is told each fault of a page, at the latest when the browser closes */
  const open = async (fault: (text: string) => void) => {
    const proxy = await startWatchingProxy(fault);
    const port = await freePort();
    // A driver has one session at a time.
    const group = startGroup(program, [`--port=${port}`], env);
    const server = `http://127.0.0.1:${port}`;
    await retry(() => fetch(`${server}/status`));
    const args = ["--automation", "--full-screen", `--proxy=http://127.0.0.1:${proxy.port}`];
    const driver: WebDriver = await new Builder()
      .usingServer(server)
      .withCapabilities({
        browserName: "MiniBrowser",
        acceptInsecureCerts: true,
        timeouts: { script: SESSION_MS, pageLoad: SESSION_MS },
        "webkitgtk:browserOptions": { binary, args },
      })
      .build();
    await driver.manage().window().setRect({ x: 0, y: 0, width: 360, height: 740 });
    const takeFaults = async (): Promise<void> => {
      const faults = await driver.executeScript<string[]>(`return ${TAKE_FAULTS}`).catch(() => []);
      for (const text of faults) fault(text);
    };
    return {
      driver,
      takeFaults,
      close: async (): Promise<void> => {
        await takeFaults();
        await driver.quit().finally(() => {
          group.stop();
          proxy.stop();
        });
      },
    };
  };
  return {
    open,
    stop: async (): Promise<void> => {
      screen.stop();
      clean();
    },
  };
};
