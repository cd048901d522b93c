/** POST /new: registers a player, who is human from then on. */
import * as z from "zod/mini";
import { register, requireOtherThanAlias } from "../../lib/auth/accounts.ts";
import { drawRegistration } from "../../lib/auth/addresses.ts";
import { hashPassword, passwordDigest } from "../../lib/auth/password.ts";
import { foldAlias } from "../../lib/domain/alias.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { Email, NewAlias, NewPassword, newPasswordFaults, PersonName } from "../../lib/http/fields.ts";
import { joinCodeFaults, triesJoinCode } from "../../lib/http/joinCode.ts";
import { PlayerReturnInfo, playerInfo } from "../../lib/http/views.ts";

const NewPlayer = z.strictObject({
  alias: NewAlias,
  password: NewPassword,
  first_name: z.optional(PersonName),
  last_name: z.optional(PersonName),
  email: z.optional(Email),
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
    if (isValid || triesJoinCode(services.joinCode, given)) await drawRegistration(services, source, now);
  },
  alsoWrong: async (given, { joinCode }) => [
    ...(await newPasswordFaults(given, "password")),
    ...joinCodeFaults(joinCode, given),
  ],
  onceOf: ({ alias }) => `NEW#${foldAlias(alias)}`,
  fingerprinted: async (body, key, { cost }) => ({
    ...body,
    password: await passwordDigest(body.password, `${key} ${foldAlias(body.alias)}`, cost),
  }),
  run: async (call) => {
    const { body, moment, now, services } = call;
    requireOtherThanAlias(body.password, body.alias);
    const game = await services.store.game();
    let hash: string | undefined;
    return call.decide(async () => {
      hash ??= await hashPassword(body.password, services.cost);
      const { player, changes } = await register(services.store, { ...body, hash }, moment);
      return { changes: { ...changes, seen: game.rev }, answer: playerInfo(player, game, now, null) };
    });
  },
});
