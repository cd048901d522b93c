/** Mails: what the outbox stores of each, and what follows from an attempt to send it. Pure. */
import * as z from "zod/mini";
import { integer, nullableText, number, optionalNumber, optionalText, text } from "../schemas.ts";
import { DAY, HOUR, instantOf, MINUTE, rfc3339, SECOND } from "../time.ts";

/**
 * The kinds of mails. Never rename one: items contain the names. `lane`: mails that somebody waits for (`now`) are not
 * behind those to many people (`bulk`). `validMs`: after this time the mail is not sent any more. `isRepeatable`: whether
 * game masters may send it again. What was typed and former addresses are not kept, so such mails cannot be.
 */
export const MAIL_KINDS = {
  /** A test that a game master sends to their own address. */
  test: { lane: "now", validMs: DAY, isRepeatable: true },
  /** The link with which a player confirms an address. */
  confirm: { lane: "now", validMs: DAY, isRepeatable: true },
  /** The link with which somebody who has forgotten the password sets another one. */
  recover: { lane: "now", validMs: HOUR, isRepeatable: false },
  /** The link with which an imported player sets the first password, which confirms the address. */
  invite: { lane: "bulk", validMs: 7 * DAY, isRepeatable: true },
  /** Tells the owner of an account that its password was changed. */
  password_changed: { lane: "now", validMs: DAY, isRepeatable: true },
  /** Tells the present address that another one is to replace it. */
  address_change: { lane: "now", validMs: DAY, isRepeatable: false },
  /** A game master's announcement. Without a recipient it stands for all: the worker makes a mail for each of them. */
  announcement: { lane: "bulk", validMs: DAY, isRepeatable: true },
} as const satisfies Record<string, { lane: Lane; validMs: number; isRepeatable: boolean }>;
export type MailKind = keyof typeof MAIL_KINDS;

/** The two lanes in which mails wait. */
export type Lane = "now" | "bulk";

const isMailKind = (name: string): name is MailKind => Object.hasOwn(MAIL_KINDS, name);

/** Every kind. */
export const mailKinds = (): readonly MailKind[] => Object.keys(MAIL_KINDS).filter(isMailKind);

/**
 * Where a mail is. `queued`: it waits for its first or next attempt. `sending`: a process has claimed it. The others are
 * final. `sent`: the server has accepted it. `failed`: the server has refused it, or it could not be sent in time.
 * `bounced`: the server has refused the address. `dropped`: it was not sent, because it must not or need not be.
 */
export const MAIL_STATES = ["queued", "sending", "sent", "failed", "bounced", "dropped"] as const;

/**
 * A mail as stored. It contains no token and no text: the worker derives and writes them when it sends, by what is true
 * then. Times are RFC 3339, `lease_until` is milliseconds since 1970.
 */
export const Mail = z.lazy(() =>
  z.looseObject({
    mail_id: text,
    rev: integer,
    at: text,
    kind: z.custom<MailKind>((name) => typeof name === "string" && isMailKind(name)),
    /** The recipient; `null` if the worker has to find them by `named`. */
    player_id: nullableText,
    /** What somebody typed who has forgotten the password: an alias or an address. Removed once the mail is done. */
    named: optionalText,
    /** The address, if it is not the recipient's present one; removed once the mail is done. */
    to: optionalText,
    /** Of a test: the kind of mail that it shows, if it is not its own. */
    sample: optionalText,
    /** The announcement that the mail is about. */
    notification_id: optionalText,
    /** Of an announcement to all: the last player whose mail was written. Players are in the order of their ids. */
    after: optionalText,
    /** Of an announcement to all: how many mails were written. */
    count: z.optional(integer),
    state: z.enum(MAIL_STATES),
    /** How often sending was begun. */
    tries: integer,
    /** Until when the process that sends it may do so. */
    lease_until: number,
    /** Why the last attempt has failed, or why the mail was dropped; for game masters. */
    reason: optionalText,
    done_at: optionalText,
    /** When a game master has sent it again, as another mail. */
    again_at: optionalText,
    /** Seconds since 1970. */
    expires: optionalNumber,
  }),
);
export type Mail = z.infer<typeof Mail>;

/** How long game masters can see a mail. */
const KEPT_MS = 30 * DAY;

