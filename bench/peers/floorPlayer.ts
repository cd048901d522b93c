/** The peer `floor`, a lower bound: `GET /player` as a single handler that uses only the SDK. */
import { lambdaHandler } from "./hand/lambda.ts";
import { ownPlayer } from "./hand/requests.ts";

export const handler = lambdaHandler(ownPlayer);
