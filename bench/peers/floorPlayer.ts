/** Baseline for benchmarks: `GET /player` as a minimal handler with only the AWS SDK, the lower bound of start-up time (`floor`). */
import { lambdaHandler } from "./hand/lambda.ts";
import { ownPlayer } from "./hand/requests.ts";

export const handler = lambdaHandler(ownPlayer);
