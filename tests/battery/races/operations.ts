/** The operations that race: each with its caller and its target. */
import { randomUUID } from "node:crypto";
import { sweep } from "../../../lib/app/workers/sweep.ts";
import { rfc3339 } from "../../../lib/domain/time.ts";
import type { Services } from "../../../lib/lambda/services.ts";
import type { Result, TestEnvironment, TestPlayer } from "../../support/service.ts";
import { type Name, PASSWORD, SINCE_ZED } from "../game.ts";
import { type Fixture, NOW } from "./fixture.ts";

/** Every operation that touches one player or the game. */
export const KINDS = [
  "hunt",
  "cure",
  "corpsify",
  "make_spectator",
  "revive_h",
  "revive_z",
  "feed_player",
  "feed",
  "sweep",
  "zombies_add_day",
  "pause_game",
  "resume_game",
  "kill_all_not_at_checkpoint",
  "undo_checkpoint",
  "player_at_checkpoint",
  "edit_player",
  "delete_player",
  "change_password",
  "login",
  "void_hunt",
  "report_tagged",
  "name_hunter",
  "enter_hunt",
  "new_tag_code",
  "lift_lockout",
  "label",
  "revive_all",
  "feed_group",
  "ban",
  "admit",
  "enrol",
  "void_hunts",
  "draw_originals",
  "import_players",
] as const;
export type Kind = (typeof KINDS)[number];

/** The result of an operation. */
export type OperationResult = Pick<Result, "status" | "body">;

/** Where an operation is done. The two operations of a race have different game masters. */
export interface OperationContext {
  services: Services;
  call: TestEnvironment["call"];
  fixture: Fixture;
  master: TestPlayer;
}

export interface Operation {
  kind: Kind;
  /** Who does what, in words. */
  name: string;
  /** The caller; by default a game master. */
  by?: Name;
  /** How long before the other operation its request arrived, in milliseconds. */
  earlier?: number;
  run: (context: OperationContext) => Promise<OperationResult>;
}

/** An address that is not loopback, so that failures are counted. */
const FROM = "203.0.113.7";

/** An operation of a game master. @param path the endpoint, if its name differs from the kind */
const byMaster = (
  kind: Kind,
  name: string,
  body?: (fixture: Fixture) => unknown,
  path: string = kind,
): Operation => ({
  kind,
  name,
  run: ({ call, fixture, master }) =>
    call(`POST /admin/${path}/{url_id}`, { as: master, body: body?.(fixture) }),
});

/** An operation of a player on their own account. */
const byPlayer = (
  kind: Kind,
  by: Name,
  name: string,
  route: string,
  body?: (fixture: Fixture) => unknown,
): Operation => ({
  kind,
  name: `${by} ${name}`,
  by,
  run: ({ call, fixture }) => call(route, { as: fixture.who[by], body: body?.(fixture) }),
});

/** How a request names a player. */
type By = "alias" | "player_id";

const refTo = (who: Name, by: By) => (fixture: Fixture) =>
  by === "alias" ? { alias: who } : { player_id: fixture.who[who].id };

/** A zombie reports a human's code. */
export const hunt = (by: Name, prey: Name, share_with: Name[] = []): Operation =>
  byPlayer(
    "hunt",
    by,
    `hunts ${prey}${share_with.length > 0 ? ` and shares with ${share_with.join(" and ")}` : ""}`,
    "POST /zombie/hunt/{url_id}",
    ({ who }) => ({ tag_code: who[prey].code, share_with, note: "behind the library" }),
  );

/** A zombie reports a tag that happened a minute before Zed starved. */
export const lateHunt = (by: Name, prey: Name, share_with: Name[] = []): Operation =>
  byPlayer(
    "hunt",
    by,
    `hunted ${prey} before Zed starved${share_with.length > 0 ? `, shared with ${share_with.join(" and ")}` : ""}`,
    "POST /zombie/hunt/{url_id}",
    ({ who }) => ({ tag_code: who[prey].code, share_with, hunted_at: rfc3339(NOW - 2 * SINCE_ZED) }),
  );

/** A human reports being tagged. */
export const reportTagged = (who: Name): Operation =>
  byPlayer("report_tagged", who, "reports being tagged", "POST /player/report_tagged/{url_id}", () => ({
    by_alias: "Ada",
  }));

/** A game master names the hunter of Kit, who has reported being tagged. */
export const nameHunter = (who: Name): Operation =>
  byMaster("name_hunter", `name_hunter of Kit's tag: ${who}`, ({ reported, who: all }) => ({
    interaction_id: reported,
    player_id: all[who].id,
  }));

/** A game master enters a tag in place of its hunter. */
export const enterHunt = (prey: Name, hunter: Name = "Ada"): Operation =>
  byMaster(
    "enter_hunt",
    `${hunter}'s tag of ${prey}, entered by a game master`,
    ({ who: all }) => ({ hunter: all[hunter].id, prey: all[prey].id, share_with: ["Sam"] }),
    "hunt",
  );

/** Operations of game masters on one player. */
type OnPlayer =
  | "cure"
  | "corpsify"
  | "make_spectator"
  | "revive_h"
  | "revive_z"
  | "feed_player"
  | "player_at_checkpoint"
  | "new_tag_code"
  | "lift_lockout";

export const onPlayer = (kind: OnPlayer, who: Name, by: By = "player_id"): Operation =>
  byMaster(kind, `${kind} of ${who}${by === "alias" ? " by alias" : ""}`, refTo(who, by));

/** A game master registers a player by their code. */
export const scanCode = (who: Name): Operation =>
  byMaster("player_at_checkpoint", `player_at_checkpoint by ${who}'s code`, (fixture) => ({
    tag_code: fixture.who[who].code,
  }));

