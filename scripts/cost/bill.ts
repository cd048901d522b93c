/** Calculates the bill of a game: quantities, list prices and the free tier. */

import type { Units } from "../figures/results.ts";
import { ASSUMED, DAY_MINUTES, durationOf, extraReadUnits } from "./assumptions.ts";
import type { Figures } from "./figures.ts";
import { PRICES, type PriceName, type Region } from "./prices.ts";
import { BACKGROUND_OPERATIONS, MAIL_OPERATION, PAGE_OPERATIONS, trafficOf } from "./traffic.ts";

export interface Plan {
  /** 0 for an idle stage. */
  players: number;
  days: number;
  /** The number of stages in the account; all others are idle. */
  stages: number;
  region: Region;
  shards: number;
  /** How many minutes a day each player has the web app open. */
  minutesOpen: number;
  /** How many mails each player gets in all; 0 for a game without mail. */
  mails: number;
  figures: Figures;
  /** Memory in MB by function. */
  memory: ReadonlyMap<string, number>;
}

export type Service =
  | "Lambda"
  | "API Gateway"
  | "DynamoDB"
  | "KMS"
  | "SQS"
  | "SES"
  | "EventBridge"
  | "CloudWatch"
  | "Data transfer";

/** One line of the bill, in US dollars. */
export interface Line {
  service: Service;
  what: string;
  priced: PriceName;
  /** In the unit of its price. */
  amount: number;
  list: number;
  /** The part that the free tier covers in the months of the game. */
  free: number;
  toPay: number;
}

export interface Share {
  operation: string;
  times: number;
  read: number;
  write: number;
  /** Its requests, capacity units and duration, in US dollars at list price. */
  list: number;
}

export interface Bill {
  lines: readonly Line[];
  operations: readonly Share[];
  requests: number;
  preflights: number;
  hunts: number;
  list: number;
  free: number;
  toPay: number;
  /** The line with the highest amount to pay, or the highest list price if everything is free. */
  largest: Line;
}

/** The function that executes an operation, and the benchmark of its CPU time. */
const EXECUTED_BY: Record<string, { by: string; cpu: keyof Figures["cpu"]; isList?: true }> = {
  "GET /player": { by: "player", cpu: "player" },
  "GET /game": { by: "game", cpu: "player" },
  "GET /live": { by: "live", cpu: "player" },
  login: { by: "login", cpu: "login" },
  hunt: { by: "hunt", cpu: "hunt" },
  "hunt, shared by three": { by: "hunt", cpu: "hunt" },
  "leaderboard of 100": { by: "leaderboard", cpu: "hunt", isList: true },
  "page of 100 users": { by: "users", cpu: "hunt", isList: true },
  "page of 100 starving": { by: "starvation", cpu: "hunt", isList: true },
  "page of 100 interactions": { by: "interactions", cpu: "hunt", isList: true },
  "page of 100 players, for game masters": { by: "get_players", cpu: "hunt", isList: true },
  "player count, for game masters": { by: "player_count", cpu: "player" },
  "web app opened": { by: "app", cpu: "player" },
  "files of a new web app": { by: "app", cpu: "player" },
  "new account": { by: "new", cpu: "login" },
  subscribe: { by: "subscribe", cpu: "hunt" },
  "hunt announced": { by: "deliver", cpu: "hunt" },
  [MAIL_OPERATION]: { by: "deliver", cpu: "hunt" },
  "sweep, nobody due": { by: "sweep", cpu: "player" },
  "sweep, batch of 48": { by: "sweep", cpu: "hunt" },
};

const MONTH_DAYS = 30;
const DAY_HOURS = 24;
const GIGABYTE = 1e9;
const MB_IN_GB = 1_024;
const SECOND_MS = 1_000;
/** A message is sent, received and deleted. */
const REQUESTS_PER_MESSAGE = 3;

const executorOf = (operation: string) => {
  const found = EXECUTED_BY[operation];
  if (found === undefined) throw new Error(`no function executes ${operation}`);
  return found;
};

