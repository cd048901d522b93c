/**
 * Setups: a request that succeeds without a fault, what happens before it, and what to check afterwards. Each endpoint has
 * the contract's valid request, unless there are others here.
 */
import { expect } from "vitest";
import { issueMailedCode } from "../../../lib/app/mail/recoverMail.ts";
import { newMail } from "../../../lib/domain/mail/mail.ts";
import { HOUR, rfc3339, SECOND } from "../../../lib/domain/time.ts";
import { isForStaff } from "../../../lib/http/definition.ts";
import { readMailAccount } from "../../../lib/store/mail/mailAccounts.ts";
import { waiverVersion } from "../../../lib/store/waiver/texts.ts";
import { goodBody, NO_ID } from "../../contract/bodies.ts";
import { ENDPOINTS, type EndpointContract } from "../../contract/endpoints.ts";
import { MAIL_KEYS, makeBounced, makeConfirmation, unsubscribing } from "../../support/confirmation.ts";
import { missionAt } from "../../support/constants.ts";
import { makeCrowd } from "../../support/makeCrowd.ts";
import { blackPng } from "../../support/pictures.ts";
import type { RequestOptions, Result, TestPlayer } from "../../support/service.ts";
import { type Name, PASSWORD } from "../game.ts";
import type { FaultEnvironment, Players } from "./environment.ts";
import type { Effect } from "./process.ts";

type Body = Record<string, unknown>;

export interface Setup {
  route: string;
  /** What distinguishes it from other setups of its route. */
  what?: string;
  /** Prepares the shared game. */
  prepare?: (on: FaultEnvironment) => Promise<unknown>;
  /** The sender of the request. Without one, it has no token and comes from another machine. */
  by?: keyof Players["who"];
  body?: Body | ((on: Players) => Body) | undefined;
  /** Further options of the request. */
  more?: (on: Players) => RequestOptions;
  /** Its status, if it is not the route's usual one. It may be an error that writes something. */
  status?: number;
  /** The status of a retry after success; the same status by default. */
  statusOnRetry?: number;
  /** Whether it may end half-way, so that the same request continues it. */
  isJob?: boolean;
  /** Whether what is stored may disagree until it has ended. */
  disagreesMeanwhile?: boolean;
  /** If its players are read from an index: the least lag at which other players are read. */
  changedByLag?: Effect["lags"];
  /** Checks what must work afterwards, and a comparison of tables does not show; `response` is the last response. */
  verify?: (on: FaultEnvironment, response: Result) => Promise<void>;
}

export const contractOf = ({ route }: Setup): EndpointContract => {
  const contract = ENDPOINTS.find((one) => one.route === route);
  if (contract === undefined) throw new Error(`${route} is not in the contract`);
  return contract;
};

export const statusOf = (setup: Setup): number => setup.status ?? contractOf(setup).status;

/** The request of a setup; with the same Idempotency-Key each time where one is accepted. */
export const requestOf = (setup: Setup, players: Players): RequestOptions => {
  const { by, body, more } = setup;
  return {
    ...(by === undefined ? { from: "203.0.113.7" } : { as: players.who[by] }),
    body: typeof body === "function" ? body(players) : body,
    ...more?.(players),
    ...(contractOf(setup).isIdempotent ? { key: "the-same-key" } : {}),
  };
};

export const titleOf = ({ route, what }: Setup): string => (what === undefined ? route : `${route}, ${what}`);

/** Whether the response says that a job is running, or that a part of it is left. */
export const isUnderWay = (setup: Setup, { status, body }: Result): boolean =>
  setup.isJob === true && (status === 202 || body?.complete === false);

type More = Omit<Setup, "route" | "by" | "body">;

const post = (path: string, by: Name, body?: Setup["body"], more: More = {}): Setup => ({
  ...{ route: `POST ${path}/{url_id}`, by, body },
  ...more,
});
const admin = (word: string, body?: Setup["body"], more: More = {}): Setup =>
  post(`/admin/${word}`, "Gus", body, more);

