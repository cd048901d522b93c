/** The requests that are played: for each endpoint the contract's valid one, unless there are others here. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { newSpectator, type Player } from "../../../lib/domain/player.ts";
import { HOUR, MINUTE, rfc3339 } from "../../../lib/domain/time.ts";
import { asHuman, asZombie } from "../../../lib/domain/transitions.ts";
import { commandContext } from "../../../lib/lambda/services.ts";
import { goodBody } from "../../contract/bodies.ts";
import { ENDPOINTS } from "../../contract/seed.ts";
import { blackPng } from "../../support/pictures.ts";
import type { RequestOptions } from "../../support/service.ts";
import { PASSWORD } from "../game.ts";
import type { FaultEnvironment, Players } from "./environment.ts";
import type { Setup, Verify } from "./setup.ts";

type Body = Record<string, unknown>;
type More = Partial<Setup>;
const bodyOf = (body: Body | ((on: Players) => Body), on: Players): Body =>
  typeof body === "function" ? body(on) : body;

/** The setup of a request that one of the players sends. */
const by = (
  who: keyof Players["who"],
  route: string,
  body?: Body | ((on: Players) => Body),
  more: More = {},
): Setup => ({
  route,
  request: (on) => ({ as: on.who[who], ...(body === undefined ? {} : { body: bodyOf(body, on) }) }),
  ...more,
});

/** A request without a token, from an address that is not the service's own machine. */
const anonymous = (path: string, body: Body | ((on: Players) => Body), more: More = {}): Setup => ({
  route: `POST ${path}`,
  request: (on) => ({ body: bodyOf(body, on), from: "203.0.113.7" }),
  ...more,
});

const post = (word: string, body: Body | ((on: Players) => Body), more: More = {}): Setup =>
  by("Gus", `POST /admin/${word}/{url_id}`, body, more);

const must = async ({ s, players }: FaultEnvironment, path: string, body: Body = {}) =>
  (await s.must(`POST ${path}/{url_id}`, { as: players.who.Gus, body })).body;

const FIRST_PASSWORD = "a password of one's own";
const NEW_PASSWORD = "another horse entirely";

/** Logs in, or expects the login to fail. */
const enters =
  (alias: string, passwordOf: (on: Players) => string, status = 200): Verify =>
  async ({ s, players }) => {
    const result = await s.call("POST /login", { body: { alias, password: passwordOf(players) } });
    expect(result.status, `login of ${alias}: ${result.text}`).toBe(status);
  };

const token = ({ who: { Ida } }: Players): RequestOptions => ({
  headers: { authorization: `Bearer ${Ida.token}` },
});

/** A browser's subscription: always with the same keys, because a retry must get the same response. */
const subscriptionAt = (endpoint: string): Body => ({
  endpoint,
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
});

const HUNT = "POST /zombie/hunt/{url_id}";
const SUBSCRIBE = "POST /notifications/subscribe/{url_id}";
const LEAVE = "DELETE /delete_player/{url_id}";

