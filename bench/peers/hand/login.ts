/** A login by hand, with the same check of the password as ours. */
import { createHash, randomBytes } from "node:crypto";
import { v7 } from "uuid";
import { verifyPassword } from "../../../lib/auth/password.ts";
import { type Asked, answering, bad, DAY, folded, type Sessions } from "./requests.ts";
import { Forbidden, iso, type Player } from "./rules.ts";
import { ABSENT, checkRev, get, getMany, putWhere, revIs, transact } from "./table.ts";

/** So many sessions has a player at once. */
const MOST_SESSIONS = 20;

const BAD_CREDENTIALS = (): Forbidden =>
  new Forbidden(401, "bad_credentials", "The alias or the password is wrong.");

const takeLogin = async ({ body, requestId }: Asked, now: number): Promise<object> => {
  if (typeof body !== "object" || body === null || Array.isArray(body)) throw bad("", "is no object");
  const { alias, password, ...rest } = Object.fromEntries(Object.entries(body));
  for (const name of Object.keys(rest)) throw bad(name, "is not known here");
  if (typeof alias !== "string" || alias === "") throw bad("alias", "has 1 to 200 characters");
  if (typeof password !== "string" || password === "") throw bad("password", "has 1 to 512 characters");
  const guard = await get<{ player_id: string }>(`ALIAS#${folded(alias)}`, "ALIAS");
  if (guard === null) throw BAD_CREDENTIALS();
  const { player_id: id } = guard;
  const secret = `SECRET#${id}`;
  const places = [
    [`PLAYER#${id}`, "PROFILE"],
    [secret, "CREDENTIAL"],
    [secret, "SESSIONS"],
  ] as const;
  // Whoever writes a handler by hand trusts what lies in the table.
  const [me, credential, before] = (await getMany(places, false)) as [
    Player | null,
    { rev: number; hash: string } | null,
    Sessions | null,
  ];
  if (me === null || credential === null || !(await verifyPassword(password, credential.hash)))
    throw BAD_CREDENTIALS();
  const token = `hvz1.${id}.${randomBytes(32).toString("base64url")}`;
  const hash = createHash("sha256").update(token).digest("base64url");
  const session = { hash, created_at: now, last_used: now, expires_at: now + 30 * DAY };
  const sessions = [...(before?.sessions ?? []), session].slice(-MOST_SESSIONS);
  const rev = (before?.rev ?? now) + 1;
  const entry = { at: iso(now), action: "login", actor: id, target: id, request_id: requestId };
  await transact([
    putWhere(
      { ...before, pk: secret, sk: "SESSIONS", rev, sessions },
      before === null ? ABSENT : revIs(before.rev),
    ),
    checkRev(secret, "CREDENTIAL", credential.rev),
    putWhere({ ...entry, pk: "LOGS#0", sk: v7(), outcome: "done", details: {} }),
  ]);
  const { is_admin } = me;
  return {
    player_id: id,
    alias: me.alias,
    is_admin,
    token,
    token_type: "Bearer",
    expires_at: iso(session.expires_at),
  };
};

export const login = answering("POST /login", takeLogin);
