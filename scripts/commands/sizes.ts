/** `npm run sizes`: prints the size of each function's start-up code and checks it against the budget. */
import { BUDGET_BYTES, BUDGET_WITHOUT_INPUT_BYTES, handlerSizes, kilobytes } from "../bundle/sizes.ts";
import { runCommand } from "../cli/command.ts";

const HELP = `Bundles every function as it is deployed and checks the size of its start-up code: at most ${kilobytes(BUDGET_BYTES)} KB compressed,
or ${kilobytes(BUDGET_WITHOUT_INPUT_BYTES)} KB for functions without request or message (docs/decisions/0022-bundles.md).

  npm run sizes [-- --quiet]

  --quiet   prints only functions that are over the budget

The exit code is 1 if a function is over its budget.
`;

await runCommand({ help: HELP, options: { quiet: { type: "boolean", default: false } } }, async (values) => {
  const sizes = await handlerSizes();
  const over = sizes.filter(({ isOver }) => isOver);
  const rows = values.quiet ? over : sizes;
  if (rows.length > 0) {
    console.table(
      rows.map(({ handler, gzip, whole, budget, isOver }) => ({
        handler,
        "KB gzip at start-up": kilobytes(gzip),
        "KB gzip in total": kilobytes(whole),
        budget: kilobytes(budget),
        "": isOver ? "OVER" : "",
      })),
    );
  }
  console.log(`${sizes.length - over.length} of ${sizes.length} functions are within their budget.`);
  return over.length === 0 ? 0 : 1;
});
