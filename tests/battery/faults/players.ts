/** The game in which every setup begins, played once and restored from then on. */

import { HOUR, MINUTE } from "../../../lib/domain/time.ts";
import { blackPng } from "../../support/pictures.ts";
import type { Someone, TestEnvironment } from "../../support/service.ts";
import { type Snapshot, snapshot } from "../../support/snapshot.ts";
import { makeBrowser } from "../../support/webPush.ts";
import { must } from "../must.ts";

/** The players. The next use of each session is written down. */
export interface Players {
  gm: Someone;
  /** A zombie who has tagged Cid, and Gus by mistake. */
  ada: Someone;
  /** A human with a recovery code. */
  ben: Someone;
  /** A zombie. */
  cid: Someone;
  /** A human with a picture, subscriptions and a pass for the checkpoint. */
  dee: Someone;
  /** A corpse. */
  eve: Someone;
  /** Tagged by Ada: the hunt that is voided. */
  gus: Someone;
  /** Starved, as Hal has, which is not recorded yet. */
  zed: Someone;
  hal: Someone;
  /** Will starve in half an hour, and in five hours. */
  ivy: Someone;
  jon: Someone;
  mistake: string;
  /** Ben's. */
  recovery: string;
  /** An endpoint of Dee's. */
  endpoint: string;
}

export interface PlayedGame {
  players: Players;
  now: number;
  table: Snapshot;
  /** The table a day before. */
  earlier: Snapshot;
}

interface Playing {
  s: TestEnvironment;
  clock: { now: number };
  origin: string;
}

const isOldLog = (pk: string, at: unknown, now: number): boolean =>
  pk.startsWith("LOGS#") && typeof at === "string" && Date.parse(at) < now - HOUR;

/** Plays the game up to the present. */
export const playGame = async ({ s, clock, origin }: Playing): Promise<PlayedGame> => {
  const { now } = clock;
  const at = (hours: number): void => {
    clock.now = now + hours * HOUR;
  };
  const again = (someone: Someone): Promise<Someone> => s.login(someone.alias, someone.password);

  at(-50);
  let gm = await s.admin();
  await s.admin("Second");
  const joined = await Promise.all(
    ["Ada", "Ben", "Cid", "Dee", "Eve", "Gus", "Zed", "Hal", "Ivy", "Jon"].map((alias) => s.join(alias)),
  );
  // Before any zombie: it moves no deadline, and leaves a cut of the clock behind.
  await must(s, "POST /admin/zombies_add_day/{url_id}", { as: gm });
  const tokens = new Map<string, Someone>();
  const of = (alias: string): Someone => {
    const someone = tokens.get(alias) ?? joined.find((one) => one.alias === alias);
    if (someone === undefined) throw new Error(`there is no ${alias}`);
    return someone;
  };
  at(-49);
  for (const alias of ["Ada", "Zed", "Hal"]) await s.outbreak(gm, of(alias));
  at(-47.5);
  await s.outbreak(gm, of("Ivy"));
  at(-43);
  await s.outbreak(gm, of("Jon"));
  at(-25);
  for (const { alias, code } of joined) tokens.set(alias, { ...(await again(of(alias))), code });
  gm = await again(gm);
  await must(s, "POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The gate" } });
  const earlier = await snapshot(s);

  at(-23);
  const tag = async (hunter: string, prey: string, more: Record<string, unknown> = {}): Promise<string> => {
    const result = await s.hunt(of(hunter), of(prey), more);
    if (result.status !== 200) throw new Error(`hunt: ${result.status} ${result.text}`);
    return result.body.interaction.interaction_id;
  };
  await tag("Ada", "Cid", { note: "behind the library", latitude: 51.5, longitude: -0.1 });
  const mistake = await tag("Ada", "Gus", { share_with: ["Cid"] });
  await must(s, "POST /admin/corpsify/{url_id}", { as: gm, body: { alias: "Eve" } });
  await must(s, "POST /set_pfp/{url_id}", {
    as: of("Dee"),
    raw: { body: blackPng(8, 8), type: "application/octet-stream" },
  });
  for (const n of [1, 2]) {
    const { p256dh, auth } = makeBrowser();
    const body = { endpoint: `${origin}/dee-${n}`, p256dh, auth };
    await must(s, "POST /notifications/subscribe/{url_id}", { as: of("Dee"), body });
  }
  at(-2);
  gm = await again(gm);
  await must(s, "POST /admin/set_checkpoint/{url_id}", { as: gm, body: { name: "The bridge" } });
  await must(s, "POST /admin/player_at_checkpoint/{url_id}", { as: gm, body: { alias: "Dee" } });
  clock.now = now - 30 * MINUTE;
  // With a session of its own: the next use of the other is one to be noted.
  const code = await must(s, "POST /admin/recover_password/{url_id}", {
    as: await again(gm),
    body: { alias: "Ben" },
  });
  clock.now = now - 2 * MINUTE;
  // A failure that the next success forgives.
  await s.call("POST /login", { body: { alias: "Ben", password: "not the password" }, from: "203.0.113.9" });
  clock.now = now;
  return {
    players: {
      gm,
      ada: of("Ada"),
      ben: of("Ben"),
      cid: of("Cid"),
      dee: of("Dee"),
      eve: of("Eve"),
      gus: of("Gus"),
      zed: of("Zed"),
      hal: of("Hal"),
      ivy: of("Ivy"),
      jon: of("Jon"),
      mistake,
      recovery: code.body.recovery_code,
      endpoint: `${origin}/dee-1`,
    },
    now,
    // Old entries of the log are no matter here, and each costs a look in every case.
    table: new Map([...(await snapshot(s))].filter(([, { pk, at: when }]) => !isOldLog(pk, when, now))),
    earlier,
  };
};
