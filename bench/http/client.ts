/** A client over HTTP whose connections are kept, and what it measures. */
import { Agent, request } from "node:http";
import type { Reply } from "../support/lambda.ts";
import { percentile } from "../support/numbers.ts";

export interface Asking {
  method: "GET" | "POST";
  path: string;
  token?: string;
  body?: unknown;
}

const exchange = (agent: Agent, base: string, { method, path, token, body }: Asking): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const text = body === undefined ? undefined : JSON.stringify(body);
    const headers = {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(text === undefined
        ? {}
        : { "content-type": "application/json", "content-length": Buffer.byteLength(text) }),
    };
    const asked = request(`${base}${path}`, { agent, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      response.on("error", reject);
      response.on("end", () =>
        resolve({
          statusCode: response.statusCode ?? 0,
          headers: response.headers,
          body: Buffer.concat(chunks).toString(),
        }),
      );
    });
    asked.on("error", reject);
    asked.end(text);
  });

/** What a row of exchanges came to; times in milliseconds. */
export interface Exchanged {
  p50: number;
  p99: number;
  /** In a second. */
  rate: number;
  replies: Reply[];
}

/** Asks each of these, with so many asking at a time: the first of them the first, and so on in turn. */
export const exchangeAll = async (base: string, rows: readonly (readonly Asking[])[]): Promise<Exchanged> => {
  const agent = new Agent({ keepAlive: true, maxSockets: rows.length });
  const times: number[] = [];
  const replies: Reply[][] = rows.map(() => []);
  const ask = async (row: readonly Asking[], n: number): Promise<void> => {
    for (const asking of row) {
      const started = performance.now();
      const reply = await exchange(agent, base, asking);
      times.push(performance.now() - started);
      replies[n]?.push(reply);
    }
  };
  const started = performance.now();
  await Promise.all(rows.map(ask));
  const wall = performance.now() - started;
  agent.destroy();
  return {
    p50: percentile(times, 0.5),
    p99: percentile(times, 0.99),
    rate: (times.length / wall) * 1_000,
    replies: replies.flat(),
  };
};
