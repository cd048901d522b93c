/** One request to a push service, whatever the other end does: bounded in time and in what is read. */
import { type Agent, request } from "node:https";

/** More of an answer than this is not waited for. */
const MOST_ANSWER_BYTES = 4 * 1024;

interface Post {
  url: URL;
  headers: Record<string, string | number>;
  body: Buffer;
  agent: Agent;
  /** For the whole exchange, in milliseconds. */
  patience: number;
}

/**
 * Posts a body; follows no redirect.
 * @returns the status, also of an answer whose rest was not waited for
 * @throws Error when there was no status in time
 */
export const post = ({ url, headers, body, agent, patience }: Post): Promise<number> =>
  new Promise((resolve, reject) => {
    let status: number | undefined;
    let fault: Error = new Error("the connection was closed");
    const asking = request(url, { method: "POST", headers, agent });
    const timer = setTimeout(() => asking.destroy(new Error("no answer in time")), patience);
    asking.on("response", (response) => {
      status = response.statusCode;
      let read = 0;
      response.on("data", (chunk: Buffer) => {
        read += chunk.length;
        if (read > MOST_ANSWER_BYTES) asking.destroy();
      });
      // What breaks after the status changes nothing.
      response.on("error", () => {});
    });
    asking.on("error", (error) => {
      fault = error;
    });
    asking.on("close", () => {
      clearTimeout(timer);
      if (status === undefined) reject(fault);
      else resolve(status);
    });
    asking.end(body);
  });
