/** Short forms of requests that many tests make. */
import { expect } from "vitest";
import type { ErrorCode } from "../../lib/domain/domainError.ts";
import { STATUS } from "../../lib/http/statuses.ts";
import { gameEventsOf } from "../../lib/store/notifications/stream.ts";
import {
  PASSWORD,
  type RequestOptions,
  type Result,
  type TestEnvironment,
  type TestPlayer,
} from "./service.ts";
import { streamRecords } from "./streamRecords.ts";

export const shortRequests = (s: TestEnvironment) => {
  const read = async (
    as: TestPlayer,
    path: string,
    query: RequestOptions["query"] = {},
  ): Promise<Result["body"]> => (await s.must(`GET ${path}/{url_id}`, { as, query })).body;
  const register = (alias: string, more: object = {}, options: RequestOptions = {}): Promise<Result> =>
    s.call("POST /new", { body: { alias, password: PASSWORD, ...more }, ...options });
  return {
    /** Reads an endpoint as a player. */
    read,
    /** A game master's command. */
    admin: (as: TestPlayer, word: string, body: unknown = {}, key?: string): Promise<Result> =>
      s.call(`POST /admin/${word}/{url_id}`, { as, body, key }),
    /** A game master's command that must succeed. */
    done: async (as: TestPlayer, word: string, body: unknown = {}): Promise<Result["body"]> =>
      (await s.must(`POST /admin/${word}/{url_id}`, { as, body })).body,
    edit: (as: TestPlayer, body: unknown): Promise<Result> =>
      s.call("POST /edit_player/{url_id}", { as, body }),
    register,
    /** Registers somebody, who logs in. */
    async enter(alias: string, more: Record<string, unknown> = {}): Promise<TestPlayer> {
      const { status, text, body } = await register(alias, more);
      if (status !== 201) throw new Error(text);
      return { ...(await s.login(alias, String(more.password ?? PASSWORD))), code: body.tag_code };
    },
    /** Deletes the player's own account. */
    leave: (as: TestPlayer): Promise<Result> => s.must("DELETE /delete_player/{url_id}", { as }),
    /** What one player is shown of another. */
    shown: async (as: TestPlayer, alias: string): Promise<Result["body"]> =>
      (await s.must("POST /get_player/{url_id}", { as, body: { alias } })).body,
    enrol: (as: TestPlayer): Promise<Result> => s.call("POST /player/enrol/{url_id}", { as }),
    /** The log's entries of an action, newest first. */
    logsOf: async (as: TestPlayer, action: string): Promise<Result["body"]> =>
      (await read(as, "/admin/get_logs", { action })).logs,
    /** The events that are pushed, from interactions that are new or changed, with the ids of their recipients. */
    pushed: async (): Promise<string[]> => {
      const events = (await streamRecords(s)).flatMap(
        ({ eventName, dynamodb }) => gameEventsOf(dynamodb?.NewImage, eventName === "INSERT")?.events ?? [],
      );
      return [...new Set(events.map(({ event, to }) => `${event.what} ${to}`))];
    },
  };
};

/** Expects that a request is rejected with this error. @param say about which request this is */
export const expectRefused = async (
  request: Result | Promise<Result>,
  code: ErrorCode,
  say?: string,
): Promise<void> => {
  const result = await request;
  expect([result.status, result.body?.code], say ?? result.text).toEqual([STATUS[code], code]);
};

export const outcomeOf = ({ status, body }: Result) => [status, body?.code];
/** The identifier of the interaction of a hunt, a report or a command. */
export const idOf = ({ body }: Result): string => body.interaction.interaction_id;
export const aliasesIn = (players: { alias: string }[]): string[] => players.map(({ alias }) => alias);
