/** `npm run cost`: estimates what a game costs on AWS. */
import { runCommand } from "../cli/command.ts";
import { DAY_MINUTES } from "../cost/assumptions.ts";
import { billOf } from "../cost/bill.ts";
import { readFigures } from "../cost/figures.ts";
import { MAX_DAYS, MAX_PLAYERS, parseCostOptions } from "../cost/options.ts";
import { PRICED_AT, REGIONS } from "../cost/prices.ts";
import { formatBill, formatBillJson } from "../cost/report.ts";
import { OPEN_MINUTES } from "../cost/trafficModel.ts";
import { REGION } from "../local/settings.ts";
import { memoryByName } from "../project/functions.ts";

const HELP = `Estimates what a game costs on AWS, by service. It uses the capacity and times that the benchmarks measured, a model
of the players' traffic, and prices of ${REGIONS.join(" and ")} of ${PRICED_AT}. It needs no AWS account.

  npm run cost -- --players 2000 --days 7 [--minutes-open N] [--mails N] [--region REGION] [--stages N] [--shards N] [--json]

  --players N       number of players, up to ${MAX_PLAYERS.toLocaleString("en")}; 0 for an idle stage
  --days N          number of whole days that it is deployed, up to ${MAX_DAYS}
  --minutes-open N  how many minutes a day each player has the web app open, up to ${DAY_MINUTES.toLocaleString("en")}; default ${OPEN_MINUTES}.
                    This assumption changes the bill most
  --mails N         how many mails each player gets in all, by Amazon SES; default 0, without mail
  --region REGION   ${REGIONS.join(" or ")}; defaults to AWS_REGION, then ${REGION}
  --stages N        number of stages in the account, the others idle; they share the free tier; default 1
  --shards N        number of shards of the lists; default 1, as in a new game
  --json            machine-readable, with the source of each price

This is an estimate for planning. Check it with AWS's own calculator, and set a budget alarm.
`;

const OPTIONS = {
  players: { type: "string" },
  days: { type: "string" },
  region: { type: "string" },
  stages: { type: "string", default: "1" },
  shards: { type: "string", default: "1" },
  mails: { type: "string", default: "0" },
  "minutes-open": { type: "string", default: String(OPEN_MINUTES) },
  json: { type: "boolean", default: false },
} as const;

await runCommand({ help: HELP, options: OPTIONS }, async (values) => {
  const figures = await readFigures();
  const options = parseCostOptions(values, process.env.AWS_REGION || REGION, figures);
  const plan = { ...options, figures, memory: memoryByName() };
  const bill = billOf(plan);
  console.log(values.json ? formatBillJson(bill, plan) : formatBill(bill, plan));
  return 0;
});
