/** `npm run logs`, the very command, against a CloudWatch on loopback. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";
import { afterEach, describe, expect, it } from "vitest";
import { ROOT } from "../../scripts/project/root.ts";
import { AwsError, type Cloud, type Input, type Responses, startCloud } from "../support/cloud.ts";

const GROUP = "/aws/lambda/zombie-game-spring";
const NOW = Date.now();

interface Written {
  eventId: string;
  timestamp: number;
  logStreamName: string;
  message: string;
}

let count = 0;
const written = (by: string, message: unknown, at = NOW - 60_000): Written => {
  count += 1;
  return {
    eventId: `${count}`.padStart(56, "0"),
    timestamp: at,
    logStreamName: `2026/11/22/zombie-game-spring-${by}[$LATEST]0123456789abcdef0123456789abcdef`,
    message: typeof message === "string" ? message : `${JSON.stringify(message)}\n`,
  };
};

const request = (more: Record<string, unknown> = {}) => ({
  level: "INFO",
  message: "request",
  timestamp: "2026-11-22T00:00:00.000Z",
  service: "zombie-game-spring",
  request_id: "0b0f7c1e-2f5e-4b0e-9d2c-7f3a5d1c9e8b",
  route: "POST /zombie/hunt/{url_id}",
  status: 200,
  duration_ms: 6.4,
  cold_start: false,
  read_units: 4.5,
  write_units: 20,
  player: "Zk3nX0aQ9b2L",
  ...more,
});

let cloud: Cloud | undefined;
let running: ChildProcess | undefined;
afterEach(async () => {
  running?.kill("SIGKILL");
  await cloud?.close();
  [cloud, running] = [undefined, undefined];
});

/** The command as it runs. */
const start = (args: readonly string[], settings: Record<string, string> = {}) => {
  const env = { PATH: process.env.PATH ?? "", TZ: "Asia/Tokyo", ...cloud?.settings, ...settings };
  const child = spawn(process.execPath, ["scripts/commands/logs.ts", ...args], { cwd: ROOT, env });
  running = child;
  const heard: string[] = [];
  child.stdout.setEncoding("utf8").on("data", (said: string) => heard.push(said));
  return { child, heard, refused: text(child.stderr), ended: once(child, "exit") };
};

const run = async (args: readonly string[], settings: Record<string, string> = {}) => {
  const { heard, refused, ended } = start(args, settings);
  const [status] = await ended;
  const lines = heard.join("").split("\n").slice(0, -1);
  return { status, lines, refused: (await refused).trim() };
};

/** A log that has these lines and no more. */
const holding = async (...events: Written[]): Promise<Cloud> => {
  cloud = await startCloud([["logs FilterLogEvents", () => ({ events })]]);
  return cloud;
};

const ALL = ["--stage", "spring", "--no-follow"];

const until = async (holds: () => boolean): Promise<void> => {
  for (let n = 0; n < 1_000 && !holds(); n += 1) await new Promise((resolve) => setTimeout(resolve, 20));
  expect(holds()).toBe(true);
};

