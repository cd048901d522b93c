/** What a setup is: a request that succeeds and changes something, and what is known of it. */
import { goodBody } from "../../contract/bodies.ts";
import { ENDPOINTS, type EndpointContract } from "../../contract/seed.ts";
import type { RequestOptions, Result } from "../../support/service.ts";
import type { Effect } from "./calls.ts";
import type { FaultEnvironment } from "./environment.ts";
import type { Players } from "./players.ts";

/** Tries out what must work after a setup. */
export type Verify = (on: FaultEnvironment, response: Result, label: string) => Promise<void>;

export interface Setup {
  route: string;
  /** What distinguishes it from other setups of its route. */
  what?: string;
  /** What happens before, in the game as everybody knows it. */
  prepare?: (on: FaultEnvironment) => Promise<unknown>;
  request: (on: Players) => RequestOptions;
  /** Its status, where it is not the route's own: also an error that writes something. */
  status?: number;
  /** The status of a retry after success; the same status by default. */
  statusOnRetry?: number;
  /** Whether it may end half-way, to be taken up by the same request. */
  isJob?: boolean;
  /** Where an index proposes whom it concerns: the least lag at which those are others. */
  proposes?: Effect["lags"];
  /** Checks what must work afterwards; `response` is the last response. */
  verify?: Verify;
  /** Whether its entry of the log is no part of what it writes: who dies between the two leaves none. */
  isLoggedApart?: boolean;
  /** Whether it takes a crowd. */
  isLarge?: boolean;
  /** Whether it needs no database at all. */
  isBare?: boolean;
}

/** The one key of every request that takes one. */
const KEY = "the-same-key";

export const promisedOf = ({ route }: Setup): EndpointContract => {
  const promised = ENDPOINTS.find((one) => one.route === route);
  if (promised === undefined) throw new Error(`${route} is promised nowhere`);
  return promised;
};

export const statusOf = (setup: Setup): number => setup.status ?? promisedOf(setup).status;

/** The given setups, and the contract's good request to each other endpoint. */
export const withOthers = (
  setups: readonly Setup[],
  promised: readonly EndpointContract[],
): readonly Setup[] => [
  ...setups,
  ...promised
    .filter(({ route }) => !setups.some((setup) => setup.route === route))
    .map(
      ({ route, access }): Setup => ({
        route,
        request: ({ who: { Gus, Ada, Hal, Sam } }) => ({
          as: access === "administrator" || access === "moderator" ? Gus : Ada,
          ...(route.startsWith("POST ")
            ? { body: goodBody(route, { gm: Gus, ada: Ada, ben: Hal, zed: Sam }) }
            : {}),
        }),
      }),
    ),
];

/** The request of a setup, with its key. */
export const requestOf = (setup: Setup, players: Players): RequestOptions => ({
  ...setup.request(players),
  ...(promisedOf(setup).once ? { key: KEY } : {}),
});

export const titleOf = ({ route, what }: Setup): string => (what === undefined ? route : `${route}, ${what}`);

/** Whether the response says that a job is running. */
export const isUnderWay = (setup: Setup, { status }: Result): boolean =>
  setup.isJob === true && status === 202;