const must = async ({ s, players }: FaultEnvironment, path: string, body: Body = {}) =>
  (await s.must(`POST ${path}/{url_id}`, { as: players.who.Gus, body })).body;

const NEW_PASSWORD = "another horse entirely";
const ADA = { alias: "Ada" };

/** A browser's subscription: always with the same keys, because a retry must get the same response. */
const subscriptionAt = (endpoint: string): Body => ({
  endpoint,
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
});

const hunt = (body: Setup["body"], more: More = {}): Setup => post("/zombie/hunt", "Ada", body, more);
const subscribe = (by: Name, body: Setup["body"], what?: string): Setup =>
  post("/notifications/subscribe", by, body, what === undefined ? {} : { what });
const LEAVE = "DELETE /delete_player/{url_id}";
const TAG = { share_with: ["sam"], note: "by the pond" };
const NEWCOMER = { alias: "Newcomer", password: NEW_PASSWORD, first_name: "Nell", email: "n@example.org" };

/** A batch, one of its codes, and the redemption of a setup. */
let batch_id = "";
let code = "";
let redemption_id = "";
const GIFT = { feed_seconds: 7_200, points: 2, badge: { name: "Medic", symbol: "✚" } };
const CRATES = { label: "Crates", n: 3, audience: "all", uses: 1, uses_per_player: 1 };
const redeem = (by: Name, effect: Body, what: string, more: More = {}): Setup =>
  post("/player/redeem", by, () => ({ code, ...(by === "Zed" ? { redeemed_at: lateAt } : {}) }), {
    ...{ what, prepare: (on) => makeCodes(on, effect), ...more },
  });
/** Just before Zed starved. */
let lateAt = "";

/** A waiver; Wes has joined without signing it, and waits for that. */
const WAIVER = "I play at my own risk.";
const SIGNATURE = { version: waiverVersion(WAIVER), full_name: "Wes Example" };
let wes: TestPlayer | null = null;
const asWes = (): RequestOptions => ({ as: wes });
const withWaiver = async (on: FaultEnvironment): Promise<void> => {
  await must(on, "/admin/settings", { waiver: WAIVER });
  wes = await on.s.join("Wes");
};
const signBefore = async (on: FaultEnvironment): Promise<void> => {
  await withWaiver(on);
  await on.s.must("POST /player/sign/{url_id}", { ...asWes(), body: SIGNATURE });
};

/** The token of a link that confirms an address of Hal. */
let token = "";
const sendLink = async ({ s, clock, players: { who } }: FaultEnvironment): Promise<void> => {
  const email = "hal@example.org";
  await s.must("POST /edit_player/{url_id}", { as: who.Hal, body: { email } });
  token = await makeConfirmation(s.store, who.Hal.id, email, clock.now + HOUR);
  clock.now += HOUR;
};

/** The address of Hal, which he confirms. */
export const confirmAddress = async (on: FaultEnvironment): Promise<void> => {
  await sendLink(on);
  await on.s.must("POST /confirm_email", { body: { token } });
};

/** Nova, who has an address and no password; and the recovery code in the invitation that was sent to it. */
const NOVA = { alias: "Nova", email: "nova@example.org" };
let invitation = "";
const importNova = (on: FaultEnvironment) => must(on, "/admin/import_players", { rows: [NOVA] });
const inviteNova = async (on: FaultEnvironment): Promise<void> => {
  const { s, clock } = on;
  await importNova(on);
  await must(on, "/admin/send_invitations", { aliases: ["Nova"] });
  const player = await s.store.playerByAlias("Nova");
  if (player === null) throw new Error("Nova was not imported");
  const { invitation: mail_id = "" } = await readMailAccount(s.store.db, player.player_id);
  const mail = newMail(mail_id, rfc3339(clock.now), { kind: "invite", player_id: player.player_id });
  invitation = (await issueMailedCode(s.services, MAIL_KEYS, player, mail, () => 10_000)) ?? "";
};

/** A mail to Hal whose address a server has refused. */
let mail_id = "";
const refuseHal: More = {
  async prepare(on) {
    await sendLink(on);
    mail_id = await makeBounced(on.s.store, on.players.who.Hal.id, "hal@example.org", on.clock.now);
  },
};

