/** Setups of the game masters' endpoints. */
import { randomUUID } from "node:crypto";
import { expect } from "vitest";
import { newSpectator, type Player } from "../../../lib/domain/player.ts";
import { HOUR, MINUTE, rfc3339 } from "../../../lib/domain/time.ts";
import { asHuman, asZombie } from "../../../lib/domain/transitions.ts";
import { commandContext } from "../../../lib/lambda/services.ts";
import { ENDPOINTS } from "../../contract/seed.ts";
import type { RequestOptions } from "../../support/service.ts";
import { PASSWORD } from "../game.ts";
import type { FaultEnvironment } from "./environment.ts";
import { by, type Setup, withOthers } from "./setup.ts";

/** More than fit into one transaction. */
const CROWD = 55;

/** Adds many humans or zombies to the game. */
const crowd = async ({ s, clock }: FaultEnvironment, as: "human" | "zombie"): Promise<void> => {
  const joined = clock.now - 3 * HOUR;
  const moment = commandContext(s.services, joined);
  const game = await s.store.game();
  const players = Array.from({ length: CROWD }, (_, n): Player => {
    const human = asHuman(newSpectator(randomUUID(), 0, { alias: `Crowd ${n} x` }, rfc3339(joined)), moment);
    if (as === "human") return human;
    // Different deadlines, so that the order of hunger is fixed.
    const infected = { ...moment, now: joined - n * MINUTE };
    return asZombie(human, game, infected, { id: randomUUID(), at: rfc3339(infected.now), by: null });
  });
  await s.crowd(players);
};

const post = (word: string, body: Parameters<typeof by>[2], more: Partial<Setup> = {}): Setup =>
  by("Gus", `POST /admin/${word}/{url_id}`, body, more);
