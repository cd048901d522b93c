/** The outbox: mails that wait or are done, the pace at which they are sent, and addresses that servers refuse. */
import * as z from "zod/mini";
import { Mail, newMail } from "../../domain/mail/mail.ts";
import { NEW_PACE, Pace } from "../../domain/mail/pace.ts";
import { nullableText, text } from "../../domain/schemas.ts";
import { rfc3339 } from "../../domain/time.ts";
import type { Database, Put, StoredItem, Write } from "../../dynamodb/database.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import { emailHash } from "../accounts/emails.ts";
import { commit } from "../commit.ts";
import { parseIfFound, withoutKeys } from "../items.ts";
import { keys } from "../keys.ts";
import { type Entry, entries, type List, readAll } from "../lists.ts";

export const parseMail = (item: StoredItem): Mail => Mail.parse(withoutKeys(item));

/** The write that puts a mail into the outbox, in the transaction that causes it. @param now milliseconds since 1970 */
export const mailWrite = (mailId: string, about: Parameters<typeof newMail>[2], now: number): Put => ({
  put: { ...newMail(mailId, rfc3339(now), about), ...keys.mail(mailId) },
  hasNewKey: true,
});

/**
 * The write that puts an announcement to all into the outbox. It has the id of the notification, so that there is one.
 * @param now milliseconds since 1970
 */
export const toAllWrite = ({ notification_id }: { notification_id: string }, now: number): Put =>
  mailWrite(notification_id, { kind: "announcement", player_id: null, notification_id }, now);

/** Reads a mail; `null` if it has expired. */
export const readMail = async (db: Database, mailId: string): Promise<Mail | null> =>
  parseIfFound(await db.get(keys.mail(mailId)), parseMail);

const OUTBOX: List = { partition: () => keys.mail("").pk, shards: 1, descending: true };

/** The mails of the outbox, the newest first. @param expected the approximate number that the caller needs */
export const mailEntries = (db: Database, expected: number, before?: string): AsyncGenerator<Entry> =>
  entries(db, { ...OUTBOX, before }, expected);

/** The write that changes a mail, on condition that it has not changed since it was read. */
export const mailChange = (read: Mail, after: Mail): Write => ({
  put: { ...after, ...keys.mail(read.mail_id), rev: read.rev + 1 },
  expect: { rev: read.rev },
});

/** A mail as put into the outbox, from the image of its item in the stream; `null` if it need not be sent. */
export const queuedMailOf = (item: StoredItem): Mail | null => {
  const mail = parseMail(item);
  return mail.state === "queued" ? mail : null;
};

/** The pace at which mails are sent. */
export const readPace = async (db: Database): Promise<Pace> =>
  parseIfFound(await db.get(keys.mailPace), (item) => Pace.parse(withoutKeys(item))) ?? NEW_PACE;

/**
 * Changes the pace, again after a conflict. @param change may be called several times, with the pace as read
 * @returns the pace that was written, or as read if nothing changes
 */
export const changePace = async (
  db: Database,
  change: (pace: Pace) => Pace,
  timeLeft: () => number,
): Promise<Pace> => {
  for (;;) {
    const read = await readPace(db);
    const after = change(read);
    if (after === read) return read;
    const written = { ...after, rev: read.rev + 1 };
    try {
      const expect = read.rev === 0 ? "absent" : { rev: read.rev };
      await commit(db, [{ put: { ...written, ...keys.mailPace }, expect }], timeLeft);
      return written;
    } catch (error) {
      if (!(error instanceof ConditionFailed)) throw error;
    }
  }
};

const Suppressed = z.lazy(() => z.looseObject({ at: text, reason: text, player_id: nullableText }));
/** Why mails to an address are not sent any more. Nothing of the address is stored but its hash. */
type Suppressed = z.infer<typeof Suppressed>;

const parseSuppressed = (item: StoredItem): Suppressed => Suppressed.parse(withoutKeys(item));

/** Whether a server has refused an address; `null` if not. */
export const readSuppressed = async (db: Database, address: string): Promise<Suppressed | null> =>
  parseIfFound(await db.get(keys.suppressed(emailHash(address))), parseSuppressed);

const SUPPRESSED: List = { partition: () => keys.suppressed("").pk, shards: 1, consistent: true };

/** All suppressed addresses, by their hashes. */
export const readAllSuppressed = async (db: Database): Promise<(Suppressed & { hash: string })[]> =>
  (await readAll(db, SUPPRESSED, 1_000)).map((item) => ({ ...parseSuppressed(item), hash: String(item.sk) }));

/** The write that suppresses an address. */
export const suppressionWrite = (address: string, suppressed: Suppressed): Put => ({
  put: { ...suppressed, ...keys.suppressed(emailHash(address)) },
});

/** The write after which mails to an address are sent again, on condition that it was not refused again since it was read. */
export const liftWrite = (address: string, { at }: Suppressed): Write => ({
  remove: keys.suppressed(emailHash(address)),
  expect: { is: { at } },
});
