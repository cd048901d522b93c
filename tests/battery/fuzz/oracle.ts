/** What may come of a request: the contract's order of checks, its codes, and its rules that no schema holds. */
import * as z from "zod/mini";
import { isCommonPassword } from "../../../lib/auth/commonPasswords.ts";
import { foldAlias } from "../../../lib/domain/alias.ts";
import type { Handler } from "../../../lib/http/definition.ts";
import { TAKES_PICTURES } from "../../contract/bodies.ts";
import type { EndpointContract } from "../../contract/seed.ts";
import type { RequestOptions, Someone } from "../../support/service.ts";
import { JOIN_CODE, type Scene } from "./scene.ts";
import type { Sent } from "./sent.ts";
import { isKnownStatement, isTurned, MAY_FAIL } from "./words.ts";

const TARGET = ["player_not_found", "wrong_state"];

/** What the rules of the game may make of a valid request, by its route. */
const RULES: Record<string, string[]> = {
  "POST /admin/corpsify/{url_id}": TARGET,
  "POST /admin/cure/{url_id}": TARGET,
  "POST /admin/revive_h/{url_id}": TARGET,
  "POST /admin/revive_z/{url_id}": TARGET,
  "POST /admin/feed_player/{url_id}": TARGET,
  "POST /admin/edit_player/{url_id}": ["player_not_found", "alias_taken", "last_administrator"],
  "POST /admin/remove_player/{url_id}": ["player_not_found", "last_administrator"],
  "POST /admin/recover_password/{url_id}": ["player_not_found"],
  "POST /admin/set_checkpoint/{url_id}": ["busy"],
  "POST /admin/player_at_checkpoint/{url_id}": [
    ...TARGET,
    ...["no_checkpoint", "unknown_tag_code", "already_tagged", "closed"],
  ],
  "POST /admin/kill_all_not_at_checkpoint/{url_id}": ["no_checkpoint", "checkpoint_changed", "busy"],
  "POST /admin/void_hunt/{url_id}": ["not_found", "wrong_state"],
  "POST /new": ["alias_taken"],
  "POST /login": ["bad_credentials", "too_many_attempts"],
  "POST /change_password": ["bad_credentials", "too_many_attempts"],
  "DELETE /delete_player/{url_id}": ["last_administrator"],
  "POST /edit_player/{url_id}": ["alias_taken"],
  "POST /get_player/{url_id}": ["player_not_found"],
  "GET /pfp/{url_id}": ["no_picture"],
  "POST /get_pfp/{url_id}": ["player_not_found", "no_picture"],
  "POST /set_pfp/{url_id}": ["too_large", "unsupported_media_type"],
  "POST /zombie/hunt/{url_id}": [
    ...TARGET,
    ...["too_many_attempts", "unknown_tag_code", "already_tagged", "too_early"],
  ],
  "GET /zombie/next_feeding/{url_id}": ["wrong_state"],
  "GET /interactions/tree/{url_id}": ["not_found"],
  "GET /notifications/status/{url_id}": ["not_found"],
};

/** What becomes of an asker who has left meanwhile, or has taken the right from themselves: whatever they send. */
const GONE: Record<string, string[]> = {
  "POST /admin/edit_player/{url_id}": ["not_administrator"],
  "POST /admin/remove_player/{url_id}": ["token_rejected", "player_not_found"],
  "DELETE /delete_player/{url_id}": ["token_rejected", "player_not_found"],
};

/** What a request may be answered with: these codes and no other, and whether it may succeed. */
export interface Lawful {
  codes: readonly string[];
  success: boolean;
  /** What a 400 must name. */
  named: readonly string[];
}

const only = (...codes: string[]): Lawful => ({ codes, success: false, named: [] });

const MOST_BYTES = 64 * 1024;
const MOST_NESTING = 20;

const utf8 = new TextDecoder("utf-8", { fatal: true });

const isJsonType = (type: string | undefined): boolean =>
  type === undefined ||
  type.trim() === "" ||
  /^\s*(application\/json|[^;\s]*\+json)\s*(;\s*charset="?utf-?8"?\s*)?$/i.test(type);

/** Whether there is anything in it that no program should have to bear. */
const isStrange = (value: unknown, level = 1): boolean => {
  if (typeof value === "string") return !value.isWellFormed();
  if (typeof value === "number") return Math.abs(value) > Number.MAX_SAFE_INTEGER;
  if (typeof value !== "object" || value === null) return false;
  if (level > MOST_NESTING) return true;
  return Object.entries(value).some(
    ([key, inner]) => key === "__proto__" || !key.isWellFormed() || isStrange(inner, level + 1),
  );
};

/** The body of a request as its endpoint reads it, or the code that it is refused with. */
const bodyOf = (raw: RequestOptions["raw"]): { value: unknown } | { code: string } => {
  const { body = "", type } = raw ?? {};
  const bytes = Buffer.from(body);
  if (bytes.length > MOST_BYTES) return { code: "too_large" };
  let text = String(body);
  if (Buffer.isBuffer(body)) {
    try {
      text = utf8.decode(body);
    } catch {
      return { code: isJsonType(type) ? "invalid_request" : "unsupported_media_type" };
    }
  }
  if (text.trim() === "") return { value: {} };
  if (!isJsonType(type)) return { code: "unsupported_media_type" };
  try {
    const value: unknown = JSON.parse(text);
    if (isStrange(value)) return { code: "invalid_request" };
    return { value: value === "" ? {} : value };
  } catch {
    return { code: "invalid_request" };
  }
};

const record = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {};

