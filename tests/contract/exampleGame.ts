/** The game of the examples, and their requests. */

import { resetForSeason } from "../../lib/domain/game/season.ts";
import { readCode } from "../../lib/domain/rewards/rewardCode.ts";
import type { ExampleGame } from "../../lib/http/documentation.ts";
import { commandContext } from "../../lib/lambda/services.ts";
import { writesOf } from "../../lib/store/changes.ts";
import { waiverVersion } from "../../lib/store/waiver/texts.ts";
import type { Documented, RecordedExample } from "../../scripts/openapi/document.ts";
import { makeBounced, makeConfirmation, unsubscribing, WITH_MAIL } from "../support/confirmation.ts";
import { CRATES } from "../support/constants.ts";
import { blackPng } from "../support/pictures.ts";
import type { RequestOptions, TestEnvironment, TestPlayer } from "../support/service.ts";
import { shortRequests } from "../support/shortRequests.ts";
import { restore, snapshot } from "../support/snapshot.ts";
import { createGame, exampleBody, type GameFixture, NO_ID } from "./bodies.ts";
import { expectConforms } from "./conforms.ts";
import { DOCUMENTED } from "./endpoints.ts";

/** A game of the examples whose players can be logged in as. */
type PlayedGame = ExampleGame & GameFixture & { sue: TestPlayer };

/** Makes a player a spectator who may enrol, as a new season does for players who have not asked yet. */
const leaveSeason = async ({ services, store }: TestEnvironment, { id }: TestPlayer): Promise<void> => {
  const before = await store.player(id);
  if (before === null) throw new Error("no such player");
  const context = commandContext(services, services.clock());
  const after = resetForSeason(before, before.shard, context, "opt_in");
  await store.commit(await writesOf({ players: [{ before, after }] }), () => 10_000);
};

/** The game that {@link ExampleGame} describes. @param tick lets time pass, so that lists by time have one order */
export const createExampleGame = async (s: TestEnvironment, tick: () => void): Promise<PlayedGame> => {
  const on = await createGame(s);
  const { gm, ada, zed } = on;
  // A game master who plays may not do everything.
  await leaveSeason(s, gm);
  const { done } = shortRequests(s);
  const id = async (route: string, options: RequestOptions, name = "interaction"): Promise<string> => {
    tick();
    const { body } = await s.must(route, options);
    return body[name][`${name}_id`];
  };
  const [yan, rosa, cora, mo] = await s.joinAll("Yan", "Rosa", "Cora", "Mo");
  const hunt = await id("POST /zombie/hunt/{url_id}", { as: zed, body: { tag_code: yan.code } });
  const dispute = { interaction_id: hunt, reason: "I was indoors." };
  await s.must("POST /interactions/dispute/{url_id}", { as: yan, body: dispute });
  const reported = await id("POST /player/report_tagged/{url_id}", { as: rosa, body: { by_alias: "Zed" } });
  await done(gm, "corpsify", { player_id: cora.id });
  await done(gm, "edit_player", { player_id: mo.id, is_moderator: true });
  await s.must("POST /edit_player/{url_id}", { as: on.ben, body: { wants_original: true } });
  const sue = await s.join("Sue");
  await leaveSeason(s, sue);
  await done(gm, "settings", { registration: "approval" });
  const pia = await s.join("Pia");
  await done(gm, "ban", { alias: "Mallory" });
  await done(gm, "settings", { registration: "open" });
  // Zed shall not starve at the same instant as Yan.
  tick();
  await done(gm, "feed_player", { player_id: zed.id });
  const image = blackPng(1, 1).toString("base64");
  await s.must("POST /set_pfp/{url_id}", { as: ada, body: { image } });
  const { picture_url } = await s.see(ada);
  await done(gm, "set_checkpoint", { name: "The library" });
  const addMission = async (title: string): Promise<string> => {
    tick();
    const day = new Date(s.services.clock() + 86_400_000).toISOString().slice(0, 10);
    const briefings = [
      { audience: "all", text: "Bring a **torch**.", reveal_at: new Date(s.services.clock()).toISOString() },
    ];
    const times = { starts_at: `${day}T19:00:00Z`, ends_at: `${day}T21:00:00Z`, place: "The bridge" };
    const rewards = [{ audience: "all", effect: { points: 5 } }];
    const body = { title, ...times, briefings, attendance: "desk", rewards };
    const { mission_id } = await done(gm, "set_mission", body);
    await done(gm, "mission_attendance", { mission_id, alias: "Ada" });
    return mission_id;
  };
  const [closedMission, mission] = [await addMission("The rehearsal"), await addMission("The supply drop")];
  await done(gm, "close_mission", { mission_id: closedMission, result: "both" });
  const news = { title: "Welcome", content: "Read the rules.", player_groups: "All" };
  const send = (more: object) =>
    id("POST /notifications/send/{url_id}", { as: gm, body: { ...news, ...more } }, "notification");
  const sent = await send({});
  const scheduled = await send({ send_at: new Date(s.services.clock() + 3_600_000).toISOString() });
  const crates = { ...CRATES, n: 2, effect: { points: 2 } };
  const { batch_id: batch, codes } = await done(gm, "create_codes", crates);
  const [used, supply] = codes.map(({ code }: { code: string }) => code);
  const { body } = await s.must("POST /player/redeem/{url_id}", { as: on.ben, body: { code: used } });
  const redemption = body.redemption_id;
  const waiver = waiverVersion(WAIVER);
  await done(gm, "settings", { waiver: WAIVER });
  for (const [as, full_name] of [
    [on.ben, "Ben Bell"],
    [sue, "Sue Adams"],
    [pia, "Pia Poe"],
  ] as const)
    await s.must("POST /player/sign/{url_id}", { as, body: { version: waiver, full_name } });
  const picture = picture_url.split("/").at(-1);
  const email = "zed@example.org";
  await s.must("POST /edit_player/{url_id}", { as: zed, body: { email } });
  const confirmation = await makeConfirmation(s.store, zed.id, email, s.services.clock());
  const mail = await makeBounced(s.store, zed.id, email, s.services.clock());
  Object.assign(s.services, { mail: WITH_MAIL });
  return {
    ...{ ...on, sue, hunt, reported, sent, scheduled, picture },
    ...{ batch, supply, redemption, mission, closedMission, waiver, confirmation, mail },
    unsubscribe: unsubscribing(zed.id),
  };
};

