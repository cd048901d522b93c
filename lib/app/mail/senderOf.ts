/** The sender of a deployment's mails, kept between invocations. */

import { makeMailSender, type Sender } from "../../mail/sender.ts";
import type { MailSettings } from "../../mail/settings.ts";
import { parseMailUrl } from "../../runtime/mailUrl.ts";
import { mailUrl } from "../../secrets/mailUrl.ts";

const senders = new WeakMap<MailSettings, { url: string; sender: Sender }>();

/** The sender for the present `MAIL_URL`, which can change while this process runs. @throws Error if it is invalid */
export const senderOf = async (settings: MailSettings): Promise<Sender> => {
  const url = await mailUrl(settings.url);
  const kept = senders.get(settings);
  if (kept?.url === url) return kept.sender;
  const server = parseMailUrl(url);
  if (server === null) throw new Error("MAIL_URL is invalid");
  const sender = makeMailSender(server, { ca: settings.ca, timeoutMs: settings.timeoutMs });
  senders.set(settings, { url, sender });
  return sender;
};
