/** The border: body, query and headers of a request, taken apart and judged before anything else sees them. */
import { createHash } from "node:crypto";
import type * as z from "zod/mini";
import { DomainError, invalid } from "../domain/domainError.ts";
import { UNKNOWN_FIELD, type ValidationIssue } from "../domain/validation.ts";

type RawIssue = Parameters<z.core.$ZodErrorMap>[0];

const TYPES: Record<string, string> = {
  string: "text",
  number: "a number",
  int: "a whole number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
};

const inWords = (values: readonly unknown[]): string =>
  [values.slice(0, -1).join(", "), values.at(-1)].filter((part) => part !== "").join(" or ");

const boundInWords = (bound: unknown, which: "least" | "most", origin: string): string => {
  const number = Number(bound).toLocaleString("en");
  if (origin === "string") {
    return bound === 1 && which === "least"
      ? "must not be empty"
      : `must have at ${which} ${number} characters`;
  }
  return origin === "array" ? `must have at ${which} ${number} entries` : `must be at ${which} ${number}`;
};

/**
 * What is said of a fault that a schema finds and has no words of its own for, as it follows the name of a field
 * ({@link inSentence}). Nothing that a validator says reaches anybody.
 */
const wordsFor = (issue: RawIssue): string => {
  if (issue.input === undefined) return "is missing";
  switch (issue.code) {
    case "invalid_type":
      return `must be ${TYPES[issue.expected] ?? "something else"}`;
    case "invalid_value":
      return `must be ${inWords(issue.values)}`;
    case "too_small":
      return boundInWords(issue.minimum, "least", issue.origin);
    case "too_big":
      return boundInWords(issue.maximum, "most", issue.origin);
    default:
      return "has the wrong form";
  }
};

export const MAX_BODY_BYTES = 64 * 1024;
export const MAX_NESTING_DEPTH = 20;

const TOO_DEEP = `is nested more than ${MAX_NESTING_DEPTH} levels deep`;

const UTF8 = new TextDecoder("utf-8", { fatal: true });

/** What a request carries, as the gateway hands it over. */
export interface RawBody {
  body?: string | undefined;
  isBase64Encoded: boolean;
  headers: Record<string, string | undefined>;
}

/** Headers by their names in lower case: HTTP does not tell cases apart. */
export const lowerCaseHeaders = (headers: RawBody["headers"]): RawBody["headers"] =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));

/**
 * The body as the text that came. The local gateway hands `0` and `false` over as it has read them, whatever the
 * types say, and `null` for none.
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
  // A body without a type is taken for JSON; a form, which is what curl sends unless told, is not.
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

const textOf = ({ body, isBase64Encoded, headers }: RawBody): string => {
  if (body === undefined || !isBase64Encoded) return body ?? "";
  try {
    return UTF8.decode(Buffer.from(body, "base64"));
  } catch {
    // What is not even called JSON need not be UTF-8.
    requireJsonType(headers["content-type"]);
    throw invalid({ path: "", message: "is not UTF-8" });
  }
};

const sizeOf = ({ body, isBase64Encoded }: RawBody): number =>
  typeof body === "string" ? Buffer.byteLength(body, isBase64Encoded ? "base64" : "utf8") : 0;

/** Faults that no schema would find: what JSON can say and no program should have to bear. */
const findUnsafeValues = (value: unknown, path: string, level: number, faults: ValidationIssue[]): void => {
  if (typeof value === "string") {
    if (!value.isWellFormed())
      faults.push({ path, message: "has a broken character: half a surrogate pair" });
  } else if (typeof value === "number") {
    const beyond = Math.abs(value) > Number.MAX_SAFE_INTEGER;
    if (beyond) faults.push({ path, message: "is too large a number" });
  } else if (typeof value === "object" && value !== null) {
    if (level > MAX_NESTING_DEPTH) {
      faults.push({ path, message: TOO_DEEP });
      return;
    }
    for (const [key, inner] of Object.entries(value)) {
      const at = path === "" ? key : `${path}.${key}`;
      if (key === "__proto__") faults.push({ path: at, message: UNKNOWN_FIELD });
      else if (!key.isWellFormed()) faults.push({ path, message: "has a key with a broken character" });
      else findUnsafeValues(inner, at, level + 1, faults);
    }
  }
};