const ACCOUNTS: readonly Setup[] = [
  {
    ...{ route: "POST /new", what: "with a signature", prepare: withWaiver },
    body: { ...NEWCOMER, signature: SIGNATURE },
  },
  { ...post("/player/sign", "Ada", SIGNATURE), prepare: withWaiver, more: asWes },
  post("/player/sign", "Hal", SIGNATURE, { what: "in a running game", prepare: withWaiver }),
  {
    ...{ route: LEAVE, by: "Ada", what: "of somebody who has signed", statusOnRetry: 403 },
    ...{ prepare: signBefore, more: asWes },
  },
  { route: "POST /confirm_email", prepare: sendLink, body: () => ({ token }), statusOnRetry: 404 },
  {
    ...{ route: "POST /unsubscribe_email", body: { "List-Unsubscribe": "One-Click" } },
    more: ({ who }) => ({ query: { token: unsubscribing(who.Hal.id) } }),
  },
  { route: "POST /new", body: NEWCOMER },
  {
    route: "POST /login",
    body: { alias: "hal", password: PASSWORD },
    async verify({ s, players: { who } }, { body: { token } }) {
      await s.must("GET /player/{url_id}", { as: { ...who.Hal, token } });
    },
  },
  {
    ...{ route: "POST /login", what: "with a wrong password", status: 401, statusOnRetry: 401 },
    body: { alias: "Ada", password: "not the password" },
  },
  { route: "POST /logout", by: "Ida", body: { everywhere: true }, statusOnRetry: 403 },
  {
    route: "POST /change_password",
    body: { alias: "Ada", current_password: PASSWORD, new_password: NEW_PASSWORD },
    statusOnRetry: 401,
  },
  {
    ...{ route: "POST /change_password", what: "by a recovery code", status: 200, statusOnRetry: 401 },
    body: ({ recoveryCode }) => ({ alias: "Hal", recovery_code: recoveryCode, new_password: NEW_PASSWORD }),
  },
  {
    ...{ route: "POST /change_password", what: "by an invitation", status: 200, statusOnRetry: 401 },
    ...{
      prepare: inviteNova,
      body: () => ({ alias: "Nova", recovery_code: invitation, new_password: NEW_PASSWORD }),
    },
  },
  { route: LEAVE, by: "Ida", statusOnRetry: 403 },
  { route: LEAVE, by: "Ada", what: "with a note of a hunt", statusOnRetry: 403 },
  post("/edit_player", "Ida", { alias: "Désirée", first_name: "D", email: "d@example.org" }),
  { route: "GET /pfp/{url_id}", by: "Ida" },
  post("/get_pfp", "Ada", { alias: "Ida" }),
  { route: "GET /pictures/{picture_id}", more: ({ pictureId: id }) => ({ id }) },
  post("/set_pfp", "Ida", undefined, { more: () => ({ raw: { body: blackPng(9, 4), type: "image/png" } }) }),
  // The game has not ended, so only game masters see the awards.
  { route: "GET /interactions/awards/{url_id}", by: "Gus" },
  // What was computed for the page is shown for 15 seconds.
  { route: "GET /public", changedByLag: "once" },
  hunt(({ who }) => ({ ...TAG, tag_code: who.Hal.code, latitude: 51, longitude: 0 })),
  hunt(({ who }) => ({ ...TAG, tag_code: who.Kit.code }), { what: "of a prey who has reported it" }),
  hunt(({ who }) => ({ tag_code: who.Hal.code }), {
    what: "of a player who has left",
    prepare: ({ s, players }) => s.must(LEAVE, { as: players.who.Hal }),
  }),
  ...[true, false].map((isSwept) =>
    post(
      "/zombie/hunt",
      "Zed",
      ({ who, zedStarved }) => ({ tag_code: who.Hal.code, hunted_at: rfc3339(zedStarved - SECOND) }),
      {
        what: `of a zombie who has starved since, ${isSwept ? "" : "not "}recorded`,
        ...(isSwept ? { prepare: ({ s }) => s.sweep() } : {}),
      },
    ),
  ),
  hunt({ tag_code: "22222222" }, { what: "with a code that nobody has", status: 404, statusOnRetry: 404 }),
  post("/player/report_tagged", "Hal", { by_alias: "Ada" }),
  post("/interactions/dispute", "Kit", ({ reported: id }) => ({
    interaction_id: id,
    reason: "I was wrong.",
  })),
  post("/player/enrol", "Gil", undefined, {
    // A game master may enrol only if there is no other.
    prepare: (on) => must(on, "/admin/edit_player", { alias: "Gus", is_admin: false }),
  }),
  subscribe("Ada", ({ endpoint }) => subscriptionAt(endpoint.replace("ida-1", "ada-1"))),
  subscribe("Hal", ({ endpoint }) => subscriptionAt(endpoint), "of an endpoint that was another's"),
  { route: "DELETE /subscriptions/unsubscribe/{url_id}", by: "Ida" },
  redeem("Ada", GIFT, "of food"),
  redeem("Ivy", { cure: true }, "of an antidote"),
  ...[true, false].map((isSwept) =>
    redeem("Zed", GIFT, `of a zombie who has starved since, ${isSwept ? "" : "not "}recorded`, {
      async prepare(on) {
        lateAt = rfc3339(on.players.zedStarved - SECOND);
        await makeCodes(on, GIFT);
        if (isSwept) await on.s.sweep();
      },
    }),
  ),
  post(
    "/player/redeem",
    "Ada",
    { code: "2222222222" },
    {
      ...{ what: "of a code that nobody has", status: 404, statusOnRetry: 404 },
    },
  ),
];

