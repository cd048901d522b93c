/** The animated picture of the README: a phone that enters a tag beside a laptop on which the outbreak grows. */
import type { Page } from "puppeteer-core";
import sharp, { type Sharp } from "sharp";
import { GameClient } from "../../client/src/index.ts";
import { paths } from "../../web/src/paths.ts";
import { sleep } from "../cli/sleep.ts";
import { GAME_MASTER, PASSWORD } from "./history.ts";

export const SMALL_PHONE = { width: 360, height: 740, deviceScaleFactor: 1 };
export const SMALL_LAPTOP = { width: 1000, height: 640, deviceScaleFactor: 1 };

/** The size of the picture, and the places of the screens in it. */
const PICTURE = { width: 1262, height: 664 };
const LAPTOP_AT = { left: 12, top: 12, width: 960, height: 614, radius: 10 };
const PHONE_AT = { left: 958, top: 60, width: 284, height: 584, radius: 26 };
const BEZEL = 10;
const BEZEL_COLOUR = "#2b2f3a";

/** The polling interval of the pages, in place of 15 seconds. */
const POLL_MS = 500;
const REPLAY_FRAMES = 44;
const BOARD_STEPS = 7;

interface Frame {
  phone: Uint8Array;
  laptop: Uint8Array;
  /** How long it is shown, in milliseconds. */
  ms: number;
}

interface Stage {
  base: string;
  /** A zombie's phone and a human's laptop, both logged in. */
  phone: Page;
  laptop: Page;
  /** A tag code that the zombie can enter. */
  code: string;
}

/** Two zombies from the middle of the board tag humans, so that the board changes. */
const hunters = async (base: string): Promise<() => Promise<void>> => {
  const login = async (alias: string): Promise<GameClient> => {
    const client = new GameClient({ baseUrl: base });
    return client.withToken((await client.post("/login", { body: { alias, password: PASSWORD } })).token);
  };
  const gm = await login(GAME_MASTER);
  // Hidden original zombies are not on the public board.
  const { board } = await gm.get("/public");
  const zombies = (board?.leaderboard ?? []).filter(({ state }) => state === "zombie").slice(2, 4);
  const sessions = await Promise.all(zombies.map(({ alias }) => login(alias)));
  const { players: humans } = await gm.get("/admin/get_players/{url_id}", {
    query: { state: "human", limit: 100 },
  });
  const codes = humans.slice(2).flatMap(({ tag_code }) => (tag_code === null ? [] : [tag_code]));
  let step = 0;
  return async () => {
    step += 1;
    const [first, second] = sessions;
    for (const session of step % 3 === 0 ? [first, second] : [first, first]) {
      const tag_code = codes.pop();
      if (session !== undefined && tag_code !== undefined)
        await session.post("/zombie/hunt/{url_id}", { body: { tag_code } });
    }
  };
};

const shot = (page: Page): Promise<Uint8Array> => page.screenshot({ type: "png" });

const open = async (page: Page, url: string, settle = 1_500): Promise<void> => {
  await page.goto(url);
  await sleep(settle);
};

/** Moves the replay to a part of the time, from 0 to 1. */
const replayAt = async (page: Page, part: number): Promise<void> => {
  await page.$eval(
    "input[type=range]",
    (slider, value) => {
      Object.assign(slider, { valueAsNumber: value * Number(Object(slider).max) });
      slider.dispatchEvent(new Event("input", { bubbles: true }));
    },
    part,
  );
  await sleep(120);
};

