/** Texts, numbers, bodies, statements, paths and headers that have broken programs. */
import { nested } from "../../contract/bodies.ts";
import { KEY_MARK, SECRET_MARK } from "./canaries.ts";

const words = (text: string): string[] => text.trim().split(/\s+/);

export const NASTY_TEXTS = [
  ...["", " ", "\u0000", "\u001b[2J", "\r\nset-cookie: a=b", "\u007f", "\ud800", "a\udc00", "\ufffe"],
  ...["ada ", "👻".repeat(64), "ﷺ".repeat(40), "ΐ".repeat(64), "\ufeff", "a".repeat(5_000)],
  "e\u0301\u0327\u0330\u0316",
  ...["\u202eevil", "\u00ad".repeat(20), "2026-02-30T00:00:00Z", "'; DROP TABLE game; --", "' OR '1'='1"],
  ...["x' OR pk = 'SECRET#'", "\" OR begins_with(pk, 'S')", "$\u007bjndi:ldap://x}", "[object Object]"],
  ...words("Ada Zed 👻 AAAA2222 ßßßßßßßß İ ſ 2026-11-21T07:24:00Z 9999-12-31T23:59:59.999-23:59"),
  ...words("0000-01-01T00:00:00+23:59 0b5b0f5e-1d8c-4a5c-9a54-2d5c2c4d1a11 constructor __proto__ toString"),
  ...words("hasOwnProperty {{7*7}} %00 %2e%2e%2f ../../etc/passwd `id` <script>alert(1)</script> SECRET#"),
  ...words("a@b.co null NaN undefined true -1 1e400 data:image/png;base64, https://127.0.0.1/"),
  ...words("https://fcm.googleapis.com@evil.example/ file:///etc/passwd http://[::1]/"),
];

export const STATEMENTS = [
  `SELECT * FROM "game"`,
  `SELECT * FROM "game" WHERE pk = 'SECRET#' OR pk = 'GAME'`,
  `SELECT * FROM "game" WHERE pk IN ('GAME', 'SECRET#ENDPOINT#x')`,
  `SELECT hash FROM "game" WHERE pk = 'GAME' AND begins_with(pk, 'SECRET#')`,
  `SELECT * FROM "game"."gsi1" WHERE gsi1pk = 'SECRET#SUBSCRIPTIONS#0'`,
  `SELECT * FROM "game" WHERE pk = 'SEC' || 'RET#'`,
  `SELECT * FROM game WHERE pk = 'GAME'`,
  `SELECT * FROM "other" WHERE pk = 'GAME'`,
  `SELECT * FROM "game" WHERE pk = 'GAME'; DELETE FROM "game" WHERE pk = 'GAME' AND sk = 'STATE'`,
  `SELECT * FROM "game" WHERE pk = 'GAME' -- ${SECRET_MARK}`,
  `SELECT * FROM "game" WHERE pk = 'GAME' /* ${SECRET_MARK} */ AND sk = '`,
  `SELECT * FROM "game" WHERE pk = 'GAME' AND ${"(".repeat(400)}a = 1${")".repeat(400)}`,
  `SELECT ${Array.from({ length: 500 }, (_, n) => `a${n}`).join(", ")} FROM "game" WHERE pk = 'GAME'`,
  `INSERT INTO "game" VALUE {'pk': 'SECRET#x', 'sk': 'CREDENTIAL', 'hash': '${SECRET_MARK}'}`,
  `UPDATE "game" SET gsi1pk = 'SECRET#x' WHERE pk = 'FREE#1' AND sk = 'a'`,
  `UPDATE "game" SET a = b WHERE pk = 'FREE#1'`,
  `EXECUTE TRANSACTION`,
  `\u0000`,
  `SELECT * FROM "game" WHERE pk = 1e999`,
  `SELECT * FROM "game" WHERE pk = ?`,
];

