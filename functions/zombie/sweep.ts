/** Each minute: records those who have starved. */
import { scheduled } from "../../lib/http/scheduled.ts";
import { sweep } from "../../lib/http/sweep.ts";

export const handler = scheduled("sweep", sweep);