/** More than fit into one transaction. */
const CROWD = 55;

/** With more humans or zombies than fit into one transaction. */
const ofCrowd = (state: "human" | "zombie"): More => ({
  ...{ what: "of a crowd", isJob: true },
  async prepare({ s, clock }) {
    await s.crowd(await makeCrowd(s, CROWD, state, clock.now - 3 * HOUR));
  },
});

/** Ivy disputes Ada's tag of 26 hours ago. She did so three hours ago, as a tag can be disputed for a day only. */
const openDispute = async ({ s, clock, players: { who, hunts } }: FaultEnvironment): Promise<void> => {
  const { now } = clock;
  clock.now -= 3 * HOUR;
  const body = { interaction_id: hunts.ivy, reason: "I was at home." };
  await s.must("POST /interactions/dispute/{url_id}", { as: await s.login("Ivy", PASSWORD), body });
  clock.now = now;
  await s.must("GET /player/{url_id}", { as: who.Gus });
};

const makeCodes = async (on: FaultEnvironment, effect: Body): Promise<void> => {
  const made = await must(on, "/admin/create_codes", { ...CRATES, effect });
  [batch_id, code] = [made.batch_id, made.codes[0].code];
};
const redeemBefore = async (on: FaultEnvironment, by: Name, effect: Body): Promise<void> => {
  await makeCodes(on, effect);
  const as = on.players.who[by];
  const { body } = await on.s.must("POST /player/redeem/{url_id}", { as, body: { code } });
  redemption_id = body.redemption_id;
};
const DISPUTED: More = { prepare: openDispute };
const ONCE: More = { changedByLag: "once" };

const NEWS = { title: "Run", content: "They come.", player_groups: "All" };
/** A mission that Ada, Sam and Hal attended, and what the zombies of them get. */
const withMission = async (on: FaultEnvironment, isClosed = false): Promise<void> => {
  const rewards = [{ points: 3 }, { feed_seconds: 3_600 }].map((effect) => ({ audience: "zombies", effect }));
  const mission = missionAt(on.clock.now, { required: true, rewards });
  ({ mission_id } = await must(on, "/admin/set_mission", mission));
  await must(on, "/admin/mission_attendance", { mission_id, aliases: ["Ada", "Sam", "Hal"] });
  if (isClosed) await must(on, "/admin/close_mission", { mission_id, result: "both" });
};
/** The mission, the notification and the checkpoint of a setup. */
let mission_id = "";
let notification_id = "";
let checkpoint_id: string | undefined;
const sendNews = async (on: FaultEnvironment, more: Body = {}): Promise<void> => {
  ({ notification_id } = (await must(on, "/notifications/send", { ...NEWS, ...more })).notification);
};

