/** The floor: a player's own view by hand, a handler of its own on the bare SDK. */
import { lambdaHandler } from "./hand/lambda.ts";
import { ownPlayer } from "./hand/requests.ts";

export const handler = lambdaHandler(ownPlayer);
