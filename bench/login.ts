/** Logins in a second on one core, beside the hash that no login can do without. */
import { createHash, randomUUID } from "node:crypto";
import * as z from "zod/mini";
import { hashPassword, PRODUCTION_COST } from "../lib/auth/password.ts";
import { newSpectator } from "../lib/domain/player.ts";
import { rfc3339 } from "../lib/domain/time.ts";
import type { Item } from "../lib/dynamodb/database.ts";
import { playerItem } from "../lib/store/items.ts";
import { keys } from "../lib/store/keys.ts";
import type { Store } from "../lib/store/store.ts";
import { fill } from "../tests/support/table.ts";
import { bundle, plainBundle } from "./support/bundle.ts";
import { openPlace } from "./support/checks.ts";
import { openScratch, startDatabase } from "./support/database.ts";
import { loginEvent } from "./support/events.ts";
import { type Answered, type Reply, startWarm, type Warm } from "./support/lambda.ts";
import { moveTo } from "./support/machine.ts";
import { ratio, spread } from "./support/numbers.ts";
import { withEnds } from "./support/processes.ts";
import { atLeast, report } from "./support/report.ts";
import { inTurns, QUICK } from "./support/rounds.ts";

const SUBJECTS = ["login", "by hand", "hash"] as const;
type Subject = (typeof SUBJECTS)[number];

const SHOWN: Record<Subject, string> = {
  login: "POST /login",
  "by hand": "the same by hand on the bare SDK",
  hash: "the bare hash",
};

/** So many at once, each of another player: while one waits for the database, another's hash is worked out. */
const AT_ONCE = 4;
const PASSWORD = "measured in seconds";

const Login = z.object({
  player_id: z.string(),
  alias: z.string(),
  is_admin: z.literal(false),
  token: z.string(),
  token_type: z.literal("Bearer"),
  expires_at: z.iso.datetime(),
});
const Verified = z.object({ right: z.literal(true) });

interface Account {
  id: string;
  alias: string;
}

const accountItems = ({ id, alias }: Account, hash: string): Item[] => [
  playerItem({ ...newSpectator(id, 0, { alias }, rfc3339(Date.now())), rev: 1 }),
  { ...keys.alias(alias.toLowerCase()), player_id: id },
  { ...keys.credential(id), rev: 1, hash },
];

/** @throws Error unless each login opened a session whose token the table knows */
const checkLogins = async (
  store: Store,
  accounts: readonly Account[],
  replies: readonly Reply[],
): Promise<void> => {
  for (const { statusCode, body } of replies) {
    if (statusCode !== 200) throw new Error(`a wrong answer: ${statusCode} ${body}`);
    const { player_id, alias } = Login.parse(JSON.parse(body ?? ""));
    const isKnown = accounts.some((account) => account.id === player_id && account.alias === alias);
    if (!isKnown) throw new Error(`a wrong answer: ${body}`);
  }
  // The last one's is the newest of its player's, of whom only the latest sessions are kept.
  const { player_id, token } = Login.parse(JSON.parse(replies.at(-1)?.body ?? ""));
  const hash = createHash("sha256").update(token).digest("base64url");
  const sessions = await store.sessions(player_id);
  if (sessions?.sessions.some((session) => session.hash === hash) !== true) {
    throw new Error("a wrong answer: the table does not know the session");
  }
};

const checkHashes = (replies: readonly Reply[]): void => {
  for (const { body } of replies) Verified.parse(JSON.parse(body ?? ""));
};

interface Run {
  /** In a second. */
  rate: number;
  /** Milliseconds of the core for each. */
  cpu: number;
}

const runOf = ({ wall, cpu, replies }: Answered): Run => ({
  rate: (replies.length / wall) * 1_000,
  cpu: cpu / replies.length,
});

/**
 * Measures, prints, and writes bench/results/login.json.
 * @param quick whether few logins will do
 */
export const loginBench = (quick: boolean): Promise<boolean> =>
  withEnds(async (ends) => {
    const scratch = await openScratch(ends);
    const login = await bundle("functions/player/login.ts", scratch);
    const verify = await bundle("bench/peers/hash.ts", scratch);
    const byHand = await plainBundle("bench/peers/floorLogin.ts", scratch);
    moveTo("driver");
    const { place, env } = await startDatabase(ends, scratch);
    const store = openPlace(place);

    const hash = await hashPassword(PASSWORD, PRODUCTION_COST);
    const accounts = Array.from({ length: 2 * AT_ONCE }, (_, n) => ({
      id: randomUUID(),
      alias: `Player ${n} x`,
    }));
    await fill(
      place,
      accounts.flatMap((account) => accountItems(account, hash)),
    );

    const count = quick ? 2 * AT_ONCE : 200;
    const plan = quick ? QUICK : { wanted: 7, most: 12 };
    const logins = Array.from({ length: count }, (_, n) =>
      loginEvent(accounts[n % accounts.length]?.alias ?? "", PASSWORD),
    );
    const hashes = logins.map(() => ({ password: PASSWORD, hash }));
    const warm: Record<Subject, Warm> = {
      login: startWarm(login.file, env, ends),
      "by hand": startWarm(byHand.file, env, ends),
      hash: startWarm(verify.file, env, ends),
    };

    const [wrong] = (await warm.hash([{ password: `${PASSWORD}!`, hash }])).replies;
    if (wrong?.body !== JSON.stringify({ right: false })) throw new Error("the bare hash takes any password");
    const rounds = await inTurns(SUBJECTS, plan, async (subject): Promise<Run> => {
      const answered = await warm[subject](subject === "hash" ? hashes : logins, AT_ONCE);
      if (answered.replies.length !== count) throw new Error("a request was not answered");
      if (subject === "hash") checkHashes(answered.replies);
      else await checkLogins(store, accounts, answered.replies);
      return runOf(answered);
    });

    const rate = (subject: Subject): number[] => rounds.values(subject, (run) => run.rate);
    const { memory, passes, parallelism } = PRODUCTION_COST;
    await report({
      name: "login",
      quick,
      what: `${count} at a time, ${AT_ONCE} at once on one core, at argon2id's m=${memory}, t=${passes}, p=${parallelism}`,
      rounds,
      tables: [
        SUBJECTS.map((subject) => ({
          subject: SHOWN[subject],
          "in a second": spread(rate(subject), 1),
          "CPU ms for each": spread(
            rounds.values(subject, ({ cpu }) => cpu),
            2,
          ),
          "to the bare hash": ratio(rate(subject), rate("hash")).toFixed(2),
        })),
      ],
      targets: [atLeast("logins to bare hashes, in a second", ratio(rate("login"), rate("hash")), 0.9)],
    });
    return true;
  });
