/**
 * The proof of the visibility policy (docs/decisions/0055): random games are played twice, once with a hidden original
 * zombie and once where the same person is human. Players who do not know the original get the same responses, pushes
 * and mails in both, byte for byte. When the original tags a human, the human of the other game reports a tag without a
 * hunter; then only the fields that distinguish these two may differ. Other pairs differ in missions of the zombies alone, or in
 * what a player has signed. The results and awards of finished seasons differ until their grace is over.
 */
import { it, vi } from "vitest";
import { HOUR, MINUTE } from "../../lib/domain/time.ts";
import { FULL, part, randomFrom } from "../support/battery.ts";
import { fixed } from "./visibility/fixed.ts";
import {
  expectTold,
  Games,
  makeOriginal,
  playGrace,
  playSecretStep,
  playSignatures,
  playStep,
  tryCode,
  untold,
} from "./visibility/steps.ts";
import { expectAlike, readAll } from "./visibility/views.ts";
import { ORIGINAL, PLAYING, twoWorlds, VIEWERS, VISITOR, type Viewer } from "./visibility/world.ts";

vi.mock("uuid", async (original) => ({
  ...(await original<typeof import("uuid")>()),
  v7: (await import("./visibility/fixed.ts")).nextId,
}));
vi.mock("../../lib/runtime/eventId.ts", async () => ({
  newEventId: (await import("./visibility/fixed.ts")).nextId,
}));
vi.mock("node:crypto", async (original) => ({
  ...(await original<typeof import("node:crypto")>()),
  randomInt: (await import("./visibility/fixed.ts")).nextRandom,
  randomUUID: (await import("./visibility/fixed.ts")).nextUuid,
}));
// These are imported statically: concurrent imports of a module that is loaded on demand may bypass its mock.
vi.mock("../../lib/push/deliver.ts", async () => {
  const { pushed } = await import("./visibility/fixed.ts");
  const deliver = async (subscriptions: { endpoint: string }[], { message }: { message: Buffer }) =>
    subscriptions.map((subscription) => {
      pushed.push({ endpoint: subscription.endpoint, text: message.toString() });
      return { subscription, result: "sent", why: "201", tried: true, wait: 0 };
    });
  return { deliver };
});
vi.mock("../../lib/mail/sender.ts", async () => {
  const { pushed } = await import("./visibility/fixed.ts");
  // Its id depends on how many mails others get, and means nothing.
  const send = async ({ id: _, ...message }: { id: string; to: string }) => {
    pushed.push({ endpoint: `mail/${message.to.split("@")[0]}`, text: JSON.stringify(message) });
    return { result: "sent", why: "" };
  };
  return { makeMailSender: () => ({ send, close() {} }) };
});
vi.mock("../../lib/push/webhook.ts", async () => {
  const { pushed } = await import("./visibility/fixed.ts");
  const sendWebhook = async ({ url, body }: { url: string; body: Buffer }) => {
    pushed.push({ endpoint: url, text: body.toString() });
    return { result: "sent", why: "204", tried: true, wait: 0 };
  };
  return { sendWebhook };
});

const BEGINNING = Date.parse("2040-01-02T08:00:00.000Z");
const STEPS_BEFORE = 4;
const STEPS_AFTER = 10;
// A moderator can read most.
const ALL: readonly Viewer[] = [...VIEWERS, VISITOR];

let readings = 0;
const games = part("visibility", {
  // A pair of games takes long, so smaller scales run a fifth of their share.
  full: FULL ? 500 : 100,
  of: "pairs of games",
  also: () => `${readings} responses compared`,
});
const { worlds, begin } = twoWorlds();

/** Compares the responses to players who do not know the original. */
const compare = async (
  { hidden, plain, alias, codes, hunts, missions }: Games,
  viewers: readonly Viewer[],
): Promise<void> => {
  const own = (await hidden.player(ORIGINAL)).infection_id;
  const asked = { alias, codes, missions, infections: [...hunts, ...(own === null ? [] : [own])] };
  for (const viewer of viewers) {
    const [one, other] = [await readAll(hidden, viewer, asked), await readAll(plain, viewer, asked)];
    readings += one.length;
    expectAlike(one, other, hunts);
  }
};

let n = 0;

/** Begins the next pair of games, and plays in it. @param mayHunt whether a hidden original may hunt */
const inGames = async (
  beginning: Awaited<ReturnType<typeof begin>>,
  play: (g: Games) => Promise<void>,
  mayHunt = false,
) => {
  const played = new Games(worlds, randomFrom(games.seed, n), mayHunt);
  // A minute after the game before: processes show its public page for some seconds. After a day, the first request of each
  // player would be noted in the session.
  Object.assign(fixed, { now: BEGINNING + HOUR + (n % 500) * MINUTE, step: 0 });
  n += 1;
  for (const world of worlds) await world.restart(beginning);
  try {
    await play(played);
  } catch (error) {
    const told = `game ${n - 1} of seed ${games.seed}\n${played.history.join("\n")}`;
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${told}`, { cause: error });
  }
};

const playHidden = async (played: Games): Promise<void> => {
  for (let step = 0; step < STEPS_BEFORE; step += 1) await playStep(played);
  fixed.step += 1;
  await makeOriginal(played);
  await compare(played, played.random.shuffle(ALL).slice(0, 1));
  for (let step = 0; step < STEPS_AFTER; step += 1) await playStep(played);
  const viewers: readonly Viewer[] = played.random.chance(0.5)
    ? [...(await playGrace(played)), VISITOR]
    : ALL;
  await compare(played, played.random.shuffle<Viewer>(viewers).slice(0, 3));
  await expectTold(played);
};

const playCodes = async (played: Games): Promise<void> => {
  for (let step = 0; step < STEPS_BEFORE; step += 1) await playStep(played);
  await tryCode(played);
  // A game master who plays sees the codes.
  const others = ALL.filter((viewer) => viewer !== PLAYING);
  await compare(played, played.random.shuffle(others).slice(0, 2));
};

const playWaiver = async (played: Games): Promise<void> => {
  const others = await playSignatures(played);
  await compare(played, played.random.shuffle<Viewer>([...others, VISITOR]).slice(0, 2));
};

const playMissions = async (played: Games): Promise<void> => {
  for (let step = 0; step < STEPS_AFTER; step += 1) await playSecretStep(played);
  played.missions.push(...played.secrets);
  await compare(played, played.random.shuffle<Viewer>([...(await untold(played)), VISITOR]).slice(0, 2));
};

it("reveals no more of a hidden original zombie than of a human in their place, and nothing of the other side's codes and missions, of signatures, and of a result before the grace is over", async () => {
  fixed.now = BEGINNING;
  const beginning = await begin();
  for (let pair = 0; pair < games.cases; pair += 1) {
    await inGames(beginning, playHidden, pair % 2 === 1);
    for (const play of [playCodes, playMissions, playWaiver]) await inGames(beginning, play);
    games.ran();
  }
});
