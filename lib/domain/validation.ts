/** Validation messages for the person who sent a request. */

/** The codes of issues (docs/api.md, "Errors"). */
export type IssueCode = "invalid" | "in_future" | "too_late";

export interface ValidationIssue {
  /** The path of the field, such as `share_with.0`; empty for the complete body. */
  path: string;
  /** A sentence, or the part that follows the name of the field, such as "must be text". */
  message: string;
  /** The kind of issue, for programs; by default `invalid`. */
  code?: IssueCode | undefined;
  /** The values in the message, for programs that translate it. */
  params?: Record<string, string | number> | undefined;
}

/**
 * Names of fields for which replacing underscores by spaces is not enough. They are in a map, not an object, because a
 * request may have a field `constructor`.
 */
const NAMES = new Map(
  Object.entries({
    "": "body",
    add: "list of labels to add",
    alias_to: "new alias",
    applies_to: "group that it applies to",
    all_with_label: "label",
    auth: 'key "auth"',
    briefings: "list of briefings",
    aliases: "list of aliases",
    clear: 'setting "clear"',
    clear_picture: 'setting "clear_picture"',
    by_alias: "alias of the hunter",
    closes_at: "closing time",
    cookie: 'setting "cookie"',
    draft: 'setting "draft"',
    dry_run: 'setting "dry_run"',
    email: "e-mail address",
    create: 'setting "create"',
    ends_at: "end",
    enrolment: 'setting "enrolment"',
    events: "list of events",
    everywhere: 'setting "everywhere"',
    exempt: "list of exempt players",
    expirationTime: "expiration time",
    feed_seconds: "time that it feeds",
    feeding_period_seconds: "feeding period",
    hide_originals: 'setting "hide original zombies"',
    hunted_at: "time of the tag",
    tagged_at: "time of the tag",
    inbox_after: "id of the last message",
    interaction_ids: "list of ids of events",
    "Idempotency-Key": "Idempotency-Key",
    invited: 'filter "invited"',
    is_admin: "administrator right",
    is_moderator: "moderator right",
    keep_signatures_days: "number of days for which signatures are kept",
    keys: "set of browser keys",
    join_codes: "list of join codes",
    lacks: 'filter "lacks"',
    late: 'setting "late"',
    leaving: 'setting "leaving"',
    min: 'number "min"',
    missions_below: 'filter "missions_below"',
    missions_counted_from: "time from which missions count",
    missions_required: "number of required missions",
    login: 'setting "login"',
    pending: 'filter "pending"',
    n: 'number "n"',
    p256dh: 'key "p256dh"',
    parameters: "list of parameters",
    grace_seconds: "length of the grace",
    named_in_past: 'setting "named in past seasons"',
    passed: 'filter "passed"',
    player_groups: "player group",
    public_board: 'setting "public board"',
    photo_consent: "answer about photos",
    contacts: 'filter "contacts"',
    minimum_age: "minimum age",
    waiver_ask: "list of what a signature is asked",
    waiver_keeps_signatures: 'setting "waiver_keeps_signatures"',
    birth_date: "date of birth",
    push_kinds: "list of push kinds",
    mail_kinds: "list of kinds of mails",
    q: "search text",
    redeemed_at: "time of entry",
    registration_closes_at: "time at which registration closes",
    renew_invitations: 'setting "renew invitations"',
    report_window_seconds: "period in which a tag can be reported",
    required: 'setting "required"',
    required_to_play: 'setting "required_to_play"',
    reveal_at: "time of the reveal",
    reveal_originals_at: "time of the reveal",
    rewards: "list of rewards",
    rows: "list of rows",
    send_at: "time of sending",
    wants_original: "wish to be an original zombie",
    remove: "list of labels to remove",
    share_with: "list of players to share with",
    sharers: "number of sharers",
    starts_at: "start",
    stun: "rule about stunned zombies",
    test_webhooks: 'setting "test webhooks"',
    unique_email: 'setting "one account per e-mail address"',
    until: "end of the ban",
    uses: "number of uses",
    valid_from: "start of its validity",
    valid_until: "end of its validity",
    versions: "list of versions",
    was: "list of earlier values",
    webhooks: "list of webhooks",
  }),
);

const SNAKE_CASE = /^[a-z]{1,20}(_[a-z]{1,20}){0,3}$/;

/** The maximum number of characters that are quoted from a request. */
const MAX_QUOTE_LENGTH = 40;

const quoted = (text: string): string =>
  `"${text.length > MAX_QUOTE_LENGTH ? `${text.slice(0, MAX_QUOTE_LENGTH)}…` : text}"`;

/** The name of a field in a sentence. @param path as in {@link ValidationIssue} */
export const fieldName = (path: string): string => {
  const segments = path.split(".");
  const last = segments.at(-1) ?? "";
  if (/^\d+$/.test(last) && segments.length > 1) {
    return `entry ${Number(last) + 1} of the ${fieldName(segments.slice(0, -1).join("."))}`;
  }
  const [, of] = /^(?!player)(\w{1,20})_id$/.exec(last) ?? [];
  if (of !== undefined) return `id of the ${of}`;
  return NAMES.get(last) ?? (SNAKE_CASE.test(last) ? last.replaceAll("_", " ") : `field ${quoted(last)}`);
};

/** Joins the names of fields: `alias and player id`. */
export const joinNames = (paths: readonly string[], word: "and" | "or" = "and"): string => {
  const names = paths.map(fieldName);
  return [names.slice(0, -1).join(", "), names.at(-1)].filter(Boolean).join(` ${word} `);
};

export const UNKNOWN_FIELD = "is not known here";

const PREDICATE = /^(is|must|may|has|names|was) /;

const capitalized = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** Makes the message of an issue a complete sentence. */
export const asSentence = (issue: ValidationIssue): ValidationIssue => {
  const { path, message } = issue;
  if (message === UNKNOWN_FIELD) {
    return { ...issue, message: `There is no field ${quoted(path.split(".").at(-1) ?? "")} here.` };
  }
  // Already a sentence, or a message of the database.
  if (/^[A-Z]/.test(message)) return issue;
  const name = fieldName(path);
  const subject = name.startsWith("entry ") ? name : `the ${name}`;
  return {
    ...issue,
    message: `${capitalized(PREDICATE.test(message) ? `${subject} ${message}` : message)}.`,
  };
};
