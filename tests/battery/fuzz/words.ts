/** Values for fields whose schema is not enough to make a useful value, and values with which requests succeed. */
import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { HOUR } from "../../../lib/domain/time.ts";
import { blackPng } from "../../support/pictures.ts";
import type { Someone } from "../../support/service.ts";
import { makeBrowser } from "../../support/webPush.ts";
import { SECRET_MARK, TEXT_MARK } from "./canaries.ts";
import { type Fixture, JOIN_CODE, PAGED_STATEMENT } from "./fixture.ts";

type Arb = fc.Arbitrary<unknown>;
/** Fields of a body or a query; `undefined` for a field that must be absent. */
export type Apt = fc.Arbitrary<Record<string, unknown>>;

const oneOf = <T>(all: readonly T[]): fc.Arbitrary<T> => fc.constantFrom(...all);

const wide = (text: string): string =>
  text.replaceAll(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0));

/** An alias in a random spelling: width and case make no difference. */
const written = (alias: string): fc.Arbitrary<string> =>
  fc.constantFrom(alias, alias, alias.toUpperCase(), alias.toLowerCase(), wide(alias));

const aliasOf = (people: readonly Someone[]): fc.Arbitrary<string> =>
  oneOf(people).chain(({ alias }) => written(alias));

const letters = (text: string) => fc.string({ unit: fc.constantFrom(...text), minLength: 1, maxLength: 12 });

const newAlias = fc
  .tuple(fc.constantFrom("Neo", "Ößé", "Жук", "梅", "Ωm", "N.o-p_q"), letters("abcdefghjkmnpqrstuvwxyz"))
  .map(([head, tail]) => `${head} ${tail}`);

const secret = fc
  .tuple(fc.constantFrom("", "pässwörd ", "  ", "密碼", "\u{1f47b}"), letters("abcXYZ0189 !§€"))
  .map(([head, tail]) => `${head}${SECRET_MARK}${tail}`);

const prose = (head: string) =>
  fc
    .tuple(
      fc.constantFrom("", "Ünï ", "'; -- ", "<b>", "\u{1f9df} ", "%2e%2e "),
      letters("abc xyz,.!?\u00e9"),
    )
    .map(([before, after]) => `${before}${TEXT_MARK} ${head}${after}`);

/** A tag code as people write it. */
const asWritten = (code: string): fc.Arbitrary<string> =>
  fc.constantFrom(code, code, code.toLowerCase(), `${code.slice(0, 4)}-${code.slice(4)}`, ` ${code} `);

const codesOf = (people: readonly Someone[]): string[] =>
  people.flatMap(({ code }) => (code === null ? [] : [code]));

const ago = (least: number, most: number): Arb =>
  fc.integer({ min: least, max: most }).map((ms) => new Date(Date.now() - ms).toISOString());

const browsers = Array.from({ length: 5 }, makeBrowser);

const endpoint = fc
  .tuple(
    fc.constantFrom(
      "https://fcm.googleapis.com/fcm/send/",
      "https://updates.push.services.mozilla.com/wpush/v2/",
      "https://web.push.apple.com/",
      "https://wns2-by3p.notify.windows.com/w/?token=",
    ),
    letters("abcdef0123456789-_"),
  )
  .map(([head, tail]) => `${head}${SECRET_MARK}${tail}`);

const picture = fc
  .tuple(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 12 }), fc.boolean())
  .map(([width, height, isUrl]) => {
    const base64 = blackPng(width, height).toString("base64");
    return isUrl ? `data:image/png;base64,${base64}` : base64;
  });

/** Endpoints that set an alias. */
const NAMING = new Set(["POST /new", "POST /edit_player/{url_id}"]);