/** A mail that waits to be sent. @param at when it was caused, RFC 3339 */
export const newMail = (
  mail_id: string,
  at: string,
  about: Pick<Mail, "kind" | "player_id"> & {
    to?: string;
    named?: string;
    sample?: string;
    notification_id?: string;
  },
): Mail => ({
  mail_id,
  rev: 1,
  at,
  ...about,
  state: "queued",
  tries: 0,
  lease_until: 0,
  expires: Math.ceil((instantOf(at) + KEPT_MS) / SECOND),
});

/** Whether a mail stands for an announcement to all, and is no message itself. */
export const isToAll = ({ kind, player_id }: Pick<Mail, "kind" | "player_id">): boolean =>
  kind === "announcement" && player_id === null;

export const isDone = ({ state }: Pick<Mail, "state">): boolean => state !== "queued" && state !== "sending";

/** Whether a game master may send a mail again: it did not reach its recipient, and was not sent again before. */
export const isRepeatable = ({ kind, player_id, state, again_at }: Mail): boolean =>
  MAIL_KINDS[kind].isRepeatable &&
  player_id !== null &&
  again_at === undefined &&
  (state === "failed" || state === "bounced" || state === "dropped");

/** Until when a mail may be sent, in milliseconds since 1970. */
const validUntil = ({ at, kind }: Pick<Mail, "at" | "kind">): number =>
  instantOf(at) + MAIL_KINDS[kind].validMs;

/** Whether it is too late to send a mail. */
export const isTooLate = (mail: Pick<Mail, "at" | "kind">, now: number): boolean => now > validUntil(mail);

/**
 * The result of an attempt. `sent`: the server has accepted the message. `retry`: it may accept it later. `server`: it
 * cannot be reached or used at the moment, so that no other message would be accepted either. `bounced`: it refuses the
 * address. `failed`: it refuses the message.
 */
export interface SendResult {
  result: "sent" | "retry" | "server" | "bounced" | "failed";
  /** For the log and for game masters: a command and a code, without text of the server and without secrets. */
  why: string;
}

/** The pauses before the retries. The last one is repeated. The first is short: servers that greylist want a retry. */
const PAUSES = [20 * SECOND, MINUTE, 3 * MINUTE, 5 * MINUTE] as const;

/** The pause after this many failures in a row, in milliseconds. */
export const pauseAfter = (failures: number): number =>
  PAUSES[Math.min(Math.max(failures, 1), PAUSES.length) - 1] ?? 0;

/**
 * After this time, a process that works on the outbox has ended: its function times out after 60 seconds (`timeout` of
 * `deliver`), and the clocks of two processes may differ by some.
 */
export const WORKER_ENDED_MS = 70 * SECOND;

/** The mail while a process sends it. */
export const claimed = (mail: Mail, now: number): Mail => ({
  ...mail,
  state: "sending",
  tries: mail.tries + 1,
  lease_until: now + WORKER_ENDED_MS,
});

/** The mail when it is done. Addresses and what somebody typed are not kept. */
export const done = (
  { to: _, named: __, reason: ___, ...mail }: Mail,
  state: Exclude<Mail["state"], "queued" | "sending">,
  doneAt: string,
  reason?: string,
): Mail => ({
  ...mail,
  state,
  lease_until: 0,
  done_at: doneAt,
  ...(reason === undefined ? {} : { reason }),
});

/** The mail when it waits for another attempt. */
export const waiting = (mail: Mail, reason: string): Mail => ({
  ...mail,
  state: "queued",
  lease_until: 0,
  reason,
});

/** Why a mail waits, or was given up, whose process has ended. */
export const INTERRUPTED = "its sending was interrupted";
export const NOT_IN_TIME = "not sent in time";

/** So long after a lease no process works on a mail: the queue delivers a message five times, six minutes apart. */
const GIVEN_UP_MS = 30 * MINUTE;

/** The mail as it is at a time: one that nothing will send any more has failed, because its message is lost. */
export const mailAt = (mail: Mail, now: number): Mail => {
  const { state, lease_until: leaseUntil } = mail;
  if (isDone(mail) || now <= leaseUntil) return mail;
  const givenUp = leaseUntil + GIVEN_UP_MS;
  if (state === "sending" && now > givenUp) return done(mail, "failed", rfc3339(givenUp), INTERRUPTED);
  if (!isTooLate(mail, now)) return mail;
  return done(mail, "failed", rfc3339(validUntil(mail)), mail.reason ?? NOT_IN_TIME);
};
