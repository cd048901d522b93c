/** `npm run rotate`, and what every command says that finds AWS otherwise than it should be. */
import { afterEach, describe, expect, it } from "vitest";
import { MINUTE } from "../../lib/domain/time.ts";
import { keysFor } from "../../lib/secrets/rotation.ts";
import { parseCursorKeys, parseVapidKeys } from "../../lib/secrets/stored.ts";
import { AwsError, type Cloud, type Responses, startCloud } from "../support/cloud.ts";
import { type Deployment, emptyDeployment, stackResponses } from "../support/fakeStack.ts";
import { runScript } from "../support/runScript.ts";

const CURSORS = "/zombie-game/spring/cursor-keys";
const PAIRS = "/zombie-game/spring/vapid-keys";

let cloud: Cloud | undefined;
afterEach(() => cloud?.close());

const spring = (): Deployment => {
  const deployment = emptyDeployment();
  deployment.stacks.set("zombie-game-spring", { status: "UPDATE_COMPLETE" });
  return deployment;
};

/** Runs the command on a cloud that answers like this. */
const rotate = async (answers: Responses, args: string[], settings: Record<string, string> = {}) => {
  await cloud?.close();
  cloud = await startCloud(answers);
  return runScript(["scripts/commands/rotate.ts", ...args], {
    ...cloud.settings,
    AWS_REGION: "",
    ...settings,
  });
};

const ARGS = ["--stage", "spring", "--yes"];

const held = (deployment: Deployment, name: string): string => deployment.parameters.get(name)?.value ?? "";

/** Keys that were made so long ago. */
const aged = (deployment: Deployment, name: string, age: number): void => {
  const found = deployment.parameters.get(name);
  if (found === undefined) throw new Error(`no ${name}`);
  const keys: { since: string }[] = JSON.parse(found.value);
  const older = keys.map((key) => ({ ...key, since: new Date(Date.parse(key.since) - age).toISOString() }));
  found.value = JSON.stringify(older);
};

const CURSOR_KEY = Buffer.alloc(32, 1).toString("base64url");

const withKeys = (): Deployment => {
  const deployment = spring();
  const since = new Date(Date.now() - MINUTE).toISOString();
  const value = (keys: object) => ({
    value: JSON.stringify([{ ...keys, since }]),
    type: "SecureString",
    version: 1,
  });
  deployment.parameters.set(CURSORS, value({ key: CURSOR_KEY }));
  deployment.parameters.set(
    PAIRS,
    value({
      public_key: Buffer.alloc(65, 4).toString("base64url"),
      private_key: Buffer.alloc(32, 4).toString("base64url"),
    }),
  );
  return deployment;
};