/** Values for the fields of an endpoint, by the name of the field. */
export const wordsOf = (on: Fixture, route: string): Record<string, Arb> => ({
  alias: fc.oneof(
    { weight: NAMING.has(route) ? 1 : 4, arbitrary: aliasOf(on.all) },
    { weight: 1, arbitrary: newAlias },
  ),
  alias_to: newAlias,
  player_id: oneOf([...on.all.map(({ id }) => id), randomUUID()]),
  password: secret,
  current_password: secret,
  new_password: secret,
  recovery_code: secret,
  join_code: fc.oneof(fc.constant(JOIN_CODE), secret),
  first_name: prose("first"),
  last_name: prose("last"),
  email: letters("abcxyz019.+_'-").map((head) => `${head}${TEXT_MARK}@example.org`),
  hunted_at: ago(-HOUR, 7 * HOUR),
  tagged_at: ago(-HOUR, 7 * HOUR),
  hunter: aliasOf(on.all),
  prey: aliasOf(on.all),
  by_alias: fc.oneof({ weight: 4, arbitrary: aliasOf(on.all) }, { weight: 1, arbitrary: newAlias }),
  closes_at: ago(-HOUR, -1_000),
  send_at: ago(-HOUR, -1_000),
  name: prose("checkpoint"),
  description: prose("where it is"),
  ...{ rules: prose("rules"), contact: prose("contact"), stun: prose("stun") },
  ...{ starts_at: ago(-HOUR, HOUR), ends_at: ago(-9 * HOUR, HOUR) },
  time_zone: oneOf(["UTC", "Europe/Berlin", "America/St_Johns", "Nowhere/Else"]),
  play_hours: oneOf([
    { monday: [["08:00", "22:00"]] },
    { sunday: [["00:00", "24:00"]] },
    { friday: [["9", "8"]] },
  ]),
  note: prose("note"),
  rows: newAlias.map((alias) => [{ alias, labels: ["waiver"] }, { alias: on.ada.alias }, { email: "x" }]),
  label: oneOf(["waiver", " Waiver", "überprüft"]),
  audience: oneOf(["all", "humans", "moderators", "label:waiver", "label:Briefing_2"]),
  reason: prose("reason"),
  ...{ ban_id: oneOf(on.interactions), until: ago(-9 * HOUR, -HOUR) },
  aliases: fc.array(fc.oneof(aliasOf(on.pending), aliasOf(on.all)), { minLength: 1, maxLength: 4 }),
  ...{
    code: letters("abcXYZ019"),
    uses: fc.integer({ min: 1, max: 9 }),
    registration_closes_at: ago(-9 * HOUR, -HOUR),
  },
  title: prose("title"),
  content: prose("content"),
  player_groups: prose("all"),
  tag_code: oneOf([...codesOf(on.prey), ...on.spentCodes, "ZZZZ2222", "0OIL", SECRET_MARK]).chain(asWritten),
  checkpoint_id: fc.oneof(fc.constant(on.checkpoint), fc.uuid()),
  interaction_id: oneOf(on.interactions),
  dispute_id: oneOf(on.hunts),
  comment: prose("comment"),
  notification_id: fc.oneof(fc.constant(on.notification), fc.uuid({ version: 7 })),
  after: fc.constant(on.notification),
  ...Object.fromEntries(["player", "target", "actor"].map((name) => [name, aliasOf(on.all)])),
  around: fc.constant("me"),
  interaction_ids: fc.uniqueArray(oneOf(on.interactions), { minLength: 1, maxLength: 5 }),
  alert_id: fc.uuid({ version: 7 }),
  root: oneOf(on.interactions),
  action: oneOf(["login", "corpsify", "sweep", "deliver"]),
  endpoint: fc.oneof({ weight: 4, arbitrary: endpoint }, { weight: 1, arbitrary: oneOf(on.endpoints) }),
  p256dh: oneOf(browsers.map(({ p256dh }) => p256dh)),
  auth: oneOf(browsers.map(({ auth }) => auth)),
  image: picture,
  statement: oneOf(STATEMENTS.map(({ statement }) => statement)),
  cursor: fc.string({ unit: fc.constantFrom(..."abcXYZ019-_"), maxLength: 80 }),
});

const mark = `'${TEXT_MARK}'`;

/** Accepted statements with parameters. Writing ones change only fields that no rule reads. */
const STATEMENTS: { statement: string; parameters?: unknown[] }[] = [
  { statement: `SELECT * FROM "game" WHERE pk = 'GAME'` },
  {
    statement: `SELECT alias, state FROM "game"."gsi1" WHERE gsi1pk = 'ROSTER#0' AND begins_with(gsi1sk, 'u')`,
  },
  { statement: `SELECT player_id FROM "game" WHERE pk = 'ALIAS#ada'` },
  {
    statement: `SELECT * FROM "game" WHERE pk IN ('COUNT#0', 'COUNT#1') AND (humans = 3 OR NOT zombies < 2)`,
  },
  { statement: `SELECT * FROM "game" WHERE pk = ? AND alias > ?`, parameters: ["NOTHING", "a"] },
  {
    statement: `SELECT at, actor FROM "game" WHERE pk = 'INTERACTIONS#0' AND kind = 'hunt' AND note <> ${mark}`,
  },
  { statement: `SELECT alias FROM "game"."gsi3" WHERE gsi3pk = 'KILLS#0' AND kills BETWEEN 0 AND 3` },
  {
    statement: `INSERT INTO "game" VALUE {'pk': 'FREE#1', 'sk': 'a', 'text': ${mark}, 'n': [1, {'m': NULL}]}`,
  },
  { statement: `UPDATE "game" SET text = ? WHERE pk = 'FREE#1' AND sk = 'a'`, parameters: [TEXT_MARK] },
  { statement: `DELETE FROM "game" WHERE pk = 'FREE#1' AND sk = 'a' RETURNING ALL OLD *` },
];

