/** The fixture in which operations meet: a game in its third day, made through the service once, and then played again and again. */
import { DAY, HOUR, MINUTE, rfc3339 } from "../../../lib/domain/time.ts";
import type { Someone, TestEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";

/** When everything meets. */
export const NOW = Date.UTC(2026, 10, 21, 12);

/**
 * Who is there: Gus and Gil are the game masters. Zoe tagged Ivy and shared that with Sam, who would have starved
 * without; Ivy tagged Jon. Yan starves next, Dee starved a minute ago, which is not recorded yet. Hal and Ida are
 * human, Ida has passed the checkpoint. Cid is dead.
 */
export const GAME_MASTERS = ["Gus", "Gil"] as const;
const PLAYERS = ["Zoe", "Sam", "Ivy", "Jon", "Yan", "Dee", "Hal", "Ida", "Cid"] as const;
export type Name = (typeof GAME_MASTERS)[number] | (typeof PLAYERS)[number];

/** How long ago Dee starved. */
export const SINCE_DEE = MINUTE;

export const PASSWORD = "correct horse battery";

/** Two states of the game: going, and paused for an hour. */
export type GameState = "going" | "paused";

export interface Fixture {
  who: Record<Name, Someone>;
  /** Zoe's hunt for Ivy, and Ivy's for Jon. */
  hunts: { ivy: string; jon: string };
  /** By which Hal may set another password. */
  recoveryCode: string;
  tables: Record<GameState, Snapshot>;
}

/** Makes the fixture. @param at sets the service's clock */
export const makeFixture = async (s: TestEnvironment, at: (now: number) => void): Promise<Fixture> => {
  const ago = (time: number): void => at(NOW - time);
  const must = async (path: string, as: Someone, body?: unknown) => {
    const { status, text, body: response } = await s.call(`POST ${path}/{url_id}`, { as, body });
    if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
    return response;
  };

  ago(3 * DAY);
  await s.admin("Gus");
  await s.admin("Gil");
  const who: Partial<Record<Name, Someone>> = {};
  for (const name of PLAYERS) who[name] = await s.join(name);
  const of = (name: Name): Someone => {
    const someone = who[name];
    if (someone === undefined) throw new Error(`there is no ${name}`);
    return someone;
  };
  // A change of the clock long ago, which the next sweep forgets.
  await must("/admin/zombies_add_day", await s.login("Gus", PASSWORD));

  for (const [name, time] of [
    ["Sam", 50 * HOUR],
    ["Dee", 2 * DAY + SINCE_DEE],
    ["Yan", 2 * DAY - 30 * MINUTE],
    ["Zoe", 40 * HOUR],
  ] as const) {
    ago(time);
    await s.outbreak(await s.login("Gus", PASSWORD), of(name));
  }

  // More than a day ago, so that everybody's next call is noted with their session.
  ago(26 * HOUR);
  const first = await must("/zombie/hunt", of("Zoe"), {
    tag_code: of("Ivy").code,
    share_with: ["Sam"],
    note: "by the pond",
  });
  ago(25 * HOUR);
  const second = await must("/zombie/hunt", of("Ivy"), { tag_code: of("Jon").code });

  ago(5 * HOUR);
  const master = await s.login("Gus", PASSWORD);
  await must("/admin/corpsify", master, { alias: "Cid" });
  await must("/admin/set_checkpoint", master, { name: "Bridge", closes_at: rfc3339(NOW + HOUR) });
  await must("/admin/player_at_checkpoint", master, { alias: "Ida" });

  ago(2 * HOUR);
  const gil = await s.login("Gil", PASSWORD);
  ago(30 * MINUTE);
  const gus = await s.login("Gus", PASSWORD);
  const { recovery_code } = await must("/admin/recover_password", gus, { alias: "Hal" });
  const going = await snapshot(s);

  ago(HOUR);
  await must("/admin/pause_game", gus);
  const paused = await snapshot(s);
  ago(0);
  return {
    who: {
      ...{
        Gus: gus,
        Gil: gil,
        Zoe: of("Zoe"),
        Sam: of("Sam"),
        Ivy: of("Ivy"),
        Jon: of("Jon"),
        Yan: of("Yan"),
      },
      ...{ Dee: of("Dee"), Hal: of("Hal"), Ida: of("Ida"), Cid: of("Cid") },
    },
    hunts: { ivy: first.interaction.interaction_id, jon: second.interaction.interaction_id },
    recoveryCode: recovery_code,
    tables: { going, paused },
  };
};
