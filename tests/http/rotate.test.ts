/** `npm run rotate`, against a fake AWS. */
import { beforeEach, describe, expect, it } from "vitest";
import { MINUTE } from "../../lib/domain/time.ts";
import { parseCursorKeys, parseVapidKeys } from "../../lib/secrets/parseKeys.ts";
import { parameter, stackResponses, useFakeDeployment } from "../support/fakeStack.ts";
import { expectError, expectSuccess, runHere } from "../support/runScript.ts";

const CURSORS = "/zombie-game/spring/cursor-keys";
const PAIRS = "/zombie-game/spring/vapid-keys";
const CURSOR_KEY = Buffer.alloc(32, 1).toString("base64url");
const ARGS = ["--stage", "spring", "--yes"];

const { aws, deployment } = useFakeDeployment();
beforeEach(() => {
  deployment.stacks.set("zombie-game-spring", { status: "UPDATE_COMPLETE" });
  const since = new Date(Date.now() - MINUTE).toISOString();
  const bytes = (length: number) => Buffer.alloc(length, 4).toString("base64url");
  deployment.parameters.set(CURSORS, parameter([{ key: CURSOR_KEY, since }]));
  deployment.parameters.set(PAIRS, parameter([{ public_key: bytes(65), private_key: bytes(32), since }]));
  aws.respond(stackResponses(deployment));
});

const rotate = (args: readonly string[]) =>
  runHere(["scripts/commands/rotate.ts", ...args], { ...aws.settings, AWS_REGION: "" });

const parameterValue = (name: string): string => deployment.parameters.get(name)?.value ?? "";
const cursorKeys = () => parseCursorKeys(parameterValue(CURSORS));
const pairs = () => parseVapidKeys(parameterValue(PAIRS));

/** Moves the keys of a parameter into the past. */
const age = (name: string, milliseconds: number): void => {
  const earlier = (time: string) => new Date(Date.parse(time) - milliseconds).toISOString();
  const value = parameterValue(name).replaceAll(/(?<="since":")[^"]+/g, earlier);
  deployment.parameters.set(name, parameter(JSON.parse(value)));
};

describe("npm run rotate", () => {
  it("adds keys that are used in ten minutes, keeps the old ones, and prints none", async () => {
    // The first keys are older than any cursor.
    for (const name of [CURSORS, PAIRS]) age(name, 26 * 60 * MINUTE);
    const before = Date.now();
    const output = expectSuccess(await rotate(ARGS));
    expect([cursorKeys().length, pairs().length]).toEqual([2, 2]);
    for (const [newest, old] of [cursorKeys(), pairs()]) {
      expect(newest?.since).toBeGreaterThanOrEqual(before + 10 * MINUTE);
      expect(newest?.since).toBeLessThanOrEqual(Date.now() + 10 * MINUTE);
      expect(old?.since).toBeLessThan(before);
    }
    expect(cursorKeys()[1]?.key).toBe(CURSOR_KEY);
    for (const { type } of deployment.parameters.values()) expect(type).toBe("SecureString");
    for (const { key } of cursorKeys()) expect(output).not.toContain(key);
    for (const { privateKey } of pairs()) expect(output).not.toContain(privateKey);
    expect(output.split("\n")).toHaveLength(2);

    // Otherwise a key would be used that no process has read.
    const after = cursorKeys();
    expectError(await rotate(ARGS), /is not used before .* Wait until then\.$/);
    expect(cursorKeys()).toEqual(after);

    // A cursor of the first key can be a few minutes old.
    for (const name of [CURSORS, PAIRS]) age(name, 11 * MINUTE);
    expectSuccess(await rotate(ARGS));
    expect(cursorKeys().map(({ key }) => key)).toContain(CURSOR_KEY);
  });

  it("drops keys only on request, however old they are, and nothing in a dry run", async () => {
    for (let round = 0; round < 3; round += 1) {
      for (const name of [CURSORS, PAIRS]) age(name, 26 * 60 * MINUTE);
      expectSuccess(await rotate(ARGS));
    }
    expect([cursorKeys().length, pairs().length]).toEqual([4, 4]);
    // Birth dates and contacts of signatures are encrypted with it.
    expect(cursorKeys().at(-1)?.key).toBe(CURSOR_KEY);
    for (const name of [CURSORS, PAIRS]) age(name, 11 * MINUTE);
    const before = structuredClone(deployment.parameters);
    expectSuccess(await rotate([...ARGS, "--dry-run"]), /Nothing has been changed\.$/);
    expect(deployment.parameters).toEqual(before);
    // The keys of another kind stay as they are.
    expectSuccess(await rotate([...ARGS, "--vapid", "--drop-old"]), "3 removed");
    expect(pairs()).toHaveLength(2);
    expect(deployment.parameters.get(CURSORS)).toEqual(before.get(CURSORS));
  });

  const concurrent = () =>
    aws.respond([["ssm PutParameter", () => ({ Version: 7 })], ...stackResponses(deployment)]);
  const many = () => {
    const since = new Date(Date.now() - MINUTE).toISOString();
    const keys = Array.from({ length: 11 }, (_, n) => ({
      key: Buffer.alloc(32, n).toString("base64url"),
      since,
    }));
    deployment.parameters.set(CURSORS, parameter(keys));
  };
  const noKeys = /no cursor key .*npm run deploy -- --stage spring --region eu-central-1/;

  it.each<[string, RegExp, (() => unknown) | null, string[]?]>([
    ["no confirmation", /Give --yes/, null, ["--stage", "spring"]],
    ["a concurrent change", /Another process changed/, concurrent],
    ["an unknown stage", /^There is no stage autumn .*: spring\.$/, null, ["--stage", "autumn", "--yes"]],
    ["as many keys as there may be", /^There are 11 .*--drop-old/, many],
    ["no keys", noKeys, () => deployment.parameters.clear()],
  ])("reports %s in one line and changes nothing", async (_, message, prepare, args = ARGS) => {
    prepare?.();
    const result = await rotate(args);
    expectError(result, message);
    expect(result.output).not.toContain(CURSOR_KEY);
    for (const { version } of deployment.parameters.values()) expect(version).toBe(1);
  });
});
