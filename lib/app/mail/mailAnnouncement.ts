/**
 * Puts an announcement into the outbox, once for each recipient. The announcement has an item of its own there, which stores
 * how far it is together with each part of the mails: a worker that ends in between leaves the rest to another one, which
 * begins where it has stopped.
 */
import { done, type Mail, WORKER_ENDED_MS } from "../../domain/mail/mail.ts";
import { isMailWanted } from "../../domain/mail/optionalMails.ts";
import type { Player } from "../../domain/players/player.ts";
import { rfc3339, SECOND } from "../../domain/time.ts";
import { ConditionFailed } from "../../dynamodb/errors.ts";
import type { WorkerContext } from "../../lambda/scheduled.ts";
import { chunk } from "../../runtime/chunk.ts";
import { mailChange, mailWrite } from "../../store/mail/mails.ts";
import { notificationRecord } from "../../store/notifications/notifications.ts";
import { readRecipients } from "../notifications/audience.ts";

/** How many players are read, and their mails written, in a transaction of at most 100 writes. */
const PLAYERS_AT_ONCE = 90;

/** With less time than this, the rest is left to another invocation. */
const MIN_TIME_MS = 10 * SECOND;

/** Whether an announcement can reach a player by mail. Whether the account is banned is read when it is sent. */
export const isReachedByMail = ({ email, email_confirmed, mail_kinds }: Player): boolean =>
  email !== null && email_confirmed === true && isMailWanted("announcement", mail_kinds);

/**
 * Writes the mails of an announcement that are not written yet.
 * @returns whether all are written; `false` if it ran out of time
 * @throws ConditionFailed if another worker is writing them
 */
const writeMails = async ({ services, timeLeft }: WorkerContext, toAll: Mail): Promise<boolean> => {
  const { store, clock, newId } = services;
  const { notification_id = "", after = "" } = toAll;
  const game = await store.game();
  const record = await notificationRecord(store, game, notification_id);
  let stored = toAll;
  const save = async (next: Mail, mails: Parameters<typeof store.commit>[0] = []): Promise<void> => {
    await store.commit([mailChange(stored, next), ...mails], timeLeft);
    stored = { ...next, rev: stored.rev + 1 };
  };
  if (record !== null) {
    const isMeant = await readRecipients(services, game, record.notification);
    // In the order of ids: those of names change while this runs.
    const ids = (await store.roster(game)).map(({ player_id }) => player_id).toSorted();
    for (const part of chunk(
      ids.filter((id) => id > after),
      PLAYERS_AT_ONCE,
    )) {
      if (timeLeft() < MIN_TIME_MS) return false;
      const players = [...(await store.players(part)).values()];
      const recipients = players.filter((player) => isReachedByMail(player) && isMeant(player));
      const now = clock();
      await save(
        { ...stored, after: part.at(-1), count: (stored.count ?? 0) + recipients.length },
        recipients.map(({ player_id }) =>
          mailWrite(newId(), { kind: "announcement", player_id, notification_id }, now),
        ),
      );
    }
  }
  await save(done(stored, record === null ? "dropped" : "sent", rfc3339(clock())));
  return true;
};

/** Puts an announcement into the outbox for each recipient. @throws Error on failure, so that the queue delivers it again */
export const mailAnnouncement = async (run: WorkerContext, toAll: Mail): Promise<void> => {
  const { queue, clock } = run.services;
  let delay = 0;
  try {
    if (await writeMails(run, toAll)) return;
  } catch (error) {
    if (!(error instanceof ConditionFailed)) throw error;
    // Another worker is writing them, maybe because of this same message. It may end before it has written all.
    delay = WORKER_ENDED_MS;
  }
  const message = { kind: "mail", mail_id: toAll.mail_id, notBefore: clock() + delay } as const;
  await queue.send([{ message, delay }]);
};
