/** Setups: a request that succeeds without a fault, what happens before it, and what to check afterwards. */
import { ENDPOINTS, type EndpointContract } from "../../contract/endpoints.ts";
import type { RequestOptions, Result } from "../../support/service.ts";
import type { FaultEnvironment, Players } from "./environment.ts";
import type { Effect } from "./process.ts";

type Body = Record<string, unknown>;

export interface Setup {
  route: string;
  /** What distinguishes it from other setups of its route. */
  what?: string;
  /** Prepares the shared game. */
  prepare?: (on: FaultEnvironment) => Promise<unknown>;
  /** The sender of the request. Without one, it has no token and comes from another machine. */
  by?: keyof Players["who"];
  body?: Body | ((on: Players) => Body) | undefined;
  /** Further options of the request. */
  more?: (on: Players) => RequestOptions;
  /** Its status, if it is not the route's usual one. It may be an error that writes something. */
  status?: number;
  /** The status of a retry after success; the same status by default. */
  statusOnRetry?: number;
  /** Whether it may end half-way, so that the same request continues it. */
  isJob?: boolean;
  /** If its players are read from an index: the least lag at which other players are read. */
  changedByLag?: Effect["lags"];
  /** Checks what must work afterwards, and a comparison of tables does not show; `response` is the last response. */
  verify?: (on: FaultEnvironment, response: Result) => Promise<void>;
}

export const contractOf = ({ route }: Setup): EndpointContract => {
  const contract = ENDPOINTS.find((one) => one.route === route);
  if (contract === undefined) throw new Error(`${route} is not in the contract`);
  return contract;
};

export const statusOf = (setup: Setup): number => setup.status ?? contractOf(setup).status;

/** The request of a setup; with the same Idempotency-Key each time where one is accepted. */
export const requestOf = (setup: Setup, players: Players): RequestOptions => {
  const { by, body, more } = setup;
  return {
    ...(by === undefined ? { from: "203.0.113.7" } : { as: players.who[by] }),
    body: typeof body === "function" ? body(players) : body,
    ...more?.(players),
    ...(contractOf(setup).isIdempotent ? { key: "the-same-key" } : {}),
  };
};

export const titleOf = ({ route, what }: Setup): string => (what === undefined ? route : `${route}, ${what}`);

/** Whether the response says that a job is running, or that a part of it is left. */
export const isUnderWay = (setup: Setup, { status, body }: Result): boolean =>
  setup.isJob === true && (status === 202 || body?.complete === false);
