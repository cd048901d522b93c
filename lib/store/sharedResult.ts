/**
 * A result that many requests of all processes show and that is costly to compute: it is stored in one item, and computed
 * anew by one process at a time (decision 87).
 */
import { randomInt } from "node:crypto";
import * as z from "zod/mini";
import type { Game } from "../domain/game/game.ts";
import { MINUTE, SECOND } from "../domain/time.ts";
import type { Expectation, Item } from "../dynamodb/database.ts";
import { ConditionFailed, DatabaseBusy } from "../dynamodb/errors.ts";
import type { Key } from "../dynamodb/key.ts";
import { unavailable } from "./commit.ts";
import { packJson, unpackJson } from "./packedJson.ts";
import type { Store } from "./store.ts";

/** How long a result is shown before the next request computes it anew. */
export const FRESH_MS = 15 * SECOND;

/** How long other processes leave the work to the one that has begun it, and show the previous result meanwhile. */
export const LEASE_MS = 5 * SECOND;

/** How often a request that has no previous result to show looks for that of another process: for some three seconds. */
const MAX_LOOKS = 14;
const MIN_PAUSE_MS = 150;
/** After so many looks, some two seconds, one that waits takes over from a process that has probably stopped. */
const LOOKS_BEFORE_TAKEOVER = 9;

const MAX_FIRST_REV = 2 ** 47;

/** The fields that earlier and later versions need, too. */
const Stored = z.looseObject({
  rev: z.int(),
  /** Until when a process computes the next result, in milliseconds since 1970. */
  computing_until: z.optional(z.number()),
});

/** `computed_at`: when the computation began, in milliseconds since 1970. `data`: compressed JSON. */
const Content = z.looseObject({
  format: z.int(),
  game_rev: z.int(),
  computed_at: z.number(),
  data: z.instanceof(Uint8Array),
});

interface Result<T> {
  value: T;
  gameRev: number;
  at: number;
}

interface Definition<T> {
  key: Key;
  /** Parses a stored result; one for which it throws is computed anew. */
  parse: (stored: unknown) => T;
  /** Increased when the meaning of the result changes, so that no process shows a result of the other version. */
  format: number;
}

/** A request that shows the result. Nothing in it may come from the client. */
interface Reader {
  store: Store;
  game: Game;
  clock: () => number;
}

/**
 * Defines a shared result.
 * @returns a function that returns the result: up to {@link FRESH_MS} old, or {@link LEASE_MS} older while another process
 *   computes the next one, but never of an earlier `rev` of the game. It throws the DomainError `unavailable` if many wait
 *   for long for the first one, DatabaseBusy, and the errors of `compute`.
 */
export const sharedResult = <T>({ key, parse, format }: Definition<T>) => {
  /** What each store of this process has last read or computed. */
  const kept = new WeakMap<Store, Result<T>>();
  /** The reads and computations of this process that are not finished. */
  const running = new WeakMap<Store, { rev: number; result: Promise<T> }>();

  /** Whether a result may be shown. Clocks of processes differ, so it may seem to be from the future. */
  const isUsable = (
    result: Result<T> | null | undefined,
    { game, clock }: Reader,
    maxAgeMs: number,
  ): result is Result<T> =>
    result != null && result.gameRev >= game.rev && Math.abs(clock() - result.at) < maxAgeMs;

  const read = async (item: unknown): Promise<Result<T> | null> => {
    const content = Content.safeParse(item);
    if (!content.success || content.data.format !== format) return null;
    const { game_rev, computed_at, data } = content.data;
    try {
      const value = parse(await unpackJson(data));
      return { value, gameRev: game_rev, at: computed_at };
    } catch {
      return null;
    }
  };

  /** Writes the item after a claim, unless that was lost. If it fails, the next request computes the result again. */
  const write = async ({ db }: Store, item: Item, rev: number): Promise<void> => {
    try {
      await db.put({ ...item, ...key, rev: rev + 1, computing_until: 0 }, { rev });
    } catch (error) {
      if (!(error instanceof ConditionFailed || error instanceof DatabaseBusy)) throw error;
    }
  };

  /** Computes the result after a claim, and stores it. */
  const work = async (
    { store, game, clock }: Reader,
    claim: Item,
    rev: number,
    compute: () => Promise<T>,
  ): Promise<Result<T>> => {
    const at = clock();
    let value: T;
    try {
      value = await compute();
    } catch (error) {
      // Nobody needs to wait for the end of the lease. The error of `compute` is the one to report.
      await write(store, claim, rev).catch(() => {});
      throw error;
    }
    const data = await packJson(value);
    const expires = Math.ceil((at + MINUTE) / SECOND);
    await write(store, { format, game_rev: game.rev, computed_at: at, data, expires }, rev);
    return { value, gameRev: game.rev, at };
  };

  const find = async (reader: Reader, compute: () => Promise<T>): Promise<Result<T>> => {
    const { store, clock } = reader;
    let firstRev: number | undefined;
    for (let looks = 0; looks < MAX_LOOKS; looks += 1) {
      if (looks > 0) await new Promise((resolve) => setTimeout(resolve, MIN_PAUSE_MS * (1 + Math.random())));
      const item = await store.db.get(key, { consistent: false });
      const found = await read(item);
      if (isUsable(found, reader, FRESH_MS)) return found;
      const now = clock();
      const { success, data: stored } = Stored.safeParse(item);
      const left = (stored?.computing_until ?? 0) - now;
      firstRev ??= stored?.rev;
      const isStuck = looks >= LOOKS_BEFORE_TAKEOVER && stored?.rev === firstRev;
      // A longer lease is none: clocks of processes do not differ by so much.
      if (left > 0 && left < 2 * LEASE_MS && !isStuck) {
        if (isUsable(found, reader, FRESH_MS + LEASE_MS)) return found;
        continue;
      }
      // Random for a new item, so that who has a claim of one that was removed cannot write what they read before.
      const claimed = (stored?.rev ?? randomInt(MAX_FIRST_REV)) + 1;
      const expires = Math.ceil((now + MINUTE) / SECOND);
      const claim = { ...item, ...key, rev: claimed, computing_until: now + LEASE_MS, expires };
      // An item that is malformed is replaced.
      const expect: Expectation | undefined =
        item === undefined ? "absent" : success ? { rev: claimed - 1 } : undefined;
      try {
        await store.db.put(claim, expect);
      } catch (error) {
        if (!(error instanceof ConditionFailed)) throw error;
        if (isUsable(found, reader, FRESH_MS + LEASE_MS)) return found;
        continue;
      }
      return work(reader, claim, claimed, compute);
    }
    throw unavailable();
  };

  return (reader: Reader, compute: () => Promise<T>): Promise<T> => {
    const { store, game } = reader;
    const last = kept.get(store);
    if (isUsable(last, reader, FRESH_MS)) return Promise.resolve(last.value);
    const others = running.get(store);
    if (others !== undefined && others.rev >= game.rev) return others.result;
    const begun = {
      rev: game.rev,
      result: find(reader, compute)
        .then((result) => {
          kept.set(store, result);
          return result.value;
        })
        .finally(() => {
          if (running.get(store) === begun) running.delete(store);
        }),
    };
    running.set(store, begun);
    return begun.result;
  };
};
