/** What the handlers work with: the store, the clock, fresh names. Made once for a process; tests make their own. */
import { randomInt } from "node:crypto";
import { v7 } from "uuid";
import { type HashCost, PRODUCTION_COST } from "../auth/password.ts";
import { THROTTLES, type Throttles } from "../domain/backoff.ts";
import type { CommandContext } from "../domain/outcome.ts";
import { makeTagCode } from "../domain/tagCode.ts";
import { SECOND } from "../domain/time.ts";
import { openDatabase } from "../dynamodb/client.ts";
import { type PushSettings, pushSettings } from "../push/settings.ts";
import { noQueue, openQueue, type Queue } from "../queue/queue.ts";
import { type Env, env } from "../runtime/env.ts";
import { type KeySources, keySources } from "../secrets/secrets.ts";
import { openStore, type Store } from "../store/store.ts";

export interface Services {
  store: Store;
  /** Milliseconds since 1970. */
  clock: () => number;
  /** What hashing a password costs. */
  cost: HashCost;
  /** How many failures and registrations are borne. */
  throttles: Throttles;
  /** The feeding period in milliseconds. */
  period: number;
  /** What a newcomer must know; empty when nothing. */
  joinCode: string;
  /** Encrypt cursors. */
  cursorKeys: KeySources["cursor"];
  /** Whether game masters' statements may write. */
  injectSqlWrites: boolean;
  /** The keys that push is sent with, and the services that it may be sent to. */
  push: PushSettings;
  /** What is to be pushed later waits here. */
  queue: Queue;
  /** The longest pause before a push is tried again for the first time, in milliseconds. */
  retryPauseMs: number;
}

/** The services that these settings ask for; a test puts its own in the place of some. */
export const makeServices = (settings: Env, overrides: Partial<Services> = {}): Services => {
  const keys = keySources(settings);
  return {
    store:
      overrides.store ??
      openStore(openDatabase({ table: settings.TABLE_NAME, endpoint: settings.DYNAMODB_ENDPOINT })),
    clock: Date.now,
    cost: PRODUCTION_COST,
    throttles: THROTTLES,
    period: settings.FEEDING_PERIOD_SECONDS * SECOND,
    joinCode: settings.JOIN_CODE,
    cursorKeys: keys.cursor,
    injectSqlWrites: settings.INJECT_SQL_WRITES,
    push: pushSettings(settings, keys.vapid),
    retryPauseMs: 2 * SECOND,
    queue:
      settings.QUEUE_URL === undefined
        ? noQueue
        : openQueue({ url: settings.QUEUE_URL, endpoint: settings.QUEUE_ENDPOINT }),
    ...overrides,
  };
};

let own: Services | undefined;

/** The services of this process. */
export const services = (): Services => {
  own ??= makeServices(env());
  return own;
};

/** The moment at which a request is judged. */
export const commandContext = ({ period }: Pick<Services, "period">, now: number): CommandContext => ({
  now,
  period,
  newId: v7,
  newCode: () => makeTagCode(() => randomInt(256)),
});
