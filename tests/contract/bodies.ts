/** A game to send invalid input to, and a valid body of every POST endpoint. */
import { createECDH, randomBytes, randomUUID } from "node:crypto";
import type { EndpointDocs, ExampleGame } from "../../lib/http/documentation.ts";
import { PASSWORD, type RequestOptions, type TestEnvironment } from "../support/service.ts";
import { DOCUMENTED } from "./endpoints.ts";

export const JSON_TYPE = "application/json";
export const raw = (body: string | Buffer, type: string = JSON_TYPE): RequestOptions => ({
  raw: { body, type },
});

export const createGame = async (s: TestEnvironment) => {
  const gm = await s.admin("Game Master", true);
  const [ada, ben, zed] = await s.joinAll("Ada", "Ben", "Zed");
  await s.outbreak(gm, zed);
  return { gm, ada, ben, zed };
};
export type GameFixture = Awaited<ReturnType<typeof createGame>>;

/** The bodies of requests that are sent several times in one game. The others are those of the examples. */
const REPEATABLE: Record<string, () => Record<string, unknown>> = {
  "POST /new": () => ({ alias: `New ${randomUUID().slice(0, 8)}`, password: PASSWORD }),
  "POST /change_password": () => ({
    ...{ alias: "Nobody", current_password: PASSWORD, new_password: "another horse" },
  }),
  "POST /notifications/subscribe/{url_id}": () => ({
    endpoint: `https://fcm.googleapis.com/fcm/send/${randomUUID()}`,
    p256dh: createECDH("prime256v1").generateKeys("base64url"),
    auth: randomBytes(16).toString("base64url"),
  }),
};

export const NO_ID = "01900000-0000-7000-8000-000000000000";

/** A text with the form of a reward's code. */
const NO_CODE = "2222222222";

/** What examples refer to, also in a game that has only some of it. */
const exampleGame = (on: GameFixture & Partial<ExampleGame>) => {
  const none = { hunt: NO_ID, reported: NO_ID, sent: NO_ID, scheduled: NO_ID, picture: NO_ID };
  const codes = { batch: NO_ID, supply: NO_CODE, redemption: NO_ID };
  const missions = { mission: NO_ID, closedMission: NO_ID, waiver: "none" };
  const mails = { confirmation: "", mail: NO_ID, unsubscribe: "" };
  return { sue: on.zed, ...none, ...codes, ...missions, ...mails, ...on };
};

/** The body of an endpoint's example. */
export const exampleBody = (docs: EndpointDocs | undefined, on: GameFixture & Partial<ExampleGame>) => {
  const { body } = docs?.example ?? {};
  return typeof body === "function" ? body(exampleGame(on)) : body;
};

/** A valid body of a POST endpoint: empty where it requires no field. */
export const goodBody = (route: string, on: GameFixture): Record<string, unknown> => {
  const { info, docs } = DOCUMENTED.find((one) => one.info.route === route) ?? {};
  const isEmpty = info?.request.body?.safeParse({}).success ?? true;
  return isEmpty ? {} : { ...(REPEATABLE[route]?.() ?? exampleBody(docs, on)) };
};

/** The parameters of a request that succeeds. */
export const goodQuery = (route: string, on: GameFixture): Readonly<Record<string, string | number>> => {
  const { query = {} } = DOCUMENTED.find((one) => one.info.route === route)?.docs.example ?? {};
  return typeof query === "function" ? query(exampleGame(on)) : query;
};

export const TAKES_PICTURES: ReadonlySet<string> = new Set([
  "POST /set_pfp/{url_id}",
  "POST /admin/mission_picture/{url_id}",
]);

export const LARGE_BODIES: Record<string, [most: number, over: number]> = {
  "POST /set_pfp/{url_id}": [5_000_000, 6_000_000],
  "POST /admin/mission_picture/{url_id}": [5_000_000, 6_000_000],
  "POST /admin/import_players/{url_id}": [262_144, 262_145],
};

export const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;
