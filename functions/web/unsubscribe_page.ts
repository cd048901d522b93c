/** GET /unsubscribe_email: leads to the page that asks whether to switch off a kind of mails. It changes nothing. */
import * as z from "zod/mini";
import { PAGES } from "../../lib/domain/notifications/pages.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { redirectResponse } from "../../lib/http/responses.ts";

export const handler = endpoint({
  route: "GET /unsubscribe_email",
  access: "public",
  request: { query: z.record(z.string(), z.unknown()) },
  response: { schema: z.string() },
  // The token goes into the fragment, so that the page sends it nowhere until somebody asks for that.
  run: async ({ query: { token } }) => {
    const fragment = typeof token === "string" ? `#${new URLSearchParams({ token })}` : "";
    return redirectResponse(`${PAGES.unsubscribe}${fragment}`, 303);
  },
});
