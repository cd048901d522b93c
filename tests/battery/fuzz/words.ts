/** Values for fields whose schema is not enough to make a useful value, and values with which requests succeed. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { HOUR } from "../../../lib/domain/time.ts";
import type { Documented } from "../../../scripts/openapi/document.ts";
import { exampleBody } from "../../contract/bodies.ts";
import { blackPng } from "../../support/pictures.ts";
import type { TestPlayer } from "../../support/service.ts";
import { makeBrowser } from "../../support/webPush.ts";
import { SECRET_MARK, TEXT_MARK } from "./canaries.ts";
import { type Fixture, JOIN_CODE } from "./fixture.ts";
import { fieldsOf, type Words } from "./values.ts";

/** Fields of a body or a query; `undefined` for a field that must be absent. */
export type Apt = fc.Arbitrary<Record<string, unknown>>;

const pickOne = <T>(all: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...all);

const wide = (text: string): string =>
  text.replaceAll(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));

/** An alias in a random spelling: width and case make no difference. */
const written = (alias: string): fc.Arbitrary<string> =>
  fc.constantFrom(alias, alias, alias.toUpperCase(), alias.toLowerCase(), wide(alias));

const aliasOf = (people: readonly TestPlayer[]): fc.Arbitrary<string> =>
  pickOne(people).chain(({ alias }) => written(alias));

const letters = (text: string) => fc.string({ unit: fc.constantFrom(...text), minLength: 1, maxLength: 12 });

const newAlias = fc
  .tuple(fc.constantFrom("Neo", "Ößé", "Жук", "梅", "Ωm", "N.o-p_q"), letters("abcdefghjkmnpqrstuvwxyz"))
  .map((parts) => parts.join(" "));

/** Texts that contain a mark, with other text before and after it. */
const marked = (before: string[], text: string, after: string): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...before), letters(after)).map(([head, tail]) => head + text + tail);

const secret = marked(["", "pässwörd ", "  ", "密碼", "\u{1f47b}"], SECRET_MARK, "abcXYZ0189 !§€");
const prose = (name: string) =>
  marked(["", "Ünï ", "'; -- ", "<b>", "🧟 ", "%2e%2e "], `${TEXT_MARK} ${name}`, "abc xyz,.!?é");

/** A tag code as people write it. */
const asWritten = (code: string): fc.Arbitrary<string> =>
  fc.constantFrom(code, code, code.toLowerCase(), `${code.slice(0, 4)}-${code.slice(4)}`, ` ${code} `);

const codesOf = (people: readonly TestPlayer[]): string[] =>
  people.flatMap(({ code }) => (code === null ? [] : [code]));

const ago = (least: number, most: number): fc.Arbitrary<string> =>
  fc.integer({ min: least, max: most }).map((ms) => new Date(Date.now() - ms).toISOString());

const browsers = Array.from({ length: 5 }, makeBrowser);

const PUSH_SERVICES = [
  ...["https://fcm.googleapis.com/fcm/send/", "https://updates.push.services.mozilla.com/wpush/v2/"],
  ...["https://web.push.apple.com/", "https://wns2-by3p.notify.windows.com/w/?token="],
];
const endpoint = marked(PUSH_SERVICES, SECRET_MARK, "abcdef0123456789-_");

const picture = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.constantFrom("", "data:image/png;base64,"))
  .map(([side, head]) => head + blackPng(side, 8).toString("base64"));

/** Endpoints that set an alias. */
const NAMING = new Set(["POST /new", "POST /edit_player/{url_id}"]);

