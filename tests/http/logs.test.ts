/** `npm run logs` against a fake CloudWatch. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it, vi } from "vitest";
import { ROOT } from "../../scripts/project/root.ts";
import { AwsError, type Input, useFakeAws } from "../support/fakeAws.ts";

const NOW = Date.now();
const aws = useFakeAws();

interface LogEvent {
  eventId: string;
  timestamp: number;
  logStreamName: string;
  message: string;
}

let count = 0;
const event = (by: string, message: unknown, at = NOW - 60_000): LogEvent => {
  count += 1;
  return {
    eventId: `${count}`.padStart(56, "0"),
    timestamp: at,
    logStreamName: `2026/11/22/zombie-game-spring-${by}[$LATEST]0123456789abcdef0123456789abcdef`,
    message: typeof message === "string" ? message : `${JSON.stringify(message)}\n`,
  };
};

const REQUEST_ID = "0b0f7c1e-2f5e-4b0e-9d2c-7f3a5d1c9e8b";
const request = (more: Record<string, unknown> = {}) => ({
  ...{
    level: "INFO",
    message: "request",
    timestamp: "2026-11-22T00:00:00.000Z",
    service: "zombie-game-spring",
  },
  ...{ request_id: REQUEST_ID, route: "POST /zombie/hunt/{url_id}", status: 200, duration_ms: 6.4 },
  ...{ cold_start: false, read_units: 4.5, write_units: 20, player: "Zk3nX0aQ9b2L", ...more },
});

let running: ChildProcess | undefined;
afterEach(() => {
  running?.kill("SIGKILL");
  running = undefined;
});

const start = (args: readonly string[], settings: Record<string, string> = {}) => {
  const { PATH = "", NODE_COMPILE_CACHE = "" } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, TZ: "Asia/Tokyo", ...aws.settings, ...settings };
  const child = spawn(process.execPath, ["scripts/commands/logs.ts", ...args], { cwd: ROOT, env });
  running = child;
  const chunks: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => chunks.push(chunk));
  const lines = () => chunks.join("").split("\n").slice(0, -1);
  return { child, lines, errors: text(child.stderr), ended: once(child, "exit") };
};

const run = async (args: readonly string[], settings: Record<string, string> = {}) => {
  const { lines, errors, ended } = start(args, settings);
  const [status] = await ended;
  return { errors: (await errors).trim(), status, lines: lines() };
};

/** A log with these events only. */
const setEvents = (...events: LogEvent[]): void =>
  aws.respond([["logs FilterLogEvents", () => ({ events })]]);

const STAGE = ["--stage", "spring"];
const ALL = [...STAGE, "--no-follow"];

const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 90_000, interval: 20 });

