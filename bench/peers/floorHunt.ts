/** The peer `floor`, a lower bound: the hunt as a single handler that uses only the SDK. */
import { lambdaHandler } from "./hand/lambda.ts";
import { hunt } from "./hand/requests.ts";

export const handler = lambdaHandler(hunt);