/** Values for the fields of an endpoint, by the name of the field. */
export const wordsOf = (on: Fixture, route: string): Words => {
  const [anybody, interaction] = [aliasOf(on.players), pickOne(on.interactions)];
  const codes = [...codesOf(on.prey), ...on.spentCodes, "ZZZZ2222", "0OIL", SECRET_MARK];
  const label = pickOne(["waiver", " Waiver", "überprüft"]);
  const named = (names: string, make: (name: string) => fc.Arbitrary<unknown>) =>
    Object.fromEntries(names.split(" ").map((name) => [name, make(name)]));
  return {
    ...named("password current_password new_password recovery_code", () => secret),
    ...named(
      "first_name last_name name description rules contact stun safe_places note reason comment",
      prose,
    ),
    ...named("title content player_groups", prose),
    ...named("hunter prey player target actor", () => anybody),
    ...named("hunted_at tagged_at redeemed_at", () => ago(-HOUR, 7 * HOUR)),
    ...named("closes_at send_at", () => ago(-HOUR, -1_000)),
    ...named("starts_at ends_at until registration_closes_at valid_from valid_until", () =>
      ago(-9 * HOUR, HOUR),
    ),
    briefings: fc
      .tuple(pickOne(["all", "humans", "zombies"]), prose("text"), ago(-HOUR, HOUR))
      .map(([audience, text, reveal_at]) => [{ audience, text, reveal_at }]),
    ...named("interaction_id root ban_id", () => interaction),
    ...named("alias by_alias", () => fc.oneof(...Array(NAMING.has(route) ? 1 : 4).fill(anybody), newAlias)),
    alias_to: newAlias,
    player_id: pickOne([...on.players.map(({ id }) => id), randomUUID()]),
    join_code: fc.oneof(fc.constant(JOIN_CODE), secret),
    email: letters("abcxyz019.+_'-").map((head) => `${head}${TEXT_MARK}@example.org`),
    time_zone: pickOne(["UTC", "Europe/Berlin", "America/St_Johns", "Nowhere/Else"]),
    play_hours: pickOne([{ sunday: [["00:00", "24:00"]] }, { monday: [["08:00", "22:00"]] }]),
    rows: newAlias.map((alias) => [{ alias, labels: ["waiver"] }, { alias: on.ada.alias }, { email: "x" }]),
    label,
    ...named("add remove", () => fc.array(label, { minLength: 1, maxLength: 3 })),
    audience: pickOne(["all", "humans", "moderators", "label:waiver", "label:Briefing_2"]),
    aliases: fc.array(fc.oneof(aliasOf(on.pending), anybody), { minLength: 1, maxLength: 4 }),
    code: letters("abcXYZ019"),
    uses: fc.integer({ min: 1, max: 9 }),
    tag_code: pickOne(codes).chain(asWritten),
    checkpoint_id: fc.oneof(fc.constant(on.checkpoint), fc.uuid()),
    dispute_id: pickOne(on.hunts),
    token: fc.oneof(pickOne([on.confirmation, on.unsubscribe]), secret),
    alias_or_email: fc.oneof(anybody, pickOne(on.addresses), newAlias),
    mail_id: fc.oneof(fc.constant(on.mail), fc.uuid({ version: 7 })),
    notification_id: fc.oneof(fc.constant(on.sent), fc.uuid({ version: 7 })),
    after: fc.constant(on.sent),
    interaction_ids: fc.uniqueArray(interaction, { minLength: 1, maxLength: 5 }),
    endpoint: fc.oneof({ weight: 4, arbitrary: endpoint }, { weight: 1, arbitrary: pickOne(on.endpoints) }),
    p256dh: pickOne(browsers.map(({ p256dh }) => p256dh)),
    auth: pickOne(browsers.map(({ auth }) => auth)),
    image: picture,
    statement: pickOne(STATEMENTS.map(({ statement }) => statement)),
  };
};

const mark = `'${TEXT_MARK}'`;

/** Accepted statements with parameters. Writing ones change only fields that no rule reads. */
export const STATEMENTS: { statement: string; parameters?: unknown[] }[] = [
  ...[
    `SELECT * FROM "game" WHERE pk = 'GAME'`,
    `SELECT alias, state FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND begins_with(gsi1sk, 'u')`,
    `SELECT player_id FROM "game" WHERE pk = 'ALIAS#ada'`,
    `SELECT * FROM "game" WHERE pk IN ('COUNT#0', 'COUNT#1') AND (humans = 3 OR NOT zombies < 2)`,
    `SELECT at, actor FROM "game" WHERE pk = 'INTERACTIONS#0' AND kind = 'hunt' AND note <> ${mark}`,
    `SELECT alias FROM "game"."gsi3" WHERE gsi3pk = 'KILLS#0' AND kills BETWEEN 0 AND 3`,
    `INSERT INTO "game" VALUE {'pk': 'FREE#1', 'sk': 'a', 'text': ${mark}, 'n': [1, {'m': NULL}]}`,
    `DELETE FROM "game" WHERE pk = 'FREE#1' AND sk = 'a' RETURNING ALL OLD *`,
  ].map((statement) => ({ statement })),
  { statement: `SELECT * FROM "game" WHERE pk = ? AND alias > ?`, parameters: ["NOTHING", "a"] },
  { statement: `UPDATE "game" SET text = ? WHERE pk = 'FREE#1' AND sk = 'a'`, parameters: [TEXT_MARK] },
];

