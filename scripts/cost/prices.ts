/**
 * AWS prices by region in US dollars without tax, from the public pricing pages. Each names the day on which it was
 * read, and the regions in which a stored copy of a public page confirms it.
 */

export const REGIONS = ["eu-central-1", "us-east-1"] as const;
export type Region = (typeof REGIONS)[number];

export interface Price {
  usd: Record<Region, number>;
  /** The unit, as in "million requests". */
  unit: string;
  /** How many counted items are one unit. */
  per: number;
  /** The permanent free tier per month, in units. */
  freeEachMonth: number;
  /** The pricing page, and the day on which it was read. */
  source: string;
  readOn: string;
  /** The regions in which the price was found on a stored copy of a public page. */
  verified: readonly Region[];
}

const MILLION = 1_000_000;
const LAMBDA = "https://aws.amazon.com/lambda/pricing/";
const DYNAMODB = "https://aws.amazon.com/dynamodb/pricing/on-demand/";
const CLOUDWATCH = "https://aws.amazon.com/cloudwatch/pricing/";

/** When most prices were read. */
const FIRST_READ = "2026-11-21";

const US: readonly Region[] = ["us-east-1"];
const both = (usd: number): Record<Region, number> => ({ "eu-central-1": usd, "us-east-1": usd });

/** A price, with what is usual of the others. */
const price = (
  usd: Price["usd"],
  unit: string,
  source: string,
  more: Partial<Pick<Price, "per" | "freeEachMonth" | "readOn" | "verified">> = {},
): Price => ({ usd, unit, source, per: 1, freeEachMonth: 0, readOn: FIRST_READ, verified: US, ...more });

/** On demand, arm64, standard classes, without discounts for volume or commitments. */
export const PRICES = {
  invocations: price(both(0.2), "million requests", LAMBDA, { per: MILLION, freeEachMonth: 1 }),
  gigabyteSeconds: price(both(13.3334), "million GB-seconds", LAMBDA, { per: MILLION, freeEachMonth: 0.4 }),
  // A million each month are free for twelve months, but only in accounts from before July 2025: not counted.
  httpRequests: price(
    { "eu-central-1": 1.2, "us-east-1": 1 },
    "million requests",
    "https://aws.amazon.com/api-gateway/pricing/",
    { per: MILLION },
  ),
  readUnits: price({ "eu-central-1": 0.1525, "us-east-1": 0.125 }, "million read units", DYNAMODB, {
    per: MILLION,
  }),
  writeUnits: price({ "eu-central-1": 0.7625, "us-east-1": 0.625 }, "million write units", DYNAMODB, {
    per: MILLION,
  }),
  storage: price({ "eu-central-1": 0.306, "us-east-1": 0.25 }, "GB-months", DYNAMODB, { freeEachMonth: 25 }),
  recovery: price({ "eu-central-1": 0.2448, "us-east-1": 0.2 }, "GB-months", DYNAMODB, { verified: [] }),
  // Reads of a stream by a Lambda trigger are free.
  streamReads: price(both(0), "million records", DYNAMODB, { per: MILLION, verified: [] }),
  keyRequests: price(both(0.03), "ten thousand requests", "https://aws.amazon.com/kms/pricing/", {
    per: 10_000,
    freeEachMonth: 2,
    verified: [],
  }),
  queueRequests: price(both(0.4), "million requests", "https://aws.amazon.com/sqs/pricing/", {
    per: MILLION,
    freeEachMonth: 1,
  }),
  // A scheduled rule on the default bus is a management event, which is free.
  schedules: price(both(0), "million runs", "https://aws.amazon.com/eventbridge/pricing/", { per: MILLION }),
  logsWritten: price({ "eu-central-1": 0.63, "us-east-1": 0.5 }, "GB", CLOUDWATCH, { freeEachMonth: 5 }),
  logsKept: price({ "eu-central-1": 0.0324, "us-east-1": 0.03 }, "GB-months", CLOUDWATCH),
  // Of each GB that a search reads. The free tier of the log is left to what is written.
  logsSearched: price({ "eu-central-1": 0.0063, "us-east-1": 0.005 }, "GB", CLOUDWATCH, {
    readOn: "2026-11-26",
  }),
  metrics: price(both(0.3), "metric-months", CLOUDWATCH, { freeEachMonth: 10 }),
  alarms: price(both(0.1), "alarm-months", CLOUDWATCH, { freeEachMonth: 10, verified: [] }),
  dashboards: price(both(3), "dashboard-months", CLOUDWATCH, { freeEachMonth: 3 }),
  // Essentials, the plan of new accounts since 2026-07-21. Accounts that sent mail before pay 0.10, the price of no plan.
  mails: price(both(0.16), "thousand mails", "https://aws.amazon.com/ses/pricing/", {
    per: 1_000,
    readOn: "2026-11-27",
  }),
  bytesOut: price(both(0.09), "GB", "https://aws.amazon.com/ec2/pricing/on-demand/", { freeEachMonth: 100 }),
} satisfies Record<string, Price>;

export type PriceName = keyof typeof PRICES;

/** The day of the oldest price. */
export const [PRICED_AT = FIRST_READ] = Object.values(PRICES)
  .map(({ readOn }): string => readOn)
  .toSorted();