/**
 * Ada, who attended a mission, leaves. Somebody who may be her waits, has attended it too, and got something by another one.
 */
const claimAda = async (on: FaultEnvironment): Promise<void> => {
  const { s, players, clock } = on;
  await withMission(on);
  await s.must(LEAVE, { as: players.who.Ada });
  await s.must("POST /new", { body: { ...ADA, password: NEW_PASSWORD } });
  const rewards = [{ audience: "all", effect: { points: 3 } }];
  const other = await must(on, "/admin/set_mission", missionAt(clock.now, { rewards }));
  for (const one of [{ mission_id }, { mission_id: other.mission_id }])
    await must(on, "/admin/mission_attendance", { ...one, ...ADA });
  await must(on, "/admin/close_mission", { mission_id: other.mission_id, result: "both" });
};

/** What a game master enters for a new season. */
export const SEASON = { name: "Humans vs Zombies", password: PASSWORD };

const FINISH = { result: "humans", note: "By a hair.", grace_seconds: 3_600 };
const AWARDS = [{ title: "Best costume", alias: "Ada", text: "A hedge." }];
/** Finishes the season, whose result is known at once. */
const finishBefore = async (on: FaultEnvironment): Promise<void> => {
  await must(on, "/admin/finish_season", { ...FINISH, grace_seconds: 0 });
};

