/** Short forms of requests that many tests make. */
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
    register: (alias: string, more: object = {}, options: RequestOptions = {}): Promise<Result> =>
      s.call("POST /new", { body: { alias, password: PASSWORD, ...more }, ...options }),
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

export const outcomeOf = ({ status, body }: Result) => [status, body?.code];
export const aliasesIn = (players: { alias: string }[]): string[] => players.map(({ alias }) => alias);
