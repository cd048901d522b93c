/** The floor of a login: the same by hand, on the bare SDK, with the same check of the password. */
import { byHand } from "./hand/lambda.ts";
import { login } from "./hand/login.ts";

export const handler = byHand(login);
