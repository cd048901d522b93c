/** `npm run figures`: writes measured figures and costs into the documentation again. */
import { runCommand } from "../cli/command.ts";
import { writeDocuments } from "../figures/documents.ts";

const HELP = `Writes the tables of docs/performance.md and every cost in the documentation again, from bench/figures,
the prices and the assumptions of the cost estimate. npm run bench -- --write does it too.

  npm run figures
`;

await runCommand({ help: HELP, options: {} }, async () => {
  const changes = await writeDocuments();
  console.log(changes.length === 0 ? "All figures were up to date." : changes.join("\n"));
  return 0;
});
