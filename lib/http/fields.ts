/** The fields of requests, from which every request schema is built. */
import * as z from "zod/mini";
import { commonPasswordIssue, PASSWORD_LENGTH, passwordLengthIssue } from "../auth/password.ts";
import { ALIAS_LENGTH, normalizeAlias } from "../domain/accounts/alias.ts";
import { aliasIssue } from "../domain/accounts/aliasRules.ts";
import { EMAIL_LENGTH, emailError } from "../domain/accounts/emailAddress.ts";
import { LABEL_LENGTH, labelError, normalizeLabel } from "../domain/accounts/labels.ts";
import { OPTIONAL_MAILS } from "../domain/mail/optionalMails.ts";
import { AUDIENCES } from "../domain/notifications/audiences.ts";
import { AUDIENCE_LENGTH, parseAudience } from "../domain/notifications/push.ts";
import { PUSH_KINDS } from "../domain/notifications/pushKinds.ts";
import { instantOf, isNear, NOW } from "../domain/time.ts";
import { joinNames, type ValidationIssue } from "../domain/validation.ts";
import { invocationTime } from "../runtime/invocation.ts";
import { isRecord } from "../runtime/objects.ts";
import { checkedText, text } from "./textFields.ts";

/** An alias that a player chooses. */
export const NewAlias = z.lazy(() =>
  z.pipe(checkedText(aliasIssue, ALIAS_LENGTH), z.transform(normalizeAlias)),
);

/** An alias that refers to a player. Any form is allowed: an impossible alias is not found. */
export const AliasRef = z.lazy(() =>
  z.pipe(
    z.string().check(z.minLength(1), z.maxLength(200)),
    z.transform((alias) => alias.trim()),
  ),
);

/** An alias, or the confirmed e-mail address of an account. */
export const AliasOrEmail = z.lazy(() =>
  z.pipe(
    z.string().check(z.minLength(1), z.maxLength(EMAIL_LENGTH.max)),
    z.transform((name) => name.trim()),
  ),
);

/** A password as entered. It need not meet the rules for new passwords. */
export const Password = z.lazy(() => z.string().check(z.minLength(1), z.maxLength(PASSWORD_LENGTH.max * 4)));

/** A password that a player chooses; see also {@link newPasswordIssues}. */
export const NewPassword = z.lazy(() => checkedText(passwordLengthIssue, PASSWORD_LENGTH));

/** Finds whether a new password in a body is easily guessed. */
export const newPasswordIssues = async (body: unknown, field: string): Promise<ValidationIssue[]> => {
  const given = z.object({ [field]: NewPassword }).safeParse(body);
  const password = given.data?.[field];
  const message = password === undefined ? null : await commonPasswordIssue(password);
  return message === null ? [] : [{ path: field, message }];
};

/** A first or last name, with one space at a time. */
export const PersonName = z.lazy(() =>
  z.pipe(
    text(1, 60, "name"),
    z.transform((name) => name.replaceAll(/\p{Zs}+/gu, " ")),
  ),
);

/** An e-mail address, as it was typed. */
export const Email = z.lazy(() =>
  z.pipe(
    checkedText(emailError, { ...EMAIL_LENGTH, format: "idn-email" }),
    z.transform((email) => email.trim()),
  ),
);

/** Kinds that a player switches on; `null` for all, including kinds of later versions. */
const kindsOf = <K extends string>(kinds: readonly [K, ...K[]]) =>
  z.nullable(
    z.array(z.enum(kinds, { error: `must be one of ${kinds.join(", ")}` })).check(
      z.maxLength(kinds.length, `must be a list of ${kinds.join(", ")}, each once`),
      z.refine((given) => new Set(given).size === given.length, "must not have a kind twice"),
    ),
  );

/** The kinds of push that a player switches on. */
export const PushKinds = z.lazy(() => kindsOf(PUSH_KINDS));

/** The kinds of optional mails that a player switches on. */
export const MailKinds = z.lazy(() => kindsOf(OPTIONAL_MAILS));

/**
 * The device token of an earlier login. An unknown one is ignored, and so is `null`, which a client may send before its
 * first login.
 */
export const DeviceToken = z.lazy(() => z.optional(z.nullable(z.string().check(z.maxLength(200)))));

/** A label that game masters give to players. */
export const Label = z.lazy(() => z.pipe(checkedText(labelError, LABEL_LENGTH), z.transform(normalizeLabel)));

export const NewAudience = z.lazy(() =>
  z.pipe(
    checkedText(
      (text) =>
        parseAudience(text) === null
          ? `must be ${AUDIENCES.join(", ")}, or label: and a label, such as label:waiver`
          : null,
      AUDIENCE_LENGTH,
    ),
    z.transform((text) => parseAudience(text) ?? "all"),
  ),
);

/** A tag code as people write it. */
export const TagCode = z.string().check(z.minLength(1), z.maxLength(64));

export const PlayerId = z.uuidv4("must be the id of a player, a UUID");
/** The public reference of a player. Any text is allowed: one of another form is not found. */
export const PlayerReference = z.lazy(() => z.string().check(z.minLength(1), z.maxLength(64)));
export const EventId = z.uuidv7("must be the id of an event, a UUID");

/** Whether a time is near the request. A malformed time is reported elsewhere. */
const isNearRequest = (time: string): boolean => {
  const instant = instantOf(time);
  return Number.isNaN(instant) || isNear(instant, invocationTime());
};

