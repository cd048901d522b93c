/** What game masters see of an announcement before it is sent by mail: how many get it, a sample, and a test. */
import { DomainError } from "../../domain/domainError.ts";
import { plainText } from "../../domain/mail/content.ts";
import { PAGES, UNSUBSCRIBE } from "../../domain/notifications/pages.ts";
import { countsOf, type Notification } from "../../domain/notifications/push.ts";
import type { Player } from "../../domain/players/player.ts";
import { hidesOriginalsFrom } from "../../domain/players/visibility.ts";
import { emailHash } from "../../store/accounts/emails.ts";
import type { CommandResponse } from "../../store/idempotency.ts";
import { randomShard } from "../../store/lists.ts";
import { mailWrite, readAllSuppressed } from "../../store/mail/mails.ts";
import { testWrite } from "../../store/notifications/notifications.ts";
import { readRecipients } from "../notifications/audience.ts";
import { NO_PROGRESS } from "../notifications/pushNotification.ts";
import type { SendCall } from "../notifications/sendCall.ts";
import { readPlayers } from "../players/listPlayers.ts";
import { isReachedByMail } from "./mailAnnouncement.ts";
import { announcementText } from "./mailTexts.ts";

/** How many players would get a mail, as far as the caller may know. Banned ones are counted, and get none. */
const countRecipients = async (
  { services, game, now, player: viewer }: SendCall,
  notification: Notification,
): Promise<number> => {
  const { store } = services;
  const isHiding = hidesOriginalsFrom(viewer, game, now);
  const [seems, isMeant, suppressed] = await Promise.all([
    readRecipients(services, game, notification, { isHiding }),
    readRecipients(services, game, notification),
    readAllSuppressed(store.db),
  ]);
  const refused = new Set(suppressed.map(({ hash }) => hash));
  const isIn = (player: Player): boolean => (player.player_id === viewer.player_id ? isMeant : seems)(player);
  let count = 0;
  for await (const { player } of readPlayers(store, store.rosterEntries(game, 1_000), 100)) {
    if (isReachedByMail(player) && !refused.has(emailHash(player.email ?? "")) && isIn(player)) count += 1;
  }
  return count;
};

/** Responds with how many would get a mail, and with that to the caller. Nothing is sent or stored. */
export const previewMails = async (call: SendCall, notification: Notification): Promise<CommandResponse> => {
  const { audit, game, player, services } = call;
  audit.details = { dry_run: true };
  const { publicUrl = "" } = services.mail ?? {};
  const content = announcementText({
    ...{ game: game.settings.name, alias: player.alias, publicUrl },
    ...{ title: notification.title, text: notification.content },
    ...{ link: `${publicUrl}${PAGES.inbox}`, unsubscribe: `${publicUrl}${UNSUBSCRIBE}` },
  });
  return call.respond({
    notification,
    ...countsOf(NO_PROGRESS),
    emails: await countRecipients(call, notification),
    sample: plainText(content),
  });
};

/**
 * Sends a mail to the caller alone: of a notification that is stored as withdrawn, so that nobody else sees it.
 * @throws DomainError `wrong_state` without a confirmed address
 */
export const sendTest = async (call: SendCall, notification: Notification): Promise<CommandResponse> => {
  const { audit, game, now, player, services, timeLeft } = call;
  audit.details = { test_email: true };
  if (services.mail === null || player.email_confirmed !== true)
    throw new DomainError("wrong_state", "Confirm your e-mail address on your profile page first.");
  const { player_id } = player;
  const { notification_id } = notification;
  await services.store.commit(
    [
      testWrite(notification, randomShard(game)),
      mailWrite(services.newId(), { kind: "announcement", player_id, notification_id }, now),
    ],
    timeLeft,
  );
  return call.respond({ notification, ...countsOf(NO_PROGRESS), status: "withdrawn", emails: 1 });
};