describe("npm run rotate", () => {
  it("adds keys that are used in ten minutes, keeps those before, and shows none", async () => {
    const deployment = withKeys();
    const before = Date.now();
    const { code, said } = await rotate(stackResponses(deployment), ARGS);
    expect(code, said).toBe(0);
    const cursors = parseCursorKeys(held(deployment, CURSORS));
    const pairs = parseVapidKeys(held(deployment, PAIRS));
    expect([cursors.length, pairs.length]).toEqual([2, 2]);
    for (const keys of [cursors, pairs]) {
      const [newest, old] = keys;
      expect(newest?.since).toBeGreaterThanOrEqual(before + 10 * MINUTE);
      expect(newest?.since).toBeLessThanOrEqual(Date.now() + 10 * MINUTE);
      expect(old?.since).toBeLessThan(before);
    }
    // Until then the old one is used.
    expect(keysFor(cursors, Date.now())[0]?.key).toBe(CURSOR_KEY);
    expect(keysFor(cursors, Date.now() + 11 * MINUTE)[0]?.key).not.toBe(CURSOR_KEY);
    expect([...deployment.parameters.values()].map(({ type }) => type)).toEqual([
      "SecureString",
      "SecureString",
    ]);
    for (const { key } of cursors) expect(said).not.toContain(key);
    for (const { privateKey } of pairs) expect(said).not.toContain(privateKey);
    expect(said.split("\n")).toHaveLength(2);

    // A second time at once would put a key into use that nobody has read.
    const again = await rotate(stackResponses(deployment), ARGS);
    expect(again).toMatchObject({
      code: 1,
      said: expect.stringMatching(/is used from .* on: wait until then\.$/),
    });
    expect(parseCursorKeys(held(deployment, CURSORS))).toEqual(cursors);
  });

  it("changes the one kind that is named, and nothing at all in a dry run", async () => {
    const deployment = withKeys();
    const before = structuredClone(deployment.parameters);
    const dry = await rotate(stackResponses(deployment), [...ARGS, "--dry-run"]);
    expect(dry, dry.said).toMatchObject({
      code: 0,
      said: expect.stringMatching(/Nothing has been changed\.$/),
    });
    expect(deployment.parameters).toEqual(before);
    await rotate(stackResponses(deployment), [...ARGS, "--vapid"]);
    expect(deployment.parameters.get(CURSORS)).toEqual(before.get(CURSORS));
    expect(deployment.parameters.get(PAIRS)?.version).toBe(2);
  });

  it("drops old keys of cursors after a day, and of push only when it is told to", async () => {
    const deployment = withKeys();
    for (let round = 0; round < 3; round += 1) {
      for (const name of [CURSORS, PAIRS]) aged(deployment, name, 26 * 60 * MINUTE);
      expect((await rotate(stackResponses(deployment), ARGS)).code).toBe(0);
    }
    expect(parseCursorKeys(held(deployment, CURSORS))).toHaveLength(2);
    expect(parseVapidKeys(held(deployment, PAIRS))).toHaveLength(4);
    aged(deployment, PAIRS, 11 * MINUTE);
    const { code, said } = await rotate(stackResponses(deployment), [...ARGS, "--vapid", "--drop-old"]);
    expect(code, said).toBe(0);
    expect(said).toContain("3 gone");
    expect(parseVapidKeys(held(deployment, PAIRS))).toHaveLength(2);
  });

  it("says when another has changed them at the same time", async () => {
    const deployment = withKeys();
    const answers = stackResponses(deployment);
    const { code, said } = await rotate(
      [["ssm PutParameter", () => ({ Version: 7 })], ...answers],
      [...ARGS, "--cursor"],
    );
    expect({ code, said }).toMatchObject({
      code: 1,
      said: expect.stringContaining("Somebody else has changed"),
    });
  });

  it("says in one line what is wrong, and changes nothing", async () => {
    const deployment = withKeys();
    const usual = stackResponses(deployment);
    const fault = (code: string, message = "no", what = "sts GetCallerIdentity"): Responses => [
      [
        what,
        () => {
          throw new AwsError(code, message);
        },
      ],
      ...usual,
    ];
    const empty = emptyDeployment();
    const broken = withKeys();
    broken.parameters.set(CURSORS, { value: `["${CURSOR_KEY}"]`, type: "SecureString", version: 1 });
    const wrong: [Responses, string[], Record<string, string>, RegExp][] = [
      [usual, ["--yes"], {}, /^Which deployment\? npm run rotate -- --stage spring$/],
      [usual, ["--stage", "Spring!"], {}, /--stage Spring!: a stage is/],
      [usual, ["--stage", "a".repeat(26)], {}, /up to 25/],
      [usual, [...ARGS, "--region", "europe"], {}, /europe is no region of AWS/],
      [usual, [...ARGS, "--nothing"], {}, /--nothing/],
      [usual, ["--stage", "spring"], {}, /give --yes/],
      [usual, ARGS, { AWS_ACCESS_KEY_ID: "", AWS_SECRET_ACCESS_KEY: "" }, /There are no AWS credentials/],
      [fault("ExpiredToken"), ARGS, {}, /credentials have expired/],
      [fault("InvalidClientTokenId"), ARGS, {}, /does not know these credentials in eu-central-1/],
      [fault("SignatureDoesNotMatch"), ARGS, {}, /secret key does not fit/],
      [fault("RequestTimeTooSkewed"), ARGS, {}, /clock is wrong/],
      [fault("Throttling"), ARGS, {}, /asked too often/],
      [
        fault("AccessDenied", "User club is not authorized to perform: ssm:GetParameter", "ssm GetParameter"),
        ARGS,
        {},
        /may not read the parameter .*not authorized/,
      ],
      [usual, ARGS, { AWS_ENDPOINT_URL: "http://127.0.0.1:1" }, /cannot be reached in eu-central-1/],
      [
        usual,
        ["--stage", "autumn", "--yes"],
        {},
        /^There is no stage autumn in eu-central-1, in the account 123456789012. There are: spring\.$/,
      ],
      [stackResponses(empty), ARGS, {}, /There is no stage there/],
      [
        stackResponses(spring()),
        ARGS,
        {},
        /There is no key of cursors .* npm run deploy -- --stage spring --region eu-central-1 makes it/,
      ],
      [stackResponses(broken), ARGS, {}, /cursor-keys does not hold what it should/],
    ];
    for (const [answers, args, settings, why] of wrong) {
      const { code, said } = await rotate(answers, args, settings);
      expect(said, args.join(" ")).toMatch(why);
      expect(code, said).toBe(1);
      expect(said.split("\n"), said).toHaveLength(1);
      expect(said).not.toContain(CURSOR_KEY);
    }
    for (const { version } of deployment.parameters.values()) expect(version).toBe(1);
  });

  it("helps", async () => {
    const { code, said } = await rotate([], ["--help"]);
    expect(code).toBe(0);
    expect(said).toContain("npm run rotate -- --stage STAGE");
    expect(cloud?.asked).toEqual([]);
  });
});