const isOwn = (operation: string): boolean => BACKGROUND_OPERATIONS.some((own) => own === operation);

const isPage = (operation: string): boolean => PAGE_OPERATIONS.some((page) => page === operation);

/** The bytes of an operation's response. */
const bytesOf = (operation: string, isList: boolean): number => {
  if (operation === "files of a new web app") return ASSUMED.fileBytes;
  return isList ? ASSUMED.listBytes : ASSUMED.answerBytes;
};

/** The units of an operation once. */
const unitsOf = (operation: string, { figures, shards }: Plan): Units => {
  if (isPage(operation)) return { read: 0, write: 0 };
  return operation === MAIL_OPERATION ? ASSUMED.mail : figures.units(operation, shards);
};

/** Returns the resources that each operation takes. */
const takenBy = (plan: Plan) => {
  const { players, days, minutesOpen, mails, figures, memory } = plan;
  const { requests, hunts, preflights } = trafficOf(players, days, minutesOpen);
  const all = mails === 0 ? requests : new Map([...requests, [MAIL_OPERATION, mails * players]]);
  const operations = [...all].map(([operation, times]) => {
    const { by, cpu, isList = false } = executorOf(operation);
    const megabytes = memory.get(by);
    if (megabytes === undefined) throw new Error(`there is no function ${by}`);
    const { read, write } = unitsOf(operation, plan);
    const warm = durationOf(figures.cpu[cpu], megabytes) * (1 - ASSUMED.cold);
    const cold = durationOf(figures.cpu.cold, megabytes) * ASSUMED.cold;
    return {
      operation,
      times,
      read: (read + extraReadUnits(operation, players)) * times,
      write: write * times,
      gigabyteSeconds: (((warm + cold) / SECOND_MS) * megabytes * times) / MB_IN_GB,
      overHttp: isOwn(operation) ? 0 : times,
      bytes: isOwn(operation) ? 0 : times * bytesOf(operation, isList),
    };
  });
  return { operations, hunts, preflights };
};

type Taken = ReturnType<typeof takenBy>;

/** Returns the quantity of each line of the bill. */
const countsOf = ({ operations, hunts, preflights }: Taken, { players, days, mails: each }: Plan) => {
  const sum = (what: "times" | "read" | "write" | "gigabyteSeconds" | "overHttp" | "bytes"): number =>
    operations.reduce((all, one) => all + one[what], 0);
  const isIdle = players === 0;
  const months = days / MONTH_DAYS;
  const mails = players * each;
  const isMailing = mails > 0;
  // An upper bound: the stream worker is invoked at most once per event, and once per mail.
  const invocations = sum("times") + hunts + mails * (ASSUMED.mail.invocations - 1);
  const logged = (invocations * ASSUMED.logBytes) / GIGABYTE;
  const polls = days * DAY_MINUTES * ASSUMED.pollers * ASSUMED.pollsPerMinute;
  const metrics = (isIdle ? ASSUMED.idleMetrics : ASSUMED.metrics) + (isMailing ? ASSUMED.mailMetrics : 0);
  const searched = (ASSUMED.dashboardViews * ASSUMED.dashboardHours) / DAY_HOURS;
  const sent = hunts * ASSUMED.pushBytes + mails * ASSUMED.mailBytes;
  const bytes = sum("bytes") + sent + preflights * ASSUMED.preflightBytes;
  const items = players * ASSUMED.playerBytes + hunts * ASSUMED.eventBytes + mails * ASSUMED.mailItemBytes;
  return {
    invocations,
    gigabyteSeconds: sum("gigabyteSeconds"),
    requests: sum("overHttp"),
    preflights,
    reads: sum("read"),
    writes: sum("write"),
    stored: (items / GIGABYTE) * months,
    keyRequests: isIdle ? 0 : (ASSUMED.keyReaders * days * DAY_MINUTES) / ASSUMED.keyMinutes,
    queueRequests: (hunts + mails) * REQUESTS_PER_MESSAGE + polls,
    schedules: days * DAY_MINUTES,
    logged,
    logsKept: logged * (ASSUMED.logDays / MONTH_DAYS),
    logsSearched: isIdle ? 0 : logged * searched,
    metrics: metrics * months,
    alarms: (ASSUMED.alarms + (isMailing ? ASSUMED.mailAlarms : 0)) * months,
    dashboards: ASSUMED.dashboards * months,
    mails,
    bytesOut: bytes / GIGABYTE,
  };
};

