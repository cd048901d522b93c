/** Setups of the players' endpoints: accounts, sessions, passwords, pictures, and views. */
import { expect } from "vitest";
import { PRESENT } from "../../contract/seed.ts";
import { blackPng } from "../../support/pictures.ts";
import type { Asking, Someone } from "../../support/service.ts";
import type { Players } from "./players.ts";
import { type Setup, type Verify, withOthers } from "./setup.ts";

/** An address that is not the service's own machine. */
const OUTSIDE = "203.0.113.7";
const FIRST_PASSWORD = "a password of one's own";
const NEW_PASSWORD = "another horse entirely";

/** Logs in, or must not be able to. */
const enters =
  (alias: string, passwordOf: (on: Players) => string, status = 200): Verify =>
  async ({ s, cast }, _, label) => {
    const result = await s.call("POST /login", { body: { alias, password: passwordOf(cast) } });
    expect(result.status, `${label}: login of ${alias}: ${result.text}`).toBe(status);
  };

const reads = (route: string, ask: (on: Players) => Asking): Setup => ({ route, ask });
const own =
  (who: (on: Players) => Someone, more: Asking = {}) =>
  (on: Players) => ({ as: who(on), ...more });

const token = ({ dee }: Players): Asking => ({ headers: { authorization: `Bearer ${dee.token}` } });

/** A browser's subscription: of one pair of keys, for a retry must label the same. */
const subscriptionAt = (endpoint: string): Record<string, string> => ({
  endpoint,
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
});

const OF_PLAYERS: readonly Setup[] = [
  {
    route: "POST /new",
    ask: () => ({
      body: {
        alias: "Newcomer",
        password: FIRST_PASSWORD,
        first_name: "Nell",
        email: "n@example.org",
      },
      from: OUTSIDE,
    }),
    works: enters("Newcomer", () => FIRST_PASSWORD),
  },
  {
    route: "POST /login",
    ask: ({ ben }) => ({ body: { alias: "ben", password: ben.password }, from: OUTSIDE }),
    works: async ({ s, cast: { ben } }, { body }, label) => {
      const seen = await s.call("GET /player/{url_id}", { as: { ...ben, token: body.token } });
      expect(seen.status, `${label}, with the new token: ${seen.text}`).toBe(200);
    },
  },
  {
    route: "POST /login",
    what: "with a wrong password",
    ask: () => ({ body: { alias: "Ada", password: "not the password" }, from: OUTSIDE }),
    status: 401,
    again: 401,
  },
  {
    route: "POST /logout",
    ask: token,
    again: 403,
    works: async ({ s, cast: { dee } }, _, label) => {
      expect((await s.call("GET /player/{url_id}", { as: dee })).status, label).toBe(403);
    },
  },
  {
    route: "POST /logout",
    what: "everywhere",
    ask: (on) => ({ ...token(on), body: { everywhere: true } }),
    again: 403,
  },
  {
    route: "POST /change_password",
    ask: ({ ada }) => ({
      body: { alias: "Ada", current_password: ada.password, new_password: NEW_PASSWORD },
      from: OUTSIDE,
    }),
    again: 401,
    works: async (on, answer, label) => {
      await enters("Ada", () => NEW_PASSWORD)(on, answer, label);
      await enters("Ada", ({ ada }) => ada.password, 401)(on, answer, label);
    },
  },
  {
    route: "POST /change_password",
    what: "by a recovery code",
    ask: ({ recovery }) => ({
      body: { alias: "Ben", recovery_code: recovery, new_password: NEW_PASSWORD },
      from: OUTSIDE,
    }),
    status: 200,
    again: 401,
    works: enters("Ben", () => NEW_PASSWORD),
  },
  {
    route: "DELETE /delete_player/{url_id}",
    ask: own(({ dee }) => dee),
    again: 403,
    works: enters("Dee", ({ dee }) => dee.password, 401),
  },
  {
    route: "DELETE /delete_player/{url_id}",
    what: "with a note of a hunt",
    ask: own(({ ada }) => ada),
    again: 403,
  },
  {
    route: "POST /edit_player/{url_id}",
    ask: own(({ dee }) => dee, { body: { alias: "Désirée", first_name: "D", email: null } }),
    works: enters("désirée", ({ dee }) => dee.password),
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
    ask: own(({ ben }) => ben, { raw: { body: blackPng(4, 4), type: "image/png" } }),
  },
  {
    route: "POST /set_pfp/{url_id}",
    what: "in the place of another",
    ask: own(({ dee }) => dee, { raw: { body: blackPng(16, 4), type: "image/png" } }),
  },
  { route: "GET /health", ask: () => ({}), isBare: true },
  { route: "GET /notifications/vapid_public_key", ask: () => ({}), isBare: true },
  {
    route: "POST /zombie/hunt/{url_id}",
    ask: ({ ada, ben }) => ({
      as: ada,
      body: { tag_code: ben.code, share_with: ["cid"], note: "by the pond", latitude: 51, longitude: 0 },
    }),
  },
  {
    route: "POST /zombie/hunt/{url_id}",
    what: "with a code that nobody has",
    ask: ({ ada }) => ({ as: ada, body: { tag_code: "22222222" } }),
    status: 404,
    again: 404,
  },
  {
    route: "POST /notifications/subscribe/{url_id}",
    ask: ({ ada, endpoint }) => ({ as: ada, body: subscriptionAt(endpoint.replace("dee-1", "ada-1")) }),
  },
  {
    route: "POST /notifications/subscribe/{url_id}",
    what: "of an endpoint that was another's",
    ask: ({ ben, endpoint }) => ({ as: ben, body: subscriptionAt(endpoint) }),
  },
  { route: "DELETE /subscriptions/unsubscribe/{url_id}", ask: own(({ dee }) => dee) },
];

export const ACCOUNTS = withOthers(
  OF_PLAYERS,
  PRESENT.filter(({ access }) => access !== "administrator"),
);
