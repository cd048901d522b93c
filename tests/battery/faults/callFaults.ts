/** Faults of calls between the store and the database, and of messages: crashes, errors, and indexes that lag. */
import { randomUUID } from "node:crypto";
import { type Database, keyOfWrite } from "../../../lib/dynamodb/database.ts";
import { DatabaseBusy } from "../../../lib/dynamodb/errors.ts";
import type { Queue } from "../../../lib/queue/queue.ts";
import { type Call, type FaultKind, type Nature, nameOf } from "./calls.ts";
import { die, INNERMOST, makeCall, outlive } from "./process.ts";

/** What a call would do. */
interface Deed<T> {
  /** @param token another than the transaction's own */
  now: (token?: string) => Promise<T>;
  /** The same call, answered from the table as it was earlier. */
  late: () => Promise<T>;
}

interface CallFault extends FaultKind {
  strike: <T>(deed: Deed<T>) => Promise<T>;
}

const busy = (): never => {
  throw new DatabaseBusy(`${INNERMOST}: throttled`);
};
const broken = (): never => {
  throw new Error(`${INNERMOST}: it broke`);
};
const before =
  (then: <T>() => T | Promise<T>): CallFault["strike"] =>
  async () =>
    then();
const after =
  (then: <T>() => T | Promise<T>): CallFault["strike"] =>
  async ({ now }) => {
    await now();
    return then();
  };

const any = (): boolean => true;
const ofDatabase = ({ nature }: Call): boolean => nature !== "message";
const writes = ({ nature }: Call): boolean => nature === "write" || nature === "transaction";
const leavesSomething = (call: Call): boolean => writes(call) || !ofDatabase(call);
const lateReads = ({ nature }: Call): boolean => nature === "late read";
/** Whether a transaction writes an item that identifies it when it is repeated. */
const isMarked = ({ nature, name }: Call): boolean =>
  nature === "transaction" && /INTERACTIONS#|LOGS#|#ONCE#/.test(name);

export const CALL_FAULTS: Readonly<Record<string, CallFault>> = {
  "dies before": { fits: any, strike: before(die) },
  "dies after": { fits: leavesSomething, strike: after(die) },
  busy: { fits: ofDatabase, strike: before(busy) },
  "busy after": { fits: writes, strike: after(busy) },
  away: { fits: ofDatabase, strike: before(busy), lasts: "away" },
  "away after": { fits: writes, strike: after(busy), lasts: "away" },
  "busy after, token forgotten": {
    fits: isMarked,
    async strike({ now }) {
      await now(randomUUID());
      return busy();
    },
  },
  broken: { fits: any, strike: before(broken), breaks: true },
  "broken after": { fits: leavesSomething, strike: after(broken), breaks: true },
  "lags once": { fits: lateReads, strike: ({ late }) => late(), lags: "once" },
  lags: { fits: lateReads, strike: ({ late }) => late(), lags: "throughout", lasts: "lags" },
};

const carryOut = <T>(
  name: string,
  nature: Nature,
  now: (token?: string) => Promise<T>,
  late: () => Promise<T> = now,
): Promise<T> =>
  makeCall({ name, nature }, CALL_FAULTS, (fault) => {
    const deed: Deed<T> = { now: (token) => outlive(now(token)), late };
    return fault === undefined ? deed.now() : fault.strike(deed);
  });

/**
 * A database whose calls can have faults.
 * @param past the table as it was earlier, for indexes that lag
 */
export const faultyDatabase = (usual: Database, past: Database): Database => {
  const read = <T>(name: string, isLate: boolean, from: (db: Database) => Promise<T>): Promise<T> =>
    carryOut(
      name,
      isLate ? "late read" : "read",
      () => from(usual),
      () => from(isLate ? past : usual),
    );
  return {
    get: (key, options) =>
      read(nameOf("get", [key]), options?.consistent === false, (db) => db.get(key, options)),
    getMany: (keys, options) =>
      read(nameOf("getMany", keys), options?.consistent === false, (db) => db.getMany(keys, options)),
    query: (range, limit, from) =>
      read(nameOf("query", [{ pk: range.pk, sk: range.index ?? "" }]), range.consistent !== true, (db) =>
        db.query(range, limit, from),
      ),
    put: (item, expect) => carryOut(nameOf("put", [item]), "write", () => usual.put(item, expect)),
    extendUntil: (key, how) =>
      carryOut(nameOf("extendUntil", [key]), "write", () => usual.extendUntil(key, how)),
    transact: (all, token) =>
      carryOut(nameOf("transact", all.map(keyOfWrite)), "transaction", (another = token) =>
        usual.transact(all, another),
      ),
    execute(statement, options) {
      const [verb = ""] = statement.text("game").split(/\s/);
      const nature = verb === "SELECT" ? "read" : "write";
      return carryOut(`execute ${verb}`, nature, () => usual.execute(statement, options));
    },
  };
};

/** A queue whose calls can have faults. */
export const faultyQueue = (usual: Queue): Queue => ({
  send: (messages) =>
    carryOut(`send ${messages.map(({ message: { kind } }) => kind).join(", ")}`, "message", () =>
      usual.send(messages),
    ),
});