const upon = (...people: (readonly Someone[])[]): Apt =>
  oneOf(people.flat()).chain(({ id, alias }) =>
    fc.oneof(
      fc.constant({ player_id: id, alias: undefined }),
      written(alias).map((name) => ({ alias: name, player_id: undefined })),
    ),
  );

const oneOfPages = (on: Fixture, route: string): Apt => {
  const pages = on.cursors.get(route) ?? [];
  const [first] = Object.keys(pages.find(({ query }) => Object.keys(query).length > 0)?.query ?? {});
  const none = { state: undefined, passed: undefined, label: undefined, kind: undefined, action: undefined };
  return fc.oneof(
    oneOf(pages).map(({ query, cursor }) => ({ ...none, ...query, cursor })),
    oneOf(pages).map(({ query }) => ({ ...none, ...query, cursor: undefined })),
    fc.constant(first === undefined ? { cursor: undefined } : { ...none, cursor: undefined }),
  );
};

/** A group: by aliases, by a label, or all in the state. */
const inGroup = (people: readonly Someone[]): Apt =>
  fc.oneof(
    fc
      .subarray(
        people.map(({ alias }) => alias),
        { minLength: 1 },
      )
      .map((aliases) => ({
        ...{ aliases, label: undefined, state: undefined, limit: undefined, cursor: undefined },
      })),
    fc.constant({ aliases: undefined, label: "waiver", dry_run: true, cursor: undefined }),
  );

const logins = (on: Fixture): Apt =>
  oneOf(on.all).chain(({ alias, password }) =>
    written(alias).map((name) => ({ alias: name, password, device_token: undefined })),
  );

