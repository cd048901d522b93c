/** Parses and validates body, query and headers of a request. */
import type * as z from "zod/mini";
import { DomainError, invalidRequest } from "../domain/domainError.ts";
import { UNKNOWN_FIELD, type ValidationIssue } from "../domain/validation.ts";
import { isRecord, property } from "../runtime/objects.ts";
import { sha256 } from "../runtime/sha256.ts";

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const TYPES: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const orList = (values: readonly unknown[]): string =>
  [values.slice(0, -1).join(", "), values.at(-1)].filter((part) => part !== "").join(" or ");

const boundMessage = (bound: unknown, which: "least" | "most", origin: string): string => {
  const number = Number(bound).toLocaleString("en");
  if (origin === "string") {
    return bound === 1 && which === "least"
      ? "must not be empty"
      : `must have at ${which} ${number} characters`;
  }
  if (origin === "array") return `must have at ${which} ${number} ${bound === 1 ? "entry" : "entries"}`;
  return `must be at ${which} ${number}`;
};

/**
 * The message of an issue for which the schema has no message. It follows the name of the field (`asSentence` in
 * lib/domain/validation.ts). So clients never see a message of the validation library.
 */
const issueMessage = (issue: RawIssue): string => {
  if (issue.input === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? "of another type"}`;
    case "invalid_value":
      return `must be ${orList(issue.values)}`;
    case "too_small":
      return boundMessage(issue.minimum, "least", issue.origin);
    case "too_big":
      return boundMessage(issue.maximum, "most", issue.origin);
    default:
      return "has the wrong form";
  }
};

export const MAX_BODY_BYTES = 64 * 1024;
export const MAX_NESTING_DEPTH = 20;

const TOO_DEEP = `is nested more than ${MAX_NESTING_DEPTH} levels deep`;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** The body of a request as the gateway passed it on. */
export interface RawBody {
  body?: string | undefined;
  isBase64Encoded: boolean;
  headers: Record<string, string | undefined>;
}

/** Headers by their names in lower case; header names are case-insensitive. */
export const lowerCaseHeaders = (headers: RawBody["headers"]): RawBody["headers"] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * The body of an event as text. Despite its types, the local gateway passes on `0` and `false` parsed, and `null` for no
 * body.
 */
export const toRawBody = (
  event: { body?: unknown; isBase64Encoded: boolean },
  headers: RawBody["headers"],
): RawBody => {
  const { body, isBase64Encoded } = event;
  const text = typeof body === "string" ? body : JSON.stringify(body ?? undefined);
  return { body: text, isBase64Encoded, headers };
};

const requireJsonType = (contentType: string | undefined): void => {
  // A body without a type counts as JSON; a form, which is curl's default, does not.
  if (contentType === undefined || contentType.trim() === "") return;
  const [type = "", ...parameters] = contentType
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith("charset="));
  const utf8 = charset === undefined || ["utf-8", "utf8"].includes(charset.slice(8).replaceAll('"', ""));
  if ((type === "application/json" || type.endsWith("+json")) && utf8) return;
  throw new DomainError(
    "unsupported_media_type",
    "The body must be JSON in UTF-8: Content-Type: application/json.",
  );
};

const encodingOf = ({ isBase64Encoded }: RawBody) => (isBase64Encoded ? "base64" : "utf8");

const textOf = (raw: RawBody): string => {
  try {
    // Decoding also drops the byte order mark that programs on Windows put in front.
    return UTF8.decode(Buffer.from(raw.body ?? "", encodingOf(raw)));
  } catch {
    // An error about a wrong content type is more helpful.
    requireJsonType(raw.headers["content-type"]);
    throw invalidRequest({ path: "", message: "is not UTF-8" });
  }
};

const sizeOf = (raw: RawBody): number => Buffer.byteLength(raw.body ?? "", encodingOf(raw));

/** Finds values that are valid JSON and that no endpoint accepts, such as numbers beyond the safe integers. */
const findUnsafeValues = (value: unknown, path: string, level: number, issues: ValidationIssue[]): void => {
  if (typeof value === "string") {
    if (!value.isWellFormed())
      issues.push({ path, message: "has an invalid character: half a surrogate pair" });
  } else if (typeof value === "number") {
    const isTooLarge = Math.abs(value) > Number.MAX_SAFE_INTEGER;
    if (isTooLarge) issues.push({ path, message: "is too large a number" });
  } else if (typeof value === "object" && value !== null) {
    if (level > MAX_NESTING_DEPTH) {
      issues.push({ path, message: TOO_DEEP });
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      const at = path === "" ? key : `${path}.${key}`;
      if (key === "__proto__") issues.push({ path: at, message: UNKNOWN_FIELD });
      else if (!key.isWellFormed()) issues.push({ path, message: "has a key with an invalid character" });
      else findUnsafeValues(inner, at, level + 1, issues);
    }
  }
};

/** A parsed part of a request, and every issue that was found in it. */
export interface ParseResult<T> {
  value: T;
  issues: ValidationIssue[];
}

/**
 * Parses the body as JSON; an empty body is an empty object.
 * @throws DomainError `too_large`, `unsupported_media_type`; `invalid_request` for malformed JSON
 */
export const readJson = (raw: RawBody, maxBytes = MAX_BODY_BYTES): ParseResult<unknown> => {
  if (sizeOf(raw) > maxBytes) {
    throw new DomainError("too_large", `A body may have at most ${Math.floor(maxBytes / 1024)} KiB.`);
  }
  const text = textOf(raw);
  if (text.trim() === "") return { value: {}, issues: [] };
  requireJsonType(raw.headers["content-type"]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalidRequest({ path: "", message: "is not JSON" });
  }
  const issues: ValidationIssue[] = [];
  findUnsafeValues(value, "", 1, issues);
  // Schemas must not recurse into a value that is nested too deep.
  if (issues.some(({ message }) => message === TOO_DEEP)) throw invalidRequest(...distinctIssues(issues));
  return { value: value === "" ? {} : value, issues };
};

const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce<unknown>(property, given);

const isValue = (entry: [string, unknown]): entry is [string, string | number] =>
  typeof entry[1] === "string" || typeof entry[1] === "number";

/** The values of an issue's message, if a check has given some. */
const paramsOf = (given: unknown): ValidationIssue["params"] =>
  isRecord(given) ? Object.fromEntries(Object.entries(given).filter(isValue)) : undefined;

/** Validates a value by a schema. The result is `undefined` where there are issues. */
export const parseShape = <T>(schema: z.ZodMiniType<T>, given: unknown): ParseResult<T | undefined> => {
  const parsed = schema.safeParse(given, { error: issueMessage });
  if (parsed.success) return { value: parsed.data, issues: [] };
  const issues = parsed.error.issues.flatMap((issue): ValidationIssue[] => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: path === "" ? key : `${path}.${key}`,
        message: UNKNOWN_FIELD,
      }));
    }
    // Some fields have one message of their own for every issue; a missing field is still reported as missing.
    const isMissing = issue.code !== "custom" && valueAt(given, issue.path) === undefined;
    if (isMissing) return [{ path, message: "is missing" }];
    const params = issue.code === "custom" ? paramsOf(issue.params) : undefined;
    return [{ path, message: issue.message, ...(params === undefined ? {} : { params }) }];
  });
  return { value: undefined, issues };
};

/** The maximum number of issues that a response lists; the rest are counted. */
const MAX_LISTED_ISSUES = 100;

/** The issues of a request, one for each path, up to a limit. */
export const distinctIssues = (issues: readonly ValidationIssue[]): ValidationIssue[] => {
  const first = new Map<string, ValidationIssue>();
  for (const issue of issues) {
    const key = issue.path === "" ? `\n${issue.message}` : issue.path;
    if (!first.has(key)) first.set(key, issue);
  }
  const all = [...first.values()];
  const more = all.length - MAX_LISTED_ISSUES;
  if (more <= 0) return all;
  return [...all.slice(0, MAX_LISTED_ISSUES), { path: "", message: `There are ${more} more issues.` }];
};

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/** Reads the `Idempotency-Key` of a request, if it has one. */
export const parseIdempotencyKey = (headers: RawBody["headers"]): ParseResult<string | undefined> => {
  const key = headers["idempotency-key"];
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return { value: key, issues: [] };
  const message = "must have 1 to 128 visible ASCII characters";
  return { value: undefined, issues: [{ path: "Idempotency-Key", message }] };
};

/** JSON with sorted keys, so that equal requests have equal texts. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`);
  return `{${fields.join(",")}}`;
};

/** A hash of method, path and body, which distinguishes requests with the same idempotency key. */
export const fingerprintRequest = (method: string, path: string, body: unknown): string =>
  sha256(`${method} ${path}\n${canonical(body)}`);
