/** The cost figures in the documentation: the tables of docs/operations.md, and amounts in sentences elsewhere. */
import { formatCount, formatNumber } from "../cli/format.ts";
import { ASSUMED, DAY_MINUTES } from "../cost/assumptions.ts";
import { type Bill, billOf, type Plan } from "../cost/bill.ts";
import type { Figures } from "../cost/figures.ts";
import { PRICED_AT, PRICES, REGIONS } from "../cost/prices.ts";
import { dollars } from "../cost/report.ts";
import { OPEN_MINUTES } from "../cost/trafficModel.ts";
import { readDeploymentSettings } from "../plugins/deploymentSettings.cjs";
import { memoryByName } from "../project/functions.ts";
import { type Derivation, section, sentence } from "./derive.ts";
import { markdownOf } from "./tables.ts";

/** The region whose prices the documents name. */
const [REGION] = REGIONS;
const GAMES = [
  { players: 300, days: 7 },
  { players: 2_000, days: 7 },
  { players: 50, days: 1 },
  { players: 0, days: 30 },
  { players: 0, days: 30, stages: 2 },
];
const MINUTES_OPEN = [OPEN_MINUTES, 60, 120];
const SECONDS_IN_DAY = DAY_MINUTES * 60;
const MILLION = 1_000_000;
const GIGABYTE = 1e9;
const CENTS = 100;
const MONTH_SWEEPS = 30 * DAY_MINUTES;

type Game = Pick<Plan, "players" | "days"> & Partial<Plan>;

const nameOf = ({ players, days, stages = 1 }: Game): string => {
  const stage = stages === 1 ? "one idle stage" : `${stages} idle stages`;
  return `${players === 0 ? stage : formatCount(players, "player")}, ${formatCount(days, "day")}`;
};

const commandOf = ({ players, days, stages }: Game): string =>
  `\`npm run cost -- --players ${players} --days ${days}${stages === undefined ? "" : ` --stages ${stages}`}\``;

const alarmsOf = ({ lines }: Bill): string =>
  dollars(lines.find(({ priced }) => priced === "alarms")?.toPay ?? 0);

/** Returns the bill of a game. */
type Billing = (game: Game) => Bill;

const toPay = (bill: Billing, game: Game): string => dollars(bill(game).toPay);

/** The tables of docs/operations.md. */
const tablesOf = (bill: Billing): string => {
  const games = GAMES.map((game) => ({
    [`game, in ${REGION} at the prices of ${PRICED_AT}`]: nameOf(game),
    "list price": `${dollars(bill(game).list)} USD`,
    "after the free tier": `${toPay(bill, game)} USD`,
    "of it for alarms": `${alarmsOf(bill(game))} USD`,
    command: commandOf(game),
  }));
  const weeks = GAMES.slice(0, 2);
  const minutes = MINUTES_OPEN.map((minutesOpen) => ({
    "`--minutes-open`": minutesOpen,
    ...Object.fromEntries(
      weeks.map((game) => [nameOf(game), `${toPay(bill, { ...game, minutesOpen })} USD`]),
    ),
  }));
  const between =
    "The same after the free tier, by the minutes a day for which each player has the web app open:";
  return [markdownOf(games), between, markdownOf(minutes)].join("\n\n");
};

/** The amounts in sentences, by the name that a sentence has for them. */
const amountsOf = (bill: Billing): ReadonlyMap<string, string> => {
  const [small] = GAMES.map(bill);
  const login = small?.operations.find(({ operation }) => operation === "login");
  if (login === undefined) throw new Error("no game has logins");
  const aLogin = login.list / login.times + (ASSUMED.logBytes / GIGABYTE) * PRICES.logsWritten.usd[REGION];
  // A flood of requests that the default throttle lets through, for a day.
  const { requestsPerSecond } = readDeploymentSettings({}, REGION).settings;
  const flood = requestsPerSecond * SECONDS_IN_DAY;
  const aSweep = (PRICES.readUnits.usd[REGION] + PRICES.writeUnits.usd[REGION]) / MILLION;
  const idle = { players: 0, days: 30 };
  return new Map([
    ["a week of 300", toPay(bill, { players: 300, days: 7 })],
    ["a week of 2,000", toPay(bill, { players: 2_000, days: 7 })],
    ["an idle month", toPay(bill, idle)],
    ["an idle month of two stages", toPay(bill, { ...idle, stages: 2 })],
    ["alarms for a month", alarmsOf(bill(idle))],
    ["priced on", PRICED_AT],
    ["a flood's requests a second", formatNumber(requestsPerSecond)],
    ["a flood of a day, API Gateway", ((flood / MILLION) * PRICES.httpRequests.usd[REGION]).toFixed(0)],
    ["a flood of a day, logins", (flood * aLogin).toFixed(0)],
    ["one read and one write of each sweep", (aSweep * MONTH_SWEEPS * CENTS).toFixed(0)],
  ]);
};

/** The sentences with costs, by document. */
const SENTENCES = {
  "README.md":
    "Three hundred players for a week cost {a week of 300} dollars after AWS's free tier, two thousand {a week of 2,000} dollars; an idle stage costs {an idle month} dollars a month (eu-central-1, prices of {priced on})",
  "docs/deploy.md":
    "an idle stage costs {an idle month} dollars a month, mostly for alarms, and two of them {an idle month of two stages} (eu-central-1, prices of {priced on})",
  "docs/decisions/0037-sweep-clock.md":
    "An idle sweep takes one read unit and one write unit more: about {one read and one write of each sweep} cents a month",
  "docs/decisions/0039-domain-and-budget.md":
    "A flood costs at most what {a flood's requests a second} requests a second cost: {a flood of a day, API Gateway} dollars a day of API Gateway, and some {a flood of a day, logins} in all if each is a login",
  "docs/decisions/0079-alarms.md": "cost {alarms for a month} dollars a month",
};

/**
 * Returns the derivation of the costs in each document that has some.
 * @param figures the results of the benchmarks
 */
export const costDerivations = (figures: Figures): ReadonlyMap<string, readonly Derivation[]> => {
  const usual = { stages: 1, shards: 1, region: REGION, minutesOpen: OPEN_MINUTES, mails: 0 };
  const memory = memoryByName();
  const bill: Billing = (game) => billOf({ ...usual, figures, memory, ...game });
  const amounts = amountsOf(bill);
  return new Map([
    ["docs/operations.md", [section("costs", tablesOf(bill))]],
    ...Object.entries(SENTENCES).map(([file, words]): [string, Derivation[]] => [
      file,
      [sentence(words, amounts)],
    ]),
  ]);
};