const MASTERS: readonly Setup[] = [
  admin("settings", { waiver: "I play at nobody's risk." }, { what: "of a waiver", prepare: withWaiver }),
  admin("paper_signature", { alias: "Wes", full_name: "Wes Example" }, { prepare: withWaiver }),
  admin(
    "paper_signature",
    { alias: "Wes", full_name: "Wes Other" },
    { what: "once more", prepare: signBefore },
  ),
  admin("finish_season", { ...FINISH, awards: AWARDS }),
  admin("finish_season", { ...FINISH, dry_run: true }, { what: "as a dry run" }),
  admin("reopen_season", undefined, { prepare: finishBefore }),
  admin("reset_season", SEASON, {
    ...{ what: "of a finished season", isJob: true, disagreesMeanwhile: true, prepare: finishBefore },
  }),
  {
    ...{ route: "GET /seasons/{season_id}", by: "Ada", status: 404, statusOnRetry: 404 },
    more: () => ({ id: NO_ID }),
  },
  admin("feed", { n: 3 }, ONCE),
  admin("feed", { n: 50 }, { ...ofCrowd("zombie"), ...ONCE }),
  admin("feed_group", { aliases: ["Ada", "Yan"] }, { isJob: true }),
  admin("revive_all", { aliases: ["Cid", "Zed"] }, { isJob: true }),
  admin("inject_sql", { statement: `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0'` }),
  admin(
    "inject_sql",
    { statement: `UPDATE "game" SET word = 'brains' WHERE pk = 'NOTES' AND sk = 'x'` },
    { what: "that writes", prepare: ({ s }) => s.store.db.put({ pk: "NOTES", sk: "x" }) },
  ),
  admin("kill_all_not_at_checkpoint", {}, { isJob: true, changedByLag: "throughout" }),
  admin("kill_all_not_at_checkpoint", {}, { ...ofCrowd("human"), changedByLag: "throughout" }),
  admin("kill_all_not_at_checkpoint", { dry_run: true }, { what: "as a dry run", ...ONCE }),
  admin("undo_checkpoint", () => ({ checkpoint_id, reason: "The list was late." }), {
    ...{ isJob: true, changedByLag: "throughout" },
    async prepare(on) {
      await must(on, "/admin/kill_all_not_at_checkpoint");
      checkpoint_id = (await on.s.store.game()).checkpoint?.checkpoint_id;
    },
  }),
  admin("close_mission", () => ({ mission_id, result: "both", note: "By a hair." }), {
    ...{ isJob: true, prepare: (on) => withMission(on) },
  }),
  admin("reopen_mission", () => ({ mission_id }), {
    ...{ isJob: true, prepare: (on) => withMission(on, true) },
  }),
  admin("mission_attendance", () => ({ mission_id, aliases: ["Ida", "Ada"] }), {
    prepare: (on) => withMission(on),
  }),
  admin("set_mission", () => ({ mission_id, place: "The bridge" }), { prepare: (on) => withMission(on) }),
  admin("mission_picture", () => ({ mission_id, image: blackPng(9, 4).toString("base64") }), {
    prepare: (on) => withMission(on),
  }),
  admin(
    "enforce_missions",
    { min: 1, exempt: ["Ida"] },
    {
      ...{ isJob: true, changedByLag: "throughout", prepare: (on) => withMission(on) },
    },
  ),
  { route: "GET /missions/{url_id}", by: "Gus", prepare: (on) => withMission(on) },
  admin("reset_season", SEASON, {
    // Players without tags, while their tags are not removed yet.
    ...{ isJob: true, disagreesMeanwhile: true },
    prepare: (on) => must(on, "/admin/pause_game"),
  }),
  // A longer page would have the log, in which the call itself is.
  { route: "GET /admin/archive/{url_id}", by: "Gus", more: () => ({ query: { limit: 1 } }) },
  admin("reset_season", { dry_run: true }, { what: "as a dry run" }),
  admin("recover_password", ADA, {
    async verify({ s }, { body: { recovery_code } }) {
      await s.must("POST /change_password", { body: { ...ADA, recovery_code, new_password: NEW_PASSWORD } });
    },
  }),
  admin("unban", { alias: "Ida" }, { prepare: (on) => must(on, "/admin/ban", { alias: "Ida" }) }),
  admin(
    "admit",
    { aliases: ["Pam", "Pia", "Ada"] },
    {
      changedByLag: "once",
      async prepare(on) {
        await must(on, "/admin/settings", { registration: "approval" });
        for (const alias of ["Pam", "Pia"]) await on.s.join(alias);
        await must(on, "/admin/settings", { registration: "open" });
      },
    },
  ),
  // What was attended moves before the account.
  admin(
    "admit",
    { ...ADA, decision: "returned" },
    { what: "who has left before", isJob: true, prepare: claimAda },
  ),
  ...["corpsify", "new_tag_code"].map((word) => admin(word, { alias: "Hal" })),
  admin("ban", { alias: "Ida" }),
  admin("label", { aliases: ["Ada", "Hal"], add: ["waiver"] }),
  admin("player_at_checkpoint", ({ who }) => ({ tag_code: who.Hal.code })),
  // The calls themselves are logged too.
  { route: "GET /admin/get_logs/{url_id}", by: "Gus", more: () => ({ query: { action: "login" } }) },
  // Zed's starvation has not been recorded.
  ...["revive_h", "make_spectator"].map((word) => admin(word, { alias: "Zed" })),
  admin("revive_z", { alias: "Cid" }),
  admin("set_checkpoint", { name: "The library", latitude: 50, longitude: 8, applies_to: "humans" }),
  admin("zombies_add_day", {}, ONCE),
  admin("resume_game", undefined, {
    async prepare(on) {
      on.clock.now -= HOUR;
      await must(on, "/admin/pause_game");
      on.clock.now += HOUR;
    },
  }),
  admin("edit_player", { alias: "Ida", alias_to: "Deirdre", is_admin: true, clear_picture: true }),
  admin("edit_player", { alias: "Gil", is_admin: false }, { what: "who resigns" }),
  admin("remove_player", ADA),
  admin("remove_player", { alias: "Gil" }, { what: "a game master" }),
  admin("draw_originals", { n: 1 }),
  admin("comment_dispute", ({ hunts }) => ({ dispute_id: hunts.ivy, comment: "He was." }), DISPUTED),
  ...(["void", "stands"] as const).map((outcome) =>
    admin("resolve_dispute", ({ hunts }) => ({ dispute_id: hunts.ivy, outcome, note: "Two witnesses." }), {
      ...{ ...DISPUTED, what: `that ends with ${outcome}` },
      ...(outcome === "void" ? ONCE : {}),
    }),
  ),
  // The codes of a retry after a failure are those that were stored before it.
  admin("create_codes", { ...CRATES, effect: GIFT }, { isJob: true }),
  admin("revoke_codes", () => ({ batch_id }), { isJob: true, prepare: (on) => makeCodes(on, GIFT) }),
  admin("undo_redemption", () => ({ redemption_id }), {
    ...{ what: "of food", prepare: (on) => redeemBefore(on, "Ada", GIFT) },
  }),
  admin("undo_redemption", () => ({ redemption_id }), {
    ...{ what: "of an antidote", prepare: (on) => redeemBefore(on, "Ivy", { cure: true }) },
  }),
  {
    ...{ route: "GET /admin/codes/{url_id}", what: "of a sheet, by another game master", by: "Gil" },
    prepare: (on) => makeCodes(on, GIFT),
    more: () => ({ query: { batch_id, sheet: 1 } }),
  },
  { route: "GET /admin/disputes/{url_id}", by: "Gus", ...DISPUTED },
  admin("name_hunter", ({ who, reported }) => ({ interaction_id: reported, player_id: who.Ada.id })),
  admin("hunt", { hunter: "Ada", prey: "Hal", share_with: ["Sam"] }),
  admin("hunt", { hunter: "Ada", prey: "Kit" }, { what: "that its prey has reported" }),
  admin("void_hunt", ({ hunts }) => ({ interaction_id: hunts.ivy, reason: "The wrong code." }), ONCE),
  // These rows create no player: a retry would report a created player as existing.
  admin("import_players", { rows: [{ alias: "Ivy" }, { alias: "!" }] }, { isJob: true }),
  admin(
    "send_invitations",
    { everyone_not_accepted: true },
    { isJob: true, changedByLag: "once", prepare: importNova },
  ),
  admin("send_invitations", { aliases: ["Nova"] }, { what: "to some", isJob: true, prepare: importNova }),
  admin("send_mail", () => ({ mail_id }), refuseHal),
  admin("lift_suppression", { alias: "Hal" }, refuseHal),
  post("/notifications/send", "Gus", NEWS, {
    ...{ isJob: true, changedByLag: "once" },
    async verify({ push }) {
      const received = push().received();
      const paths = received.map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(["/ida-1", "/ida-2"]));
      const topics = new Set(received.map(({ headers }) => headers.topic));
      expect(topics.size, "topics, by which a browser shows repeated pushes once").toBe(1);
    },
  }),
  {
    ...{ route: "GET /notifications/status/{url_id}", by: "Gus" },
    prepare: (on) => sendNews(on),
    more: () => ({ query: { notification_id } }),
  },
  post("/notifications/withdraw", "Gus", () => ({ notification_id }), {
    prepare: (on) => sendNews(on, { send_at: rfc3339(on.clock.now + HOUR) }),
    changedByLag: "once",
  }),
];

const GIVEN = [...ACCOUNTS, ...MASTERS];

/** Endpoints that make no call of the database. */
const WITHOUT_CALLS = /^GET \/(health|docs|openapi|notifications\/vapid)/;

const others = ENDPOINTS.filter(
  ({ route }) => !WITHOUT_CALLS.test(route) && !GIVEN.some((setup) => setup.route === route),
);

/** These setups, and for each other endpoint the contract's valid request. */
export const SETUPS: readonly Setup[] = [
  ...GIVEN,
  ...others.map(({ route, access }): Setup => {
    const by = isForStaff(access) ? "Gus" : "Ada";
    if (!route.startsWith("POST ")) return { route, by };
    const body: Setup["body"] = ({ who: { Gus, Ada, Hal, Sam } }) =>
      goodBody(route, { gm: Gus, ada: Ada, ben: Hal, zed: Sam });
    return { route, by, body };
  }),
];
