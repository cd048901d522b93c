/** The items of an account besides the player: credential, sessions, recovery code; and the list of roles. */
import * as z from "zod/mini";
import { LoginFailure, NewAddresses, OwnFailures } from "../../domain/backoff.ts";
import {
  integer,
  noTextsByDefault,
  nullableText,
  number,
  optionalBoolean,
  optionalNumber,
  optionalText,
  text,
  textList,
} from "../../domain/schemas.ts";
import type { StoredItem } from "../../dynamodb/database.ts";
import { withoutKeys } from "../items.ts";

/** A device with a successful login: the hash of its token, its last use in milliseconds, and its own failures. */
const Device = z.lazy(() => z.looseObject({ hash: text, used: number, failures: z.optional(OwnFailures) }));
export type Device = z.infer<typeof Device>;

/** An address with a successful login: its hash, and the last use in milliseconds. */
const KnownAddress = z.lazy(() => z.looseObject({ from: text, used: number }));
export type KnownAddress = z.infer<typeof KnownAddress>;

/** A credential: the password as argon2id in its standard encoding, with failed logins, devices and addresses. */
const Credential = z.lazy(() =>
  z.looseObject({
    rev: integer,
    hash: text,
    failures: z.optional(z.array(LoginFailure)),
    new_addresses: z.optional(NewAddresses),
    devices: z.optional(z.array(Device)),
    addresses: z.optional(z.array(KnownAddress)),
    /** Whether the player was imported and has not set a password yet: then no password matches the hash. */
    invited: optionalBoolean,
    /** Seconds since 1970; only if this item counts failures at an alias without an account. */
    expires: optionalNumber,
    /** The ban of the account: nobody can log in until it ends. */
    ban: z.optional(z.looseObject({ ban_id: text, until: nullableText, reason: nullableText })),
  }),
);
export type Credential = z.infer<typeof Credential>;
export const parseCredential = (item: StoredItem): Credential => Credential.parse(withoutKeys(item));

/** A session: the SHA-256 of its token, and its times in milliseconds. */
const Session = z.looseObject({
  hash: text,
  created_at: number,
  last_used: number,
  expires_at: number,
  /** The hash of the address that logged in. */
  from: optionalText,
});
export type Session = z.infer<typeof Session>;

const Sessions = z.looseObject({
  rev: integer,
  sessions: z.array(Session),
  /** The player id to which the account has moved, with its sessions (decision 85). */
  moved_to: optionalText,
});
export type Sessions = z.infer<typeof Sessions>;
export const parseSessions = (item: StoredItem): Sessions => Sessions.parse(withoutKeys(item));

/**
 * A recovery code: its SHA-256, when it expires, in seconds since 1970, and the mail with its link, if there is one, with the
 * hash of its address. Only while the player has that address the code works, and its use confirms it.
 */
const Recovery = z.lazy(() =>
  z.looseObject({
    rev: integer,
    hash: text,
    expires: number,
    mail_id: optionalText,
    email_hash: optionalText,
  }),
);
export type Recovery = z.infer<typeof Recovery>;
export const parseRecovery = (item: StoredItem): Recovery => Recovery.parse(withoutKeys(item));

/** The hash of the set-up secret. */
const SetUp = z.lazy(() => z.looseObject({ hash: text }));
export const parseSetUp = (item: StoredItem): z.infer<typeof SetUp> => SetUp.parse(withoutKeys(item));

const Administrators = z.lazy(() =>
  z.looseObject({ rev: integer, ids: textList, moderators: noTextsByDefault }),
);
export type Administrators = z.infer<typeof Administrators>;
export const parseAdministrators = (item: StoredItem): Administrators =>
  Administrators.parse(withoutKeys(item));
