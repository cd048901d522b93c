/** `npm run architecture`: renews the drawing in docs/architecture.md. */
import { readFile, writeFile } from "node:fs/promises";
import { runCommand } from "../cli/userError.ts";
import { ARCHITECTURE_FILE, drawArchitecture, withDrawing } from "../project/architecture.ts";

await runCommand(async () => {
  const document = await readFile(ARCHITECTURE_FILE, "utf8");
  await writeFile(ARCHITECTURE_FILE, withDrawing(document, await drawArchitecture()));
  console.log("docs/architecture.md shows the imports as they are now.");
  return 0;
});
