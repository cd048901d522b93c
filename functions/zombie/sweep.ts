/** The scheduled sweep: every minute, records starved zombies. */
import { sweep } from "../../lib/app/workers/sweep.ts";
import { scheduled } from "../../lib/lambda/scheduled.ts";

export const handler = scheduled("sweep", sweep);
