/** `npm run logs` against a fake CloudWatch. */
import { expect, it, onTestFinished, vi } from "vitest";
import { AwsError, type Input, useFakeAws } from "../support/fakeAws.ts";
import { expectError, expectSuccess, runHere, runScript, startScript } from "../support/runScript.ts";

const NOW = Date.now();
const aws = useFakeAws();

let count = 0;
/** An event of CloudWatch. */
const event = (by: string, message: unknown, timestamp = NOW - 60_000) => {
  count += 1;
  return {
    ...{ eventId: String(count), timestamp },
    logStreamName: `2026/11/22/zombie-game-spring-${by}[$LATEST]0123456789abcdef0123456789abcdef`,
    message: typeof message === "string" ? message : `${JSON.stringify(message)}\n`,
  };
};

const REQUEST_ID = "0b0f7c1e-2f5e-4b0e-9d2c-7f3a5d1c9e8b";
const request = (more: Record<string, unknown> = {}) => ({
  ...{ level: "INFO", message: "request", timestamp: "2026-11-22T00:00:00.000Z" },
  ...{ request_id: REQUEST_ID, route: "POST /zombie/hunt/{url_id}", status: 200, duration_ms: 6.4 },
  ...{ cold_start: false, read_units: 4.5, write_units: 20, player: "Zk3nX0aQ9b2L", ...more },
});
const WORKER = { level: "INFO", message: "worker", name: "announce", request_id: "7", duration_ms: 12 };
const CAUSE = { name: "Error", message: "deep", stack: "Error: deep\n    at x (node_modules/a.js:1:1)" };
const STACK = "TypeError: no\n    at own (lib/app/hunts/reportHunt.ts:3:1)";
const ERROR = { name: "TypeError", message: "no", stack: STACK, cause: CAUSE };
const FAULT = { level: "ERROR", message: "fault", route: "POST /zombie/hunt/{url_id}", request_id: "9" };

const EVENTS = [
  event("hunt", request(), Date.UTC(2026, 0, 2, 20, 30, 15)),
  event("hunt", "INIT_START Runtime Version: nodejs:24.v1\n"),
  event("hunt", request({ status: 404, code: "unknown_tag_code", cold_start: true })),
  event("hunt", "REPORT RequestId: 1\tDuration: 6.10 ms\n"),
  event("health", request({ route: "GET /health" })),
  event("announce", '{"_aws":{"Timestamp":1,"CloudWatchMetrics":[]},"Hunts":1}\n'),
  event("announce", { ...WORKER, records: 3, cold_start: false, read_units: 0, write_units: 0 }),
  event("deliver", { level: "WARN", message: "expired subscription kept", request_id: "1" }),
  event("hunt", { ...FAULT, error: ERROR }),
  event("sweep", "2026-11-22T00:00:00Z 11 Task timed out after 55.00 seconds\n\n"),
];

const SCRIPT = "scripts/commands/logs.ts";
const STAGE = ["--stage", "spring"];
/** The printed lines of all events. */
const linesOf = async (...args: string[]): Promise<string[]> => {
  aws.respond([["logs FilterLogEvents", () => ({ events: EVENTS })]]);
  const command = [SCRIPT, ...STAGE, "--no-follow", ...args];
  return expectSuccess(await runScript(command, { ...aws.settings, TZ: "Asia/Tokyo" })).split("\n");
};

/** Starts the command, which is killed at the end of the test if it still runs then. */
const follow = (args: readonly string[], page: (input: Input) => object) => {
  aws.respond([["logs FilterLogEvents", page]]);
  const started = startScript([SCRIPT, ...STAGE, ...args], { ...process.env, ...aws.settings });
  onTestFinished(() => void started.child.kill("SIGKILL"));
  return started;
};
const until = (condition: () => boolean) =>
  vi.waitFor(() => expect(condition()).toBe(true), { timeout: 90_000, interval: 20 });