/** The text that the players of the examples sign. */
const WAIVER = "I play at my own risk, and **walk** across roads.";

const REF = "mJ0a5Qw8Zr1tYk3nLx7cVb";
const PICTURE = `${REF}.p4Hs9Uf2Gd6eRi8oTz1wQy`;

/** Values that are random, by field, and what stands for them in the examples. */
export const STAND_INS: Readonly<Record<string, string>> = {
  actor_picture_url: `/pictures/${PICTURE}`,
  actor_ref: REF,
  device_token: "dGhlIGRldmljZSBvZiB0aGUgZXhhbXBsZQ",
  etag: '"5f1d7a84db00d2fce00b31a7fc73224f9f1e2b7f6e5d4c3b2a19080706050403"',
  picture_id: PICTURE,
  player_ref: REF,
  picture_url: `/pictures/${PICTURE}`,
  target_picture_url: `/pictures/${PICTURE}`,
  target_ref: REF,
  next_cursor: "AYJ0k3c1Zm9yIHRoZSBuZXh0IHBhZ2U",
  public_key: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  recovery_code: "K7QX-2M9P-HT4C-WN6D",
  seed: "d343c6f0294b58c6ec3684aae1cf421c",
  tag_code: "K7QX2M9P",
  token: "6f1c2a54-0000-4000-8000-000000000001.Zm9yIHRoZSBleGFtcGxl",
};

const CODE_STAND_IN = "K7QX2M9PHB";

const ID = /[0-9a-f]{8}-[0-9a-f]{4}-([47])[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}/g;

type StandIn = (value: unknown, made: Map<string, string>) => unknown;

/**
 * Returns a function that replaces what is random, so that the examples are the same each time. The ids of the game are
 * numbered in its order. Ids that a request makes are numbered from 100 on, for each request.
 */
