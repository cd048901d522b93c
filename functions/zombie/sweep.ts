/** The scheduled sweep, which records starved zombies every minute. */
import { sweep } from "../../lib/app/workers/sweep.ts";
import { scheduled } from "../../lib/lambda/scheduled.ts";

export const handler = scheduled("sweep", sweep);
