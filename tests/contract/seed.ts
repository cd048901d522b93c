/** The endpoints as their handlers declare them. */
import { documentedEndpoints } from "../../scripts/openapi/document.ts";

export const DOCUMENTED = await documentedEndpoints();

/** The endpoints, for tests of what all of a kind have in common. docs/openapi.json shows a change of any of it. */
export const ENDPOINTS = DOCUMENTED.map(({ module, info, docs }) => ({
  ...{ route: info.route, access: info.access, module },
  /** Whether a retry with the same Idempotency-Key is answered from the record. */
  once: info.isIdempotent,
  // A change of password is empty; a recovery code opens a session.
  status: docs.success?.[204] === undefined ? info.response.status : 204,
}));
export type EndpointContract = (typeof ENDPOINTS)[number];