/** Fields that name a player or an object of the game, or continue a list: other values would not fit. */
export const OF_THE_GAME = new Set(
  `alias player_id player_ref tag_code aliases label state passed pending kind action limit cursor recovery_code
  current_password device_token checkpoint_id clear applies_to alert_id add remove root parameters
  hunted_at tagged_at share_with by_alias starts_at ends_at reveal_originals_at registration_closes_at play_hours
  time_zone test_webhooks after player target actor token mail_id mission_id redeemed_at setup cookie signature
  birth_date emergency_contact photo_consent guardian_name`.split(/\s+/),
);

/** Values with which a request succeeds: for the body, or for the query of a GET. Mostly those of the example, varied. */
export const aptOf = (on: Fixture, { info, docs }: Documented): Apt => {
  const { route, request } = info;
  const hunt = pickOne(on.hunts).map((interaction_id) => ({ interaction_id }));
  const own: Record<string, Apt> = {
    "POST /admin/void_hunt/{url_id}": hunt,
    "POST /interactions/dispute/{url_id}": hunt,
    "POST /admin/inject_sql/{url_id}": pickOne<Record<string, unknown>>(STATEMENTS),
    "POST /login": pickOne(on.players).chain(({ alias, password }) =>
      written(alias).map((name) => ({ alias: name, password })),
    ),
    "POST /change_password": fc.oneof(
      pickOne(on.prey).map(({ alias, password }) => ({ alias, current_password: password })),
      pickOne(on.recoveries),
    ),
    "POST /new": newAlias.map((alias) => {
      const signature = { version: on.waiver, full_name: alias };
      return { alias, join_code: JOIN_CODE, signature };
    }),
    "POST /edit_player/{url_id}": fc.option(newAlias, { nil: undefined }).map((alias) => ({ alias })),
  };
  if (own[route] !== undefined) return own[route];
  const { query } = docs.example;
  const example = exampleBody(docs, on) ?? (typeof query === "function" ? query(on) : query) ?? {};
  // The schema decides on `dry_run` and `limit`; the `reason` of a command is not in it.
  const { dry_run: _dryRun, limit: _limit, reason, alias, ...others } = example;
  const rest = info.takesReason || reason === undefined ? others : { ...others, reason };
  const { ada, prey, zombies, dead, pending } = on;
  const alike = { Ada: [ada], Ben: prey, Zed: zombies, Yan: zombies, Cora: dead, Pia: pending };
  const likes: Record<string, fc.Arbitrary<unknown>> = {
    ...Object.fromEntries(Object.entries(alike).map(([name, people]) => [name, aliasOf(people)])),
    [on.reported]: pickOne(on.reports),
    [on.ben.code ?? ""]: pickOne(codesOf(on.prey)).chain(asWritten),
  };
  const vary = (value: unknown): fc.Arbitrary<unknown> =>
    Array.isArray(value) ? fc.tuple(...value.map(vary)) : (likes[String(value)] ?? fc.constant(value));
  const varied = fc.record(
    Object.fromEntries(Object.entries(rest).map(([name, value]) => [name, vary(value)])),
  );
  if (alias === undefined) return varied;
  const byId = pickOne(alike[alias as keyof typeof alike] ?? [on.gm]).map(({ id }) => ({ player_id: id }));
  const byAlias = vary(alias).map((name) => ({ alias: name }));
  const who: Apt = "player_id" in fieldsOf(request.body) ? fc.oneof(byAlias, byId) : byAlias;
  return fc.tuple(varied, who).map(([values, player]) => ({ ...values, ...player }));
};
