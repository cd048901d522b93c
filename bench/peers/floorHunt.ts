/** The floor: the hunt by hand, a handler of its own on the bare SDK. */
import { byHand } from "./hand/lambda.ts";
import { hunt } from "./hand/requests.ts";

export const handler = byHand(hunt);