const ACCOUNTS: readonly Setup[] = [
  anonymous(
    "/new",
    { alias: "Newcomer", password: FIRST_PASSWORD, first_name: "Nell", email: "n@example.org" },
    { verify: enters("Newcomer", () => FIRST_PASSWORD) },
  ),
  anonymous("/login", ({ who: { Hal } }) => ({ alias: "hal", password: Hal.password }), {
    verify: async ({ s, players }, { body }) => {
      const seen = await s.call("GET /player/{url_id}", { as: { ...players.who.Hal, token: body.token } });
      expect(seen.status, `with the new token: ${seen.text}`).toBe(200);
    },
  }),
  anonymous(
    "/login",
    { alias: "Ada", password: "not the password" },
    { what: "with a wrong password", status: 401, statusOnRetry: 401 },
  ),
  {
    route: "POST /logout",
    request: token,
    statusOnRetry: 403,
    verify: async ({ s, players }) => {
      expect((await s.call("GET /player/{url_id}", { as: players.who.Ida })).status).toBe(403);
    },
  },
  {
    ...{ route: "POST /logout", what: "everywhere", statusOnRetry: 403 },
    request: (on) => ({ ...token(on), body: { everywhere: true } }),
  },
  anonymous(
    "/change_password",
    ({ who: { Ada } }) => ({ alias: "Ada", current_password: Ada.password, new_password: NEW_PASSWORD }),
    {
      statusOnRetry: 401,
      verify: async (on, response) => {
        await enters("Ada", () => NEW_PASSWORD)(on, response);
        await enters("Ada", ({ who: { Ada } }) => Ada.password, 401)(on, response);
      },
    },
  ),
  anonymous(
    "/change_password",
    ({ recoveryCode }) => ({ alias: "Hal", recovery_code: recoveryCode, new_password: NEW_PASSWORD }),
    {
      ...{ what: "by a recovery code", status: 200, statusOnRetry: 401 },
      verify: enters("Hal", () => NEW_PASSWORD),
    },
  ),
  by("Ida", LEAVE, undefined, {
    statusOnRetry: 403,
    verify: enters("Ida", ({ who: { Ida } }) => Ida.password, 401),
  }),
  by("Ada", LEAVE, undefined, { what: "with a note of a hunt", statusOnRetry: 403 }),
  by(
    "Ida",
    "POST /edit_player/{url_id}",
    { alias: "Désirée", first_name: "D", email: null },
    { verify: enters("désirée", ({ who: { Ida } }) => Ida.password) },
  ),
  by("Ida", "GET /pfp/{url_id}"),
  by("Ada", "POST /get_pfp/{url_id}", { alias: "Ida" }),
  { route: "GET /pictures/{picture_id}", request: ({ pictureId: id }) => ({ id }) },
  {
    route: "POST /set_pfp/{url_id}",
    request: (on) => ({ as: on.who.Ida, raw: { body: blackPng(16, 4), type: "image/png" } }),
  },
  // The game has not ended, so only game masters see the awards.
  by("Gus", "GET /interactions/awards/{url_id}"),
  { route: "GET /public", request: () => ({}) },
  ...["/health", "/notifications/vapid_public_key", "/openapi.json", "/docs", "/docs/scalar.js"].map(
    (path): Setup => ({ route: `GET ${path}`, request: () => ({}), isBare: true }),
  ),
  by("Ada", HUNT, ({ who: { Hal } }) => ({
    ...{ tag_code: Hal.code, share_with: ["sam"], note: "by the pond", latitude: 51, longitude: 0 },
  })),
  by("Ada", HUNT, ({ who: { Kit } }) => ({ tag_code: Kit.code, share_with: ["sam"], note: "by the pond" }), {
    what: "of a prey who has reported it",
  }),
  by("Ada", HUNT, ({ who: { Hal } }) => ({ tag_code: Hal.code }), {
    what: "of a player who has left",
    prepare: ({ s, players }) => s.must(LEAVE, { as: players.who.Hal }),
  }),
  by(
    "Ada",
    HUNT,
    { tag_code: "22222222" },
    { what: "with a code that nobody has", status: 404, statusOnRetry: 404 },
  ),
  by("Hal", "POST /player/report_tagged/{url_id}", { by_alias: "Ada" }),
  by("Kit", "POST /interactions/dispute/{url_id}", ({ reported }) => ({
    ...{ interaction_id: reported, reason: "I was wrong." },
  })),
  by("Gil", "POST /player/enrol/{url_id}"),
  by("Ada", SUBSCRIBE, ({ endpoint }) => subscriptionAt(endpoint.replace("ida-1", "ada-1"))),
  by("Hal", SUBSCRIBE, ({ endpoint }) => subscriptionAt(endpoint), {
    what: "of an endpoint that was another's",
  }),
  by("Ida", "DELETE /subscriptions/unsubscribe/{url_id}"),
];

/** More than fit into one transaction. */
const CROWD = 55;

