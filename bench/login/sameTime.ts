/**
 * Measures whether the time of a response tells who has an account: a forgotten password and a login by address, each for
 * somebody who is known and for somebody who is not, and links to confirm an address that were used or are forged.
 */
import { randomBytes } from "node:crypto";
import { mailToken } from "../../lib/auth/mailToken.ts";
import { newEventId } from "../../lib/runtime/eventId.ts";
import { emailHash } from "../../lib/store/accounts/emails.ts";
import { playerItem } from "../../lib/store/items.ts";
import { keys } from "../../lib/store/keys.ts";
import { mailWrite } from "../../lib/store/mail/mails.ts";
import type { Store } from "../../lib/store/store.ts";
import { MAIL_KEY } from "../../tests/support/constants.ts";
import { fill } from "../../tests/support/table.ts";
import { bundle } from "../support/bundle.ts";
import type { BenchDatabase } from "../support/database.ts";
import { eventOf } from "../support/events.ts";
import { putPrey } from "../support/hunts.ts";
import { startWarm } from "../support/lambda.ts";
import { median, ratio, spreadOf } from "../support/numbers.ts";
import { atLeast, type Row, type Target } from "../support/report.ts";
import { type Plan, runRounds } from "../support/rounds.ts";

const MAIL = {
  ...{ MAIL_KEY, MAIL_URL: "smtp://127.0.0.1:1", MAIL_FROM: "game@example.org" },
  PUBLIC_URL: "https://game.example.org",
};

interface Asked {
  what: string;
  route: string;
  /** The status of both responses. */
  status: number;
  /** The bodies of a number of requests. */
  known: (count: number) => Promise<object[]>;
  unknown: () => object;
  /** Whether strangers could learn something: not if nobody but the owner of a mailbox has what is known. */
  isSecret: boolean;
}

const nobody = (): string => `nobody.${newEventId()}@example.com`;

const askedOf = ({ place }: BenchDatabase, store: Store, hash: string): Asked[] => {
  /** Writes players who have confirmed an address. @returns their addresses */
  const putKnown = async (count: number): Promise<string[]> => {
    const ids = (await putPrey(place, count)).map(({ id }) => id);
    const players = [...(await store.players(ids)).values()].map((player) => ({
      ...player,
      ...{ email: `${player.player_id}@example.com`, email_confirmed: true as const },
    }));
    await fill(
      place,
      players.flatMap((player) => [
        playerItem(player),
        { ...keys.confirmedEmail(emailHash(player.email)), player_id: player.player_id },
        { ...keys.credential(player.player_id), rev: 1, hash },
      ]),
    );
    return players.map(({ email }) => email);
  };
  const login = (alias: string) => ({ alias, password: "wrong" });
  return [
    {
      ...{ what: "forgotten password", route: "POST /forgot_password", status: 202, isSecret: true },
      known: async (count) => (await putKnown(count)).map((alias_or_email) => ({ alias_or_email })),
      unknown: () => ({ alias_or_email: nobody() }),
    },
    {
      ...{ what: "login by address, wrong password", route: "POST /login", status: 401, isSecret: true },
      known: async (count) => (await putKnown(count)).map(login),
      unknown: () => login(nobody()),
    },
    {
      ...{
        what: "link to confirm, used or forged",
        route: "POST /confirm_email",
        status: 404,
        isSecret: false,
      },
      known: async (count) => {
        const owners = await putPrey(place, count);
        const ids = owners.map(() => newEventId());
        const mails = owners.map(({ id }, n) =>
          mailWrite(ids[n] ?? "", { kind: "confirm", player_id: id }, Date.now()),
        );
        await fill(
          place,
          mails.map(({ put }) => put),
        );
        return ids.map((id) => ({ token: mailToken([{ key: MAIL_KEY, since: 0 }], "confirm", id) }));
      },
      unknown: () => ({ token: randomBytes(48).toString("base64url") }),
    },
  ];
};

interface Options {
  scratch: string;
  cleanups: AsyncDisposableStack;
  plan: Plan;
  /** How many requests of each kind are in a round. */
  count: number;
  /** The hash of everybody's password. */
  hash: string;
}

/** Compares the milliseconds of a request in which somebody is known with those of one in which nobody is. */
export const measureSameTime = async (
  database: BenchDatabase,
  store: Store,
  { scratch, cleanups, plan, count, hash }: Options,
): Promise<{ rows: Row[]; targets: Target[] }> => {
  const [rows, targets]: [Row[], Target[]] = [[], []];
  let requests = 0;
  for (const { what, route, status, known, unknown, isSecret } of askedOf(database, store, hash)) {
    const { file } = await bundle(`functions/player/${route.split("/")[1]}.ts`, scratch);
    const warm = startWarm(file, { ...database.env, ...MAIL }, cleanups);
    // By turns, so that whatever else happens affects both.
    const rounds = await runRounds(["both"] as const, plan, async () => {
      const bodies = (await known(count)).flatMap((body) => [body, unknown()]);
      const { replies, times } = await warm(
        bodies.map((body) => {
          requests += 1;
          // Each from an address of its own, because failures of one address are limited.
          const from = `10.${requests >> 16}.${(requests >> 8) & 255}.${requests & 255}`;
          return eventOf({ route, body, from });
        }),
      );
      const wrong = replies.find(({ statusCode }) => statusCode !== status);
      if (wrong !== undefined) throw new Error(`wrong response: ${wrong.statusCode} ${wrong.body}`);
      return [0, 1].map((side) => median(times.filter((_, n) => n % 2 === side)));
    });
    const [ofKnown, ofUnknown] = [
      rounds.values("both", ([one = 0]) => one),
      rounds.values("both", ([, other = 0]) => other),
    ];
    const share = ratio(ofKnown, ofUnknown);
    rows.push({
      request: what,
      "known, ms": spreadOf(ofKnown, 2),
      "unknown, ms": spreadOf(ofUnknown, 2),
      "known to unknown": share.toFixed(2),
    });
    if (isSecret) targets.push(atLeast(`${what}: the faster to the slower`, Math.min(share, 1 / share), 0.9));
  }
  return { rows, targets };
};
