/** GET /admin/alerts/{url_id}: lists alerts for game masters, and the state of the sweep. */
import * as z from "zod/mini";
import { listAlerts } from "../../lib/app/alerts/listAlerts.ts";
import { State } from "../../lib/domain/players/player.ts";
import { boolean, integer, nullableText, text } from "../../lib/domain/schemas.ts";
import type { EndpointDocs } from "../../lib/http/documentation.ts";
import { endpoint } from "../../lib/http/endpoint.ts";
import { wholeNumber } from "../../lib/http/fields.ts";
import { Timestamp } from "../../lib/http/views.ts";
import { AlertKind } from "../../lib/store/notifications/alerts.ts";

/** A player who has left, with their state then, and now as if they had stayed. */
const Departed = z.object({
  departure_id: text,
  left_at: Timestamp,
  state_then: State,
  state_now: State,
  starves_at: z.nullable(Timestamp),
  kills: z.nullable(integer),
  infected_by: nullableText,
});

const Reason = z.object({
  kind: z.enum(["returns", "banned", "address_in_use"]),
  by: z.enum(["alias", "address"]),
  /** For `address`. */
  confirmed: z.optional(boolean),
  /** For `returns`. */
  departed: z.optional(Departed),
  /** For `banned`. */
  ban: z.optional(z.object({ alias: nullableText, until: z.nullable(Timestamp), reason: nullableText })),
  /** For `address_in_use`: the alias of the player who has the address. */
  used_by: z.optional(nullableText),
});

const Review = z.object({
  player_id: text,
  alias: text,
  first_name: nullableText,
  last_name: nullableText,
  email: nullableText,
  created_at: Timestamp,
  pending: boolean,
  reasons: z.array(Reason),
  /** How many more players who have left they may be. */
  more: integer,
});

const Alerts = z.object({
  alerts: z.array(
    z.object({
      alert_id: z.string(),
      kind: AlertKind,
      at: Timestamp,
      /** Only for a late tag. */
      happened_at: z.optional(Timestamp),
      starved_at: z.optional(Timestamp),
      hunter: nullableText,
      hunts: z.array(z.object({ interaction_id: z.string(), alias: nullableText, at: Timestamp })),
      resolved_at: z.nullable(Timestamp),
    }),
  ),
  reviews: z.array(Review),
  sweeps: z.nullable(
    z.object({
      last_at: Timestamp,
      held: z.nullable(z.object({ since: Timestamp, due: z.int() })),
    }),
  ),
});

export const handler = endpoint({
  route: "GET /admin/alerts/{url_id}",
  access: "administrator",
  request: {
    query: z.strictObject({ limit: wholeNumber(1, 100, 20), open: z.optional(z.literal("true")) }),
  },
  response: { schema: Alerts },
  read: (call) => listAlerts(call, call.query),
});

export const docs: EndpointDocs = {
  summary: "List alerts",
  description:
    "Alerts for game masters, newest first: one zombie tagged several newcomers who had registered from one address, or a zombie lives again by a tag from before they starved that arrived afterwards. Also returns up to 20 players about whom a game master has to decide with `POST /admin/admit/{url_id}`, and the state of the sweep, which looks for starved zombies every minute.",
  fields: {
    alerts: "A page of alerts.",
    open: "`true` leaves out alerts whose hunts were voided.",
    alert_id: "The id of the alert.",
    kind: "Of an alert, `newcomers`: one zombie tagged several newcomers from one address; `revived_by_late_tag`: a tag that arrived late has undone its hunter's starvation, listed for a day. Of a reason, `returns`: somebody who left during the game had the alias or the e-mail address; `banned`: somebody banned had it; `address_in_use`: another account has the address, although addresses are unique.",
    at: "When the tag was recorded or the alert was raised.",
    happened_at:
      "Only for `revived_by_late_tag`: when the tag happened, as its hunter or a game master says.",
    starved_at: "Only for `revived_by_late_tag`: when the hunter had starved, before the tag arrived.",
    hunter: "The alias of the hunter; `null` if they have left, or are a hidden original zombie.",
    hunts: "The tags.",
    alias: "Who was tagged; `null` if they have left.",
    reviews:
      "Players about whom a game master has to decide; who registered first comes first. Further ones are listed when these are decided.",
    created_at: "When the account was registered.",
    pending: "Whether they wait until a game master has decided; otherwise they play meanwhile.",
    reasons:
      "Why a game master has to decide. A departure whose player has come back is not listed, and at most three are.",
    more: "How many more players who have left they may be.",
    by: "Whether the alias or the e-mail address is the same. An address that nobody has confirmed proves nothing.",
    confirmed:
      "For an address: whether the other player had confirmed it, or it was banned itself. Where mail is sent, a newcomer with one that nobody has confirmed plays until you decide.",
    departed: "For `returns`: the player who has left.",
    departure_id: "The id for the decision.",
    left_at: "When they deleted the account.",
    state_then: "Their state then.",
    state_now: "Their state now, as if they had stayed.",
    starves_at: "When they would starve, as if they had stayed; `null` unless they are a zombie.",
    kills: "Their kills; `null` if they left under an earlier version.",
    infected_by: "The alias of the player who infected them; `null` if nobody did, or that player has left.",
    ban: "For `banned`: the ban.",
    until: "When the ban ends; `null` for a ban without an end, or one that was lifted.",
    reason: "The reason of the ban.",
    used_by: "For `address_in_use`: the alias of the player who has the address.",
    resolved_at: "When the hunts of the alert were voided; `null` before.",
    sweeps:
      "The state of the sweep, which records starvations and starts scheduled work; `null` before the first sweep.",
    last_at: "When the last sweep that was not on hold ran. A sweep runs every minute.",
    held: "Set after more than an hour between two sweeps: starvations are on hold until the operator of the service decides; otherwise `null`.",
    since: "When the hold began.",
    due: "How many starvations are on hold.",
  },
  example: {},
};