/** Returns the bill of a deployment, together with the idle stages of its account. */
export const billOf = (plan: Plan): Bill => {
  const { days, region, stages } = plan;
  const taken = takenBy(plan);
  const { operations, hunts } = taken;
  const played = countsOf(taken, plan);
  const idlePlan = { ...plan, players: 0 };
  const idle = countsOf(takenBy(idlePlan), idlePlan);
  const count = (what: keyof typeof played): number => played[what] + (stages - 1) * idle[what];
  const months = days / MONTH_DAYS;
  const line = (service: Service, what: string, priced: PriceName, counted: number): Line => {
    const { usd, per, freeEachMonth } = PRICES[priced];
    const amount = counted / per;
    const list = amount * usd[region];
    const free = Math.min(amount, freeEachMonth * Math.ceil(months)) * usd[region];
    return { service, what, priced, amount, list, free, toPay: list - free };
  };
  const lines = [
    line("Lambda", "requests", "invocations", count("invocations")),
    line("Lambda", "time", "gigabyteSeconds", count("gigabyteSeconds")),
    line("API Gateway", "HTTP API", "httpRequests", count("requests")),
    line("API Gateway", "preflights", "httpRequests", count("preflights")),
    line("DynamoDB", "reads", "readUnits", count("reads")),
    line("DynamoDB", "writes", "writeUnits", count("writes")),
    line("DynamoDB", "storage", "storage", count("stored")),
    line("DynamoDB", "point-in-time recovery", "recovery", count("stored")),
    line("DynamoDB", "stream to Lambda", "streamReads", count("writes")),
    line("KMS", "the keys in Systems Manager", "keyRequests", count("keyRequests")),
    line("SQS", "messages and polls", "queueRequests", count("queueRequests")),
    line("EventBridge", "the sweep's schedule", "schedules", count("schedules")),
    line("CloudWatch", "logs written", "logsWritten", count("logged")),
    line("CloudWatch", "logs kept", "logsKept", count("logsKept")),
    line("CloudWatch", "logs searched by the dashboard", "logsSearched", count("logsSearched")),
    line("CloudWatch", "metrics", "metrics", count("metrics")),
    line("CloudWatch", "alarms", "alarms", count("alarms")),
    line("CloudWatch", "dashboards", "dashboards", count("dashboards")),
    ...(count("mails") === 0 ? [] : [line("SES", "mails", "mails", count("mails"))]),
    line("Data transfer", "to the internet", "bytesOut", count("bytesOut")),
  ];
  const priceOf = (priced: PriceName, counted: number): number =>
    (counted / PRICES[priced].per) * PRICES[priced].usd[region];
  const shares = operations.map(
    ({ operation, times, read, write, gigabyteSeconds, overHttp }): Share => ({
      operation,
      times,
      read,
      write,
      list:
        priceOf("readUnits", read) +
        priceOf("writeUnits", write) +
        priceOf("gigabyteSeconds", gigabyteSeconds) +
        priceOf("invocations", times) +
        priceOf("httpRequests", overHttp),
    }),
  );
  const total = (what: "list" | "free" | "toPay"): number => lines.reduce((all, one) => all + one[what], 0);
  const [largest] = lines.toSorted((one, other) => other.toPay - one.toPay || other.list - one.list);
  if (largest === undefined) throw new Error("a bill has lines");
  return {
    lines,
    operations: shares.toSorted((one, other) => other.list - one.list),
    requests: played.requests,
    preflights: played.preflights,
    hunts,
    list: total("list"),
    free: total("free"),
    toPay: total("toPay"),
    largest,
  };
};
