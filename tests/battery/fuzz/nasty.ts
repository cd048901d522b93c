/** Texts, numbers, bodies, statements, paths and headers that have broken programs. */
import { nested } from "../../contract/bodies.ts";
import { DOCUMENTED } from "../../contract/endpoints.ts";
import { KEY_MARK, SECRET_MARK } from "./canaries.ts";
import { fieldsOf } from "./values.ts";

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

/** Texts that are inserted into valid statements: to read more than is allowed, or to confuse the parser. */
export const IN_STATEMENTS = [
  ...[" OR pk = 'SECRET#'", " || 'RET#'", '; DELETE FROM "game"', ` -- ${SECRET_MARK}`, " /* ", " */"],
  ...["\u0000", "?", "'", '"', "*", "1e999", "(".repeat(400), `${"a, ".repeat(500)}a`, "UPDATE "],
];

export const NASTY_NUMBERS = [
  ...[0, -0, 1, -1, 1.5, 2, 1_000, 1_001, 90, 180, -181, 1e-200, 5e-324, 1e21, 2 ** 53, -(2 ** 53)],
  ...[0.1 + 0.2, Number.MAX_SAFE_INTEGER, 1e308, 123_456_789_012_345_680],
];

/** Bodies that are no JSON, or unusual JSON; tests/contract/input.test.ts has others. */
export const BODIES = [
  ...["", "null", '""', "{}", "[]", "\ufeff{}", '{"alias":"Ada"}\u0000', nested(5_000)],
  ...words(`{"alias":"\\ud800"} {"n":-0} {"n":1.0} {"alias":"Ada","alias":"Ben"} {"\\u0061lias":"Ada"}`),
  ...words(`{"__proto__":{"alias":"Ada"}} {"constructor":{"prototype":{}}} {"n":1e400} a=b&c=d`),
];

/** Names of fields: those of all endpoints, and others. */
export const FIELDS = [
  ...new Set(DOCUMENTED.flatMap(({ info }) => Object.keys(fieldsOf(info.request.body)))),
  ...words("limit cursor keys expirationTime __proto__ constructor url_id token nonsense"),
];

export const SECRET_FIELD = /password|_code$|auth|p256dh|endpoint|keys/;

export const BAD_SECRETS: unknown[] = [
  ...[20, 6_000].map((times) => SECRET_MARK.repeat(times)),
  ...["\u0000", "\n", "\ud800", "'"].map((end) => SECRET_MARK + end),
  `\u202e${SECRET_MARK}`,
  ...[[SECRET_MARK], { value: SECRET_MARK }, { [SECRET_MARK.toLowerCase()]: SECRET_MARK }],
  ...[`https://evil.example/${SECRET_MARK}`, `https://${SECRET_MARK}@fcm.googleapis.com/`],
];

export const PATHS = [
  ...words("ME {url_id} .. %2e%2e %00 a/b a%2fb * ?a=b 00000000-0000-0000-0000-000000000000"),
  ...["", "\u0000", "'; DROP TABLE", "x".repeat(3_000)],
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
