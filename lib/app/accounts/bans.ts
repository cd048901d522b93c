/** Bans players and addresses from the game, lifts bans, and lists them (decision 52). */
import * as z from "zod/mini";
import { credentialWrite } from "../../auth/credentials.ts";
import { isSameAlias } from "../../domain/alias.ts";
import { DomainError, invalidRequest } from "../../domain/domainError.ts";
import type { Player } from "../../domain/player.ts";
import { boolean, integer, nullableText, text } from "../../domain/schemas.ts";
import { instantOf, rfc3339 } from "../../domain/time.ts";
import type { Write } from "../../dynamodb/database.ts";
import type { Call } from "../../http/definition.ts";
import { Email, EventId, exactlyOneOf, NewAlias, ZonedTime } from "../../http/fields.ts";
import { Timestamp } from "../../http/views.ts";
import { type Ban, bansWrite, isBanActive, MAX_BANS, readBans } from "../../store/bans.ts";
import { emailHash } from "../../store/emails.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { keys } from "../../store/keys.ts";
import type { Store } from "../../store/store.ts";

export const BanRequest = z
  .strictObject({
    alias: z.optional(NewAlias),
    email: z.optional(Email),
    until: z.optional(z.nullable(ZonedTime)),
  })
  .check(exactlyOneOf("alias", "email"));

export const UnbanRequest = z
  .strictObject({ alias: z.optional(NewAlias), email: z.optional(Email), ban_id: z.optional(EventId) })
  .check(exactlyOneOf("alias", "email", "ban_id"));

export const BanView = z.object({
  ban_id: text,
  /** `null` for the ban of an e-mail address. */
  alias: nullableText,
  /** Whether it covers an e-mail address, of which only a hash is stored. */
  covers_email: boolean,
  /** Whether it has locked out an account. */
  has_account: boolean,
  until: z.nullable(Timestamp),
  reason: nullableText,
  created_at: Timestamp,
});

export const UnbanResponse = z.object({ lifted: integer });

const viewOf = (ban: Ban): z.infer<typeof BanView> => ({
  ...ban,
  covers_email: ban.email_hash !== null,
  has_account: ban.player_id !== null,
});

/** All bans, newest first. */
export const listBans = async ({ db }: Store) => ({ bans: (await readBans(db)).bans.map(viewOf) });

interface Named {
  alias?: string | undefined;
  email?: string | undefined;
  ban_id?: string | undefined;
}

/** Whether a request refers to this ban. */
const isNamed = (ban: Ban, { alias, email, ban_id }: Named): boolean => {
  if (ban_id !== undefined) return ban.ban_id === ban_id;
  if (email !== undefined) return ban.of_email && ban.email_hash === emailHash(email);
  return alias !== undefined && ban.alias !== null && isSameAlias(ban.alias, alias);
};

/** The writes that lock out a player: they mark the credential as banned, and remove sessions and recovery code. */
const lockOut = async (store: Store, { player_id: id, rev }: Player, ban: Ban): Promise<Write[]> => {
  const { credential } = await store.account(id);
  if (credential === null) return [];
  const { ban_id, until, reason } = ban;
  return [
    { check: keys.player(id), expect: { rev } },
    credentialWrite(id, { ...credential, ban: { ban_id, until, reason } }, credential.hash),
    { remove: keys.sessions(id) },
    { remove: keys.recovery(id) },
  ];
};

/**
 * Bans an alias with its account, if there is one, or an e-mail address. Replaces a ban of the same alias or address.
 * @throws DomainError `invalid_request` for an end in the past or for too many bans; `wrong_state` for an administrator
 */
export const ban = (
  call: Call<"administrator", z.infer<typeof BanRequest>, unknown, z.infer<typeof BanView>>,
): Promise<CommandResponse> => {
  const { audit, body, context, now, services } = call;
  const { store } = services;
  const until = body.until == null ? null : rfc3339(instantOf(body.until));
  if (!isBanActive(until, now)) throw invalidRequest({ path: "until", message: "must be in the future" });
  return call.decide(async () => {
    const [read, target] = await Promise.all([
      readBans(store.db),
      body.alias === undefined ? null : store.playerByAlias(body.alias),
    ]);
    audit.target = target?.player_id ?? null;
    if (target?.is_admin === true) {
      throw new DomainError(
        "wrong_state",
        "An administrator cannot be banned. Remove the administrator role first.",
      );
    }
    const email = body.email ?? target?.email ?? null;
    const newBan: Ban = {
      ban_id: context.newId(),
      alias: target?.alias ?? body.alias ?? null,
      email_hash: email === null ? null : emailHash(email),
      player_id: target?.player_id ?? null,
      until,
      reason: context.reason ?? null,
      created_at: rfc3339(now),
      of_email: body.email !== undefined,
    };
    audit.details = { ban_id: newBan.ban_id, until };
    const others = read.bans.filter((one) => !isNamed(one, body) && isBanActive(one.until, now));
    if (others.length >= MAX_BANS) {
      throw invalidRequest({ path: "", message: `There can be at most ${MAX_BANS} bans. Lift one first.` });
    }
    const writes = [
      bansWrite(read, [newBan, ...others]),
      ...(target === null ? [] : await lockOut(store, target, newBan)),
    ];
    const aliases = new Map(target === null ? [] : [[target.player_id, target.alias] as const]);
    return { changes: { writes }, response: viewOf(newBan), aliases };
  });
};

/** The writes that let the player of a ban log in again. */
const readmit = async (store: Store, { player_id: id, ban_id }: Ban): Promise<Write[]> => {
  const credential = id === null ? null : (await store.account(id)).credential;
  if (id === null || credential === null || credential.ban?.ban_id !== ban_id) return [];
  return [credentialWrite(id, { ...credential, ban: undefined }, credential.hash)];
};

/** Lifts the bans that a request refers to. @throws DomainError `not_found` */
export const unban = (
  call: Call<"administrator", z.infer<typeof UnbanRequest>, unknown, z.infer<typeof UnbanResponse>>,
): Promise<CommandResponse> => {
  const { audit, body, services } = call;
  const { store } = services;
  return call.decide(async () => {
    const read = await readBans(store.db);
    const lifted = read.bans.filter((one) => isNamed(one, body));
    if (lifted.length === 0) throw new DomainError("not_found", "There is no such ban.");
    audit.target = lifted[0]?.player_id ?? null;
    audit.details = { ban_ids: lifted.map(({ ban_id }) => ban_id) };
    const remaining = read.bans.filter((one) => !lifted.includes(one));
    const readmitted = await Promise.all(lifted.map((one) => readmit(store, one)));
    return {
      changes: { writes: [bansWrite(read, remaining), ...readmitted.flat()] },
      response: { lifted: lifted.length },
    };
  });
};
