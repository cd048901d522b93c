/** What AWS and the way to it may answer, in words of somebody who can mend it. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { UserError } from "../../scripts/cli/userError.ts";
import { explainAwsError, explainingErrors } from "../../scripts/cloud/awsErrors.ts";
import { regionOf, stageOf } from "../../scripts/cloud/stage.ts";

const REGION = "eu-central-1";

// Whatever is named becomes the region of the process.
afterEach(() => {
  vi.unstubAllEnvs();
});
const fault = (more: object, message = "what AWS says"): Error => Object.assign(new Error(message), more);
const said = (error: unknown): string => {
  const words = explainAwsError(error, "read the stack", REGION);
  expect(words).toBeInstanceOf(UserError);
  return words instanceof Error ? words.message : "";
};

describe("a fault of AWS", () => {
  it.each([
    [{ name: "CredentialsProviderError" }, /There are no AWS credentials/],
    [{ name: "ExpiredTokenException" }, /have expired/],
    [{ name: "UnrecognizedClientException" }, /does not accept these credentials in eu-central-1/],
    [{ name: "InvalidSignatureException" }, /secret key does not match/],
    [{ name: "RequestExpired" }, /clock of this machine is wrong/],
    [{ name: "Error", code: "ENOTFOUND" }, /name of the region and the internet connection/],
    [{ name: "TypeError", cause: { code: "ECONNREFUSED" } }, /connection is refused/],
    [{ name: "TimeoutError" }, /timed out/],
    [{ name: "ThrottlingException" }, /Try again in a minute/],
    [{ name: "AccessDeniedException" }, /may not read the stack: what AWS says/],
    [{ name: "Error", Code: "AccessDenied" }, /may not read the stack/],
    [
      { name: "NeverHeardOf", $metadata: { httpStatusCode: 400 } },
      /AWS did not read the stack in eu-central-1: what AWS says/,
    ],
  ])("%j is told in a line", (more, words) => {
    expect(said(fault(more))).toMatch(words);
    expect(said(fault(more))).not.toContain("{region}");
  });

  it("that is none of AWS's, and words that are there already, stay as they are", async () => {
    const ours = new TypeError("a mistake of ours");
    expect(explainAwsError(ours, "read", REGION)).toBe(ours);
    const words = new UserError("Said.");
    expect(explainAwsError(words, "read", REGION)).toBe(words);
    await expect(explainingErrors(REGION, "read", () => Promise.reject(ours))).rejects.toBe(ours);
    expect(await explainingErrors(REGION, "read", async () => 7)).toBe(7);
  });
});

describe("a stage", () => {
  it.each(["spring", "a", "test-1", "club2027-autumn", "a".repeat(25)])("may be called %s", (stage) => {
    vi.stubEnv("AWS_REGION", "");
    expect(stageOf({ stage, region: REGION }, "deploy")).toMatchObject({
      stage,
      name: `zombie-game-${stage}`,
      parameters: `/zombie-game/${stage}`,
    });
  });

  it.each([
    "",
    "Spring",
    "1st",
    "-a",
    "a-",
    "a--b",
    "a b",
    "a/b",
    "ä",
    "a".repeat(26),
    "spring-2026-north-campus-hvz",
    "a_b",
  ])("may not be called %j", (stage) => {
    expect(() => stageOf({ stage, region: REGION }, "deploy")).toThrow(UserError);
  });

  it.each(["europe", "EU-central-1", "eu-central", "eu_central_1", "eu-central-1a", "../x", "a-1 b"])(
    "is in no region %j",
    (region) => {
      expect(() => regionOf(region)).toThrow(/is not an AWS region/);
    },
  );

  it.each(["us-east-1", "eu-central-1", "ap-southeast-4", "us-gov-west-1", "cn-north-1"])(
    "may be in %s",
    (region) => {
      vi.stubEnv("AWS_REGION", "");
      expect(regionOf(region)).toBe(region);
      expect(process.env.AWS_REGION).toBe(region);
    },
  );
});