const takeFrames = async ({ base, phone, laptop, code }: Stage): Promise<Frame[]> => {
  const frames: Frame[] = [];
  let [onPhone, onLaptop]: Uint8Array[] = [];
  const add = async (ms: number, changed: { phone?: boolean; laptop?: boolean }): Promise<void> => {
    if (changed.phone || onPhone === undefined) onPhone = await shot(phone);
    if (changed.laptop || onLaptop === undefined) onLaptop = await shot(laptop);
    frames.push({ phone: onPhone, laptop: onLaptop, ms });
  };
  // A tag is entered.
  await open(laptop, `${base}${paths.outbreak}`);
  await laptop.$eval(".replay", (replay) => replay.scrollIntoView({ block: "end" }));
  await open(phone, `${base}${paths.me}`);
  await add(1_400, { phone: true, laptop: true });
  await open(phone, `${base}${paths.tag}`);
  await add(500, { phone: true });
  await phone.focus("input[name=tag_code]");
  for (const character of code) {
    await phone.keyboard.type(character);
    await add(130, { phone: true });
  }
  const submit = await phone.waitForSelector("form button[type=submit]");
  await add(500, {});
  await submit?.click();
  await phone.waitForFunction("document.querySelector('main').textContent.includes('You tagged')");
  await phone.waitForSelector("main img");
  await sleep(800);
  await add(1_600, { phone: true });
  await open(laptop, `${base}${paths.outbreak}`);
  await laptop.$eval(".replay", (replay) => replay.scrollIntoView({ block: "end" }));
  for (let frame = 0; frame <= REPLAY_FRAMES; frame += 1) {
    await replayAt(laptop, frame / REPLAY_FRAMES);
    await add(frame === REPLAY_FRAMES ? 1_200 : 100, { laptop: true });
  }
  // The board moves.
  const hunt = await hunters(base);
  await open(phone, `${base}${paths.feed}`);
  await open(laptop, `${base}${paths.screen}`);
  await add(1_000, { phone: true, laptop: true });
  for (let step = 1; step <= BOARD_STEPS; step += 1) {
    await hunt();
    await sleep(4 * POLL_MS);
    await add(step === BOARD_STEPS ? 1_800 : 650, { phone: true, laptop: true });
  }
  return frames;
};

type Place = typeof PHONE_AT;

const rounded = ({ width, height, radius }: Pick<Place, "width" | "height" | "radius">, fill: string) =>
  Buffer.from(
    `<svg width="${width}" height="${height}"><rect width="${width}" height="${height}" rx="${radius}" fill="${fill}"/></svg>`,
  );

/** A screen with round corners and a frame. */
const device = async (screen: Uint8Array, { left, top, width, height, radius }: Place) => {
  const cut = await sharp(screen)
    .resize(width, height)
    .composite([{ input: rounded({ width, height, radius }, "#fff"), blend: "dest-in" }])
    .png()
    .toBuffer();
  const [outer, frame] = [2 * BEZEL, { radius: radius + BEZEL }];
  const body = rounded({ width: width + outer, height: height + outer, ...frame }, BEZEL_COLOUR);
  return [
    { input: body, left: left - BEZEL, top: top - BEZEL },
    { input: cut, left, top },
  ];
};

const compose = async ({ phone, laptop }: Frame): Promise<Uint8Array> => {
  const background = { r: 0, g: 0, b: 0, alpha: 0 };
  const layers = [...(await device(laptop, LAPTOP_AT)), ...(await device(phone, PHONE_AT))];
  return sharp({ create: { ...PICTURE, channels: 4, background } })
    .composite(layers)
    .png()
    .toBuffer();
};

/** Makes pages poll more often; a page has to be reloaded afterwards. */
export const hurryPolls = (page: Page): Promise<unknown> =>
  page.evaluateOnNewDocument((often) => {
    const usual = globalThis.setInterval;
    Object.assign(globalThis, {
      setInterval: (work: () => void, ms: number) => usual(work, ms >= 10_000 ? often : ms),
    });
  }, POLL_MS);

/** Plays the scenes and puts them together. @returns an animated WebP picture */
export const takeAnimation = async (stage: Stage): Promise<Sharp> => {
  for (const page of [stage.phone, stage.laptop]) {
    await hurryPolls(page);
    await page.setCacheEnabled(false);
  }
  const frames = await takeFrames(stage);
  const pictures: Uint8Array[] = [];
  for (const frame of frames) pictures.push(await compose(frame));
  const delay = frames.map(({ ms }) => ms);
  return sharp(
    pictures.map((picture) => Buffer.from(picture)),
    { join: { animated: true } },
  ).webp({
    delay,
    loop: 0,
    quality: 78,
    alphaQuality: 80,
    effort: 5,
    minSize: true,
    mixed: true,
  });
};