describe("npm run logs", () => {
  it("prints each request in one line, in local time", async () => {
    setEvents(event("hunt", request(), Date.UTC(2026, 0, 2, 20, 30, 15)));
    const before = Date.now();
    const { status, lines, errors } = await run([...ALL, "--since", "2h"]);
    expect({ status, errors }).toEqual({ status: 0, errors: "" });
    expect(lines).toEqual([
      "2026-01-03 05:30:15  POST /zombie/hunt/{url_id}  200  6 ms  4.5 read, 20 written  player Zk3nX0aQ9b2L",
    ]);
    expect(aws.requests).toHaveLength(1);
    const { input, region } = aws.requests[0] ?? {};
    expect({ ...input, region }).toEqual({
      ...{ logGroupName: "/aws/lambda/zombie-game-spring", region: "eu-central-1" },
      startTime: expect.closeTo(before - 2 * 60 * 60_000, -5),
    });
  });

  it("prints error codes and ids, cold starts, workers and complete errors, and no other lines", async () => {
    const cause = {
      name: "Error",
      message: "deep",
      stack: "Error: deep\n    at x (node_modules/@smithy/a.js:1:1)",
    };
    const stack = "TypeError: no\n    at own (lib/app/hunts/reportHunt.ts:3:1)";
    setEvents(
      event("hunt", "INIT_START Runtime Version: nodejs:24.v1\n"),
      event("hunt", "START RequestId: 1 Version: $LATEST\n"),
      event("hunt", request({ status: 404, code: "unknown_tag_code", cold_start: true })),
      event("hunt", "END RequestId: 1\n"),
      event("hunt", "REPORT RequestId: 1\tDuration: 6.10 ms\n"),
      event("health", request({ route: "GET /health" })),
      event("announce", '{"_aws":{"Timestamp":1,"CloudWatchMetrics":[]},"Hunts":1}\n'),
      event("announce", {
        ...{ level: "INFO", message: "worker", name: "announce", request_id: "7", records: 3 },
        ...{ duration_ms: 12, cold_start: false, read_units: 0, write_units: 0 },
      }),
      event("hunt", {
        ...{ level: "ERROR", message: "fault", route: "POST /zombie/hunt/{url_id}", request_id: "9" },
        error: { name: "TypeError", message: "no", stack, cause },
      }),
      event("sweep", "2026-11-22T00:00:00Z 11 Task timed out after 55.00 seconds\n\n"),
    );
    const { lines } = await run(ALL);
    expect(lines.map((line) => line.replace(/^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d/, "TIME"))).toEqual([
      `TIME  POST /zombie/hunt/{url_id}  404  6 ms  cold  4.5 read, 20 written  unknown_tag_code  player Zk3nX0aQ9b2L  request ${REQUEST_ID}`,
      "TIME  announce  12 ms  0 read, 0 written  records=3",
      "TIME  ERROR  fault  POST /zombie/hunt/{url_id}  request 9",
      "          TypeError: no",
      "          at own (lib/app/hunts/reportHunt.ts:3:1)",
      "          Error: deep",
      "          at x (node_modules/@smithy/a.js:1:1)",
      "TIME  ERROR  sweep  2026-11-22T00:00:00Z 11 Task timed out after 55.00 seconds",
    ]);
  });

  it.each([
    [["--level", "WARN"], 3],
    [["--function", "deliver", "--level", "error"], 2],
  ])("filters by %j", async (args, expected) => {
    setEvents(
      event("hunt", request()),
      event("hunt", { level: "WARN", message: "expired subscription kept", request_id: "1" }),
      event("deliver", { level: "ERROR", message: "fault", name: "deliver", request_id: "2" }),
      event("deliver", "RequestId: 3 Error: Runtime exited with error: signal: killed\n"),
    );
    expect((await run([...ALL, ...args])).lines).toHaveLength(expected);
    expect(aws.requests[0]?.input).not.toHaveProperty("filterPattern");
  });

  it("prints the lines of one request unchanged as JSON, with their function", async () => {
    setEvents(event("hunt", request()), event("sweep", "Task timed out\n"));
    const { lines } = await run([...ALL, "--json", "--request", REQUEST_ID]);
    expect(aws.requests[0]?.input.filterPattern).toBe(`"${REQUEST_ID}"`);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...request(), function: "hunt" },
      {
        ...{ level: "ERROR", function: "sweep", message: "Task timed out" },
        timestamp: new Date(NOW - 60_000).toISOString(),
      },
    ]);
  });

  it("uses colours only at a terminal", async () => {
    setEvents(event("hunt", request({ status: 500, code: "internal" })));
    const colour = `${String.fromCharCode(27)}[`;
    expect((await run(ALL)).lines.join()).not.toContain(colour);
    expect((await run(ALL, { FORCE_COLOR: "1" })).lines.join()).toContain(colour);
  });

  it("follows all pages, prints each line once and in order, also late ones, and ends with Ctrl-C", async () => {
    const [first, second, third, late] = [
      event("hunt", request({ status: 201 }), NOW - 50_000),
      event("hunt", request({ status: 202 }), NOW - 40_000),
      event("hunt", request({ status: 203 }), NOW - 30_000),
      event("login", request({ status: 204 }), NOW - 45_000),
    ];
    let polls = 0;
    const page = ({ nextToken }: Input) => {
      if (nextToken !== undefined) return { events: [second, third], nextToken: undefined };
      polls += 1;
      return polls === 1
        ? { events: [second, first], nextToken: "two" }
        : { events: [first, late, second, third] };
    };
    aws.respond([["logs FilterLogEvents", page]]);
    const { child, lines, errors, ended } = start([...STAGE, "--since", "1h"]);
    await until(() => polls >= 3);
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
    expect(await errors).toBe("");
    expect(lines().map((line) => / (20\d) /.exec(line)?.[1])).toEqual(["201", "202", "203", "204"]);
    const starts = aws.requests.map(({ input }) => input.startTime);
    expect(new Set(starts.slice(0, 2)).size).toBe(1);
    // Events that are a minute older than the newest one are not requested again.
    expect(starts.at(-1)).toBe(NOW - 90_000);
  });

  it("continues after throttling, and ends when its output is closed", async () => {
    let polls = 0;
    const page = () => {
      polls += 1;
      if (polls === 2) throw new AwsError("ThrottlingException", "Rate exceeded");
      return { events: polls === 1 ? [] : [event("hunt", request(), NOW)] };
    };
    aws.respond([["logs FilterLogEvents", page]]);
    const { child, lines, errors, ended } = start(STAGE);
    await until(() => lines().length > 0);
    child.stdout?.destroy();
    expect(await ended).toEqual([0, null]);
    expect(await errors).toBe("AWS is throttling requests. Try again in a minute. Retrying.\n");
  });

  const failing = (code: string) => {
    const fail = () => {
      throw new AwsError(code, "reason");
    };
    return fail;
  };

  it.each([
    [[], /^The option --stage is missing, as in: npm run logs -- --stage spring$/],
    [[...STAGE, "--since", "soon"], /^--since soon is invalid: use 90s, 10m, 2h or 3d/],
    [[...STAGE, "--since", "31d"], /^--since 31d is invalid: .* 30d\.$/],
    [[...STAGE, "--level", "loud"], /^--level loud is invalid: use debug, info, warn, error\.$/],
    [[...STAGE, "--function", "hunts"], /^--function hunts: there is no such function\./],
    [[...STAGE, "--request", 'a" || "b'], /^--request .* is invalid: use the x-request-id of a response\.$/],
    [
      STAGE,
      /^There is no log \/aws\/lambda\/zombie-game-spring in eu-central-1, so/,
      "ResourceNotFoundException",
    ],
    [STAGE, /^These AWS credentials may not read the log: reason$/, "AccessDeniedException"],
    [STAGE, /^AWS is throttling requests\. Try again in a minute\.$/, "ThrottlingException"],
  ] as const)("rejects %j in one line: %s", async (args, message, code?: string) => {
    aws.respond([["logs FilterLogEvents", failing(code ?? "")]]);
    const { errors, ...rest } = await run(args);
    expect(rest).toEqual({ status: 1, lines: [] });
    expect(errors.split("\n")[0]).toMatch(message);
  });
});
