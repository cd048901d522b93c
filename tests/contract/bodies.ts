/** A game to send invalid input to, and a valid body of every POST endpoint. */
import { createECDH, randomBytes, randomUUID } from "node:crypto";
import { blackPng } from "../support/pictures.ts";
import type { RequestOptions, Someone, TestEnvironment } from "../support/service.ts";

export const PASSWORD = "correct horse battery";

export const JSON_TYPE = "application/json";
export const raw = (body: string | Buffer, type: string = JSON_TYPE): RequestOptions => ({
  raw: { body, type },
});

/** Its players. */
export interface GameFixture {
  gm: Someone;
  ada: Someone;
  ben: Someone;
  zed: Someone;
}

export const createGame = async (s: TestEnvironment): Promise<GameFixture> => {
  const gm = await s.admin("Game Master", true);
  const [ada, ben, zed] = [await s.join("Ada"), await s.join("Ben"), await s.join("Zed")];
  await s.outbreak(gm, zed);
  return { gm, ada, ben, zed };
};

/** A valid body of each POST endpoint that requires one. */
export const GOOD: Record<string, (on: GameFixture) => Record<string, unknown>> = {
  "POST /new": () => ({ alias: `New ${crypto.randomUUID().slice(0, 8)}`, password: PASSWORD }),
  "POST /login": () => ({ alias: "Ada", password: PASSWORD }),
  "POST /change_password": () => ({
    alias: "Nobody",
    current_password: PASSWORD,
    new_password: "another horse",
  }),
  "POST /edit_player/{url_id}": () => ({ first_name: "Ann" }),
  "POST /get_player/{url_id}": () => ({ alias: "Ada" }),
  "POST /get_pfp/{url_id}": () => ({ alias: "Ada" }),
  "POST /set_pfp/{url_id}": () => ({ image: blackPng(1, 1).toString("base64") }),
  "POST /admin/corpsify/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/cure/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/admit/{url_id}": () => ({ aliases: ["Ada"] }),
  "POST /admin/make_spectator/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/revive_h/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/revive_z/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/feed_player/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/feed/{url_id}": () => ({ n: 1 }),
  "POST /admin/set_checkpoint/{url_id}": () => ({ name: "The bridge" }),
  "POST /admin/player_at_checkpoint/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/recover_password/{url_id}": () => ({ alias: "Ada" }),
  "POST /admin/edit_player/{url_id}": () => ({ alias: "Ada", clear_picture: true }),
  "POST /admin/remove_player/{url_id}": () => ({ alias: "Zed" }),
  "POST /admin/void_hunt/{url_id}": () => ({
    interaction_id: "01900000-0000-7000-8000-000000000000",
    reason: "They lied.",
  }),
  "POST /admin/inject_sql/{url_id}": () => ({
    statement: `SELECT * FROM "game" WHERE pk = 'GAME'`,
    parameters: [],
  }),
  "POST /notifications/subscribe/{url_id}": () => ({
    endpoint: `https://fcm.googleapis.com/fcm/send/${randomUUID()}`,
    p256dh: createECDH("prime256v1").generateKeys("base64url"),
    auth: randomBytes(16).toString("base64url"),
  }),
  "POST /notifications/send/{url_id}": () => ({ title: "Run", content: "They come.", player_groups: "All" }),
  "POST /notifications/withdraw/{url_id}": () => ({
    notification_id: "01900000-0000-7000-8000-000000000000",
  }),
  "POST /zombie/hunt/{url_id}": ({ ben }) => ({ tag_code: ben.code }),
  "POST /admin/label/{url_id}": () => ({ aliases: ["Ada", "Ben"], add: ["waiver"] }),
  "POST /admin/name_hunter/{url_id}": () => ({
    interaction_id: "01900000-0000-7000-8000-000000000000",
    alias: "Zed",
  }),
};

/** A valid body of a POST endpoint. */
export const goodBody = (route: string, on: GameFixture): Record<string, unknown> => GOOD[route]?.(on) ?? {};

/** The one endpoint that takes more than 64 KiB, and bytes as well as JSON. */
export const TAKES_PICTURES = "POST /set_pfp/{url_id}";

/** Arrays nested this deep. */
export const nested = (levels: number): string => `${"[".repeat(levels)}${"]".repeat(levels)}`;

/** Requests that validation would reject, and one with nothing in it. */
export const INVALID_REQUESTS: { name: string; asking: RequestOptions }[] = [
  { name: "nothing", asking: {} },
  { name: "an unknown key", asking: { body: { nonsense: true } } },
  { name: "broken JSON", asking: raw("{") },
  { name: "a body too large", asking: raw("x".repeat(65_537)) },
  { name: "a body of another type", asking: raw("a=b", "application/x-www-form-urlencoded") },
  { name: "a bad query", asking: { query: { limit: "abc", nonsense: "1" } } },
  { name: "a bad Idempotency-Key", asking: { key: "a b" } },
];
