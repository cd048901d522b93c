/** `npm run types`: writes the types of client/ from the API document. */
import { runCommand } from "../cli/command.ts";
import { writeClientTypes } from "../openapi/clientTypes.ts";

const HELP = `Writes the types of the client from docs/openapi.json. npm ci, npm run openapi and npm run check do it too.

  npm run types
`;

await runCommand({ help: HELP, options: {} }, async () => {
  await writeClientTypes();
  return 0;
});
