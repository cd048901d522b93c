/** `npm run cost`: what a game would cost on AWS, before it is deployed. */
import { parseArgs } from "node:util";
import { runCommand } from "../cli/userError.ts";
import { billOf } from "../cost/bill.ts";
import { readFigures } from "../cost/figures.ts";
import { MAX_DAYS, MAX_PLAYERS, parseCostOptions } from "../cost/options.ts";
import { PRICED_AT, REGIONS } from "../cost/prices.ts";
import { formatBill, formatBillJson } from "../cost/report.ts";
import { REGION } from "../local/settings.ts";
import { memoryByName } from "../project/functions.ts";

const HELP = `Says what a game would cost on AWS, by service: from the capacity and the times that the benches have measured,
a model of how much players do, and a table of prices from ${PRICED_AT}. No account is needed, and none is asked.

  npm run cost -- --players 2000 --days 7 [--region REGION] [--stages N] [--shards N] [--json]

  --players N      how many play, up to ${MAX_PLAYERS.toLocaleString("en")}; 0 for a stage that is idle
  --days N         for how long it is deployed, in whole days, up to ${MAX_DAYS}
  --region REGION  ${REGIONS.join(" or ")}; AWS_REGION otherwise, or ${REGION}
  --stages N       how many stages there are in the account, all others idle: they share what is free; 1 unless said
  --shards N       over how many shards the lists are spread; 1, as a new game has it, unless said
  --json           for machines, with the source of each price

A figure to plan with, not an offer: AWS's own calculator and a budget alarm are the last word.
`;

const OPTIONS = {
  players: { type: "string" },
  days: { type: "string" },
  region: { type: "string" },
  stages: { type: "string", default: "1" },
  shards: { type: "string", default: "1" },
  json: { type: "boolean", default: false },
  help: { type: "boolean", default: false },
} as const;

const main = async (): Promise<number> => {
  const { values } = parseArgs({ options: OPTIONS });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const figures = await readFigures();
  const asked = parseCostOptions(values, process.env.AWS_REGION || REGION, figures);
  const plan = { ...asked, figures, memory: memoryByName() };
  const bill = billOf(plan);
  console.log(values.json ? formatBillJson(bill, plan) : formatBill(bill, plan));
  return 0;
};

await runCommand(main);
