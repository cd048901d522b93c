/** The endpoints as their handlers declare them. */
import { documentedEndpoints } from "../../scripts/openapi/document.ts";
import { QUICK } from "../support/battery.ts";

export const DOCUMENTED = await documentedEndpoints();

/** Data for tests of what all endpoints have in common. A changed declaration also changes docs/openapi.json. */
export const ENDPOINTS = DOCUMENTED.map(({ module, info, docs }) => ({
  ...{ route: info.route, access: info.access, module },
  /** Whether a retry with the same Idempotency-Key gets the stored response. */
  isIdempotent: info.isIdempotent,
  // `change_password` is 204 with the current password, and 200 only with a recovery code.
  status: docs.success?.[204] === undefined ? info.response.status : 204,
}));

/** Those that tests of what all endpoints have in common try in a quick run: one of each kind, unless others are named. */
const QUICK_ROUTES = new RegExp(
  process.env.QUICK_ROUTES ??
    "/(new|zombie/hunt/.*|edit_player/.*|player/{url_id}|corpsify/.*|get_players/.*|send/.*|leaderboard/.*)$",
);
export const TRIED = QUICK ? ENDPOINTS.filter(({ route }) => QUICK_ROUTES.test(route)) : ENDPOINTS;
export const TRIED_ROUTES = new Set(TRIED.map(({ route }) => route));
export type EndpointContract = (typeof ENDPOINTS)[number];
