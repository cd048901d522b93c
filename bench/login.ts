/**
 * Measures logins per second on one core, compared with the password hash that each of them computes, and whether the time of a
 * response tells who has an account.
 */
import { createHash } from "node:crypto";
import * as z from "zod/mini";
import { hashPassword, PRODUCTION_COST } from "../lib/auth/password.ts";
import { openDatabase } from "../lib/dynamodb/client.ts";
import { keys } from "../lib/store/keys.ts";
import { openStore, type Store } from "../lib/store/store.ts";
import { fill } from "../tests/support/table.ts";
import { measureSameTime } from "./login/sameTime.ts";
import { bundle } from "./support/bundle.ts";
import { openScratch, startDatabase } from "./support/database.ts";
import { eventOf } from "./support/events.ts";
import { bodyOf, type Prey, putPrey } from "./support/hunts.ts";
import { type Reply, startWarm } from "./support/lambda.ts";
import { pinProcessTo } from "./support/machine.ts";
import { ratio, spreadOf } from "./support/numbers.ts";
import { atLeast, type Bench } from "./support/report.ts";
import { QUICK, runRounds } from "./support/rounds.ts";

const SUBJECTS = { login: "POST /login", hash: "the bare hash" };
type Subject = keyof typeof SUBJECTS;

/** Concurrent logins of different players: one password is hashed while other logins wait for the database. */
const CONCURRENCY = 4;
const PASSWORD = "measured in seconds";

const LoginBody = z.object({ player_id: z.string(), alias: z.string(), token: z.string() });
const HashBody = z.object({ matches: z.literal(true) });

/** @throws Error unless each login succeeded, and the session of the last one is stored */
const checkLogins = async (store: Store, accounts: Prey[], replies: readonly Reply[]): Promise<void> => {
  const bodies = replies.map((reply) => bodyOf(reply, LoginBody));
  for (const { player_id, alias } of bodies) {
    const isKnown = accounts.some((account) => account.id === player_id && account.alias === alias);
    if (!isKnown) throw new Error(`wrong response: ${alias} is ${player_id}`);
  }
  const { player_id = "", token = "" } = bodies.at(-1) ?? {};
  const hash = createHash("sha256").update(token).digest("base64url");
  const sessions = (await store.sessions(player_id))?.sessions ?? [];
  if (!sessions.some((session) => session.hash === hash)) throw new Error("a session was not stored");
};

/** @param quick whether few logins are enough */
export const bench: Bench = async (quick, cleanups) => {
  const scratch = await openScratch(cleanups);
  const login = await bundle("functions/player/login.ts", scratch);
  const verify = await bundle("bench/peers/hash.ts", scratch);
  pinProcessTo("driver");
  const database = await startDatabase(cleanups, scratch);
  const { place, env } = database;
  const store = openStore(openDatabase(place));

  const hash = await hashPassword(PASSWORD, PRODUCTION_COST);
  const accounts = await putPrey(place, 2 * CONCURRENCY);
  const items = accounts.flatMap(({ id, alias }) => [
    { ...keys.alias(alias.toLowerCase()), player_id: id },
    { ...keys.credential(id), rev: 1, hash },
  ]);
  await fill(place, items);

  const count = quick ? 2 * CONCURRENCY : 200;
  const plan = quick ? QUICK : { quietRounds: 7, maxRounds: 12 };
  const logins = Array.from({ length: count }, (_, n) => {
    const alias = accounts[n % accounts.length]?.alias;
    return eventOf({ route: "POST /login", body: { alias, password: PASSWORD } });
  });
  const events: Record<Subject, object[]> = {
    login: logins,
    hash: logins.map(() => ({ password: PASSWORD, hash })),
  };
  const warm = { login: startWarm(login.file, env, cleanups), hash: startWarm(verify.file, env, cleanups) };

  const [wrong] = (await warm.hash([{ password: `${PASSWORD}!`, hash }])).replies;
  if (wrong?.body !== JSON.stringify({ matches: false })) throw new Error("any password was accepted");
  const rounds = await runRounds(["login", "hash"] as const, plan, async (subject) => {
    const { wall, cpu, replies } = await warm[subject](events[subject], CONCURRENCY);
    if (replies.length !== count) throw new Error(`${replies.length} replies to ${count} requests`);
    if (subject === "login") await checkLogins(store, accounts, replies);
    else for (const reply of replies) bodyOf(reply, HashBody);
    return { rate: (count / wall) * 1_000, cpu: cpu / count };
  });

  const rate = (subject: Subject): number[] => rounds.values(subject, (run) => run.rate);
  const cpu = (subject: Subject): number[] => rounds.values(subject, (run) => run.cpu);
  const rowOf = (subject: Subject) => ({
    subject: SUBJECTS[subject],
    "per second": spreadOf(rate(subject), 1),
    "CPU ms each": spreadOf(cpu(subject), 2),
    "to the bare hash": ratio(rate(subject), rate("hash")).toFixed(2),
  });
  const sameTime = quick
    ? undefined
    : await measureSameTime(database, store, { ...{ scratch, cleanups, plan, hash }, count: 40 });
  const { memory, passes, parallelism } = PRODUCTION_COST;
  return {
    what: `${count} per round, ${CONCURRENCY} concurrent on one core, at argon2id's m=${memory}, t=${passes}, p=${parallelism}`,
    rounds,
    tables: [[rowOf("login"), rowOf("hash")], ...(sameTime === undefined ? [] : [sameTime.rows])],
    targets: [
      atLeast("logins to bare hashes, per second", ratio(rate("login"), rate("hash")), 0.9),
      ...(sameTime?.targets ?? []),
    ],
    met: true,
  };
};