/** Something of a request that was taken apart: what it is, and every fault that was found in it. */
export interface ParseResult<T> {
  value: T;
  issues: ValidationIssue[];
}

/**
 * The body as JSON; none at all is an empty object.
 * @param most bytes that it may have
 * @throws DomainError `too_large`, `unsupported_media_type`; `invalid_request` for what is no JSON
 */
export const readJson = (raw: RawBody, most = MAX_BODY_BYTES): ParseResult<unknown> => {
  if (sizeOf(raw) > most) {
    throw new DomainError("too_large", `A body may have at most ${Math.floor(most / 1024)} KiB.`);
  }
  const text = textOf(raw);
  if (text.trim() === "") return { value: {}, issues: [] };
  requireJsonType(raw.headers["content-type"]);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw invalid({ path: "", message: "is not JSON" });
  }
  const faults: ValidationIssue[] = [];
  findUnsafeValues(value, "", 1, faults);
  // No schema is to go down there.
  if (faults.some(({ message }) => message === TOO_DEEP)) throw invalid(...distinctIssues(faults));
  return { value: value === "" ? {} : value, issues: faults };
};

const valueAt = (given: unknown, path: readonly PropertyKey[]): unknown =>
  path.reduce(
    (value: unknown, key) =>
      typeof value === "object" && value !== null ? Reflect.get(value, key) : undefined,
    given,
  );

/** A value of the shape that a schema describes, and none where there are faults. */
export const parseShape = <T>(schema: z.ZodMiniType<T>, given: unknown): ParseResult<T | undefined> => {
  const parsed = schema.safeParse(given, { error: wordsFor });
  if (parsed.success) return { value: parsed.data, issues: [] };
  const faults = parsed.error.issues.flatMap((issue): ValidationIssue[] => {
    const path = issue.path.map(String).join(".");
    if (issue.code === "unrecognized_keys") {
      return issue.keys.map((key) => ({
        path: path === "" ? key : `${path}.${key}`,
        message: UNKNOWN_FIELD,
      }));
    }
    // Some fields have words of their own for whatever is wrong with them.
    const isMissing = issue.code !== "custom" && valueAt(given, issue.path) === undefined;
    return [{ path, message: isMissing ? "is missing" : issue.message }];
  });
  return { value: undefined, issues: faults };
};

/** So many faults are named one by one; whoever sends more of them has seen enough. */
const MOST_FAULTS = 100;

/** The faults of a request, the first of each place; of very many the first, and how many there are more. */
export const distinctIssues = (faults: readonly ValidationIssue[]): ValidationIssue[] => {
  const first = new Map<string, ValidationIssue>();
  for (const fault of faults) {
    const place = fault.path === "" ? `\n${fault.message}` : fault.path;
    if (!first.has(place)) first.set(place, fault);
  }
  const all = [...first.values()];
  const more = all.length - MOST_FAULTS;
  if (more <= 0) return all;
  return [...all.slice(0, MOST_FAULTS), { path: "", message: `There are ${more} more faults.` }];
};

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;

/** The `Idempotency-Key` of a request, if it has one. */
export const parseIdempotencyKey = (headers: RawBody["headers"]): ParseResult<string | undefined> => {
  const key = headers["idempotency-key"];
  if (key === undefined || IDEMPOTENCY_KEY.test(key)) return { value: key, issues: [] };
  const message = "must have 1 to 128 visible ASCII characters";
  return { value: undefined, issues: [{ path: "Idempotency-Key", message }] };
};

/** JSON with its keys in order, so that the same request always reads the same. */
const canonical = (value: unknown): string => {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const fields = Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, inner]) => `${JSON.stringify(key)}:${canonical(inner)}`);
  return `{${fields.join(",")}}`;
};

/** What tells one request from another under the same key: method, path and canonical body. */
export const fingerprintRequest = (method: string, path: string, body: unknown): string =>
  createHash("sha256")
    .update(`${method} ${path}\n${canonical(body)}`)
    .digest("base64url");