/** A game master bans an alias. */
export const ban = (who: Name): Operation => byMaster("ban", `ban of ${who}`, () => ({ alias: who }));

/** A game master admits those who wait. */
export const admit = (...who: Name[]): Operation =>
  byMaster("admit", `admit ${who.join(" and ")}`, () =>
    who.length === 1 ? { alias: who[0] } : { aliases: who },
  );

/** A spectator enrols. */
export const enrol = (who: Name): Operation =>
  byPlayer("enrol", who, "enrols", "POST /player/enrol/{url_id}");

/** A game master voids a list of hunts: Ada's of Ivy. */
export const voidHunts = (): Operation =>
  byMaster("void_hunts", "void_hunts", ({ hunts }) => ({ interaction_ids: [hunts.ivy] }));

/** A game master draws one of Hal and Ida, always with the same seed. */
export const draw = byMaster("draw_originals", "draw_originals", () => ({ n: 1, seed: "0".repeat(32) }));

/** A game master imports a player. */
export const importPlayer = byMaster("import_players", "import of Nova", () => ({
  rows: [{ alias: "Nova", email: "nova@example.org" }],
}));

/** Operations without parameters. */
type Plain = "zombies_add_day" | "pause_game" | "resume_game" | "kill_all_not_at_checkpoint";

export const game = (kind: Plain): Operation => byMaster(kind, kind);

/** A game master undoes the enforcement of the checkpoint. */
export const undo = byMaster("undo_checkpoint", "undo_checkpoint", ({ checkpoint: checkpoint_id }) => ({
  checkpoint_id,
  reason: "the list was late",
}));

export const feed = (n: number): Operation => byMaster("feed", `feed ${n}`, () => ({ n }));

export const theSweep: Operation = {
  kind: "sweep",
  name: "sweep",
  run: async ({ services }) => ({
    status: 200,
    body: await sweep({ services, requestId: randomUUID(), timeLeft: () => 50_000 }),
  }),
};

/** A player takes another name. */
export const rename = (who: Name, alias: string): Operation =>
  byPlayer("edit_player", who, `becomes ${alias}`, "POST /edit_player/{url_id}", () => ({ alias }));

/** A game master gives a player another name, or changes their right. */
export const editOther = (
  who: Name,
  change: { alias_to?: string; is_admin?: boolean },
  by: By = "player_id",
): Operation =>
  byMaster("edit_player", `edit of ${who}: ${JSON.stringify(change)}`, (fixture) => ({
    ...refTo(who, by)(fixture),
    ...change,
  }));

/** A game master gives players a label. */
export const label = (...who: Name[]): Operation =>
  byMaster("label", `label ${who.join(" and ")}`, () => ({ aliases: who, add: ["waiver"] }));

/** A game master revives or feeds a group, here of one. */
export const group = (kind: "revive_all" | "feed_group", who: Name): Operation =>
  byMaster(kind, `${kind} of ${who}`, () => ({ aliases: [who] }));

/** A player deletes their account. */
export const leave = (who: Name): Operation =>
  byPlayer("delete_player", who, "leaves", "DELETE /delete_player/{url_id}");

/** A game master removes a player. */
export const remove = (who: Name, by: By = "player_id"): Operation =>
  byMaster("delete_player", `remove_player of ${who}`, refTo(who, by), "remove_player");

/** The passwords, by their names in outcomes. */
export const PASSWORDS = {
  old: PASSWORD,
  new: "staple gun and paper",
  newer: "seven wooden spoons",
} as const;
type Password = keyof typeof PASSWORDS;

/** Sets another password, with the old one or with a recovery code. */
export const changePassword = (who: Name, to: Password, by: "password" | "code" = "password"): Operation => ({
  kind: "change_password",
  name: `${who}'s password becomes the ${to} one, by ${by}`,
  run: ({ call, fixture: { recoveryCode } }) =>
    call("POST /change_password", {
      from: FROM,
      body: {
        alias: who,
        ...(by === "code" ? { recovery_code: recoveryCode } : { current_password: PASSWORDS.old }),
        new_password: PASSWORDS[to],
      },
    }),
});

/** Logs in with the present password, a later one, or an earlier one. */
export const login = (who: string, password: Password = "old"): Operation => ({
  kind: "login",
  name: `${who} logs in with the ${password} password`,
  run: ({ call }) => call("POST /login", { from: FROM, body: { alias: who, password: PASSWORDS[password] } }),
});

/** A game master voids a hunt. */
export const voidHunt = (prey: "ivy" | "jon" | "kit" = "ivy"): Operation =>
  byMaster(
    "void_hunt",
    `void_hunt of ${{ ivy: "Ada's for Ivy", jon: "Ivy's for Jon", kit: "Kit's report" }[prey]}`,
    ({ hunts, reported }) => ({
      interaction_id: prey === "kit" ? reported : hunts[prey],
      reason: "he was on the stairs",
    }),
  );

/** The same, requested while Zed was still alive. */
export const whileZedLives = (operation: Operation): Operation => ({
  ...operation,
  name: `${operation.name}, while Zed lives`,
  earlier: 2 * SINCE_ZED,
});

/** The same request, which may be sent again under its Idempotency-Key. */
export const withKey = (operation: Operation): Operation => ({
  ...operation,
  name: `${operation.name}, with a key`,
  run: (context) =>
    operation.run({
      ...context,
      master: context.fixture.who.Gus,
      call: (route, asking) => context.call(route, { ...asking, key: "the-same-key" }),
    }),
});
