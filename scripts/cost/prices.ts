/**
 * AWS prices by region in US dollars without tax, from the public pricing pages. Each names the day on which it was
 * read, and the regions in which a stored copy of a public page confirms it.
 */

export const REGIONS = ["eu-central-1", "us-east-1"] as const;
export type Region = (typeof REGIONS)[number];

export interface Price {
  /** The price of one unit. */
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

/** On demand, arm64, standard classes, without discounts for volume or commitments. */
export const PRICES = {
  invocations: {
    usd: both(0.2),
    unit: "million requests",
    per: MILLION,
    freeEachMonth: 1,
    source: LAMBDA,
    readOn: FIRST_READ,
    verified: US,
  },
  gigabyteSeconds: {
    usd: both(13.3334),
    unit: "million GB-seconds",
    per: MILLION,
    freeEachMonth: 0.4,
    source: LAMBDA,
    readOn: FIRST_READ,
    verified: US,
  },
  httpRequests: {
    // A million each month are free for twelve months, but only in accounts from before July 2025: not counted.
    usd: { "eu-central-1": 1.2, "us-east-1": 1 },
    unit: "million requests",
    per: MILLION,
    freeEachMonth: 0,
    source: "https://aws.amazon.com/api-gateway/pricing/",
    readOn: FIRST_READ,
    verified: US,
  },
  readUnits: {
    usd: { "eu-central-1": 0.1525, "us-east-1": 0.125 },
    unit: "million read units",
    per: MILLION,
    freeEachMonth: 0,
    source: DYNAMODB,
    readOn: FIRST_READ,
    verified: US,
  },
  writeUnits: {
    usd: { "eu-central-1": 0.7625, "us-east-1": 0.625 },
    unit: "million write units",
    per: MILLION,
    freeEachMonth: 0,
    source: DYNAMODB,
    readOn: FIRST_READ,
    verified: US,
  },
  storage: {
    usd: { "eu-central-1": 0.306, "us-east-1": 0.25 },
    unit: "GB-months",
    per: 1,
    freeEachMonth: 25,
    source: DYNAMODB,
    readOn: FIRST_READ,
    verified: US,
  },
  recovery: {
    usd: { "eu-central-1": 0.2448, "us-east-1": 0.2 },
    unit: "GB-months",
    per: 1,
    freeEachMonth: 0,
    source: DYNAMODB,
    readOn: FIRST_READ,
    verified: [],
  },
  // Reads of a stream by a Lambda trigger are free.
  streamReads: {
    usd: both(0),
    unit: "million records",
    per: MILLION,
    freeEachMonth: 0,
    source: DYNAMODB,
    readOn: FIRST_READ,
    verified: [],
  },
  keyRequests: {
    usd: both(0.03),
    unit: "ten thousand requests",
    per: 10_000,
    freeEachMonth: 2,
    source: "https://aws.amazon.com/kms/pricing/",
    readOn: FIRST_READ,
    verified: [],
  },
  queueRequests: {
    usd: both(0.4),
    unit: "million requests",
    per: MILLION,
    freeEachMonth: 1,
    source: "https://aws.amazon.com/sqs/pricing/",
    readOn: FIRST_READ,
    verified: US,
  },
  // A scheduled rule on the default bus is a management event, which is free.
  schedules: {
    usd: both(0),
    unit: "million runs",
    per: MILLION,
    freeEachMonth: 0,
    source: "https://aws.amazon.com/eventbridge/pricing/",
    readOn: FIRST_READ,
    verified: US,
  },
  logsWritten: {
    usd: { "eu-central-1": 0.63, "us-east-1": 0.5 },
    unit: "GB",
    per: 1,
    freeEachMonth: 5,
    source: CLOUDWATCH,
    readOn: FIRST_READ,
    verified: US,
  },
  logsKept: {
    usd: { "eu-central-1": 0.0324, "us-east-1": 0.03 },
    unit: "GB-months",
    per: 1,
    freeEachMonth: 0,
    source: CLOUDWATCH,
    readOn: FIRST_READ,
    verified: US,
  },
  // Of each GB that a search reads. The free tier of the log is left to what is written.
  logsSearched: {
    usd: { "eu-central-1": 0.0063, "us-east-1": 0.005 },
    unit: "GB",
    per: 1,
    freeEachMonth: 0,
    source: CLOUDWATCH,
    readOn: "2026-11-26",
    verified: US,
  },
  metrics: {
    usd: both(0.3),
    unit: "metric-months",
    per: 1,
    freeEachMonth: 10,
    source: CLOUDWATCH,
    readOn: FIRST_READ,
    verified: US,
  },
  alarms: {
    usd: both(0.1),
    unit: "alarm-months",
    per: 1,
    freeEachMonth: 10,
    source: CLOUDWATCH,
    readOn: FIRST_READ,
    verified: [],
  },
  dashboards: {
    usd: both(3),
    unit: "dashboard-months",
    per: 1,
    freeEachMonth: 3,
    source: CLOUDWATCH,
    readOn: FIRST_READ,
    verified: US,
  },
  bytesOut: {
    usd: both(0.09),
    unit: "GB",
    per: 1,
    freeEachMonth: 100,
    source: "https://aws.amazon.com/ec2/pricing/on-demand/",
    readOn: FIRST_READ,
    verified: US,
  },
} as const satisfies Record<string, Price>;

export type PriceName = keyof typeof PRICES;

/** The day of the oldest price. */
export const [PRICED_AT = FIRST_READ] = Object.values(PRICES)
  .map(({ readOn }): string => readOn)
  .toSorted();
