/** Mails without a server: links to confirm an address, and an address that a server has refused. */
import { mailToken, unsubscribeToken } from "../../lib/auth/mailToken.ts";
import { withConfirmation } from "../../lib/domain/mail/account.ts";
import { done, newMail } from "../../lib/domain/mail/mail.ts";
import { rfc3339 } from "../../lib/domain/time.ts";
import type { MailSettings } from "../../lib/mail/settings.ts";
import { newEventId } from "../../lib/runtime/eventId.ts";
import { keys } from "../../lib/store/keys.ts";
import { mailAccountWrite, readMailAccount } from "../../lib/store/mail/mailAccounts.ts";
import { mailWrite, suppressionWrite } from "../../lib/store/mail/mails.ts";
import type { Store } from "../../lib/store/store.ts";
import { MAIL_KEY } from "./constants.ts";

/** The keys of the tests' deployment. */
export const MAIL_KEYS = [{ key: MAIL_KEY, since: 0 }];

/** Makes a link as if it had been sent. @returns its token */
export const makeConfirmation = async (
  store: Store,
  player_id: string,
  email: string,
  now: number,
): Promise<string> => {
  const mail_id = newEventId();
  const read = await readMailAccount(store.db, player_id);
  const after = withConfirmation({ ...read, sent: {} }, { mail_id, email }, now);
  if (after === null) throw new Error("too many links were sent");
  const writes = [
    mailAccountWrite(player_id, read, after),
    mailWrite(mail_id, { kind: "confirm", player_id }, now),
  ];
  await store.commit(writes, () => 10_000);
  return mailToken(MAIL_KEYS, "confirm", mail_id);
};

/** The token that switches off announcements by mail to a player. */
export const unsubscribing = (player_id: string): string =>
  unsubscribeToken(MAIL_KEYS, "announcement", player_id, 0);

/** Settings of a service that sends mail, as far as its endpoints use them. */
export const WITH_MAIL: MailSettings = {
  url: { given: ["outbox:"] },
  from: "game@example.org",
  publicUrl: "https://game.example.org",
  perMinute: 60,
};

/** Stores a mail whose address a server has refused. @returns its id */
export const makeBounced = async (
  store: Store,
  player_id: string,
  email: string,
  now: number,
): Promise<string> => {
  const [mail_id, at, reason] = [newEventId(), rfc3339(now), "EENVELOPE RCPT TO 550"];
  const mail = {
    ...done(newMail(mail_id, at, { kind: "test", player_id }), "bounced", at, reason),
    tries: 1,
  };
  const put = { ...mail, ...keys.mail(mail_id) };
  await store.commit(
    [{ put, hasNewKey: true }, suppressionWrite(email, { at, reason, player_id })],
    () => 10_000,
  );
  return mail_id;
};
