/** The services of handlers: store, clock, settings and keys. They are made once per process; tests make their own. */
import { randomBytes, randomInt } from "node:crypto";
import { type HashCost, PRODUCTION_COST } from "../auth/password.ts";
import { THROTTLES, type Throttles } from "../domain/backoff.ts";
import type { FeedingPeriodOf } from "../domain/game/clock.ts";
import { makeTagCode } from "../domain/hunts/tagCode.ts";
import type { CommandContext } from "../domain/outcome.ts";
import { SECOND } from "../domain/time.ts";
import { openDatabase } from "../dynamodb/client.ts";
import { type MailSettings, mailSettings } from "../mail/settings.ts";
import { type PushSettings, pushSettings } from "../push/settings.ts";
import { noQueue, openQueue, type Queue } from "../queue/queue.ts";
import { type Env, env } from "../runtime/env.ts";
import { newEventId } from "../runtime/eventId.ts";
import { type KeySources, keySources } from "../secrets/secrets.ts";
import { openStore, type Store } from "../store/store.ts";

export interface Services {
  store: Store;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** Makes an event id: UUID v7, sorting after all earlier ones. */
  newId: () => string;
  /** Makes the seed of a draw: 128 random bits in hexadecimal. */
  newSeed: () => string;
  cost: HashCost;
  /** Limits of failed logins, registrations and pictures. */
  throttles: Throttles;
  feedingPeriod: FeedingPeriodOf;
  /** Whether registration needs a join code while the game's settings do not say. */
  joinCodeRequired: boolean;
  /** The keys that encrypt cursors. */
  cursorKeys: KeySources["cursor"];
  /** Whether `inject_sql` may write. */
  injectSqlWrites: boolean;
  /** The VAPID keys, and the push services that may be called. */
  push: PushSettings;
  /** Where mails are sent and from whom; `null` if the deployment sends none. */
  mail: MailSettings | null;
  /** The keys of tokens in mails; `null` without any. */
  mailKeys: KeySources["mail"];
  /** The queue of pushes, mails and continued jobs. */
  queue: Queue;
  /** The longest pause before the first retry of a push. */
  retryPauseMs: number;
}

/** Makes services from settings. @param overrides services of a test */
export const makeServices = (settings: Env, overrides: Partial<Services> = {}): Services => {
  const keys = keySources(settings);
  return {
    store:
      overrides.store ??
      openStore(openDatabase({ table: settings.TABLE_NAME, endpoint: settings.DYNAMODB_ENDPOINT })),
    clock: Date.now,
    newId: newEventId,
    newSeed: () => randomBytes(16).toString("hex"),
    cost: PRODUCTION_COST,
    throttles: THROTTLES,
    feedingPeriod: (game) =>
      (game.settings.feeding_period_seconds ?? settings.FEEDING_PERIOD_SECONDS) * SECOND,
    joinCodeRequired: settings.JOIN_CODE_REQUIRED,
    cursorKeys: keys.cursor,
    injectSqlWrites: settings.INJECT_SQL_WRITES,
    push: pushSettings(settings, keys.vapid),
    mail: mailSettings(settings, keys),
    mailKeys: keys.mail,
    retryPauseMs: 2 * SECOND,
    queue:
      settings.QUEUE_URL === undefined
        ? noQueue
        : openQueue({ url: settings.QUEUE_URL, endpoint: settings.QUEUE_ENDPOINT }),
    ...overrides,
  };
};

let processServices: Services | undefined;

export const services = (): Services => {
  processServices ??= makeServices(env());
  return processServices;
};

/** The context of commands: `now`, the feeding period, and sources of new ids and codes. */
export const commandContext = (
  { feedingPeriod, newId = newEventId }: Pick<Services, "feedingPeriod"> & Partial<Pick<Services, "newId">>,
  now: number,
): CommandContext => ({
  now,
  feedingPeriod,
  newId,
  newCode: () => makeTagCode(() => randomInt(256)),
});