const zonedTime = () =>
  z.iso
    .datetime({
      offset: true,
      error: "must be an RFC 3339 time with a zone, such as 2026-11-21T07:24:00Z",
    })
    .check(z.maxLength(64));

/**
 * A time with its zone (RFC 3339), within ten years of the service's clock: what is computed of a time, such as a
 * schedule or statistics, then stays small.
 */
export const ZonedTime = z.lazy(() =>
  zonedTime().check(z.refine(isNearRequest, "must be within ten years of now")),
);

/** Like `ZonedTime`, or `now`. What is neither is described as a time. */
export const ZonedTimeOrNow = z.lazy(() =>
  z.union([ZonedTime, z.literal(NOW)], {
    error: ({ errors }) => (Array.isArray(errors) ? errors[0]?.[0]?.message : undefined),
  }),
);

/** A stored text as a form has read it, to which no rule for new texts applies. */
export const EarlierText = z.lazy(() => z.nullable(z.string().check(z.maxLength(2_000))));

/** When a tag happened, by a player's phone, whose clock may be of 1970: the report window bounds it (`readTagTime`). */
export const TagTime = z.lazy(zonedTime);

/** Degrees, rounded to about a centimetre; the database rejects numbers as small as 1e-200. */
const degrees = (max: number) =>
  z.pipe(
    z.number().check(z.minimum(-max), z.maximum(max)),
    z.transform((value) => Math.round(value * 1e7) / 1e7 + 0),
  );
const Latitude = z.lazy(() => degrees(90));
const Longitude = z.lazy(() => degrees(180));

/** The fields of a place; see also {@link bothCoordinates}. */
export const COORDINATES = { latitude: z.optional(Latitude), longitude: z.optional(Longitude) };

/** The same in a change, where `null` removes them. */
export const REMOVABLE_COORDINATES = {
  latitude: z.optional(z.nullable(Latitude)),
  longitude: z.optional(z.nullable(Longitude)),
};

/** The check that both coordinates are given, or neither. */
export const bothCoordinates = z.superRefine<{
  latitude?: number | null | undefined;
  longitude?: number | null | undefined;
}>(({ latitude, longitude }, context) => {
  if (typeof latitude === typeof longitude) return;
  const path = latitude == null && longitude !== undefined ? "latitude" : "longitude";
  context.addIssue({
    code: "custom",
    path: [path],
    message: `is missing: a place has latitude and longitude`,
  });
});

const countGiven = (value: Record<string, unknown>, names: readonly string[]): number =>
  names.filter((name) => value[name] !== undefined).length;

/** The check that exactly one of these fields is given. It runs even where other fields are invalid. */
export const exactlyOneOf = (...names: string[]) =>
  z.refine<Record<string, unknown>>((value) => countGiven(value, names) === 1, {
    error: `exactly one of ${joinNames(names)} is required`,
    path: [names[0] ?? ""],
    when: ({ value }) => isRecord(value),
  });

/** The check that at most one of these fields is given. */
export const atMostOneOf = (...names: string[]) =>
  z.refine<Record<string, unknown>>((value) => countGiven(value, names) <= 1, {
    error: `at most one of ${joinNames(names)} is possible`,
    path: [names[0] ?? ""],
  });

/** The check that at least one of these fields is given. It runs even where other fields are invalid. */
export const atLeastOneOf = (...names: string[]) =>
  z.refine<Record<string, unknown>>((value) => countGiven(value, names) > 0, {
    error: `at least one of ${joinNames(names)} is required`,
    when: ({ value }) => isRecord(value),
  });

/** The fields that refer to a player, and the check that exactly one of them is given. */
export const PLAYER_REF_FIELDS = { alias: z.optional(AliasRef), player_id: z.optional(PlayerId) };
export const exactlyOnePlayer = exactlyOneOf("alias", "player_id");

/** Exactly one of an alias and a player's id. */
export const PlayerRef = z.lazy(() => z.strictObject(PLAYER_REF_FIELDS).check(exactlyOnePlayer));
export type PlayerRef = z.infer<typeof PlayerRef>;

/** A whole number in a query, where every value is text. */
const digitsBetween = (min: number, max: number) =>
  z.pipe(
    z.string().check(z.regex(/^\d{1,6}$/, "must be a whole number")),
    z.pipe(z.transform(Number), z.int().check(z.minimum(min), z.maximum(max))),
  );

/** The same with a default value; see {@link digitsBetween}. */
export const wholeNumber = (min: number, max: number, defaultValue: number) =>
  z._default(digitsBetween(min, max), defaultValue);

/** The same without one. */
export const optionalWholeNumber = (min: number, max: number) => z.optional(digitsBetween(min, max));

/** The size of a page, and the cursor at which it begins. */
export const pagingFields = (defaultLimit = 100, maxLimit = 1_000) => ({
  limit: wholeNumber(1, maxLimit, defaultLimit),
  cursor: z.optional(z.string().check(z.maxLength(4_000))),
});

/** What the API document says of fields that several requests have, wherever they are. */
export const FIELD_PROSE = {
  cookie: "`true` also sets the session cookie.",
  cursor: "`next_cursor` of the page before; the first page by default.",
  device_token:
    "A secret of the device, from an earlier login. With it, failed attempts from other devices do not delay this one.",
  job_id: "The id of the job.",
  latitude: "In degrees, together with `longitude`.",
  limit: "How many entries a page has.",
  longitude: "In degrees, together with `latitude`.",
  next_cursor: "The `cursor` of the next page; `null` on the last one.",
  password: "The password.",
  player_id: "The id of a player.",
  reason: "Why, in the words of the game master.",
};