/** With more humans or zombies than fit into one transaction. */
const ofCrowd = (state: "human" | "zombie", proposes: Setup["proposes"]): More => ({
  ...{ what: "of a crowd", isLarge: true, isJob: true, proposes },
  async prepare({ s, clock }) {
    const joined = clock.now - 3 * HOUR;
    const moment = commandContext(s.services, joined);
    const game = await s.store.game();
    const players = Array.from({ length: CROWD }, (_, n): Player => {
      const of = newSpectator(randomUUID(), 0, { alias: `Crowd ${n} x` }, rfc3339(joined));
      const human = asHuman(of, moment);
      if (state === "human") return human;
      // Different deadlines, so that the order of hunger is fixed.
      const infected = { ...moment, now: joined - n * MINUTE };
      return asZombie(human, game, infected, { id: randomUUID(), at: rfc3339(infected.now), by: null });
    });
    await s.crowd(players);
  },
});

/** Ivy disputes that Ada has tagged her; it was 26 hours ago, but is entered as if it were now. */
const openDispute = async ({ s, clock, players: { who, hunts } }: FaultEnvironment): Promise<void> => {
  const { now } = clock;
  clock.now -= 3 * HOUR;
  const body = { interaction_id: hunts.ivy, reason: "I was at home." };
  await s.must("POST /interactions/dispute/{url_id}", { as: await s.login("Ivy", PASSWORD), body });
  clock.now = now;
  await s.must("GET /player/{url_id}", { as: who.Gus });
};

const NEWS = { title: "Run", content: "They come.", player_groups: "All" };
/** The notification and the checkpoint of a setup. */
let notification_id = "";
let checkpoint_id: string | undefined;
const sendNews = async (on: FaultEnvironment, more: Body = {}): Promise<void> => {
  ({ notification_id } = (await must(on, "/notifications/send", { ...NEWS, ...more })).notification);
};