const MOST_MESSAGE_BYTES = 3 * 1024;
const PUSH_SERVICE =
  /^https:\/\/(fcm\.googleapis\.com|updates\.push\.services\.mozilla\.com|web\.push\.apple\.com|wns2-by3p\.notify\.windows\.com)\/[\w/?=-]+$/;

const wrong = "wrong";
const right = "right";
/** Who knows: whether it is wrong, only the service's own rules can say. */
const open = "open";

/** What the rules that no schema holds say of a request that its schemas accept. */
const furtherFault = (
  route: string,
  given: unknown,
  query: Record<string, unknown>,
  on: Scene,
  asker: Someone | null,
) => {
  const body = record(given);
  const isWeak = (password: unknown, alias: unknown): boolean =>
    foldAlias(String(password)) === foldAlias(String(alias)) || isCommonPassword(String(password));
  switch (route) {
    case "POST /new":
      return body.join_code !== JOIN_CODE || isWeak(body.password, body.alias) ? wrong : right;
    case "POST /change_password":
      return isWeak(body.new_password, body.alias) ? wrong : right;
    case "POST /zombie/hunt/{url_id}": {
      const ago = body.hunted_at === undefined ? 0 : Date.now() - Date.parse(String(body.hunted_at));
      const sharers = [asker?.alias, ...(Array.isArray(body.share_with) ? body.share_with : [])].map((one) =>
        foldAlias(String(one)),
      );
      if (new Set(sharers).size < sharers.length) return wrong;
      // Both ends of the six hours lie in the time that the request takes.
      if (Math.abs(ago) < 60_000 || Math.abs(ago - 6 * 3_600_000) < 60_000) return open;
      return ago < 0 || ago > 6 * 3_600_000 ? wrong : right;
    }
    case "POST /notifications/subscribe/{url_id}":
      return PUSH_SERVICE.test(String(body.endpoint)) && String(body.endpoint).length <= 2_048 ? right : open;
    case "POST /notifications/send/{url_id}": {
      const bytes = Buffer.byteLength(JSON.stringify(body));
      return bytes < MOST_MESSAGE_BYTES / 2 ? right : open;
    }
    case "POST /admin/inject_sql/{url_id}": {
      const { statement, parameters, cursor } = body;
      const isOwn = isTurned(on, route, { cursor }) && isKnownStatement(statement, parameters);
      if (cursor !== undefined && !isOwn) return wrong;
      if (!isKnownStatement(statement, parameters)) return open;
      return MAY_FAIL.test(String(statement)) ? open : right;
    }
    default:
      return query.cursor !== undefined && !isTurned(on, route, query) ? wrong : right;
  }
};

/** A picture on its way in is not JSON, or in JSON is none yet. */
const asRead = (route: string, value: unknown): unknown => {
  const { image, ...rest } = record(value);
  if (route !== TAKES_PICTURES || typeof image !== "string") return value;
  const digits = image.replace(/^data:[^,]*;base64,/i, "").replaceAll(/[\r\n]/g, "");
  const isBase64 = digits.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(digits);
  return isBase64 ? { ...rest, image: Buffer.from(digits, "base64") } : value;
};

const IDEMPOTENCY_KEY = /^[\x21-\x7e]{1,128}$/;
const PICTURE_TYPE = /^(image\/|application\/octet-stream)/i;

const Nothing = z.strictObject({});

/** What may come of a request. */
export const lawful = (
  { route, access }: EndpointContract,
  own: Handler["endpoint"],
  on: Scene,
  asker: Someone | null,
  { asking, wrong: asked }: Sent,
): Lawful => {
  if (access !== "public" && asking.id !== undefined && asking.id !== asker?.id)
    return only("token_rejected");
  const gone = GONE[route] ?? [];
  // Of a logout the token is looked at last.
  const rules = [...(RULES[route] ?? []), ...gone, ...(route === "POST /logout" ? ["token_rejected"] : [])];
  const isMaster = asker === on.gm || asker === on.second;
  if (access === "administrator" && !isMaster) return only("not_administrator", ...gone);
  const isRead = own.route.startsWith("GET ") === false;
  const isPicture = route === TAKES_PICTURES && PICTURE_TYPE.test(asking.raw?.type ?? "");
  if (isPicture) {
    return { codes: ["invalid_request", ...rules], success: true, named: [] };
  }
  const read = isRead ? bodyOf(asking.raw) : { value: {} };
  if ("code" in read && !(read.code === "too_large" && route === TAKES_PICTURES))
    return only(read.code, ...gone);
  const value = asRead(route, "value" in read ? read.value : {});
  const query = asking.query ?? {};
  const key = asking.key ?? asking.headers?.["idempotency-key"];
  const isBadKey = own.isIdempotent && key !== undefined && !IDEMPOTENCY_KEY.test(key);
  const fits =
    z.safeParse(own.request.body ?? Nothing, value).success &&
    z.safeParse(own.request.query ?? Nothing, query).success &&
    !isBadKey;
  const further = furtherFault(route, value, query, on, asker);
  // The key is looked at after the body is found valid; other faults are told together.
  const named = asked.filter((path) => path !== "Idempotency-Key" || further === right);
  if (!fits || asked.length > 0) return { ...only("invalid_request", ...gone), named };
  // What only the rules find wrong comes after a key that was used for something else.
  const keyed = own.isIdempotent && key !== undefined ? ["key_reused"] : [];
  if (further === wrong) return { ...only("invalid_request", ...keyed, ...gone), named };
  return {
    codes: [
      ...rules,
      ...(further === open ? ["invalid_request"] : []),
      ...(own.isIdempotent && key !== undefined ? ["key_reused", "in_progress"] : []),
    ],
    success: true,
    named,
  };
};
