/** What AWS says when it does not do what it is asked, in words of somebody who can mend it. */
import { messageOf, UserError } from "../cli/userError.ts";

const property = (thing: unknown, name: string): unknown =>
  typeof thing === "object" && thing !== null ? Reflect.get(thing, name) : undefined;

/** The name of a fault, as AWS and its SDK call it. */
export const errorName = (error: unknown): string => String(property(error, "name") ?? "");

const NO_CREDENTIALS =
  "There are no AWS credentials: sign in by the AWS CLI (aws login, aws sso login or aws configure), or set AWS_PROFILE, or AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY; docs/aws-first-run.md says how.";

/** By the name of the fault; `{region}` is where it was asked. */
const WORDS: Record<string, string> = {
  CredentialsProviderError: NO_CREDENTIALS,
  ExpiredToken: "The AWS credentials have expired: sign in again.",
  ExpiredTokenException: "The AWS credentials have expired: sign in again.",
  UnrecognizedClientException:
    "AWS does not know these credentials in {region}: see that they are right, and that the region is switched on for the account.",
  InvalidClientTokenId:
    "AWS does not know these credentials in {region}: see that they are right, and that the region is switched on for the account.",
  SignatureDoesNotMatch: "The AWS credentials are wrong: the secret key does not fit the access key.",
  InvalidSignatureException: "The AWS credentials are wrong: the secret key does not fit the access key.",
  RequestTimeTooSkewed: "This machine's clock is wrong: AWS refuses what is signed at another time.",
  RequestExpired: "This machine's clock is wrong: AWS refuses what is signed at another time.",
  ENOTFOUND: "AWS cannot be reached in {region}: there is no such region, or no way to the internet.",
  EAI_AGAIN: "AWS cannot be reached in {region}: names cannot be resolved, there is no way to the internet.",
  ECONNREFUSED: "AWS cannot be reached in {region}: the connection is refused.",
  ETIMEDOUT: "AWS cannot be reached in {region}: it does not answer.",
  TimeoutError: "AWS cannot be reached in {region}: it does not answer.",
  ThrottlingException: "AWS is asked too often just now: try again in a minute.",
  Throttling: "AWS is asked too often just now: try again in a minute.",
  TooManyRequestsException: "AWS is asked too often just now: try again in a minute.",
};

const DENIED = new Set(["AccessDenied", "AccessDeniedException", "UnauthorizedOperation"]);

/**
 * A fault of AWS that whoever runs a command can mend, as a {@link UserError}; any other as it came.
 * @param doing what was not done, such as "read the stack"
 */
export const explainAwsError = (error: unknown, doing: string, region: string): unknown => {
  if (error instanceof UserError) return error;
  const marks = [
    errorName(error),
    property(error, "Code"),
    property(error, "code"),
    property(property(error, "cause"), "code"),
  ].map(String);
  const known = marks.map((mark) => WORDS[mark]).find((words) => words !== undefined);
  if (known !== undefined) return new UserError(known.replace("{region}", region));
  if (marks.some((mark) => DENIED.has(mark))) {
    return new UserError(`These AWS credentials may not ${doing}: ${messageOf(error)}`);
  }
  return property(error, "$metadata") === undefined
    ? error
    : new UserError(`AWS does not ${doing} in ${region}: ${messageOf(error)}`);
};

/** Does what asks AWS. @throws UserError for a fault that can be mended */
export const explainingErrors = async <T>(
  region: string,
  doing: string,
  work: () => Promise<T>,
): Promise<T> => {
  try {
    return await work();
  } catch (error) {
    throw explainAwsError(error, doing, region);
  }
};
