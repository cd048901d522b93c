/** `npm run screenshots`: renews the pictures of the README from a demo, in a real browser. */
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Browser, Page } from "puppeteer-core";
import sharp, { type Sharp } from "sharp";
import { paths } from "../../web/src/paths.ts";
import { spawnChild } from "../cli/childProcess.ts";
import { CHROMIUM, startChromium } from "../cli/chromium.ts";
import { runCommand } from "../cli/command.ts";
import { formatNumber } from "../cli/format.ts";
import { freePort } from "../cli/ports.ts";
import { sleep } from "../cli/sleep.ts";
import { UserError } from "../cli/userError.ts";
import { SMALL_LAPTOP, SMALL_PHONE, takeAnimation } from "../demo/animation.ts";
import { GAME_MASTER, PASSWORD } from "../demo/history.ts";
import { ROOT } from "../project/root.ts";

const FOLDER = join(ROOT, "docs/images");

const HELP = `Renews the pictures in docs/images: starts a demo, opens its pages in Chromium, and ends it.

  npm run screenshots
  npm run screenshots -- --animation

  --animation   renews only the animated picture
`;

const SETTLE_MS = 3_000;
const PHONE = { width: 390, height: 780, deviceScaleFactor: 2 };
const LAPTOP = { width: 1280, height: 800, deviceScaleFactor: 1 };

type Scheme = "light" | "dark";

interface Demo {
  base: string;
  /** The alias of a zombie, a code that they can enter, and the alias of a human. */
  zombie: string;
  code: string;
  human: string;
  stop: () => Promise<void>;
}

/** Starts a demo whose crowd stands still. */
const startDemo = async (): Promise<Demo> => {
  const port = await freePort();
  const lines: string[] = [];
  const demo = await spawnChild([process.execPath, "scripts/commands/demo.ts", "--speed", "0"], {
    env: { ...process.env, PORT: String(port) },
    onLine: (line) => lines.push(line),
  });
  const isReady = (): boolean => lines.some((line) => line.includes("Ctrl-C ends"));
  const failed = demo.ended.then((how) => {
    if (!isReady()) throw new UserError(`The demo has ended (${how}):\n${lines.join("\n")}`);
  });
  while (!isReady()) await Promise.race([failed, sleep(200)]);
  const find = (pattern: RegExp): string => pattern.exec(lines.join("\n"))?.[1] ?? GAME_MASTER;
  return {
    base: `http://localhost:${port}`,
    zombie: find(/A zombie .*\/login\s+(.+)/),
    human: find(/A human .*\/login\s+(.+)/),
    code: find(/tag code (\w+)/),
    stop: demo.stop,
  };
};

/** Opens a page of the web app as a player. */
const openAs = async (
  browser: Browser,
  base: string,
  alias: string,
  scheme: Scheme,
  view = PHONE,
): Promise<Page> => {
  const page = await (await browser.createBrowserContext()).newPage();
  await page.setViewport(view);
  await page.emulateMediaFeatures([{ name: "prefers-color-scheme", value: scheme }]);
  await page.goto(`${base}${paths.login}`);
  await page.locator("input[name=alias]").fill(alias);
  await page.locator("input[name=password]").fill(PASSWORD);
  await page.keyboard.press("Enter");
  await page.waitForSelector("nav", { timeout: 60_000 });
  return page;
};

const shot = async (page: Page, url: string): Promise<Uint8Array> => {
  await page.goto(url);
  await sleep(SETTLE_MS);
  return page.screenshot({ type: "png" });
};

const GAP = 40;
const RADIUS = 48;

/** Puts the screens of phones side by side, with round corners, on a transparent ground. */
const sideBySide = async (screens: readonly Uint8Array[]): Promise<Sharp> => {
  const [width, height] = [PHONE.width * PHONE.deviceScaleFactor, PHONE.height * PHONE.deviceScaleFactor];
  const rounded = `<svg width="${width}" height="${height}"><rect width="${width}" height="${height}" rx="${RADIUS}"/></svg>`;
  const cut = await Promise.all(
    screens.map((screen) =>
      sharp(screen)
        .composite([{ input: Buffer.from(rounded), blend: "dest-in" }])
        .png()
        .toBuffer(),
    ),
  );
  const total = screens.length * (width + GAP) - GAP;
  const ground = { width: total, height, channels: 4 as const, background: { r: 0, g: 0, b: 0, alpha: 0 } };
  return sharp({ create: ground }).composite(
    cut.map((input, at) => ({ input, left: at * (width + GAP), top: 0 })),
  );
};

const store = async (name: string, webp: Sharp): Promise<void> => {
  const buffer = await webp.toBuffer();
  await writeFile(join(FOLDER, name), buffer);
  console.log(`docs/images/${name}: ${formatNumber(Math.round(buffer.length / 1024))} KB`);
};

const still = async (picture: Sharp, width: number): Promise<Sharp> =>
  sharp(await picture.png().toBuffer())
    .resize({ width })
    .webp({ quality: 82 });

const takeStills = async (browser: Browser, { base, zombie }: Demo): Promise<void> => {
  const light = await openAs(browser, base, zombie, "light");
  const dark = await openAs(browser, base, zombie, "dark");
  const phones = [
    await shot(light, `${base}${paths.me}`),
    await shot(light, `${base}${paths.tag}`),
    await shot(light, `${base}${paths.outbreak}`),
    await shot(dark, `${base}${paths.outbreak}`),
    await shot(dark, `${base}${paths.feed}`),
  ];
  await store("player.webp", await still(await sideBySide(phones), 1600));
  for (const scheme of ["light", "dark"] as const) {
    const master = await openAs(browser, base, GAME_MASTER, scheme, LAPTOP);
    const screen = sharp(await shot(master, `${base}${paths.gm.now}`));
    await store(`game-master-${scheme}.webp`, await still(screen, LAPTOP.width));
  }
};

const takeMoving = async (browser: Browser, { base, zombie, human, code }: Demo): Promise<void> => {
  const phone = await openAs(browser, base, zombie, "light", SMALL_PHONE);
  const laptop = await openAs(browser, base, human, "dark", SMALL_LAPTOP);
  await store("outbreak.webp", await takeAnimation({ base, phone, laptop, code }));
};

await runCommand({ help: HELP, options: { animation: { type: "boolean" } } }, async (values) => {
  if (CHROMIUM === undefined) throw new UserError("Chromium is not installed.");
  await mkdir(FOLDER, { recursive: true });
  const demo = await startDemo();
  try {
    const { browser, stop } = await startChromium();
    try {
      if (!values.animation) await takeStills(browser, demo);
      await takeMoving(browser, demo);
    } finally {
      await stop();
    }
    return 0;
  } finally {
    await demo.stop();
  }
});
