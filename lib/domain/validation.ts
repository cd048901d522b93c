/** What is wrong with a request, in sentences for the person who sent it. */

/** One fault of a request: where it is, and what is wrong there. */
export interface ValidationIssue {
  /** The field, as `share_with.0`; empty for the request as a whole. */
  path: string;
  /** A sentence; or what follows the name of the field, such as "must be text". */
  message: string;
}

/** Fields whose name is not readable when its underscores are spaces. No plain object: a caller may name a field `constructor`. */
const NAMES = new Map(
  Object.entries({
    "": "body",
    alias_to: "new alias",
    applies_to: "group that it applies to",
    auth: 'key "auth"',
    clear: 'setting "clear"',
    clear_picture: 'setting "clear_picture"',
    closes_at: "closing time",
    dry_run: 'setting "dry_run"',
    email: "e-mail address",
    everywhere: 'setting "everywhere"',
    expirationTime: "expiration time",
    hunted_at: "time of the hunt",
    "Idempotency-Key": "Idempotency-Key",
    is_admin: "administrator right",
    keys: "set of browser keys",
    n: 'number "n"',
    p256dh: 'key "p256dh"',
    parameters: "list of parameters",
    passed: 'filter "passed"',
    player_groups: "player group",
    push_kinds: "list of push kinds",
    share_with: "list of players to share with",
  }),
);

const WORDS = /^[a-z]{1,20}(_[a-z]{1,20}){0,3}$/;

/** What a caller has made up is quoted, and no more of it than this. */
const LONGEST_QUOTE = 40;

const quoted = (text: string): string =>
  `"${text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text}"`;

/** The name of a field in a sentence, after its path. */
export const fieldName = (path: string): string => {
  const segments = path.split(".");
  const last = segments.at(-1) ?? "";
  if (/^\d+$/.test(last) && segments.length > 1) {
    return `entry ${Number(last) + 1} of the ${fieldName(segments.slice(0, -1).join("."))}`;
  }
  return NAMES.get(last) ?? (WORDS.test(last) ? last.replaceAll("_", " ") : `field ${quoted(last)}`);
};

/** Names in a row: `alias and player id`. */
export const joinNames = (paths: readonly string[], word: "and" | "or" = "and"): string => {
  const names = paths.map(fieldName);
  return [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(` ${word} `);
};

/** The message of a field that there is not. */
export const UNKNOWN_FIELD = "is not known here";

const PREDICATE = /^(is|must|may|has|names|was) /;

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** A fault whose message is a sentence. */
export const asSentence = ({ path, message }: ValidationIssue): ValidationIssue => {
  if (message === UNKNOWN_FIELD) {
    return { path, message: `There is no field ${quoted(path.split(".").at(-1) ?? "")} here.` };
  }
  // A sentence already, or the database's own words.
  if (/^[A-Z]/.test(message)) return { path, message };
  const name = fieldName(path);
  const subject = name.startsWith("entry ") ? name : `the ${name}`;
  return { path, message: `${capitalized(PREDICATE.test(message) ? `${subject} ${message}` : message)}.` };
};