const MASTERS: readonly Setup[] = [
  post("feed", { n: 3 }, { proposes: "once" }),
  post("feed", { n: 50 }, ofCrowd("zombie", "once")),
  post("feed_group", { aliases: ["Ada", "Yan"] }, { isJob: true }),
  post("revive_all", { aliases: ["Cid", "Zed"] }, { isJob: true }),
  post("inject_sql", { statement: `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0'` }),
  post(
    "inject_sql",
    { statement: `UPDATE "game" SET word = 'brains' WHERE pk = 'NOTES' AND sk = 'x'` },
    { what: "that writes", prepare: ({ s }) => s.store.db.put({ pk: "NOTES", sk: "x" }) },
  ),
  post(
    "inject_sql",
    { statement: `INSERT INTO "game" VALUE {'pk': 'NOTES', 'sk': 'y', 'word': 'brains'}` },
    { what: "that inserts", statusOnRetry: 400, isLoggedApart: true },
  ),
  post("kill_all_not_at_checkpoint", {}, { isJob: true, proposes: "throughout" }),
  post("kill_all_not_at_checkpoint", {}, ofCrowd("human", "throughout")),
  post("kill_all_not_at_checkpoint", { dry_run: true }, { what: "for show", proposes: "once" }),
  post("undo_checkpoint", () => ({ checkpoint_id, reason: "The list was late." }), {
    ...{ isJob: true, proposes: "throughout" },
    async prepare(on) {
      await must(on, "/admin/kill_all_not_at_checkpoint");
      checkpoint_id = (await on.s.store.game()).checkpoint?.checkpoint_id;
    },
  }),
  post(
    "recover_password",
    { alias: "Ada" },
    {
      async verify({ s }, { body: { recovery_code } }) {
        const body = { alias: "Ada", recovery_code, new_password: NEW_PASSWORD };
        const { status } = await s.call("POST /change_password", { body });
        expect(status, "with the new code").toBe(200);
      },
    },
  ),
  post("unban", { alias: "Ida" }, { prepare: (on) => must(on, "/admin/ban", { alias: "Ida" }) }),
  post(
    "admit",
    { aliases: ["Pam", "Pia", "Ada"] },
    {
      async prepare(on) {
        await must(on, "/admin/settings", { registration: "approval" });
        for (const alias of ["Pam", "Pia"]) await on.s.join(alias);
        await must(on, "/admin/settings", { registration: "open" });
      },
      proposes: "once",
    },
  ),
  ...["corpsify", "new_tag_code"].map((word) => post(word, { alias: "Hal" })),
  post("ban", { alias: "Ida" }),
  post("label", { aliases: ["Ada", "Hal"], add: ["waiver"] }),
  post("player_at_checkpoint", ({ who: { Hal } }) => ({ tag_code: Hal.code })),
  // The calls themselves are logged too.
  {
    route: "GET /admin/get_logs/{url_id}",
    request: ({ who: { Gus } }) => ({ as: Gus, query: { action: "login", limit: 5 } }),
  },
  // Zed's starvation has not been recorded.
  post("revive_h", { alias: "Zed" }),
  post("make_spectator", { alias: "Zed" }),
  post("revive_z", { alias: "Cid" }),
  post("set_checkpoint", { name: "The library", latitude: 50, longitude: 8, applies_to: "humans" }),
  post("zombies_add_day", {}, { proposes: "once" }),
  post(
    "resume_game",
    {},
    {
      async prepare(on) {
        on.clock.now -= HOUR;
        await must(on, "/admin/pause_game");
        on.clock.now += HOUR;
      },
    },
  ),
  post("edit_player", { alias: "Ida", alias_to: "Deirdre", is_admin: true, clear_picture: true }),
  post("edit_player", { alias: "Gil", is_admin: false }, { what: "who resigns" }),
  post("remove_player", { alias: "Ada" }),
  post("remove_player", { alias: "Gil" }, { what: "a game master" }),
  // Without a seed, each attempt would choose one at random.
  post("draw_originals", { n: 1, seed: "0".repeat(32) }),
  post("comment_dispute", ({ hunts }) => ({ dispute_id: hunts.ivy, comment: "He was." }), {
    prepare: openDispute,
  }),
  ...["void", "stands"].map((outcome) =>
    post("resolve_dispute", ({ hunts }) => ({ dispute_id: hunts.ivy, outcome, note: "Two witnesses." }), {
      what: `that ends with ${outcome}`,
      prepare: openDispute,
      ...(outcome === "void" ? { proposes: "once" } : {}),
    }),
  ),
  { ...by("Gus", "GET /admin/disputes/{url_id}"), prepare: openDispute },
  post("name_hunter", ({ who: { Ada }, reported }) => ({ interaction_id: reported, player_id: Ada.id })),
  post("hunt", { hunter: "Ada", prey: "Hal", share_with: ["Sam"] }),
  post("hunt", { hunter: "Ada", prey: "Kit" }, { what: "that its prey has reported" }),
  post("void_hunt", ({ hunts: { ivy } }) => ({ interaction_id: ivy, reason: "The wrong code." }), {
    proposes: "once",
  }),
  // Of rows that create somebody, a retry says that they exist.
  post("import_players", { rows: [{ alias: "Ivy" }, { alias: "!" }] }, { isJob: true }),
  by("Gus", "POST /notifications/send/{url_id}", NEWS, {
    ...{ isJob: true, proposes: "once" },
    async verify({ push }) {
      const received = push().received();
      const paths = received.map(({ path }) => path);
      expect(paths).toEqual(expect.arrayContaining(["/ida-1", "/ida-2"]));
      const topics = new Set(received.map(({ headers }) => headers.topic));
      expect(topics.size, "what comes twice shows once").toBe(1);
    },
  }),
  {
    route: "GET /notifications/status/{url_id}",
    prepare: (on) => sendNews(on),
    request: ({ who: { Gus } }) => ({ as: Gus, query: { notification_id } }),
  },
  by("Gus", "POST /notifications/withdraw/{url_id}", () => ({ notification_id }), {
    prepare: (on) => sendNews(on, { send_at: rfc3339(on.clock.now + HOUR) }),
    proposes: "once",
  }),
];

const GIVEN = [...ACCOUNTS, ...MASTERS];

/** These setups, and for each other endpoint the contract's valid request. */
export const SETUPS: readonly Setup[] = [
  ...GIVEN,
  ...ENDPOINTS.filter(({ route }) => !GIVEN.some((setup) => setup.route === route)).map(
    ({ route, access }): Setup => ({
      route,
      request: ({ who: { Gus, Ada, Hal, Sam } }) => ({
        as: access === "administrator" || access === "moderator" ? Gus : Ada,
        ...(route.startsWith("POST ")
          ? { body: goodBody(route, { gm: Gus, ada: Ada, ben: Hal, zed: Sam }) }
          : {}),
      }),
    }),
  ),
];