describe("npm run logs", () => {
  it("tells each request in a line, in the reader's own time", async () => {
    const at = Date.UTC(2026, 0, 2, 20, 30, 15);
    const { asked } = await holding(written("hunt", request(), at));
    const { status, lines, refused } = await run([...ALL, "--since", "2h"]);
    expect({ status, refused }).toEqual({ status: 0, refused: "" });
    expect(lines).toEqual([
      "2026-01-03 05:30:15  POST /zombie/hunt/{url_id}  200  6 ms  4.5 read, 20 written  player Zk3nX0aQ9b2L",
    ]);
    expect(asked).toHaveLength(1);
    const { input, region } = asked[0] ?? {};
    expect(region).toBe("eu-central-1");
    expect(Object.keys(input).toSorted()).toEqual(["logGroupName", "startTime"]);
    expect(input.logGroupName).toBe(GROUP);
    expect(Math.abs(NOW - 2 * 60 * 60_000 - input.startTime)).toBeLessThan(60_000);
  });

  it("tells refusals with their code and id, cold starts, workers, and faults in full", async () => {
    const error = {
      name: "TypeError",
      message: "no",
      stack: "TypeError: no\n    at own (lib/app/hunts/reportHunt.ts:3:1)",
    };
    const deeper = {
      name: "Error",
      message: "deep",
      stack: "Error: deep\n    at x (node_modules/@smithy/a.js:1:1)",
    };
    await holding(
      written("hunt", "INIT_START Runtime Version: nodejs:24.v1\n"),
      written("hunt", "START RequestId: 1 Version: $LATEST\n"),
      written("hunt", request({ status: 404, code: "unknown_tag_code", cold_start: true })),
      written("hunt", "END RequestId: 1\n"),
      written("hunt", "REPORT RequestId: 1\tDuration: 6.10 ms\n"),
      written("health", request({ route: "GET /health" })),
      written("announce", '{"_aws":{"Timestamp":1,"CloudWatchMetrics":[]},"Hunts":1}\n'),
      written("announce", {
        ...{ level: "INFO", message: "worker", name: "announce", request_id: "7", records: 3 },
        ...{ duration_ms: 12, cold_start: false, read_units: 0, write_units: 0 },
      }),
      written("hunt", {
        ...{ level: "ERROR", message: "fault", route: "POST /zombie/hunt/{url_id}", request_id: "9" },
        error: { ...error, cause: deeper },
      }),
      written("sweep", "2026-11-22T00:00:00Z 11 Task timed out after 55.00 seconds\n\n"),
    );
    const { lines } = await run(ALL);
    expect(lines.map((line) => line.replace(/^(\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d/, "TIME"))).toEqual([
      "TIME  POST /zombie/hunt/{url_id}  404  6 ms  cold  4.5 read, 20 written  unknown_tag_code  player Zk3nX0aQ9b2L  request 0b0f7c1e-2f5e-4b0e-9d2c-7f3a5d1c9e8b",
      "TIME  announce  12 ms  0 read, 0 written  records=3",
      "TIME  ERROR  fault  POST /zombie/hunt/{url_id}  request 9",
      "          TypeError: no",
      "          at own (lib/app/hunts/reportHunt.ts:3:1)",
      "          Error: deep",
      "          at x (node_modules/@smithy/a.js:1:1)",
      "TIME  ERROR  sweep  2026-11-22T00:00:00Z 11 Task timed out after 55.00 seconds",
    ]);
  });

  it("tells what is asked for alone: by gravity, function and request", async () => {
    const { asked } = await holding(
      written("hunt", request()),
      written("hunt", { level: "WARN", message: "expired subscription kept", request_id: "1" }),
      written("deliver", { level: "ERROR", message: "fault", name: "deliver", request_id: "2" }),
      written("deliver", "RequestId: 3 Error: Runtime exited with error: signal: killed\n"),
    );
    const heard = async (...more: string[]) => (await run([...ALL, ...more])).lines.length;
    expect(await heard("--level", "info")).toBe(4);
    expect(await heard("--level", "WARN")).toBe(3);
    expect(await heard("--level", "error")).toBe(2);
    expect(await heard("--function", "hunt")).toBe(2);
    expect(await heard("--function", "deliver", "--level", "error")).toBe(2);
    expect(asked.at(-1)?.input).not.toHaveProperty("filterPattern");
    await run([...ALL, "--request", "0b0f7c1e-2f5e-4b0e-9d2c-7f3a5d1c9e8b"]);
    expect(asked.at(-1)?.input.filterPattern).toBe('"0b0f7c1e-2f5e-4b0e-9d2c-7f3a5d1c9e8b"');
  });

  it("gives lines as they were written, with whose they are, for machines", async () => {
    await holding(written("hunt", request()), written("sweep", "Task timed out\n"));
    const { lines } = await run([...ALL, "--json"]);
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { ...request(), function: "hunt" },
      {
        ...{ level: "ERROR", function: "sweep", message: "Task timed out" },
        timestamp: new Date(NOW - 60_000).toISOString(),
      },
    ]);
  });

  it("is coloured for eyes alone", async () => {
    await holding(written("hunt", request({ status: 500, code: "internal" })));
    const colour = `${String.fromCharCode(27)}[`;
    expect((await run(ALL)).lines.join()).not.toContain(colour);
    expect((await run(ALL, { FORCE_COLOR: "1" })).lines.join()).toContain(colour);
    expect((await run(ALL, { NO_COLOR: "1" })).lines.join()).not.toContain(colour);
  });

  it("takes every page, each line once and in order, late ones too, and ends with Ctrl-C", async () => {
    const [first, second, third, late] = [
      written("hunt", request({ status: 201 }), NOW - 50_000),
      written("hunt", request({ status: 202 }), NOW - 40_000),
      written("hunt", request({ status: 203 }), NOW - 30_000),
      written("login", request({ status: 204 }), NOW - 45_000),
    ];
    let polls = 0;
    const page = ({ nextToken }: Input) => {
      if (nextToken === undefined) {
        polls += 1;
        return polls === 1
          ? { events: [second, first], nextToken: "two" }
          : { events: [first, late, second, third] };
      }
      return { events: [second, third], nextToken: undefined };
    };
    cloud = await startCloud([["logs FilterLogEvents", page]]);
    const { child, heard, refused, ended } = start(["--stage", "spring", "--since", "1h"]);
    await until(() => polls >= 3);
    child.kill("SIGINT");
    expect(await ended).toEqual([0, null]);
    expect(await refused).toBe("");
    const statuses = heard
      .join("")
      .split("\n")
      .slice(0, -1)
      .map((line) => / (20\d) /.exec(line)?.[1]);
    expect(statuses).toEqual(["201", "202", "203", "204"]);
    const starts = cloud.asked.map(({ input }) => input.startTime);
    expect(new Set(starts.slice(0, 2)).size).toBe(1);
    // What is a minute older than the newest is not asked for again.
    expect(starts.at(-1)).toBe(NOW - 90_000);
  });

  it("waits when CloudWatch is asked too often while it follows, and goes on", async () => {
    let asked = 0;
    const answers: Responses = [
      [
        "logs FilterLogEvents",
        () => {
          asked += 1;
          if (asked === 2) throw new AwsError("ThrottlingException", "Rate exceeded");
          return { events: asked === 1 ? [] : [written("hunt", request(), NOW)] };
        },
      ],
    ];
    cloud = await startCloud(answers);
    const { child, heard, refused, ended } = start(["--stage", "spring"]);
    await until(() => heard.length > 0);
    child.kill("SIGTERM");
    expect(await ended).toEqual([0, null]);
    expect(await refused).toBe(
      "AWS is asked too often just now: try again in a minute. It goes on by itself.\n",
    );
  });

  it("ends when nobody reads any more", async () => {
    cloud = await startCloud([
      ["logs FilterLogEvents", () => ({ events: [written("hunt", request(), NOW)] })],
    ]);
    const { child, heard, refused, ended } = start(["--stage", "spring"]);
    await until(() => heard.length > 0);
    child.stdout?.destroy();
    expect(await ended).toEqual([0, null]);
    expect(await refused).toBe("");
  });

  it.each([
    [[], /^Which deployment\? npm run logs -- --stage spring$/],
    [["--stage", "Spring"], /^--stage Spring: a stage is/],
    [["--stage", "spring", "--region", "mars"], /^mars is no region of AWS/],
    [["--stage", "spring", "--since", "soon"], /^--since soon: it must be such as 90s, 10m, 2h or 3d/],
    [["--stage", "spring", "--since", "31d"], /^--since 31d: .* 30d at most\.$/],
    [["--stage", "spring", "--level", "loud"], /^--level loud: it must be debug, info, warn, error\.$/],
    [["--stage", "spring", "--function", "hunts"], /^--function hunts: there is none of this name\./],
    [
      ["--stage", "spring", "--request", 'a" || "b'],
      /^--request .*: it must be the x-request-id of an answer\.$/,
    ],
    [["--stage", "spring", "--colour"], /--colour/],
  ])("refuses %j in a line", async (args, why) => {
    const { status, lines, refused } = await run(args);
    expect({ status, lines }).toEqual({ status: 1, lines: [] });
    expect(refused.split("\n")[0]).toMatch(why);
  });

  it.each([
    [
      "ResourceNotFoundException",
      /^There is no log \/aws\/lambda\/zombie-game-spring in eu-central-1: the stage spring is not deployed there\./,
    ],
    ["ExpiredTokenException", /^The AWS credentials have expired: sign in again\.$/],
    ["UnrecognizedClientException", /^AWS does not know these credentials in eu-central-1/],
    ["AccessDeniedException", /^These AWS credentials may not read the log: told$/],
    ["ThrottlingException", /^AWS is asked too often just now: try again in a minute\.$/],
    ["InvalidParameterException", /^AWS does not read the log in eu-central-1: told$/],
  ])("tells of %s in a line", async (code, why) => {
    const answers: Responses = [
      [
        "logs FilterLogEvents",
        () => {
          throw new AwsError(code, "told");
        },
      ],
    ];
    cloud = await startCloud(answers);
    const { status, lines, refused } = await run(["--stage", "spring"]);
    expect({ status, lines }).toEqual({ status: 1, lines: [] });
    expect(refused).toMatch(why);
  });

  it("tells of no credentials, and of no way to AWS, in a line", async () => {
    await holding();
    const none = { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" };
    const { status, refused } = await run(ALL, none);
    expect(status).toBe(1);
    expect(refused).toMatch(/^There are no AWS credentials: .*$/);
    const away = await run(ALL, { AWS_ENDPOINT_URL: "http://127.0.0.1:9" });
    expect(away).toMatchObject({ status: 1, lines: [] });
    expect(away.refused).toMatch(/^AWS cannot be reached in eu-central-1: the connection is refused\.$/);
  });

  it("explains itself", async () => {
    const { status, lines } = await run(["--help"]);
    expect(status).toBe(0);
    expect(lines.join("\n")).toMatch(/--since TIME .*--no-follow .*--json/s);
  });
});
