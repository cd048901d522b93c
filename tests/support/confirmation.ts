/** Links to confirm an address, without a mail. */
import { mailToken } from "../../lib/auth/mailToken.ts";
import { withConfirmation } from "../../lib/domain/mail/account.ts";
import { newEventId } from "../../lib/runtime/eventId.ts";
import { mailAccountWrite, readMailAccount } from "../../lib/store/mail/mailAccounts.ts";
import { mailWrite } from "../../lib/store/mail/mails.ts";
import type { Store } from "../../lib/store/store.ts";
import { MAIL_KEY } from "./constants.ts";

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
  return mailToken([{ key: MAIL_KEY, since: 0 }], "confirm", mail_id);
};
