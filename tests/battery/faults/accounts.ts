/** Setups of the players' endpoints: accounts, sessions, passwords, pictures, and views. */
import { expect } from "vitest";
import { ENDPOINTS } from "../../contract/seed.ts";
import { blackPng } from "../../support/pictures.ts";
import type { RequestOptions } from "../../support/service.ts";
import type { Name } from "../game.ts";
import type { Players } from "./players.ts";
import { by, type Setup, type Verify, withOthers } from "./setup.ts";

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

const token = ({ who: { Ida } }: Players): RequestOptions => ({
  headers: { authorization: `Bearer ${Ida.token}` },
});

/** A browser's subscription: always with the same keys, because a retry must get the same response. */
const subscriptionAt = (endpoint: string): Record<string, string> => ({
  endpoint,
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
});

/** A request without a token, from outside. */
const anonymous = (
  route: string,
  body: (on: Players) => Record<string, unknown>,
  more: Partial<Setup> = {},
): Setup => ({ route, request: (on) => ({ body: body(on), from: OUTSIDE }), ...more });

const HUNT = "POST /zombie/hunt/{url_id}";
const SUBSCRIBE = "POST /notifications/subscribe/{url_id}";
const LEAVE = "DELETE /delete_player/{url_id}";
const picture = (who: Name, width: number, more: Partial<Setup> = {}): Setup => ({
  route: "POST /set_pfp/{url_id}",
  request: (on) => ({ as: on.who[who], raw: { body: blackPng(width, 4), type: "image/png" } }),
  ...more,
});

const OF_PLAYERS: readonly Setup[] = [
  anonymous(
    "POST /new",
    () => ({ alias: "Newcomer", password: FIRST_PASSWORD, first_name: "Nell", email: "n@example.org" }),
    { verify: enters("Newcomer", () => FIRST_PASSWORD) },
  ),
  anonymous("POST /login", ({ who: { Hal } }) => ({ alias: "hal", password: Hal.password }), {
    verify: async ({ s, players }, { body }, label) => {
      const seen = await s.call("GET /player/{url_id}", { as: { ...players.who.Hal, token: body.token } });
      expect(seen.status, `${label}, with the new token: ${seen.text}`).toBe(200);
    },
  }),
  anonymous("POST /login", () => ({ alias: "Ada", password: "not the password" }), {
    ...{ what: "with a wrong password", status: 401, statusOnRetry: 401 },
  }),
  {
    route: "POST /logout",
    request: token,
    statusOnRetry: 403,
    verify: async ({ s, players }, _, label) => {
      expect((await s.call("GET /player/{url_id}", { as: players.who.Ida })).status, label).toBe(403);
    },
  },
  {
    route: "POST /logout",
    what: "everywhere",
    request: (on) => ({ ...token(on), body: { everywhere: true } }),
    statusOnRetry: 403,
  },
  anonymous(
    "POST /change_password",
    ({ who: { Ada } }) => ({ alias: "Ada", current_password: Ada.password, new_password: NEW_PASSWORD }),
    {
      statusOnRetry: 401,
      verify: async (on, response, label) => {
        await enters("Ada", () => NEW_PASSWORD)(on, response, label);
        await enters("Ada", ({ who: { Ada } }) => Ada.password, 401)(on, response, label);
      },
    },
  ),
  anonymous(
    "POST /change_password",
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
  by("Ada", "POST /get_player/{url_id}", { alias: "zed" }),
  by("Ida", "GET /pfp/{url_id}"),
  by("Ada", "POST /get_pfp/{url_id}", { alias: "Ida" }),
  { route: "GET /pictures/{picture_id}", request: ({ pictureId: id }) => ({ id }) },
  picture("Hal", 4),
  picture("Ida", 16, { what: "in the place of another" }),
  by("Ida", "GET /live/{url_id}"),
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

export const ACCOUNTS = withOthers(
  OF_PLAYERS,
  ENDPOINTS.filter(({ access }) => access === "public" || access === "player"),
);
