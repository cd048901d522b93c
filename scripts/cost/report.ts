/** A bill in words for whoever pays it, or as JSON. */
import { formatCount, formatNumber } from "../cli/format.ts";
import { ASSUMPTIONS } from "./assumptions.ts";
import type { Bill, Line, Plan } from "./bill.ts";
import { PRICED_AT, PRICES, type Price, type Region } from "./prices.ts";

/** What would lower each line that may be the largest. */
const LOWERED_BY: Partial<Record<Line["priced"], string>> = {
  invocations: "clients that ask less often: a browser that is told by push need not poll",
  gigabyteSeconds: "another memory size of the functions that take most: npm run bench -- warm, login",
  httpRequests:
    "clients that ask less often, or send If-None-Match and hold what they have; a Lambda function URL has no price of its own, and neither routes nor throttles",
  readUnits: "clients that ask for lists less often, shorter pages, and no more shards than the game needs",
  writeUnits:
    "fewer attributes in the indexes, each of which a write pays for; provisioned capacity for a steady load",
  storage: "npm run reset after each season: it keeps the accounts and puts the game into a file",
  recovery: "PointInTimeRecoverySpecification in resources/table.yml, for games whose loss can be borne",
  queueRequests: "fewer stages: the queue of each is polled, also when nobody plays",
  logsWritten: "LOG_LEVEL=WARN, which leaves refusals uncounted, and no access log",
  logsKept: "a shorter logRetentionInDays in serverless.yml",
  metrics: "fewer metrics, or fewer dimensions of them",
  alarms: "fewer alarms, or fewer stages",
  dashboards: "no dashboard while no game is on",
  bytesOut: "shorter pages, and clients that send Accept-Encoding and If-None-Match",
};

const SHOWN_OPERATIONS = 5;
/** What is below this is shown as less than a cent. */
const CENT = 0.01;

const dollars = (usd: number): string => {
  if (usd === 0) return "0.00";
  if (usd < CENT) return "<0.01";
  return usd.toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });
};

const amountOf = ({ amount, priced }: Line): string =>
  `${amount.toLocaleString("en", { maximumSignificantDigits: 3 })} ${PRICES[priced].unit}`;

/** Columns below one another; numbers, which come last, stand to the right. */
const columns = (rows: readonly (readonly string[])[], numbers: number): string => {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  const isNumber = (at: number): boolean => at >= widths.length - numbers;
  return rows
    .map((row) =>
      row
        .map((cell, at) => (isNumber(at) ? cell.padStart(widths[at] ?? 0) : cell.padEnd(widths[at] ?? 0)))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
};

const isVerified = (priced: Line["priced"], region: Region): boolean => {
  const price: Price = PRICES[priced];
  return price.verified.includes(region);
};

const percent = (part: number, whole: number): string => `${Math.round((part / whole) * 100)} %`;

/** What the bill is of, in a line. */
const subjectOf = (
  { requests, preflights, hunts }: Bill,
  { players, days, region, stages, shards }: Plan,
): string => {
  const where = `for ${formatCount(days, "day")} in ${region}`;
  const beside = stages === 1 ? "" : `, beside ${formatCount(stages - 1, "idle stage")}`;
  if (players === 0) return `A stage that is idle, ${where}${beside}.`;
  const [asked, first] = [requests, preflights].map((count) => formatNumber(Math.round(count)));
  return `${formatCount(players, "player")} ${where}, ${formatCount(shards, "shard")}${beside}: ${asked} requests, ${first} preflights, ${formatNumber(Math.round(hunts))} hunts.`;
};

/** The bill as a table, what is largest in it, and what it rests on. */
export const formatBill = (bill: Bill, plan: Plan): string => {
  const { region, figures } = plan;
  const { lines, operations, largest } = bill;
  const table = columns(
    [
      ["", "", "amount", "list price", "free", "to pay"],
      ...lines.map((line) => [
        line.service,
        `${line.what}${isVerified(line.priced, region) ? "" : " *"}`,
        amountOf(line),
        ...[line.list, line.free, line.toPay].map(dollars),
      ]),
      ["in all", "", "", ...[bill.list, bill.free, bill.toPay].map(dollars)],
    ],
    3,
  );
  const most = columns(
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
  );
  const [first] = operations;
  const measured = Object.entries(figures.at).map(([name, at]) => `${name} ${at}`);
  return [
    subjectOf(bill, plan),
    `US dollars without tax, at the prices of ${PRICED_AT}.`,
    "",
    table,
    "",
    "free: what every account has for nothing each month, if nothing else in the account uses it.",
    "* not verified in this region: look it up on the page that --json names before you rely on it.",
    "",
    largest.toPay > 0
      ? `The largest is ${largest.service}, ${largest.what}: ${dollars(largest.toPay)}, ${percent(largest.toPay, bill.toPay)} of what is to pay.`
      : `All of it is free. The largest is ${largest.service}, ${largest.what}, for ${dollars(largest.list)} otherwise.`,
    `What lowers it: ${LOWERED_BY[largest.priced] ?? "playing less"}.`,
    ...(first === undefined ? [] : [`Of the operations, ${first.operation} costs most:`]),
    "",
    most,
    "",
    `Measured: ${measured.join(", ")} (docs/performance.md). Assumed:`,
    ...ASSUMPTIONS.map((one) => `- ${one}`),
  ].join("\n");
};

/** The same for machines. */
export const formatBillJson = (
  bill: Bill,
  { players, days, region, stages, shards, figures }: Plan,
): string =>
  JSON.stringify(
    {
      ...{
        players,
        days,
        region,
        stages,
        shards,
        currency: "USD",
        priced_at: PRICED_AT,
        measured_at: figures.at,
      },
      ...{ requests: Math.round(bill.requests), preflights: Math.round(bill.preflights) },
      hunts: Math.round(bill.hunts),
      ...{ list_price: bill.list, free: bill.free, to_pay: bill.toPay },
      lines: bill.lines.map(({ service, what, priced, amount, list, free, toPay }) => ({
        ...{ service, what, amount, unit: PRICES[priced].unit, price: PRICES[priced].usd[region] },
        ...{ list_price: list, free, to_pay: toPay },
        ...{ source: PRICES[priced].source, verified: isVerified(priced, region) },
      })),
      operations: bill.operations.map(({ operation, times, read, write, list }) => ({
        ...{ operation, times, read_units: read, write_units: write, list_price: list },
      })),
      assumed: ASSUMPTIONS,
    },
    null,
    2,
  );