it("prints requests, workers and complete errors in local time, and no other lines", async () => {
  const before = Date.now();
  const lines = await linesOf("--since", "2h");
  const { input, region } = aws.requests[0] ?? {};
  expect({ ...input, region }).toEqual({
    ...{ logGroupName: "/aws/lambda/zombie-game-spring", region: "eu-central-1" },
    startTime: expect.closeTo(before - 2 * 60 * 60_000, -5),
  });
  expect(lines.map((line) => line.replace(/^(2026-11-\d\d )?\d\d:\d\d:\d\d/, "TIME"))).toEqual([
    "2026-01-03 05:30:15  POST /zombie/hunt/{url_id}  200  6 ms  4.5 read, 20 written  player Zk3nX0aQ9b2L",
    `TIME  POST /zombie/hunt/{url_id}  404  6 ms  cold  4.5 read, 20 written  unknown_tag_code  player Zk3nX0aQ9b2L  request ${REQUEST_ID}`,
    "TIME  announce  12 ms  0 read, 0 written  records=3",
    "TIME  WARN  expired subscription kept  deliver  request 1",
    "TIME  ERROR  fault  POST /zombie/hunt/{url_id}  request 9",
    "          TypeError: no",
    "          at own (lib/app/hunts/reportHunt.ts:3:1)",
    "          Error: deep",
    "          at x (node_modules/a.js:1:1)",
    "TIME  ERROR  sweep  2026-11-22T00:00:00Z 11 Task timed out after 55.00 seconds",
  ]);
});

it("filters by level, function and request, and prints lines unchanged as JSON, with their function", async () => {
  expect(await linesOf("--level", "WARN")).toHaveLength(7);
  expect(aws.requests[0]?.input).not.toHaveProperty("filterPattern");
  expect(await linesOf("--function", "hunt", "--level", "error")).toHaveLength(5);
  const json = await linesOf("--json", "--level", "error", "--request", REQUEST_ID);
  expect(aws.requests.at(-1)?.input.filterPattern).toBe(`"${REQUEST_ID}"`);
  const message = "2026-11-22T00:00:00Z 11 Task timed out after 55.00 seconds";
  expect(json.map((line) => JSON.parse(line))).toEqual([
    { ...FAULT, error: ERROR, function: "hunt" },
    { level: "ERROR", function: "sweep", message, timestamp: new Date(NOW - 60_000).toISOString() },
  ]);
});

it("follows all pages, prints each line once, in order except late ones, and ends with Ctrl-C", async () => {
  const [first, second, third, late] = [
    event("hunt", request({ status: 201 }), NOW - 50_000),
    event("hunt", request({ status: 202 }), NOW - 40_000),
    event("hunt", request({ status: 203 }), NOW - 30_000),
    event("login", request({ status: 204 }), NOW - 45_000),
  ];
  let polls = 0;
  const { child, output, ended } = follow(["--since", "1h"], ({ nextToken }) => {
    if (nextToken !== undefined) return { events: [second, third] };
    polls += 1;
    return polls === 1
      ? { events: [second, first], nextToken: "two" }
      : { events: [first, late, second, third] };
  });
  await until(() => polls >= 3);
  child.kill("SIGINT");
  expect(await ended).toBe(0);
  expect(output().match(/(?<= )20\d(?= )/g)).toEqual(["201", "202", "203", "204"]);
  const starts = aws.requests.map(({ input }) => input.startTime);
  expect(new Set(starts.slice(0, 2)).size).toBe(1);
  // Events that are a minute older than the newest one are not requested again.
  expect(starts.at(-1)).toBe(NOW - 90_000);
});

it("continues after throttling, and ends when its output is closed", async () => {
  let polls = 0;
  const { child, output, ended } = follow([], () => {
    polls += 1;
    if (polls === 2) throw new AwsError("ThrottlingException", "Rate exceeded");
    return { events: polls === 1 ? [] : EVENTS };
  });
  await until(() => output().includes("POST /zombie/hunt"));
  child.stdout.destroy();
  expect(await ended).toBe(0);
  expect(output()).toMatch(/^AWS is throttling requests\. Try again in a minute\. Retrying\.\n/m);
});

it.each<[string[], RegExp]>([
  [[], /^The option --stage is missing, as in: npm run logs -- --stage spring$/],
  [[...STAGE, "--since", "soon"], /^--since soon is invalid: use 90s, 10m, 2h or 3d/],
  [[...STAGE, "--level", "loud"], /^--level loud is invalid: use debug, info, warn, error\.$/],
  [[...STAGE, "--function", "hunts"], /^--function hunts: there is no such function\./],
  [[...STAGE, "--request", 'a" || "b'], /^--request .* is invalid: use the x-request-id of a response\.$/],
  [STAGE, /^There is no log .* in eu-central-1, so/],
])("rejects %j in one line: %s", async (args, message) => {
  const absent = () => {
    throw new AwsError("ResourceNotFoundException", "reason");
  };
  aws.respond([["logs FilterLogEvents", absent]]);
  expectError(await runHere([SCRIPT, ...args], aws.settings), message);
});
