/** The log: a line of JSON each, whatever is to be said. */
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const said: { stream: "out" | "err"; line: string }[] = [];

const logAt = async (level: string | undefined) => {
  vi.resetModules();
  vi.stubEnv("LOG_LEVEL", level);
  return (await import("../../lib/runtime/log.ts")).log;
};

beforeEach(() => {
  said.length = 0;
  for (const [stream, name] of [[process.stdout, "out"] as const, [process.stderr, "err"] as const]) {
    vi.spyOn(stream, "write").mockImplementation((line) => {
      said.push({ stream: name, line: String(line) });
      return true;
    });
  }
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

const told = () => said.map(({ line }) => JSON.parse(line));

describe("a line", () => {
  it("says how grave it is, what, when in UTC whatever the time zone, and of which service", async () => {
    vi.stubEnv("TZ", "Asia/Kolkata");
    vi.stubEnv("POWERTOOLS_SERVICE_NAME", "zombie-game-spring");
    const log = await logAt(undefined);
    log.info("request", { status: 200, code: undefined });
    log.error("fault");
    expect(said.map(({ stream }) => stream)).toEqual(["out", "err"]);
    expect(said.every(({ line }) => line.endsWith("}\n") && line.indexOf("\n") === line.length - 1)).toBe(
      true,
    );
    const [info, error] = told();
    expect(info).toEqual({
      level: "INFO",
      message: "request",
      timestamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
      service: "zombie-game-spring",
      status: 200,
    });
    expect(error).toMatchObject({ level: "ERROR", message: "fault" });
  });

  it.each([
    ["INFO", ["INFO", "WARN", "ERROR"]],
    ["warn", ["WARN", "ERROR"]],
    ["ERROR", ["ERROR"]],
    ["SILENT", []],
    // What is wrong with it is told with all other settings: to say that, the log must speak.
    ["LOUD", ["INFO", "WARN", "ERROR"]],
  ])("is written at LOG_LEVEL=%s where it is grave enough", async (level, written) => {
    const log = await logAt(level);
    log.info("one");
    log.warn("two");
    log.error("three");
    expect(told().map((line) => line.level)).toEqual(written);
  });

  it("tells a fault with its cause and what it holds, and no more than one line of it", async () => {
    const log = await logAt("INFO");
    const cause = Object.assign(new TypeError("deep\nbelow"), { code: "E_DEEP" });
    log.error("fault", { error: new Error("above", { cause }), thrown: "a text" });
    expect(said).toHaveLength(1);
    expect(told()[0]).toMatchObject({
      error: {
        name: "Error",
        message: "above",
        stack: expect.stringContaining("log.test.ts"),
        cause: { name: "TypeError", message: "deep\nbelow", code: "E_DEEP" },
      },
      thrown: "a text",
    });
  });

  it("says that something happened, also of what cannot be written down", async () => {
    const log = await logAt("INFO");
    const ring: Record<string, unknown> = { large: 2n ** 70n, request_id: "r1", error: new Error("why") };
    log.info("large", ring);
    ring.itself = ring;
    log.info("ring", ring);
    const broken = {
      get field(): string {
        throw new Error("no");
      },
    };
    log.info("broken", { broken, route: "POST /login" });
    const [large, circle, thrower] = told();
    expect(large.large).toBe("1180591620717411303424");
    expect(circle).toMatchObject({
      message: "ring",
      request_id: "r1",
      error: { name: "Error", message: "why", stack: expect.stringContaining("log.test.ts") },
      unspeakable: expect.stringContaining("circular"),
    });
    expect(thrower).toMatchObject({ message: "broken", route: "POST /login", unspeakable: "no" });
  });

  it("tells each of a ring of faults once", async () => {
    const log = await logAt("INFO");
    const first = new Error("first");
    const second = new TypeError("second", { cause: first });
    first.cause = second;
    log.error("fault", { request_id: "r1", error: first });
    expect(told()[0]).toMatchObject({
      request_id: "r1",
      error: { message: "first", cause: { message: "second", cause: "Error: see above" } },
    });
  });
});
