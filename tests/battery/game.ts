/** The game in which the races and the faults begin: on its third day, with players in each state. */
import { DAY, HOUR, MINUTE, rfc3339 } from "../../lib/domain/time.ts";
import type { TestEnvironment, TestPlayer } from "../support/service.ts";

/**
 * The players: Gus and Gil are the game masters. Ada tagged Ivy and shared the feeding with Sam, who would have
 * starved otherwise; Ivy tagged Jon. Yan starves in half an hour; Zed starved a minute ago, which is not recorded yet.
 * Hal and Ida are human, and Ida has passed the checkpoint. Cid is dead. Kit has reported a tag that has no
 * hunter yet. Pru waits to be admitted.
 */
export const GAME_MASTERS = ["Gus", "Gil"] as const;
const PLAYERS = ["Ada", "Sam", "Ivy", "Jon", "Yan", "Zed", "Hal", "Ida", "Cid", "Kit"] as const;
const PENDING = "Pru";
export type Name = (typeof GAME_MASTERS)[number] | (typeof PLAYERS)[number] | typeof PENDING;

/** How long ago Zed starved. */
export const SINCE_ZED = MINUTE;

export const PASSWORD = "correct horse battery";

/** When each original zombie was infected. */
const OUTBREAKS: readonly [Name, number][] = [
  ["Sam", 50 * HOUR],
  ["Zed", 2 * DAY + SINCE_ZED],
  ["Yan", 2 * DAY - 30 * MINUTE],
  ["Ada", 40 * HOUR],
];

export interface Game {
  who: Record<Name, TestPlayer>;
  /** Ada's hunt of Ivy, and Ivy's of Jon. */
  hunts: { ivy: string; jon: string };
  /** Kit's infection. */
  reported: string;
  /** The recovery code of Hal. */
  recoveryCode: string;
}

interface GameOptions {
  /** The present, and the function that sets the service's clock. */
  now: number;
  at: (now: number) => void;
  /** Further original zombies, and how long ago they were infected. */
  zombies?: readonly [alias: string, ago: number][];
  /** Called before the first hunt, a day before the present. */
  beforeHunts?: () => Promise<void>;
}

/** Plays the game through the service, up to the present. */
export const playGame = async (s: TestEnvironment, { now, at, zombies = [], beforeHunts }: GameOptions) => {
  const ago = (time: number): void => at(now - time);
  const post = async (path: string, as: TestPlayer, body?: unknown) =>
    (await s.must(`POST ${path}/{url_id}`, { as, body })).body;

  ago(3 * DAY);
  for (const name of GAME_MASTERS) await s.admin(name);
  const joined = new Map<string, TestPlayer>();
  for (const name of [...PLAYERS, ...zombies.map(([further]) => further)])
    joined.set(name, await s.join(name));
  const registration = async (how: string): Promise<void> =>
    post("/admin/settings", await s.login("Gus", PASSWORD), { registration: how });
  await registration("approval");
  joined.set(PENDING, await s.join(PENDING));
  await registration("open");
  // The first player who leaves during play creates the key for the hashes of all.
  await s.must("DELETE /delete_player/{url_id}", { as: await s.join("Lou") });
  const of = (name: string): TestPlayer => {
    const someone = joined.get(name);
    if (someone === undefined) throw new Error(`there is no ${name}`);
    return someone;
  };
  // An old change of the clock, which the next sweep removes.
  await post("/admin/zombies_add_day", await s.login("Gus", PASSWORD));
  for (const [name, time] of [...OUTBREAKS, ...zombies]) {
    ago(time);
    await s.outbreak(await s.login("Gus", PASSWORD), of(name));
  }

  // More than a day ago, so that everybody's next call records the use of their session.
  ago(26 * HOUR);
  await beforeHunts?.();
  const where = { note: "by the pond", latitude: 51.5, longitude: -0.1 };
  const hunt = { tag_code: of("Ivy").code, share_with: ["Sam"], ...where };
  const { interaction: first } = await post("/zombie/hunt", of("Ada"), hunt);
  ago(25 * HOUR);
  const { interaction: second } = await post("/zombie/hunt", of("Ivy"), { tag_code: of("Jon").code });

  ago(5 * HOUR);
  const master = await s.login("Gus", PASSWORD);
  await post("/admin/corpsify", master, { alias: "Cid" });
  await post("/admin/set_checkpoint", master, { name: "Bridge", closes_at: rfc3339(now + HOUR) });
  await post("/admin/player_at_checkpoint", master, { alias: "Ida" });

  ago(2 * HOUR);
  joined.set("Gil", await s.login("Gil", PASSWORD));
  ago(30 * MINUTE);
  joined.set("Gus", await s.login("Gus", PASSWORD));
  const kit = await post("/player/report_tagged", of("Kit"), { by_alias: "Ada" });
  const { recovery_code } = await post("/admin/recover_password", of("Gus"), { alias: "Hal" });
  ago(0);
  const game: Game = {
    who: Object.fromEntries(joined) as Game["who"],
    hunts: { ivy: first.interaction_id, jon: second.interaction_id },
    reported: kit.interaction.interaction_id,
    recoveryCode: recovery_code,
  };
  return game;
};
