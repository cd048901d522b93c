/** Explains errors of AWS to the user. */
import { property } from "../../lib/runtime/objects.ts";
import { messageOf, UserError } from "../cli/userError.ts";

/** The name of an error of AWS or its SDK. */
export const errorName = (error: unknown): string => String(property(error, "name") ?? "");

const NO_CREDENTIALS =
  "There are no AWS credentials. Sign in with the AWS CLI (aws login, aws sso login or aws configure), set AWS_PROFILE, or set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY. See docs/deploy.md.";

const EXPIRED =
  "The AWS credentials have expired. Sign in again (aws login, aws sso login, or new keys), then run the command again.";

/** Messages by error name; `{region}` is the region of the request. */
const MESSAGES: Record<string, string> = {
  CredentialsProviderError: NO_CREDENTIALS,
  // Services with the query protocol, and those with JSON.
  ExpiredToken: EXPIRED,
  ExpiredTokenException: EXPIRED,
  UnrecognizedClientException:
    "AWS does not accept these credentials in {region}. Check them, and check that the region is enabled for the account.",
  InvalidClientTokenId:
    "AWS does not accept these credentials in {region}. Check them, and check that the region is enabled for the account.",
  SignatureDoesNotMatch: "The AWS credentials are wrong: the secret key does not match the access key.",
  InvalidSignatureException: "The AWS credentials are wrong: the secret key does not match the access key.",
  RequestTimeTooSkewed: "The clock of this machine is wrong, so AWS rejects its requests. Set the clock.",
  RequestExpired: "The clock of this machine is wrong, so AWS rejects its requests. Set the clock.",
  ENOTFOUND: "AWS cannot be reached in {region}. Check the name of the region and the internet connection.",
  EAI_AGAIN:
    "AWS cannot be reached in {region}: host names cannot be resolved. Check the internet connection.",
  ECONNREFUSED: "AWS cannot be reached in {region}: the connection is refused.",
  ETIMEDOUT: "AWS cannot be reached in {region}: the request timed out.",
  TimeoutError: "AWS cannot be reached in {region}: the request timed out.",
  ThrottlingException: "AWS is throttling requests. Try again in a minute.",
  Throttling: "AWS is throttling requests. Try again in a minute.",
  TooManyRequestsException: "AWS is throttling requests. Try again in a minute.",
};

const DENIED = new Set(["AccessDenied", "AccessDeniedException", "UnauthorizedOperation"]);

/**
 * Converts an error of AWS that the user can fix to a {@link UserError}; returns any other error unchanged.
 * @param doing the action that failed, such as "read the stack"
 */
export const explainAwsError = (error: unknown, doing: string, region: string): unknown => {
  if (error instanceof UserError) return error;
  const codes = [
    errorName(error),
    property(error, "Code"),
    property(error, "code"),
    property(property(error, "cause"), "code"),
  ].map(String);
  const known = codes.map((code) => MESSAGES[code]).find((message) => message !== undefined);
  if (known !== undefined) return new UserError(known.replace("{region}", region));
  if (codes.some((code) => DENIED.has(code))) {
    return new UserError(`These AWS credentials may not ${doing}: ${messageOf(error)}`);
  }
  return property(error, "$metadata") === undefined
    ? error
    : new UserError(`AWS did not ${doing} in ${region}: ${messageOf(error)}`);
};

/** Runs requests to AWS and explains their errors. @throws UserError for an error that the user can fix */
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