const standIns = (on: PlayedGame): StandIn => {
  const known = new Map<string, string>();
  const numbered = (version: string, number: number) =>
    `01991c2a-7e5d-${version}000-8000-${String(number).padStart(12, "0")}`;
  for (const [id, version = ""] of JSON.stringify(on).matchAll(ID)) {
    if (!known.has(id)) known.set(id, numbered(version, known.size + 1));
  }
  return (value, made) => {
    const standIn = (id: string, version: string): string => {
      const text = known.get(id) ?? made.get(id) ?? numbered(version, 100 + made.size);
      if (!known.has(id)) made.set(id, text);
      return text;
    };
    const replaced = JSON.stringify(value, (name, inner: unknown) => {
      if (typeof inner !== "string") return inner;
      if (readCode(inner)?.kind === "reward") return CODE_STAND_IN;
      return STAND_INS[name] ?? inner.replaceAll(ID, standIn);
    });
    return replaced === undefined ? undefined : JSON.parse(replaced);
  };
};

const callerOf = ({ info, docs }: Documented, on: PlayedGame): TestPlayer | null => {
  if (info.access === "public" && docs.takesToken !== true) return null;
  return on[docs.example.as ?? (/^(admin|mod)/.test(info.access) ? "gm" : "ada")];
};

/** The request of an endpoint's example. */
export const exampleRequest = (endpoint: Documented, on: PlayedGame): RequestOptions => {
  const { docs } = endpoint;
  const as = callerOf(endpoint, on);
  const body = exampleBody(docs, on);
  const { query, path } = docs.example;
  const given = typeof query === "function" ? query(on) : query;
  const [id] = Object.values((typeof path === "function" ? path(on) : path) ?? {});
  return {
    ...(as === null ? {} : { as, id: "me" }),
    ...(id === undefined ? {} : { id }),
    ...(body === undefined ? {} : { body }),
    ...(given === undefined ? {} : { query: given }),
  };
};

/** A scan has the order of the engine, so the example of an archive has a line that is the same everywhere. */
const LINES = [
  '{"pk":{"S":"ALIAS#ada"},"sk":{"S":"ALIAS"},"player_id":{"S":"01991c2a-7e5d-4000-8000-000000000002"}}',
];

const recordExample = async (
  s: TestEnvironment,
  endpoint: Documented,
  on: PlayedGame,
  standIn: StandIn,
): Promise<RecordedExample> => {
  const { docs, info, module } = endpoint;
  if (docs.example.finished === true)
    await shortRequests(s).done(on.gm, "finish_season", { result: "humans", grace_seconds: 0 });
  const season = (await s.store.game()).finish?.season_id ?? NO_ID;
  const request = exampleRequest(endpoint, { ...on, season });
  const result = await s.call(info.route, request);
  expectConforms(info.route, result);
  if (result.status >= 300) throw new Error(`${info.route}: ${result.status} ${result.text}`);
  const made = new Map<string, string>();
  const replace = (value: unknown) => standIn(value, made);
  const response = result.body?.lines === undefined ? result.body : { ...result.body, lines: LINES };
  const [body, sent] = [replace(request.body), replace(request.query)];
  return {
    ...(body === undefined ? {} : { body }),
    ...(request.query === undefined ? {} : { query: Object(sent) }),
    status: result.status,
    // The API document does not repeat itself or its page as an example.
    ...(result.body === undefined || module === "docs" ? {} : { response: replace(response) }),
  };
};

/**
 * Records the example of each endpoint, each in the same game.
 * @param settle waits until the workers have done what a request has caused
 * @throws Error unless each succeeds and its response agrees with the schema of the API document
 */
export const recordExamples = async (
  s: TestEnvironment,
  on: PlayedGame,
  settle: () => Promise<unknown> = async () => {},
): Promise<Map<string, RecordedExample>> => {
  await settle();
  const game = await snapshot(s);
  const standIn = standIns(on);
  const examples = new Map<string, RecordedExample>();
  for (const endpoint of DOCUMENTED) {
    examples.set(endpoint.info.route, await recordExample(s, endpoint, on, standIn));
    if (endpoint.info.route.startsWith("GET ") && endpoint.docs.example.finished !== true) continue;
    await settle();
    await restore(s, game);
  }
  return examples;
};
