/** Asks an independent evaluation of access policies what a request may do. */
import { runSimulation } from "@cloud-copilot/iam-simulate";
import { ACCOUNT } from "./resolve.ts";

/** The condition keys of a request. */
export type Context = Record<string, string | string[]>;

export interface Request {
  action: string;
  /** An ARN; `*` asks for all resources that the policies name. */
  resource: string;
  context?: Context;
  /** A service or an ARN. Without it a role of this account asks, whose policies are `ofPrincipal`. */
  principal?: string;
}

export interface Policies {
  /** The policies of a role. */
  ofPrincipal?: readonly unknown[];
  /** The policy of the requested resource. */
  ofResource?: unknown;
}

export interface Outcome {
  /** The resources on which the request is allowed, as the policies name them. */
  allowed: readonly string[];
  /** Why it could not be simulated: an invalid policy, or an action that AWS does not have. */
  error: string | null;
}

/** Any role of the account. */
export const CALLER = `arn:aws:iam::${ACCOUNT}:role/caller`;

const run = async (policies: Policies, request: Request): Promise<Outcome> => {
  const { action, resource, context = {}, principal = CALLER } = request;
  const result = await runSimulation(
    {
      request: {
        ...{ principal, action, contextVariables: context },
        resource: { resource, accountId: ACCOUNT },
      },
      identityPolicies: (policies.ofPrincipal ?? []).map((policy, at) => ({ name: String(at), policy })),
      serviceControlPolicies: [],
      resourceControlPolicies: [],
      resourcePolicy: policies.ofResource,
    },
    {},
  );
  if (result.resultType === "error") {
    const { message, ...errors } = result.errors;
    const isOfPolicy = Object.keys(errors).length > 0;
    return { allowed: [], error: `${isOfPolicy ? JSON.stringify(errors) : action}: ${message}` };
  }
  const results =
    result.resultType === "single" ? [{ ...result.result, resourcePattern: resource }] : result.results;
  const allowed = results.filter(({ analysis }) => analysis.result === "Allowed");
  return { allowed: [...new Set(allowed.map(({ resourcePattern }) => resourcePattern))], error: null };
};

/** Functions often have equal policies, so equal questions are asked once. */
const known = new Map<string, Promise<Outcome>>();

/** Simulates a request under some policies, of which an explicit denial overrides all others. */
export const simulate = (policies: Policies, request: Request): Promise<Outcome> => {
  const key = JSON.stringify([policies, request]);
  const outcome = known.get(key) ?? run(policies, request);
  known.set(key, outcome);
  return outcome;
};
