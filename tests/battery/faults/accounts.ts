/** Setups of the players' endpoints: accounts, sessions, passwords, pictures, and views. */
import { expect } from "vitest";
import { ENDPOINTS } from "../../contract/seed.ts";
import { blackPng } from "../../support/pictures.ts";
import type { RequestOptions, Someone } from "../../support/service.ts";
import type { Players } from "./players.ts";
import { type Setup, type Verify, withOthers } from "./setup.ts";

/** An address that is not the service's own machine. */
const OUTSIDE = "203.0.113.7";
const FIRST_PASSWORD = "a password of one's own";
const NEW_PASSWORD = "another horse entirely";

/** Logs in, or must not be able to. */
const enters =
  (alias: string, passwordOf: (on: Players) => string, status = 200): Verify =>
  async ({ s, players }, _, label) => {
    const result = await s.call("POST /login", { body: { alias, password: passwordOf(players) } });
    expect(result.status, `${label}: login of ${alias}: ${result.text}`).toBe(status);
  };

const reads = (route: string, request: Setup["request"]): Setup => ({ route, request });
const own =
  (who: (on: Players) => Someone, more: RequestOptions = {}) =>
  (on: Players) => ({ as: who(on), ...more });

const token = ({ dee }: Players): RequestOptions => ({ headers: { authorization: `Bearer ${dee.token}` } });

/** A browser's subscription: of one pair of keys, for a retry must label the same. */
const subscriptionAt = (endpoint: string): Record<string, string> => ({
  endpoint,
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
});

const OF_PLAYERS: readonly Setup[] = [
  {
    route: "POST /new",
    request: () => ({
      body: {
        alias: "Newcomer",
        password: FIRST_PASSWORD,
        first_name: "Nell",
        email: "n@example.org",
      },
      from: OUTSIDE,
    }),
    verify: enters("Newcomer", () => FIRST_PASSWORD),
  },
  {
    route: "POST /login",
    request: ({ ben }) => ({ body: { alias: "ben", password: ben.password }, from: OUTSIDE }),
    verify: async ({ s, players: { ben } }, { body }, label) => {
      const seen = await s.call("GET /player/{url_id}", { as: { ...ben, token: body.token } });
      expect(seen.status, `${label}, with the new token: ${seen.text}`).toBe(200);
    },
  },
  {
    route: "POST /login",
    what: "with a wrong password",
    request: () => ({ body: { alias: "Ada", password: "not the password" }, from: OUTSIDE }),
    status: 401,
    statusOnRetry: 401,
  },
  {
    route: "POST /logout",
    request: token,
    statusOnRetry: 403,
    verify: async ({ s, players: { dee } }, _, label) => {
      expect((await s.call("GET /player/{url_id}", { as: dee })).status, label).toBe(403);
    },
  },
  {
    route: "POST /logout",
    what: "everywhere",
    request: (on) => ({ ...token(on), body: { everywhere: true } }),
    statusOnRetry: 403,
  },
  {
    route: "POST /change_password",
    request: ({ ada }) => ({
      body: { alias: "Ada", current_password: ada.password, new_password: NEW_PASSWORD },
      from: OUTSIDE,
    }),
    statusOnRetry: 401,
    verify: async (on, response, label) => {
      await enters("Ada", () => NEW_PASSWORD)(on, response, label);
      await enters("Ada", ({ ada }) => ada.password, 401)(on, response, label);
    },
  },
  {
    route: "POST /change_password",
    what: "by a recovery code",
    request: ({ recovery }) => ({
      body: { alias: "Ben", recovery_code: recovery, new_password: NEW_PASSWORD },
      from: OUTSIDE,
    }),
    status: 200,
    statusOnRetry: 401,
    verify: enters("Ben", () => NEW_PASSWORD),
  },
  {
    route: "DELETE /delete_player/{url_id}",
    request: own(({ dee }) => dee),
    statusOnRetry: 403,
    verify: enters("Dee", ({ dee }) => dee.password, 401),
  },
  {
    route: "DELETE /delete_player/{url_id}",
    what: "with a note of a hunt",
    request: own(({ ada }) => ada),
    statusOnRetry: 403,
  },
  {
    route: "POST /edit_player/{url_id}",
    request: own(({ dee }) => dee, { body: { alias: "Désirée", first_name: "D", email: null } }),
    verify: enters("désirée", ({ dee }) => dee.password),
  },
  reads(
    "POST /get_player/{url_id}",
    own(({ ada }) => ada, { body: { alias: "zed" } }),
  ),
  reads(
    "GET /pfp/{url_id}",
    own(({ dee }) => dee),
  ),
  reads(
    "POST /get_pfp/{url_id}",
    own(({ ada }) => ada, { body: { alias: "Dee" } }),
  ),
  {
    route: "POST /set_pfp/{url_id}",
    request: own(({ ben }) => ben, { raw: { body: blackPng(4, 4), type: "image/png" } }),
  },
  {
    route: "POST /set_pfp/{url_id}",
    what: "in the place of another",
    request: own(({ dee }) => dee, { raw: { body: blackPng(16, 4), type: "image/png" } }),
  },
  { route: "GET /health", request: () => ({}), isBare: true },
  { route: "GET /notifications/vapid_public_key", request: () => ({}), isBare: true },
  {
    route: "POST /zombie/hunt/{url_id}",
    request: ({ ada, ben }) => ({
      as: ada,
      body: { tag_code: ben.code, share_with: ["cid"], note: "by the pond", latitude: 51, longitude: 0 },
    }),
  },
  {
    route: "POST /zombie/hunt/{url_id}",
    what: "with a code that nobody has",
    request: ({ ada }) => ({ as: ada, body: { tag_code: "22222222" } }),
    status: 404,
    statusOnRetry: 404,
  },
  {
    route: "POST /notifications/subscribe/{url_id}",
    request: ({ ada, endpoint }) => ({ as: ada, body: subscriptionAt(endpoint.replace("dee-1", "ada-1")) }),
  },
  {
    route: "POST /notifications/subscribe/{url_id}",
    what: "of an endpoint that was another's",
    request: ({ ben, endpoint }) => ({ as: ben, body: subscriptionAt(endpoint) }),
  },
  { route: "DELETE /subscriptions/unsubscribe/{url_id}", request: own(({ dee }) => dee) },
];

export const ACCOUNTS = withOthers(
  OF_PLAYERS,
  ENDPOINTS.filter(({ access }) => access !== "administrator"),
);
