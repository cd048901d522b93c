/** The game in which operations race, running, paused and enforced. It is played once and restored before each race. */

import { HOUR } from "../../../lib/domain/time.ts";
import type { MailSettings } from "../../../lib/mail/settings.ts";
import { dueItems } from "../../../lib/store/notifications/notifications.ts";
import { CRATES, missionAt } from "../../support/constants.ts";
import type { TestEnvironment, TestPlayer } from "../../support/service.ts";
import { shortRequests } from "../../support/shortRequests.ts";
import { restore, type Snapshot, snapshot } from "../../support/snapshot.ts";
import { type Game, type Name as Played, playGame } from "../game.ts";
import { addressOf, type Mails, makeMails } from "./mailFixture.ts";
import { PASSWORDS } from "./operations.ts";

/** The time of all races. */
export const NOW = Date.UTC(2026, 10, 21, 12);

/**
 * The states of the game: running, paused for an hour, just after the enforcement of the checkpoint, with a waiver that nobody
 * has signed and for which Wes waits, with mails, and finished, in its grace. For registrations: with unique addresses, two of
 * them Hal's and Ada's; when these two and Ivy have left as well, and Lea waits with Hal's address; the same after the
 * enforcement of the checkpoint; and with a join code that has one use.
 */
type OfPlay = "running" | "paused" | "enforced" | "waiver" | "mail" | "finished";
export type GameState = OfPlay | "addresses" | "away" | "enforcedAway" | "joinCode";

/** The text of the waiver. */
export const WAIVER = "I play at my own risk.";

/** The players; Wes only takes part where there is a waiver. Ned and Nia were imported and invited, where there is mail. */
export type Name = Played | "Wes" | "Ned" | "Nia" | "Lea";

export interface Fixture extends Game {
  who: Record<Name, TestPlayer>;
  tables: Record<GameState, Snapshot>;
  /** The id of the checkpoint. */
  checkpoint: string;
  /** The ids of a mission that is open, and of one that is closed. Ada, Ivy and Hal attended both. */
  missions: { open: string; closed: string };
  /** Codes: an antidote, food, and the last use of points for everybody; and the redemption of Ida's points. */
  codes: { antidote: string; food: string; points: string };
  batch: string;
  redemption: string;
  mails: Mails;
}

/** Sets a mission that began an hour ago, with something for each side. */
const setMission = async (s: TestEnvironment, as: TestPlayer): Promise<string> => {
  const { done } = shortRequests(s);
  const rewards = [
    { audience: "humans", effect: { points: 5 } },
    { audience: "zombies", effect: { points: 3, feed_seconds: 3_600 } },
  ];
  const { mission_id } = await done(as, "set_mission", missionAt(NOW, { required: true, rewards }));
  await done(as, "mission_attendance", { mission_id, aliases: ["Ada", "Ivy", "Hal"] });
  return mission_id;
};

/** A join code that one player may use. */
const ONE_USE = { join_codes: [{ code: "door", uses: 1 }] };

/** Makes the fixture. @param at sets the service's clock @param mail the settings of a service that sends mail */
export const makeFixture = async (
  s: TestEnvironment,
  { at, mail }: { at: (now: number) => void; mail: MailSettings },
): Promise<Fixture> => {
  const game = await playGame(s, { now: NOW, at });
  for (const as of [game.who.Hal, game.who.Ida])
    await s.must("POST /edit_player/{url_id}", { as, body: { wants_original: true } });
  const [open, closed] = [await setMission(s, game.who.Gus), await setMission(s, game.who.Gus)];
  const closing = { mission_id: closed, result: "both" };
  await s.must("POST /admin/close_mission/{url_id}", { as: game.who.Gus, body: closing });
  // What they announce has been sent before.
  for await (const { pk, sk } of dueItems(s.store, NOW))
    await s.store.commit([{ remove: { pk, sk } }], () => 10_000);
  const codeOf = async (effect: object, audience: string, n = 1) => {
    const body = { ...CRATES, n, effect, audience };
    return (await s.must("POST /admin/create_codes/{url_id}", { as: game.who.Gus, body })).body;
  };
  const [antidote, food] = [
    await codeOf({ cure: true }, "zombies"),
    await codeOf({ feed_seconds: 3_600 }, "all"),
  ];
  const points = await codeOf({ points: 3 }, "all", 2);
  const body = { code: points.codes[1].code };
  const redeemed = await s.must("POST /player/redeem/{url_id}", { as: game.who.Ida, body });
  const codes = { antidote: antidote.codes[0].code, food: food.codes[0].code, points: points.codes[0].code };
  const running = await snapshot(s);
  const checkpoint = (await s.store.game()).checkpoint?.checkpoint_id ?? "";
  at(NOW - HOUR / 2);
  await s.must("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: game.who.Gus });
  const enforced = await snapshot(s);
  /** The game if a command had been given an hour ago. @param before what the table has now */
  const stateAfter = async (before: Snapshot, word: string, sent?: object) => {
    await restore(s, running, before);
    at(NOW - HOUR);
    await s.must(`POST /admin/${word}/{url_id}`, { as: game.who.Gus, body: sent });
    return snapshot(s);
  };
  const { edit, enter, leave } = shortRequests(s);
  const { Hal, Ada, Ivy } = game.who;
  await stateAfter(enforced, "settings", { waiver: WAIVER });
  const Wes = await s.join("Wes");
  const waiver = await snapshot(s);
  const result = { result: "humans", grace_seconds: 2 * 3_600 };
  const awards = [{ title: "Best costume", alias: "Hal", text: "A hedge." }];
  const finished = await stateAfter(waiver, "finish_season", { ...result, awards });
  const paused = await stateAfter(finished, "pause_game");
  const joinCode = await stateAfter(paused, "settings", ONE_USE);
  await stateAfter(joinCode, "settings", { unique_email: true });
  for (const one of [Hal, Ada]) await edit(one, { email: addressOf(one.alias) });
  const addresses = await snapshot(s);
  for (const one of [Hal, Ada, Ivy]) await leave(one);
  const Lea = await enter("Lea", { email: addressOf("Hal"), password: PASSWORDS.newer });
  const away = await snapshot(s);
  at(NOW - HOUR / 2);
  await s.must("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: game.who.Gus });
  const enforcedAway = await snapshot(s);
  at(NOW);
  await restore(s, running, enforcedAway);
  const { mails, invited } = await makeMails(s, game, mail);
  const batch = { batch: points.batch_id, redemption: redeemed.body.redemption_id };
  const ofNewcomers = { addresses, away, enforcedAway, joinCode };
  const tables = { running, enforced, waiver, finished, paused, ...ofNewcomers, mail: await snapshot(s) };
  const who = { ...game.who, Wes, Lea, ...invited };
  return { ...game, who, ...batch, codes, checkpoint, missions: { open, closed }, mails, tables };
};
