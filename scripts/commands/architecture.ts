/** `npm run architecture`: updates the import diagram in docs/architecture.md. */
import { readFile, writeFile } from "node:fs/promises";
import { runCommand } from "../cli/command.ts";
import { ARCHITECTURE_FILE, renderDiagram, replaceDiagram } from "../project/architecture.ts";

const HELP = `Draws the imports between folders again, in docs/architecture.md.

  npm run architecture
`;

await runCommand({ help: HELP, options: {} }, async () => {
  const document = await readFile(ARCHITECTURE_FILE, "utf8");
  await writeFile(ARCHITECTURE_FILE, replaceDiagram(document, await renderDiagram()));
  console.log("The diagram in docs/architecture.md is up to date.");
  return 0;
});
