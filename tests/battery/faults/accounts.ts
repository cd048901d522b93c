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

/** Logs in, or expects the login to fail. */
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

const token = ({ who: { Ida } }: Players): RequestOptions => ({
  headers: { authorization: `Bearer ${Ida.token}` },
});

/** A browser's subscription: always with the same keys, because a retry must get the same response. */
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
    request: ({ who: { Hal } }) => ({ body: { alias: "hal", password: Hal.password }, from: OUTSIDE }),
    verify: async (
      {
        s,
        players: {
          who: { Hal },
        },
      },
      { body },
      label,
    ) => {
      const seen = await s.call("GET /player/{url_id}", { as: { ...Hal, token: body.token } });
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
    verify: async (
      {
        s,
        players: {
          who: { Ida },
        },
      },
      _,
      label,
    ) => {
      expect((await s.call("GET /player/{url_id}", { as: Ida })).status, label).toBe(403);
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
    request: ({ who: { Ada } }) => ({
      body: { alias: "Ada", current_password: Ada.password, new_password: NEW_PASSWORD },
      from: OUTSIDE,
    }),
    statusOnRetry: 401,
    verify: async (on, response, label) => {
      await enters("Ada", () => NEW_PASSWORD)(on, response, label);
      await enters("Ada", ({ who: { Ada } }) => Ada.password, 401)(on, response, label);
    },
  },
  {
    route: "POST /change_password",
    what: "by a recovery code",
    request: ({ recoveryCode }) => ({
      body: { alias: "Hal", recovery_code: recoveryCode, new_password: NEW_PASSWORD },
      from: OUTSIDE,
    }),
    status: 200,
    statusOnRetry: 401,
    verify: enters("Hal", () => NEW_PASSWORD),
  },
  {
    route: "DELETE /delete_player/{url_id}",
    request: own(({ who: { Ida } }) => Ida),
    statusOnRetry: 403,
    verify: enters("Ida", ({ who: { Ida } }) => Ida.password, 401),
  },
  {
    route: "DELETE /delete_player/{url_id}",
    what: "with a note of a hunt",
    request: own(({ who: { Ada } }) => Ada),
    statusOnRetry: 403,
  },
  {
    route: "POST /edit_player/{url_id}",
    request: own(({ who: { Ida } }) => Ida, { body: { alias: "Désirée", first_name: "D", email: null } }),
    verify: enters("désirée", ({ who: { Ida } }) => Ida.password),
  },
  reads(
    "POST /get_player/{url_id}",
    own(({ who: { Ada } }) => Ada, { body: { alias: "zed" } }),
  ),
  reads(
    "GET /pfp/{url_id}",
    own(({ who: { Ida } }) => Ida),
  ),
  reads(
    "POST /get_pfp/{url_id}",
    own(({ who: { Ada } }) => Ada, { body: { alias: "Ida" } }),
  ),
  reads("GET /pictures/{picture_id}", ({ pictureId: id }) => ({ id })),
  {
    route: "POST /set_pfp/{url_id}",
    request: own(({ who: { Hal } }) => Hal, { raw: { body: blackPng(4, 4), type: "image/png" } }),
  },
  {
    route: "POST /set_pfp/{url_id}",
    what: "in the place of another",
    request: own(({ who: { Ida } }) => Ida, { raw: { body: blackPng(16, 4), type: "image/png" } }),
  },
  reads(
    "GET /live/{url_id}",
    own(({ who: { Ida } }) => Ida),
  ),
  // The game has not ended, so only game masters see the awards.
  reads(
    "GET /interactions/awards/{url_id}",
    own(({ who: { Gus } }) => Gus),
  ),
  { route: "GET /public", request: () => ({}) },
  ...["/health", "/notifications/vapid_public_key", "/openapi.json", "/docs", "/docs/scalar.js"].map(
    (path): Setup => ({ route: `GET ${path}`, request: () => ({}), isBare: true }),
  ),
  {
    route: "POST /zombie/hunt/{url_id}",
    request: ({ who: { Ada, Hal } }) => ({
      as: Ada,
      body: { tag_code: Hal.code, share_with: ["sam"], note: "by the pond", latitude: 51, longitude: 0 },
    }),
  },
  {
    route: "POST /zombie/hunt/{url_id}",
    what: "of a prey who has reported it",
    request: ({ who: { Ada, Kit } }) => ({
      as: Ada,
      body: { tag_code: Kit.code, share_with: ["sam"], note: "by the pond" },
    }),
  },
  {
    route: "POST /zombie/hunt/{url_id}",
    what: "of a player who has left",
    prepare: ({ s, players }) => s.must("DELETE /delete_player/{url_id}", { as: players.who.Hal }),
    request: ({ who: { Ada, Hal } }) => ({ as: Ada, body: { tag_code: Hal.code } }),
  },
  {
    route: "POST /player/report_tagged/{url_id}",
    request: own(({ who: { Hal } }) => Hal, { body: { by_alias: "Ada" } }),
  },
  {
    route: "POST /interactions/dispute/{url_id}",
    request: ({ who: { Kit }, reported }) => ({
      as: Kit,
      body: { interaction_id: reported, reason: "I was wrong." },
    }),
  },
  {
    route: "POST /player/enrol/{url_id}",
    request: ({ who: { Gil } }) => ({ as: Gil }),
  },
  {
    route: "POST /zombie/hunt/{url_id}",
    what: "with a code that nobody has",
    request: ({ who: { Ada } }) => ({ as: Ada, body: { tag_code: "22222222" } }),
    status: 404,
    statusOnRetry: 404,
  },
  {
    route: "POST /notifications/subscribe/{url_id}",
    request: ({ who: { Ada }, endpoint }) => ({
      as: Ada,
      body: subscriptionAt(endpoint.replace("ida-1", "ada-1")),
    }),
  },
  {
    route: "POST /notifications/subscribe/{url_id}",
    what: "of an endpoint that was another's",
    request: ({ who: { Hal }, endpoint }) => ({ as: Hal, body: subscriptionAt(endpoint) }),
  },
  { route: "DELETE /subscriptions/unsubscribe/{url_id}", request: own(({ who: { Ida } }) => Ida) },
];

export const ACCOUNTS = withOthers(
  OF_PLAYERS,
  ENDPOINTS.filter(({ access }) => access === "public" || access === "player"),
);
