/** `npm run sizes`: how much of each function is loaded at its start, and whether that is within its budget. */
import { parseArgs } from "node:util";
import { BUDGET_BYTES, BUDGET_WITHOUT_INPUT_BYTES, handlerSizes, kilobytes } from "../bundle/sizes.ts";
import { runCommand } from "../cli/userError.ts";

const HELP = `Bundles every function as it is deployed, and holds what it loads at its start to a budget: ${kilobytes(BUDGET_BYTES)} KB
compressed, ${kilobytes(BUDGET_WITHOUT_INPUT_BYTES)} KB where neither request nor message comes (docs/decisions/0022-bundles.md).

  npm run sizes [-- --quiet]

  --quiet   tells of those only that are over

Exits with 1 when one is over.
`;

const main = async (): Promise<number> => {
  const { values } = parseArgs({
    options: { quiet: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  const sizes = await handlerSizes();
  const over = sizes.filter(({ isOver }) => isOver);
  const rows = values.quiet ? over : sizes;
  if (rows.length > 0) {
    console.table(
      rows.map(({ handler, gzip, whole, budget, isOver }) => ({
        handler,
        "KB gzip at the start": kilobytes(gzip),
        "KB gzip in all": kilobytes(whole),
        budget: kilobytes(budget),
        "": isOver ? "OVER" : "",
      })),
    );
  }
  console.log(`${sizes.length - over.length} of ${sizes.length} functions are within their budgets.`);
  return over.length === 0 ? 0 : 1;
};

await runCommand(main);
