/** Writes the types of client/ from the API document. */
import { writeClientTypes } from "../openapi/clientTypes.ts";

await writeClientTypes();
