/** The floor: the hunt by hand, a handler of its own on the bare SDK. */
import { lambdaHandler } from "./hand/lambda.ts";
import { hunt } from "./hand/requests.ts";

export const handler = lambdaHandler(hunt);