/** Values with which a request succeeds, by route: for the body, or for the query of a GET. */
export const aptOf = (on: Fixture): Record<string, Apt> => ({
  "POST /login": logins(on),
  "POST /change_password": fc.oneof(
    oneOf(on.prey).map(({ alias, password }) => ({
      alias,
      current_password: password,
      recovery_code: undefined,
    })),
    oneOf(on.recoveryCodes).map(({ alias, code }) => ({
      alias,
      recovery_code: code,
      current_password: undefined,
    })),
  ),
  "POST /new": newAlias.map((alias) => ({ alias, join_code: JOIN_CODE })),
  "POST /edit_player/{url_id}": fc.oneof(
    newAlias.map((alias) => ({ alias })),
    fc.constant({ alias: undefined }),
  ),
  "POST /get_player/{url_id}": upon(on.all).map(({ alias = on.ada.alias }) => ({ alias })),
  "POST /get_pfp/{url_id}": written(on.dee.alias).map((alias) => ({ alias })),
  "POST /zombie/hunt/{url_id}": fc.record({
    tag_code: oneOf(codesOf(on.prey)).chain(asWritten),
    hunted_at: fc.oneof(fc.constant(undefined), ago(0, 1_000)),
    share_with: fc.oneof(fc.constant(undefined), fc.constant([]), fc.constant(["Gil"])),
  }),
  "POST /player/report_tagged/{url_id}": fc.record({
    by_alias: fc.constantFrom(undefined, on.zed.alias),
    tagged_at: fc.oneof(fc.constant(undefined), ago(0, 1_000)),
  }),
  "POST /admin/name_hunter/{url_id}": fc
    .tuple(upon(on.zombies), oneOf(on.reported))
    .map(([who, interaction_id]) => ({ ...who, interaction_id })),
  "POST /interactions/dispute/{url_id}": oneOf(on.hunts).map((interaction_id) => ({ interaction_id })),
  "POST /admin/comment_dispute/{url_id}": fc.constant({ dispute_id: on.disputed }),
  "POST /admin/resolve_dispute/{url_id}": fc.constant({ dispute_id: on.disputed }),
  "POST /admin/hunt/{url_id}": fc.record({
    hunter: aliasOf(on.zombies),
    prey: aliasOf(on.prey),
    hunted_at: fc.oneof(fc.constant(undefined), ago(0, 1_000)),
    share_with: fc.constant(undefined),
  }),
  "POST /admin/new_tag_code/{url_id}": upon(on.prey),
  "POST /admin/lift_lockout/{url_id}": upon(on.zombies),
  "POST /admin/corpsify/{url_id}": upon(on.prey, on.zombies),
  "POST /admin/admit/{url_id}": fc.oneof(
    upon(on.pending).map((who) => ({ ...who, aliases: undefined })),
    fc.constant({ alias: undefined, player_id: undefined }),
  ),
  "POST /admin/ban/{url_id}": fc.constantFrom(
    { alias: "Mallory", email: undefined, until: undefined },
    { email: "mallory@example.org", alias: undefined, until: undefined },
  ),
  "POST /admin/unban/{url_id}": fc.constant({ alias: "Banned", email: undefined, ban_id: undefined }),
  "POST /admin/make_spectator/{url_id}": upon(on.prey, on.zombies),
  "POST /admin/cure/{url_id}": upon(on.zombies),
  "POST /admin/feed_player/{url_id}": upon(on.zombies),
  "POST /admin/revive_h/{url_id}": upon(on.corpses),
  "POST /admin/revive_z/{url_id}": upon(on.corpses),
  "POST /admin/set_checkpoint/{url_id}": fc.constantFrom(
    { checkpoint_id: undefined, clear: undefined, name: "Bridge" },
    { checkpoint_id: on.checkpoint, clear: undefined, applies_to: undefined },
  ),
  "POST /notifications/withdraw/{url_id}": fc.constant({ notification_id: on.scheduled }),
  "POST /admin/player_at_checkpoint/{url_id}": fc.oneof(
    upon(on.prey, on.zombies).map((who) => ({ ...who, tag_code: undefined })),
    oneOf(codesOf(on.prey)).map((tag_code) => ({ tag_code, alias: undefined, player_id: undefined })),
  ),
  "POST /admin/import_players/{url_id}": newAlias.map((alias) => ({
    rows: [{ alias, first_name: TEXT_MARK }],
  })),
  "POST /admin/revive_all/{url_id}": inGroup(on.corpses),
  "POST /admin/feed_group/{url_id}": inGroup(on.zombies),
  "POST /admin/label/{url_id}": fc
    .tuple(upon(on.prey), fc.boolean())
    .map(([{ alias = on.ada.alias }, isAdded]) => ({
      ...{ aliases: [alias, on.zed.alias], add: undefined, remove: undefined },
      [isAdded ? "add" : "remove"]: ["waiver"],
    })),
  "POST /admin/recover_password/{url_id}": upon(on.all),
  "POST /admin/remove_player/{url_id}": upon(on.prey),
  "POST /admin/edit_player/{url_id}": fc
    .tuple(upon(on.prey), newAlias)
    .map(([who, alias_to]) => ({ ...who, alias_to })),
  "POST /admin/void_hunt/{url_id}": oneOf(on.hunts).map((interaction_id) => ({ interaction_id })),
  "POST /admin/void_hunts/{url_id}": fc
    .uniqueArray(oneOf(on.hunts), { minLength: 1 })
    .map((interaction_ids) => ({ interaction_ids, alert_id: undefined })),
  "POST /admin/kill_all_not_at_checkpoint/{url_id}": fc.constantFrom(
    { checkpoint_id: undefined, limit: undefined, cursor: undefined },
    { checkpoint_id: on.checkpoint, limit: undefined, cursor: undefined },
    { checkpoint_id: undefined, dry_run: true, cursor: undefined },
  ),
  "POST /admin/undo_checkpoint/{url_id}": fc.constantFrom(
    { checkpoint_id: on.checkpoint, limit: undefined, cursor: undefined },
    { checkpoint_id: on.checkpoint, dry_run: true, cursor: undefined },
  ),
  "POST /admin/inject_sql/{url_id}": fc.oneof(
    {
      weight: 5,
      arbitrary: oneOf(STATEMENTS).map(({ statement, parameters }) => ({
        statement,
        parameters,
        cursor: undefined,
      })),
    },
    {
      weight: 1,
      arbitrary: oneOf(on.cursors.get("POST /admin/inject_sql/{url_id}") ?? []).map(({ cursor }) => ({
        ...PAGED_STATEMENT,
        parameters: undefined,
        cursor,
      })),
    },
  ),
  "GET /interactions/tree/{url_id}": oneOf([undefined, ...on.hunts]).map((root) => ({ root })),
  "GET /notifications/status/{url_id}": fc.constant({ notification_id: on.notification }),
  ...Object.fromEntries(
    [...on.cursors.keys()]
      .filter((route) => route.startsWith("GET "))
      .map((route) => [route, oneOfPages(on, route)]),
  ),
});
