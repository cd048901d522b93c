/**
 * Runs after `npm ci`: writes the types of client/, and fetches Scalar's script, with which /docs shows the API. Without a
 * registry there is no /docs.
 */
import { provideScalar } from "../bundle/scalar.ts";
import { messageOf } from "../cli/userError.ts";
import { writeClientTypes } from "../openapi/clientTypes.ts";

await writeClientTypes();

await provideScalar().catch((error: unknown) => {
  console.error(messageOf(error));
  console.error("Until then npm start has no /docs, and npm run check and npm run deploy fail.");
});