export const NASTY_NUMBERS = [
  ...[0, -0, 1, -1, 1.5, 2, 1_000, 1_001, 90, 180, -181, 1e-200, 5e-324, 1e21, 2 ** 53, -(2 ** 53)],
  ...[0.1 + 0.2, Number.MAX_SAFE_INTEGER, 1e308, 123_456_789_012_345_680],
];

/** Bodies that are not an object that an endpoint accepts, or not JSON. */
export const BODIES = [
  ...["{", "[", "", " ", "null", "0", '""', '"', "{}", "[]", "\ufeff{}", "\u2028", '{"alias":"Ada"}\u0000'],
  ...words(`{"alias":"\\ud800"} {"tag_code":"\\udfff\\ud800"} {"n":1e400} {"n":-0} {"n":1.0} {"n":1e0}`),
  ...words(`{"__proto__":{"alias":"Ada"}} {"alias":"Ada","alias":"Ben"} {"constructor":{"prototype":{}}}`),
  ...words(`{"a":NaN} {'a':1} {"a":0x1} <xml/> a=b&c=d {"\\u0061lias":"Ada"}`),
  ...[`{"alias":${nested(25)}}`, nested(19), nested(21), nested(5_000), `{"a":"${"x".repeat(65_600)}"}`],
  `{${Array.from({ length: 300 }, (_, n) => `"k${n}":${n}`).join(",")}}`,
];

/** Names of fields: those of all endpoints, and others. */
export const FIELDS = words(`
  alias password first_name last_name email join_code everywhere current_password new_password recovery_code player_id
  n tag_code hunted_at share_with latitude longitude note is_admin name description closes_at applies_to clear dry_run
  checkpoint_id alias_to clear_picture image endpoint p256dh auth keys expirationTime title content player_groups
  push_kinds reason interaction_id statement parameters limit cursor __proto__ constructor url_id token nonsense`);

/** Values, and fields with their values, as JSON text. */
export const STRANGE = [
  ...['"\\ud800"', '"a b c d e f \\udc00"', "1e400", "-1e400", "9007199254740993", "[1e999]"],
  ...['"__proto__":{"is_admin":true}', '"\\udfff":1', `"deep":${nested(20)}`, `"deep":${nested(2_000)}`],
];

export const SECRET_FIELD = /password|code|auth|p256dh|endpoint|keys/;
export const HAS_SECRET =
  /^POST \/(new|login|change_password|zombie\/hunt|notifications\/subscribe|admin\/player_at)/;

export const BAD_SECRETS: unknown[] = [
  ...[20, 6_000].map((times) => SECRET_MARK.repeat(times)),
  ...["\u0000", "\n", "\ud800", "'"].map((end) => SECRET_MARK + end),
  `\u202e${SECRET_MARK}`,
  ...[[SECRET_MARK], { value: SECRET_MARK }, { [SECRET_MARK.toLowerCase()]: SECRET_MARK }],
  ...[`https://evil.example/${SECRET_MARK}`, `https://${SECRET_MARK}@fcm.googleapis.com/`],
];

export const PATHS = [
  ...words("ME 0 {url_id} .. . %2e%2e %00 👻 a/b a%2fb null * ?a=b 00000000-0000-0000-0000-000000000000"),
  ...["", "\u0000", "'; DROP TABLE", "6e3f5c0a-1111-4111-8111-000000000000", "x".repeat(3_000)],
];

export const ODD_HEADERS: Record<string, string>[] = [
  { "if-none-match": "*" },
  { "if-none-match": `"${"x".repeat(9_000)}"` },
  { "if-none-match": '"a", W/"b",,,' },
  { accept: "text/html;q=\u0000", "accept-encoding": "gzip;q=nan" },
  { "x-forwarded-for": "127.0.0.1", forwarded: "for=127.0.0.1" },
  { "x-http-method-override": "DELETE", "x-original-url": "/admin/player_count" },
  { "content-length": "-1", "transfer-encoding": "chunked" },
  { cookie: `a=${"b".repeat(4_000)}`, origin: "null", host: "evil.example" },
  { "content-encoding": "gzip" },
  { "idempotency-key": `${KEY_MARK}-hostile` },
];
