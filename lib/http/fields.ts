/** The fields that requests are made of; every request's schema is put together from these. */
import * as z from "zod/mini";
import { commonPasswordIssue, PASSWORD_LENGTH, passwordLengthIssue } from "../auth/password.ts";
import { aliasError, normalizeAlias } from "../domain/alias.ts";
import { PUSH_KINDS } from "../domain/gameEvents.ts";
import { instantOf, rfc3339 } from "../domain/time.ts";
import { joinNames, type ValidationIssue } from "../domain/validation.ts";

/** A text that `faultOf` finds nothing wrong with. */
export const checkedText = (faultOf: (text: string) => string | null) =>
  z.string().check(
    z.superRefine((text, context) => {
      const fault = faultOf(text);
      if (fault !== null) context.addIssue({ code: "custom", message: fault });
    }),
  );

/** An alias that someone is to have. */
export const NewAlias = z.lazy(() => z.pipe(checkedText(aliasError), z.transform(normalizeAlias)));

/** An alias that names someone: of any form, for one that cannot exist is merely not found. */
export const AliasRef = z.lazy(() => z.string().check(z.minLength(1), z.maxLength(200)));

/** A password that someone types in; whether it will do as a new one depends on the alias too. */
export const Password = z.lazy(() => z.string().check(z.minLength(1), z.maxLength(PASSWORD_LENGTH.max * 4)));

/** A password that someone is to have; see also {@link newPasswordIssues}. */
export const NewPassword = z.lazy(() => checkedText(passwordLengthIssue));

/** What is wrong with a new password in a body beside its form: that it is easily guessed. */
export const newPasswordIssues = async (body: unknown, field: string): Promise<ValidationIssue[]> => {
  const given = z.object({ [field]: NewPassword }).safeParse(body);
  const password = given.data?.[field];
  const message = password === undefined ? null : await commonPasswordIssue(password);
  return message === null ? [] : [{ path: field, message }];
};

/**
 * What texts must not have, by what they are for. In a name nothing that is not seen, or that turns the direction of
 * writing: it would be read as another's, or turn the text beside it. In a line and in a longer text just what does harm:
 * controls, line breaks in a line, and overrides and isolates of direction (UAX #9, sections 2.1 to 2.4), which reach beyond
 * the text when they are not closed.
 */
const FORBIDDEN = {
  name: /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}\p{Default_Ignorable_Code_Point}\u2800]/u,
  line: /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u,
  text: /(?![\n\r\t])[\p{Cc}\u202a-\u202e\u2066-\u2069]/u,
} as const;

/**
 * What is not seen and belongs into names all the same: joiners between letters, as Persian and the scripts of India are
 * written (RFC 5892, appendix A), and within emoji; variants of the character before.
 */
const JOINING = new RegExp(
  [
    "(?<=[\\p{L}\\p{M}])[\\u200c\\u200d](?=[\\p{L}\\p{M}])",
    "(?<=\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?)\\u200d(?=\\p{Extended_Pictographic})",
    "(?<=[\\p{L}\\p{N}\\p{S}])\\p{Variation_Selector}",
  ].join("|"),
  "gu",
);

const codePoint = (character: string): string =>
  `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, "0")}`;

const forbiddenIn = (value: string, kind: keyof typeof FORBIDDEN): string | null => {
  const [character] = FORBIDDEN[kind].exec(kind === "name" ? value.replaceAll(JOINING, "") : value) ?? [];
  if (character === undefined) return null;
  return `must not have the character ${codePoint(character)}, which is not seen or changes how others are shown`;
};

const lengthIn = (text: string): number => [...text].length;

/** A text of so many characters, without white space around it; a `text` may have several lines. */
export const text = (least: number, most: number, kind: keyof typeof FORBIDDEN) =>
  z.pipe(
    checkedText((value) => {
      const length = lengthIn(value.trim());
      if (length < least || length > most) return `must have ${least} to ${most} characters`;
      return forbiddenIn(value, kind);
    }),
    z.transform((value) => value.trim()),
  );

export const PersonName = z.lazy(() => text(1, 60, "name"));
export const NoteText = z.lazy(() => text(1, 280, "text"));
export const Email = z.lazy(() => z.email("must have the form name@example.org").check(z.maxLength(254)));

const KINDS_IN_WORDS = PUSH_KINDS.join(", ");

