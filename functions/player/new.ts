/** POST /new: registers a player; with `login`, also opens a session. */
import * as z from "zod/mini";
import { joinCodeIssues } from "../../lib/app/accounts/joinCode.ts";
import { registerPlayer } from "../../lib/app/accounts/registration.ts";
import type { Registered } from "../../lib/app/accounts/registrationCall.ts";
import { passwordDigest } from "../../lib/auth/password.ts";
import { limitRegistrations } from "../../lib/auth/rateLimit.ts";
import { foldAlias } from "../../lib/domain/accounts/alias.ts";
import type { ValidationIssue } from "../../lib/domain/validation.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Email, NewAlias, NewPassword, newPasswordIssues, PersonName } from "../../lib/http/fields.ts";
import { Cookie, NewPlayerReturn, openWithCookie, sessionView } from "../../lib/http/login.ts";
import { NewSignature } from "../../lib/http/waiver.ts";
import { isRecord } from "../../lib/runtime/objects.ts";

const NewPlayer = z.strictObject({
  alias: NewAlias,
  password: NewPassword,
  first_name: z.optional(z.nullable(PersonName)),
  last_name: z.optional(z.nullable(PersonName)),
  email: z.optional(z.nullable(Email)),
  wants_original: z.optional(z.boolean()),
  join_code: z.optional(z.string().check(z.maxLength(200))),
  setup: z.optional(z.string().check(z.maxLength(64))),
  signature: z.optional(NewSignature),
  login: z.optional(z.boolean()),
  cookie: Cookie,
});

/** The join code in a body, which may be a guess. */
const joinCodeIn = (body: unknown): string | undefined =>
  isRecord(body) && typeof body.join_code === "string" ? body.join_code : undefined;

/** `cookie` requires `login`, because otherwise there is no session. */
const cookieIssues = (body: unknown): ValidationIssue[] =>
  isRecord(body) && body.cookie === true && (body.login ?? false) === false
    ? [{ path: "cookie", message: "may be true only together with login" }]
    : [];

export const handler = endpoint({
  route: "POST /new",
  access: "public",
  request: { body: NewPlayer },
  response: { schema: NewPlayerReturn, status: 201 },
  idempotency: {
    scope: ({ alias }) => `NEW#${foldAlias(alias)}`,
    fingerprintedBody: async (body, key, { cost }) => ({
      ...body,
      password: await passwordDigest(body.password, `${key} ${foldAlias(body.alias)}`, cost),
    }),
  },
  rateLimit: async ({ services, clientAddress, now, body, isValid }) => {
    // Attempts at the join code are counted even if the rest of the body is invalid.
    if (isValid || joinCodeIn(body) !== undefined) await limitRegistrations(services, clientAddress, now);
  },
  validate: async (body, services) => [
    ...(await newPasswordIssues(body, "password")),
    // Whoever has the set-up secret needs no join code.
    ...(isRecord(body) && "setup" in body ? [] : await joinCodeIssues(services, joinCodeIn(body))),
    ...cookieIssues(body),
  ],
  run: (call) => openWithCookie(call, () => registerPlayer(call, call.body)),
  view: ({ player, opened }: Registered) => ({ ...player, ...(opened === null ? {} : sessionView(opened)) }),
});

export const docs: EndpointDocs = {
  summary: "Register",
  description:
    "Creates a player: a human, or a spectator if game masters have to admit newcomers. Somebody who left during the game comes back as if they had stayed if the password is the same; with only the same alias or e-mail address, they wait for a game master. If the game has a waiver, who does not sign it here waits until they have, and who is under the minimum age for a game master or their birthday. With `login: true`, also opens a session like `/login`. With `setup`, the player is the first game master, who does not play.",
  errors: [
    ...(["banned", "alias_taken", "registration_closed", "already_set_up", "bad_credentials"] as const),
    "changed_meanwhile",
    "too_many_attempts",
  ],
  fields: {
    join_code: "The code that the club gives to new players, if it requires one.",
    setup: "The secret that `npm start` and `npm run deploy` print while there is no game master.",
    signature: "The signature of the waiver, as `POST /player/sign` takes it.",
    login: "`true` also opens a session.",
  },
  example: {
    body: { alias: "Eve", password: "correct horse battery", first_name: "Eve", login: true, cookie: true },
  },
};
