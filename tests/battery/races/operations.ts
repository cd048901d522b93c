/** An operation of a race, and how those of game masters and players are made. */
import type { Services } from "../../../lib/lambda/services.ts";
import type { RequestOptions, Result, TestEnvironment, TestPlayer } from "../../support/service.ts";
import { PASSWORD } from "../game.ts";
import type { Fixture, Name } from "./fixture.ts";

/** The passwords, by their names in outcomes. */
export const PASSWORDS = {
  old: PASSWORD,
  new: "staple gun and paper",
  newer: "seven wooden spoons",
} as const;
export type Password = keyof typeof PASSWORDS;

/** An address that is not loopback, so that failures are counted. */
export const FROM = "203.0.113.7";

/** The result of an operation. */
export type OperationResult = Pick<Result, "status" | "body">;

/** Where an operation is done. The two operations of a race have different game masters. */
export interface OperationContext {
  services: Services;
  call: TestEnvironment["call"];
  fixture: Fixture;
  master: TestPlayer;
}

export interface Operation {
  kind: string;
  /** Who does what, in words. */
  name: string;
  /** The caller; by default a game master. */
  by?: Name;
  /** How long before the other operation its request arrived, in milliseconds. */
  earlier?: number;
  run: (context: OperationContext) => Promise<OperationResult>;
}

type Body = (fixture: Fixture) => unknown;
type Request = (context: OperationContext) => RequestOptions;

/** @param about what distinguishes it from others of its kind, for reports */
export const operation = (
  kind: string,
  about: readonly string[],
  route: string,
  requestIn: Request,
): Operation => ({
  kind,
  name: [kind, ...about].join(" "),
  run: (context) => context.call(route, requestIn(context)),
});

/** An operation of a game master. @param path the endpoint, if its name differs from the kind */
export const byMaster = (kind: string, about: readonly string[], body?: Body, path = kind): Operation =>
  operation(kind, about, `POST /admin/${path}/{url_id}`, ({ fixture, master: as }) => {
    return { as, body: body?.(fixture) };
  });

/** An operation of a player on their own account. */
export const byPlayer = (
  kind: string,
  by: Name,
  about: readonly string[],
  route: string,
  body?: Body,
): Operation => ({
  ...operation(kind, [by, ...about], route, ({ fixture }) => {
    return { as: fixture.who[by], body: body?.(fixture) };
  }),
  by,
});

/** The same request, which may be sent again under its Idempotency-Key. */
export const withKey = (operation: Operation): Operation => ({
  ...operation,
  name: `${operation.name}, with a key`,
  run(context) {
    const call: typeof context.call = (route, asking) =>
      context.call(route, { ...asking, key: "the-same-key" });
    return operation.run({ ...context, call, master: context.fixture.who.Gus });
  },
});

export type Pair = readonly [Operation, Operation];

export const crossed = (some: readonly Operation[], others: readonly Operation[]): Pair[] =>
  some.flatMap((one) => others.map((other): Pair => [one, other]));
