/** A request as it is made up and sent: what was done to it, and what must come of that. */
import type { RequestOptions } from "../../support/service.ts";
import type { Field } from "./forms.ts";

/** A valid request before it is sent, or spoilt. */
export interface Drawn {
  method: string;
  bodyFields: Record<string, Field>;
  queryFields: Record<string, Field>;
  body: Record<string, unknown>;
  query: Record<string, string>;
  /** Whether its endpoint heeds an Idempotency-Key. */
  once: boolean;
}

export interface Sent {
  /** In words, what kind of request it is and what was done to it. */
  what: string;
  asking: RequestOptions;
  /** What a 400 must name: where there is any, no other answer will do. */
  wrong: string[];
  /** Whether it holds a secret as the name of a field, which is named back to whoever sent it. */
  namesSecret?: boolean;
}

/** A body as the text that it is, called JSON. */
export const jsonOf = (body: string | Buffer): Pick<RequestOptions, "raw"> => ({
  raw: { body, type: "application/json" },
});