/** The kinds of push that a player wants; `null` for all, those of later versions too. */
export const PushKinds = z.lazy(() =>
  z.nullable(
    z.array(z.enum(PUSH_KINDS, { error: `must be one of ${KINDS_IN_WORDS}` })).check(
      z.maxLength(PUSH_KINDS.length, `must be a list of ${KINDS_IN_WORDS}, each once`),
      z.refine((kinds) => new Set(kinds).size === kinds.length, "names a kind twice"),
    ),
  ),
);

/**
 * The token of the device, from an earlier login. One that is not known is no fault: it is an attempt without one, and so is
 * `null`, which is what a browser has stored before its first login.
 */
export const DeviceToken = z.lazy(() => z.optional(z.nullable(z.string().check(z.maxLength(200)))));

/** A tag code as people write it. */
export const TagCode = z.string().check(z.minLength(1), z.maxLength(64));

export const PlayerId = z.uuidv4("must be the id of a player, a UUID");
export const EventId = z.uuidv7("must be the id of an event, a UUID");

/** Whether a time still has a year of four digits in UTC; one that is none at all has been found out before. */
const hasYear = (time: string): boolean => {
  const instant = instantOf(time);
  return Number.isNaN(instant) || /^\d{4}-/.test(rfc3339(instant));
};

/** A time with its zone (RFC 3339), which in UTC still has a year of four digits. */
export const ZonedTime = z.lazy(() =>
  z.iso
    .datetime({
      offset: true,
      error: "must be an RFC 3339 time with a zone, such as 2026-11-21T07:24:00Z",
    })
    .check(z.refine(hasYear, "must be in the years 0000 to 9999")),
);

/** Degrees, to about a centimetre; finer is noise, and the database bears no number as small as 1e-200. */
const degrees = (most: number) =>
  z.pipe(
    z.number().check(z.minimum(-most), z.maximum(most)),
    z.transform((value) => Math.round(value * 1e7) / 1e7 + 0),
  );
const Latitude = z.lazy(() => degrees(90));
const Longitude = z.lazy(() => degrees(180));

/** A place, or none: both numbers or neither. */
export const COORDINATES = { latitude: z.optional(Latitude), longitude: z.optional(Longitude) };

/** Faults of a place with half of it missing. */
export const bothCoordinates = z.superRefine<{
  latitude?: number | undefined;
  longitude?: number | undefined;
}>(({ latitude, longitude }, context) => {
  if ((latitude === undefined) === (longitude === undefined)) return;
  const path = latitude === undefined ? "latitude" : "longitude";
  context.addIssue({
    code: "custom",
    path: [path],
    message: `is missing: a place has latitude and longitude`,
  });
});

const isRecord = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The check that exactly one of these fields is given; made also where other fields are wrong. */
export const exactlyOneOf = (...names: string[]) =>
  z.refine<Record<string, unknown>>(
    (value) => names.filter((name) => value[name] !== undefined).length === 1,
    {
      error: `exactly one of ${joinNames(names)} is needed`,
      path: [names[0] ?? ""],
      when: ({ value }) => isRecord(value),
    },
  );

/** The check that one of these fields is given at least; made also where other fields are wrong. */
export const atLeastOneOf = (...names: string[]) =>
  z.refine<Record<string, unknown>>((value) => names.some((name) => value[name] !== undefined), {
    error: `at least one of ${joinNames(names)} is needed`,
    when: ({ value }) => isRecord(value),
  });

/** The fields that name a player, and the check that exactly one of them does. */
export const PLAYER_REF_FIELDS = { alias: z.optional(AliasRef), player_id: z.optional(PlayerId) };
export const exactlyOnePlayer = exactlyOneOf("alias", "player_id");

/** Exactly one of an alias and a player's id. */
export const PlayerRef = z.lazy(() => z.strictObject(PLAYER_REF_FIELDS).check(exactlyOnePlayer));
export type PlayerRef = z.infer<typeof PlayerRef>;

/** A whole number in a query, where everything is text. */
export const wholeNumber = (least: number, most: number, otherwise: number) =>
  z._default(
    z.pipe(
      z.string().check(z.regex(/^\d{1,6}$/, "must be a whole number")),
      z.pipe(z.transform(Number), z.int().check(z.minimum(least), z.maximum(most))),
    ),
    otherwise,
  );

/** How many on a page, and where it begins. */
export const pagingFields = (otherwise = 100, most = 1_000) => ({
  limit: wholeNumber(1, most, otherwise),
  cursor: z.optional(z.string().check(z.maxLength(4_000))),
});
