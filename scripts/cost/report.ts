/** Formats a bill as text or JSON. */
import { formatCount, formatNumber } from "../cli/format.ts";
import { alignColumns } from "../cli/table.ts";
import { assumptionsOf } from "./assumptions.ts";
import type { Bill, Line, Plan } from "./bill.ts";
import { PRICED_AT, PRICES, type Price, type Region } from "./prices.ts";

/** How to lower each line that may be the largest. */
const SAVINGS: Partial<Record<Line["priced"], string>> = {
  invocations: "fewer requests by clients: a browser with push messages need not poll",
  gigabyteSeconds: "another memory size for the functions that take most: npm run bench -- warm, login",
  httpRequests:
    "fewer requests by clients, or If-None-Match and a local copy; a Lambda function URL is free, but has neither routes nor throttling",
  readUnits: "fewer list requests, shorter pages, and no more shards than the game needs",
  writeUnits:
    "fewer attributes in the indexes, because writes pay for each of them; provisioned capacity for a steady load",
  storage: "npm run reset after each season: it keeps the accounts and archives the game",
  recovery: "PointInTimeRecoverySpecification in resources/table.yml, for games that may be lost",
  queueRequests: "fewer stages: the queue of each is polled, even when nobody plays",
  logsWritten: "LOG_LEVEL=WARN, which does not count rejected requests, and no access log",
  logsSearched: "fewer views of the dashboard, or of fewer hours",
  logsKept: "a shorter RetentionInDays in resources/logs.yml and logRetentionInDays in serverless.yml",
  metrics: "fewer metrics, or fewer dimensions of them",
  alarms: "fewer alarms or fewer stages",
  mails: "fewer announcements that are mailed to everybody: pushes cost nothing; or another mail server",
  dashboards: "no dashboard while there is no game",
  bytesOut: "shorter pages, and clients that send Accept-Encoding and If-None-Match",
};

const SHOWN_OPERATIONS = 5;
/** Smaller amounts are shown as less than a cent. */
const CENT = 0.01;

/** Formats an amount with two decimals. @param usd in US dollars */
export const dollars = (usd: number): string => {
  if (usd === 0) return "0.00";
  if (usd < CENT) return "<0.01";
  return usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
};

const amountOf = ({ amount, priced }: Line): string =>
  `${amount.toLocaleString("en", { maximumSignificantDigits: 3 })} ${PRICES[priced].unit}`;

const isVerified = (priced: Line["priced"], region: Region): boolean => {
  const price: Price = PRICES[priced];
  return price.verified.includes(region);
};

const percent = (part: number, whole: number): string => `${Math.round((part / whole) * 100)} %`;

/** Describes the game of a bill in one line. */
const subjectOf = (
  { requests, preflights, hunts }: Bill,
  { players, days, region, stages, shards }: Plan,
): string => {
  const where = `for ${formatCount(days, "day")} in ${region}`;
  const idleStages = stages === 1 ? "" : `, next to ${formatCount(stages - 1, "idle stage")}`;
  if (players === 0) return `An idle stage, ${where}${idleStages}.`;
  const [requestCount, first] = [requests, preflights].map((count) => formatNumber(Math.round(count)));
  return `${formatCount(players, "player")} ${where}, ${formatCount(shards, "shard")}${idleStages}: ${requestCount} requests, ${first} preflights, ${formatNumber(Math.round(hunts))} hunts.`;
};

/** Formats the bill as a table, with its largest line and the assumptions. */
export const formatBill = (bill: Bill, plan: Plan): string => {
  const { region, figures } = plan;
  const { lines, operations, largest } = bill;
  const table = alignColumns(
    [
      ["", "", "amount", "list price", "free", "to pay"],
      ...lines.map((line) => [
        line.service,
        `${line.what}${isVerified(line.priced, region) ? "" : " *"}`,
        amountOf(line),
        ...[line.list, line.free, line.toPay].map(dollars),
      ]),
      ["total", "", "", ...[bill.list, bill.free, bill.toPay].map(dollars)],
    ],
    3,
  ).join("\n");
  const most = alignColumns(
    [
      ["operation", "times", "read units", "write units", "list price"],
      ...operations
        .slice(0, SHOWN_OPERATIONS)
        .map(({ operation, times, read, write, list }) => [
          operation,
          ...[times, read, write].map((count) => Math.round(count).toLocaleString("en")),
          dollars(list),
        ]),
    ],
    4,
  ).join("\n");
  const [first] = operations;
  const measured = Object.entries(figures.at).map(([name, at]) => `${name} ${at}`);
  return [
    subjectOf(bill, plan),
    `US dollars without tax, at the prices of ${region} of ${PRICED_AT}.`,
    "",
    table,
    "",
    "free: the free tier of every account each month, if nothing else in the account uses it.",
    "* not verified in this region: check it on the page that --json lists.",
    "",
    largest.toPay > 0
      ? `The largest line is ${largest.service}, ${largest.what}: ${dollars(largest.toPay)}, ${percent(largest.toPay, bill.toPay)} of the amount to pay.`
      : `Everything is covered by the free tier. The largest line is ${largest.service}, ${largest.what}, with a list price of ${dollars(largest.list)}.`,
    `To lower it: ${SAVINGS[largest.priced] ?? "fewer requests"}.`,
    ...(first === undefined ? [] : [`The most expensive operation is ${first.operation}:`]),
    "",
    most,
    "",
    `Measured: ${measured.join(", ")} (docs/performance.md). Assumed:`,
    ...assumptionsOf(plan.minutesOpen, plan.mails).map((one) => `- ${one}`),
  ].join("\n");
};

/** Formats the bill as JSON. */
export const formatBillJson = (
  bill: Bill,
  { players, days, region, stages, shards, minutesOpen, mails, figures }: Plan,
): string =>
  JSON.stringify(
    {
      ...{
        players,
        days,
        region,
        stages,
        shards,
        minutes_open: minutesOpen,
        mails_per_player: mails,
        currency: "USD",
        priced_at: PRICED_AT,
        measured_at: figures.at,
      },
      requests: Math.round(bill.requests),
      preflights: Math.round(bill.preflights),
      hunts: Math.round(bill.hunts),
      list_price: bill.list,
      free: bill.free,
      to_pay: bill.toPay,
      lines: bill.lines.map(({ service, what, priced, amount, list, free, toPay }) => ({
        service,
        what,
        amount,
        unit: PRICES[priced].unit,
        price: PRICES[priced].usd[region],
        list_price: list,
        free,
        to_pay: toPay,
        source: PRICES[priced].source,
        read_on: PRICES[priced].readOn,
        verified: isVerified(priced, region),
      })),
      operations: bill.operations.map(({ operation, times, read, write, list }) => ({
        operation,
        times,
        read_units: read,
        write_units: write,
        list_price: list,
      })),
      assumed: assumptionsOf(minutesOpen, mails),
    },
    null,
    2,
  );
