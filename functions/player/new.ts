/** POST /new: registers a player, who is human from then on. */
import * as z from "zod/mini";
import { isJoinCodeAttempt, joinCodeIssues } from "../../lib/app/accounts/joinCode.ts";
import { registerPlayer } from "../../lib/app/accounts/registration.ts";
import { passwordDigest } from "../../lib/auth/password.ts";
import { limitRegistrations } from "../../lib/auth/rateLimit.ts";
import { foldAlias } from "../../lib/domain/alias.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Email, NewAlias, NewPassword, newPasswordFaults, PersonName } from "../../lib/http/fields.ts";
import { PlayerReturnInfo } from "../../lib/http/views.ts";

const NewPlayer = z.strictObject({
  alias: NewAlias,
  password: NewPassword,
  first_name: z.optional(z.nullable(PersonName)),
  last_name: z.optional(z.nullable(PersonName)),
  email: z.optional(z.nullable(Email)),
  join_code: z.optional(z.string()),
});

export const handler = endpoint({
  route: "POST /new",
  access: "public",
  body: NewPlayer,
  answer: PlayerReturnInfo,
  status: 201,
  once: true,
  // Whoever tries a join code draws as well, also with a body that will not do: else it could be guessed for nothing.
  first: async ({ services, source, now, given, isValid }) => {
    if (isValid || isJoinCodeAttempt(services.joinCode, given))
      await limitRegistrations(services, source, now);
  },
  alsoWrong: async (given, { joinCode }) => [
    ...(await newPasswordFaults(given, "password")),
    ...joinCodeIssues(joinCode, given),
  ],
  fingerprinted: async (body, key, { cost }) => ({
    ...body,
    password: await passwordDigest(body.password, `${key} ${foldAlias(body.alias)}`, cost),
  }),
  run: (call) => registerPlayer(call),
});
