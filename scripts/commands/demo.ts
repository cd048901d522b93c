/** `npm run demo`: starts a game in full swing, and a crowd that goes on playing it. */
import { rm } from "node:fs/promises";
import { makeServices } from "../../lib/lambda/services.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { paths } from "../../web/src/paths.ts";
import { runCommand } from "../cli/command.ts";
import { numberOption } from "../cli/numberOption.ts";
import { assertPortFree } from "../cli/ports.ts";
import { type Progress, startProgress } from "../cli/progress.ts";
import { UserError } from "../cli/userError.ts";
import { playOn } from "../demo/crowd.ts";
import { type Cast, GAME_MASTER, PASSWORD, playHistory } from "../demo/history.ts";
import { gameOf } from "../local/gameLock.ts";
import { inUse, lockOrFindService, openLocal } from "../local/openLocal.ts";
import { type LocalSettings, readSettings } from "../local/settings.ts";
import { startAll } from "../local/startAll.ts";
import { randomOf } from "../simulate/crowd.ts";

const FILE = ".local/demo.db";
/** Instead of the settings of the user's own game, which the demo neither needs nor may change. Empty ones count as absent. */
const SETTINGS = { GAME_FILE: FILE, DYNAMODB_ENDPOINT: "", JOIN_CODE: "", MAIL_URL: "", PUBLIC_URL: "" };

const HELP = `Starts a game in full swing on this machine: 200 players, four days of hunts, and a crowd that goes on playing. It is a new
game each time, in a file of its own, ${FILE}; your own game stays as it is. Ctrl-C ends it.

  npm run demo
  npm run demo -- --players 1000 --speed 600

  --players N   number of players, from 20 to 5000; default 200
  --speed N     how many times faster than in a real game the crowd tags, from 0 to 3600; default 60: an hour in a minute
  --seed N      makes another game; the same seed makes the same hunts

PORT sets the port, as for npm start. JOIN_CODE, MAIL_URL, PUBLIC_URL and DYNAMODB_ENDPOINT do not count. Deadlines are
real: nobody starves faster.
`;

const OPTIONS = {
  players: { type: "string", default: "200" },
  speed: { type: "string", default: "60" },
  seed: { type: "string", default: "1" },
} as const;

/** Removes the game of the last demo. @throws UserError if it is still running */
const removeOldGame = async (settings: LocalSettings): Promise<void> => {
  const game = gameOf(settings);
  const holder = await lockOrFindService(game);
  if (!("release" in holder)) throw new UserError(`${inUse(game, holder)} End that demo first.`);
  const left = [game.file, game.keys, game.backlog].filter((path) => path !== null);
  await Promise.all(left.map((path) => rm(path, { recursive: true, force: true })));
  holder.release();
};

const prepare = async (settings: LocalSettings, players: number, seed: number): Promise<Cast> => {
  const opened = await openLocal(settings, { withQueue: true });
  let progress: Progress | undefined;
  try {
    process.env.AWS_REGION = opened.settings.AWS_REGION;
    const services = makeServices(parseEnv(opened.settings));
    return await playHistory(services, { players, seed, now: Date.now() }, (total) => {
      progress ??= startProgress("Playing four days", total, "steps", { asLines: true });
      progress.add(1);
    });
  } finally {
    progress?.end();
    await opened.close();
  }
};

const welcome = (page: string, { human, zombie, code, antidote }: Cast): string => `
The demo is running.

  Everybody        ${page}/
  A human          ${page}${paths.login}   ${human}
  A zombie         ${page}${paths.login}   ${zombie}
  The game master  ${page}${paths.login}   ${GAME_MASTER}

  The password of every account is: ${PASSWORD}

Four things to try:
  1. Log in as ${zombie}, and enter the tag code ${code}.
  2. Log in as ${human} in another window, look at your code, and wait: the page turns when you are tagged.
  3. Open ${page}/ and watch the counts change.
  4. Read of tonight's mission as each of them, then redeem the antidote ${antidote} as ${zombie}, under Tag.

Ctrl-C ends the demo.
`;

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const players = numberOption("players", values.players, 20, 5_000);
  const speed = numberOption("speed", values.speed, 0, 3_600);
  const seed = numberOption("seed", values.seed, 0, 2 ** 31 - 1);
  const stop = new AbortController();
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort());
  const stopped = new Promise<void>((resolve) => stop.signal.addEventListener("abort", () => resolve()));

  Object.assign(process.env, SETTINGS);
  // The endpoints run in this process while the past is played, and would log each of its requests.
  process.env.LOG_LEVEL ??= "WARN";
  process.env.POWERTOOLS_METRICS_DISABLED = "true";
  const settings = readSettings();
  await removeOldGame(settings);
  // Making the game takes long.
  await assertPortFree(settings.port);
  if (!process.stdout.isTTY) console.log(`Making a game of ${players} players ...`);
  const cast = await Promise.race([stopped, prepare(settings, players, seed)]);
  if (cast === undefined) return 0;
  const up = await startAll(settings, () => {});
  try {
    const { ended } = await up.serve();
    console.log(welcome(up.url, cast));
    const crowd = { url: up.url, speed, random: randomOf(seed), spared: [cast.zombie, cast.human] };
    const onTag = (hunter: string, prey: string): void => console.log(`${hunter} tagged ${prey}.`);
    const playing = speed === 0 ? Promise.resolve() : playOn({ ...crowd, onTag }, stop.signal);
    const failed = ended.then((how) => {
      throw new UserError(`The service ended unexpectedly (${how}).`);
    });
    await Promise.race([stopped, failed, playing.then(() => stopped)]);
    return 0;
  } finally {
    await up.stop();
  }
});

// Ends processes that are still being started.
process.exit();
