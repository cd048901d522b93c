/** `npm run rotate`, and how every command reports errors of AWS. */
import { beforeEach, describe, expect, it } from "vitest";
import { MINUTE } from "../../lib/domain/time.ts";
import { parseCursorKeys, parseVapidKeys } from "../../lib/secrets/parseKeys.ts";
import { keysToTry } from "../../lib/secrets/rotation.ts";
import { AwsError, useFakeAws } from "../support/fakeAws.ts";
import { type Deployment, emptyDeployment, stackResponses } from "../support/fakeStack.ts";
import { expectError, expectSuccess, runScript } from "../support/runScript.ts";

const CURSORS = "/zombie-game/spring/cursor-keys";
const PAIRS = "/zombie-game/spring/vapid-keys";
const CURSOR_KEY = Buffer.alloc(32, 1).toString("base64url");
const ARGS = ["--stage", "spring", "--yes"];

const aws = useFakeAws();
let deployment: Deployment;
beforeEach(() => {
  deployment = emptyDeployment();
  deployment.stacks.set("zombie-game-spring", { status: "UPDATE_COMPLETE" });
  const since = new Date(Date.now() - MINUTE).toISOString();
  const set = (name: string, key: object) =>
    deployment.parameters.set(name, {
      ...{ value: JSON.stringify([{ ...key, since }]), type: "SecureString", version: 1 },
    });
  const bytes = (length: number) => Buffer.alloc(length, 4).toString("base64url");
  set(CURSORS, { key: CURSOR_KEY });
  set(PAIRS, { public_key: bytes(65), private_key: bytes(32) });
  aws.respond(() => stackResponses(deployment));
});

const rotate = (args: readonly string[], settings: Record<string, string> = {}) =>
  runScript(["scripts/commands/rotate.ts", ...args], { ...aws.settings, AWS_REGION: "", ...settings });

const parameterValue = (name: string): string => deployment.parameters.get(name)?.value ?? "";
const cursorKeys = () => parseCursorKeys(parameterValue(CURSORS));
const pairs = () => parseVapidKeys(parameterValue(PAIRS));

/** Moves the keys of a parameter into the past. */
const age = (name: string, milliseconds: number): void => {
  const found = deployment.parameters.get(name);
  if (found === undefined) throw new Error(`no ${name}`);
  const keys: { since: string }[] = JSON.parse(found.value);
  found.value = JSON.stringify(
    keys.map((key) => ({ ...key, since: new Date(Date.parse(key.since) - milliseconds).toISOString() })),
  );
};

describe("npm run rotate", () => {
  it("adds keys that are used in ten minutes, keeps the old ones, and prints none", async () => {
    const before = Date.now();
    const output = expectSuccess(await rotate(ARGS));
    expect([cursorKeys().length, pairs().length]).toEqual([2, 2]);
    for (const [newest, old] of [cursorKeys(), pairs()]) {
      expect(newest?.since).toBeGreaterThanOrEqual(before + 10 * MINUTE);
      expect(newest?.since).toBeLessThanOrEqual(Date.now() + 10 * MINUTE);
      expect(old?.since).toBeLessThan(before);
    }
    expect(keysToTry(cursorKeys(), Date.now())[0]?.key).toBe(CURSOR_KEY);
    expect(keysToTry(cursorKeys(), Date.now() + 11 * MINUTE)[0]?.key).not.toBe(CURSOR_KEY);
    for (const { type } of deployment.parameters.values()) expect(type).toBe("SecureString");
    for (const { key } of cursorKeys()) expect(output).not.toContain(key);
    for (const { privateKey } of pairs()) expect(output).not.toContain(privateKey);
    expect(output.split("\n")).toHaveLength(2);

    // Otherwise a key would be used that no process has read.
    const after = cursorKeys();
    expectError(await rotate(ARGS), /is not used before .* Wait until then\.$/);
    expect(cursorKeys()).toEqual(after);
  });

  it("changes only the named kind, and nothing in a dry run", async () => {
    const before = structuredClone(deployment.parameters);
    expectSuccess(await rotate([...ARGS, "--dry-run"]), /Nothing has been changed\.$/);
    expect(deployment.parameters).toEqual(before);
    expectSuccess(await rotate([...ARGS, "--vapid"]));
    expect(deployment.parameters.get(CURSORS)).toEqual(before.get(CURSORS));
    expect(deployment.parameters.get(PAIRS)?.version).toBe(2);
  });

  it("drops cursor keys after a day, and VAPID keys only on request", async () => {
    for (let round = 0; round < 3; round += 1) {
      for (const name of [CURSORS, PAIRS]) age(name, 26 * 60 * MINUTE);
      expectSuccess(await rotate(ARGS));
    }
    expect([cursorKeys().length, pairs().length]).toEqual([2, 4]);
    age(PAIRS, 11 * MINUTE);
    expectSuccess(await rotate([...ARGS, "--vapid", "--drop-old"]), "3 removed");
    expect(pairs()).toHaveLength(2);
  });

  it("detects a concurrent change", async () => {
    aws.respond([["ssm PutParameter", () => ({ Version: 7 })], ...stackResponses(deployment)]);
    expectError(await rotate([...ARGS, "--cursor"]), "Another process changed");
  });

  const failing =
    (code: string, action = "sts GetCallerIdentity") =>
    () => {
      const fail = () => {
        throw new AwsError(code, "club is not authorized");
      };
      aws.respond([[action, fail], ...stackResponses(deployment)]);
    };
  const invalid = { value: `["${CURSOR_KEY}"]`, type: "SecureString", version: 1 };

  it.each<[string, RegExp, { args?: string[]; settings?: Record<string, string>; prepare?: () => unknown }]>([
    ["an unknown option", /--nothing/, { args: [...ARGS, "--nothing"] }],
    ["no confirmation", /Give --yes/, { args: ["--stage", "spring"] }],
    ["AWS rejecting the credentials", /credentials have expired/, { prepare: failing("ExpiredToken") }],
    [
      "AWS denying a request",
      /may not read the parameter .*not authorized/,
      { prepare: failing("AccessDenied", "ssm GetParameter") },
    ],
    [
      "no connection",
      /cannot be reached in eu-central-1/,
      { settings: { AWS_ENDPOINT_URL: "http://127.0.0.1:1" } },
    ],
    [
      "an unknown stage",
      /^There is no stage autumn in eu-central-1 in the account 123456789012\. Existing stages: spring\.$/,
      { args: ["--stage", "autumn", "--yes"] },
    ],
    ["no stage at all", /There are no stages/, { prepare: () => deployment.stacks.clear() }],
    [
      "no keys",
      /no cursor key .*npm run deploy -- --stage spring --region eu-central-1/,
      { prepare: () => deployment.parameters.clear() },
    ],
    [
      "an invalid parameter",
      /cursor-keys is invalid/,
      { prepare: () => deployment.parameters.set(CURSORS, invalid) },
    ],
  ])("reports %s in one line and changes nothing", async (_, message, { args = ARGS, settings, prepare }) => {
    prepare?.();
    const result = await rotate(args, settings);
    expectError(result, message);
    expect(result.output).not.toContain(CURSOR_KEY);
    for (const { version } of deployment.parameters.values()) expect(version).toBe(1);
  });
});