/** With more players than fit into one transaction. */
const ofCrowd = (state: "human" | "zombie", proposes: Setup["proposes"]): Partial<Setup> => ({
  ...{ what: "of a crowd", isLarge: true, isJob: true, proposes, prepare: (on) => crowd(on, state) },
});
const get = (path: string, query: RequestOptions["query"] = {}): Setup => ({
  route: `GET ${path}/{url_id}`,
  request: ({ who: { Gus } }) => ({ as: Gus, query }),
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

const SEND = "POST /notifications/send/{url_id}";
const NEWS = { title: "Run", content: "They come.", player_groups: "All" };
/** The notification that was sent before a setup. */
let notification = "";
const sendNews = async ({ s, players }: FaultEnvironment, more: object = {}): Promise<void> => {
  const { body } = await s.must(SEND, { as: players.who.Gus, body: { ...NEWS, ...more } });
  notification = body.notification.notification_id;
};
let checkpoint = "";

const OF_MASTERS: readonly Setup[] = [
  post("feed", { n: 3 }, { proposes: "once" }),
  post("feed", { n: 50 }, { what: "of all", isJob: true, proposes: "once" }),
  post("feed", { n: 50 }, ofCrowd("zombie", "once")),
  post("feed_group", { aliases: ["Ada", "Yan"] }, { isJob: true }),
  post("feed_group", { state: "zombie" }, ofCrowd("zombie", "once")),
  post("label", { aliases: ["Ada", "Hal"], add: ["waiver"] }),
  post("revive_all", { aliases: ["Cid", "Zed"] }, { isJob: true }),
  // The calls themselves are logged too.
  get("/admin/find", { q: "a" }),
  get("/admin/get_logs", { action: "login", limit: 5 }),
  post("inject_sql", { statement: `SELECT alias FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0'` }),
  post(
    "inject_sql",
    { statement: `UPDATE "game" SET word = 'brains' WHERE pk = 'NOTES' AND sk = 'x'` },
    {
      what: "that writes",
      prepare: ({ s }) => s.store.db.put({ pk: "NOTES", sk: "x" }),
    },
  ),
  post(
    "inject_sql",
    { statement: `INSERT INTO "game" VALUE {'pk': 'NOTES', 'sk': 'y', 'word': 'brains'}` },
    { what: "that inserts", statusOnRetry: 400, isLoggedApart: true },
  ),
  post("kill_all_not_at_checkpoint", {}, { isJob: true, proposes: "throughout" }),
  post("kill_all_not_at_checkpoint", {}, ofCrowd("human", "throughout")),
  post("kill_all_not_at_checkpoint", { dry_run: true }, { what: "for show", proposes: "once" }),
  ...[{}, { dry_run: true }].map(
    (how): Setup => ({
      ...post("undo_checkpoint", {}, "dry_run" in how ? { what: "for show" } : { isJob: true }),
      proposes: "dry_run" in how ? "once" : "throughout",
      prepare: async ({ s, players: { who } }) => {
        await s.must("POST /admin/kill_all_not_at_checkpoint/{url_id}", { as: who.Gus });
        checkpoint = (await s.store.game()).checkpoint?.checkpoint_id ?? "";
      },
      request: ({ who: { Gus } }) => ({
        as: Gus,
        body: { checkpoint_id: checkpoint, reason: "The list was late.", ...how },
      }),
    }),
  ),
  post("player_at_checkpoint", ({ who: { Hal } }) => ({ tag_code: Hal.code })),
  post(
    "recover_password",
    { alias: "Ada" },
    {
      verify: async ({ s }, { body: { recovery_code } }, label) => {
        const body = { alias: "Ada", recovery_code, new_password: "another horse entirely" };
        expect((await s.call("POST /change_password", { body })).status, `${label}, with the new code`).toBe(
          200,
        );
      },
    },
  ),
  post("corpsify", { alias: "Hal" }),
  post("make_spectator", { alias: "Zed" }),
  post("ban", { alias: "Ida" }),
  post(
    "unban",
    { alias: "Ida" },
    {
      prepare: ({ s, players: { who } }) =>
        s.must("POST /admin/ban/{url_id}", { as: who.Gus, body: { alias: "Ida" } }),
    },
  ),
  post(
    "admit",
    { aliases: ["Pam", "Pia", "Ada"] },
    {
      prepare: async ({ s, players: { who } }) => {
        const set = (registration: string) =>
          s.must("POST /admin/settings/{url_id}", { as: who.Gus, body: { registration } });
        await set("approval");
        for (const alias of ["Pam", "Pia"]) await s.join(alias);
        await set("open");
      },
      proposes: "once",
    },
  ),
  // Zed's starvation has not been recorded.
  post("revive_h", { alias: "Zed" }),
  post("revive_z", { alias: "Cid" }),
  post("set_checkpoint", { name: "The library", latitude: 50, longitude: 8, applies_to: "humans" }),
  post("set_checkpoint", { clear: true }, { what: "none" }),
  post("zombies_add_day", {}, { proposes: "once" }),
  post("pause_game", {}),
  post(
    "resume_game",
    {},
    {
      prepare: async (on) => {
        const { clock, players } = on;
        clock.now -= HOUR;
        await on.s.must("POST /admin/pause_game/{url_id}", { as: players.who.Gus });
        clock.now += HOUR;
      },
    },
  ),
  post("edit_player", { alias: "Ida", alias_to: "Deirdre", is_admin: true, clear_picture: true }),
  post("edit_player", { alias: "Gil", is_admin: false }, { what: "who resigns" }),
  post("remove_player", { alias: "Ada" }),
  post("remove_player", { alias: "Gil" }, { what: "a game master" }),
  post(
    "draw_originals",
    // Without a seed, each attempt would choose one at random.
    { n: 1, seed: "0".repeat(32) },
  ),
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
  { ...get("/admin/disputes"), prepare: openDispute },
  post("name_hunter", ({ who: { Ada }, reported }) => ({ interaction_id: reported, player_id: Ada.id })),
  post("hunt", { hunter: "Ada", prey: "Hal", share_with: ["Sam"] }),
  post("hunt", { hunter: "Ada", prey: "Kit" }, { what: "that its prey has reported" }),
  post("new_tag_code", { alias: "Hal" }),
  post("lift_lockout", { alias: "Ada" }),
  post(
    "void_hunt",
    ({ hunts }) => ({ interaction_id: hunts.ivy, reason: "The wrong code.", dry_run: false }),
    { proposes: "once" },
  ),
  // Of rows that create somebody, a retry says that they exist.
  post("import_players", { rows: [{ alias: "Ivy" }, { alias: "!" }] }, { isJob: true }),
  by("Gus", SEND, NEWS, {
    isJob: true,
    proposes: "once",
    verify: async ({ push }, _, label) => {
      const received = push().received();
      const paths = received.map(({ path }) => path);
      expect(paths, label).toEqual(expect.arrayContaining(["/ida-1", "/ida-2"]));
      const topics = new Set(received.map(({ headers }) => headers.topic));
      expect(topics.size, `${label}: what comes twice shows once`).toBe(1);
    },
  }),
  {
    route: "GET /notifications/status/{url_id}",
    prepare: (on) => sendNews(on),
    request: ({ who: { Gus } }) => ({ as: Gus, query: { notification_id: notification } }),
  },
  by("Gus", "POST /notifications/withdraw/{url_id}", () => ({ notification_id: notification }), {
    prepare: (on) => sendNews(on, { send_at: new Date(on.clock.now + HOUR).toISOString() }),
    proposes: "once",
  }),
];

export const MASTERS = withOthers(
  OF_MASTERS,
  ENDPOINTS.filter(({ access }) => access === "administrator" || access === "moderator"),
);
