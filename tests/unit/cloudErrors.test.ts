/** Errors of AWS in sentences, and the names of stages and regions. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { UserError } from "../../scripts/cli/userError.ts";
import { explainAwsError, explainingErrors } from "../../scripts/cloud/awsErrors.ts";
import { regionOf, stageOf } from "../../scripts/cloud/stage.ts";

const REGION = "eu-central-1";

// A valid region becomes the region of the process.
afterEach(() => {
  vi.unstubAllEnvs();
});

describe("an error of AWS", () => {
  it.each([
    [{ name: "CredentialsProviderError" }, /There are no AWS credentials/],
    [{ name: "ExpiredToken" }, /credentials have expired\. Sign in again/],
    [{ name: "ExpiredTokenException" }, /credentials have expired\. Sign in again/],
    [{ name: "UnrecognizedClientException" }, /does not accept these credentials in eu-central-1/],
    [{ name: "Error", code: "ENOTFOUND" }, /name of the region and the internet connection/],
    [{ name: "TypeError", cause: { code: "ECONNREFUSED" } }, /connection is refused/],
    [{ name: "AccessDeniedException" }, /may not read the stack: raw message/],
    [{ name: "Unknown", $metadata: { httpStatusCode: 400 } }, /AWS did not read the stack in eu.*: raw/],
  ])("%j becomes one sentence", (more, sentence) => {
    const error = explainAwsError(Object.assign(new Error("raw message"), more), "read the stack", REGION);
    expect(error).toBeInstanceOf(UserError);
    expect(String(error)).toMatch(sentence);
    expect(String(error)).not.toContain("{region}");
  });

  it("of another kind is passed through", async () => {
    const bug = new TypeError("a bug");
    for (const error of [bug, new UserError("A sentence.")]) {
      expect(explainAwsError(error, "read", REGION)).toBe(error);
    }
    await expect(explainingErrors(REGION, "read", () => Promise.reject(bug))).rejects.toBe(bug);
    expect(await explainingErrors(REGION, "read", async () => 7)).toBe(7);
  });
});

it("a stage has a valid name, which the names of its resources contain, and a region of AWS", () => {
  vi.stubEnv("AWS_REGION", "");
  for (const stage of ["spring", "a", "test-1", "club2027-autumn", "a".repeat(25)]) {
    const names = { stage, name: `zombie-game-${stage}`, parameters: `/zombie-game/${stage}` };
    expect(stageOf({ stage, region: REGION }, "deploy")).toMatchObject(names);
  }
  for (const stage of ["", "Spring", "1st", "-a", "a-", "a--b", "a b", "a/b", "ä", "a_b", "a".repeat(26)])
    expect(() => stageOf({ stage, region: REGION }, "deploy"), stage).toThrow(UserError);
  for (const region of ["us-east-1", "eu-central-1", "ap-southeast-4", "us-gov-west-1", "cn-north-1"])
    expect([regionOf(region), process.env.AWS_REGION]).toEqual([region, region]);
  for (const region of ["europe", "EU-central-1", "eu-central", "eu_central_1", "eu-central-1a", "../x"])
    expect(() => regionOf(region)).toThrow(/is not an AWS region/);
});
