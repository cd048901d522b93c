/** POST /check_setup: tells whether a set-up address works. */
import * as z from "zod/mini";
import { checkSetUpSecret, SET_UP_STATES } from "../../lib/app/accounts/setUp.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";

export const handler = endpoint({
  route: "POST /check_setup",
  access: "public",
  request: { body: z.strictObject({ setup: z.string().check(z.maxLength(64)) }) },
  response: { schema: z.object({ state: z.enum(SET_UP_STATES) }) },
  run: async (call) =>
    call.respond({
      state: await checkSetUpSecret(call.services, call.body.setup, call.clientAddress, call.now),
    }),
});

export const docs: EndpointDocs = {
  summary: "Check a set-up address",
  description:
    "Tells whether `POST /new` would accept this secret, and does not use it up. A wrong one counts as a failed login of its address, as it does there.",
  errors: ["too_many_attempts"],
  fields: {
    setup: "The secret that `npm start` and `npm run deploy` print while there is no game master.",
    state: "`valid`; `used` if there is a game master already; or `wrong`.",
  },
  example: { body: { setup: "AAAAAAAAAAAAAAAAAAAAAA" } },
};
