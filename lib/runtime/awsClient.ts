/** Settings of AWS SDK clients: attempts, timeouts and endpoint. */

const MAX_ATTEMPTS = 3;
/** Timeouts of one attempt, both from its start. */
const CONNECTION_TIMEOUT_MS = 1_000;
const REQUEST_TIMEOUT_MS = 2_000;
/** All pauses between the attempts of one call; the SDK draws each at random below its own limit. */
const MAX_BACKOFF_MS = 500;

/**
 * The longest time that one call can take. A request makes three calls in sequence: it reads the calling player, reads
 * the item that it is about, and writes. (Retries of unprocessed items follow a fast response.) The function's timeout
 * covers all three, so that the client gets the service's own response and not the gateway's timeout.
 */
export const MAX_CALL_MS = MAX_ATTEMPTS * REQUEST_TIMEOUT_MS + MAX_BACKOFF_MS;

const NONE: string[] = [];

/**
 * Settings that the SDK would otherwise look up in the environment and in files of the home folder, one by one, which
 * takes two milliseconds of a cold start. Account-based endpoints are disabled because they need the account's id.
 */
const FIXED_SETTINGS = {
  defaultsMode: "standard",
  retryMode: "standard",
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  accountIdEndpointMode: "disabled",
  endpointDiscoveryEnabled: false,
  authSchemePreference: NONE,
  userAgentAppId: "",
} as const;

/** An engine on this machine accepts any. */
export const LOCAL_CREDENTIALS = { accessKeyId: "local", secretAccessKey: "local" };

/**
 * The settings of an SDK client.
 * @param endpoint an endpoint other than the region's own, which accepts any credentials
 */
export const clientSettings = (endpoint: string | undefined) => ({
  ...FIXED_SETTINGS,
  // AWS_ENDPOINT_URL applies on a developer's machine only.
  ignoreConfiguredEndpointUrls: process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined,
  maxAttempts: MAX_ATTEMPTS,
  requestHandler: {
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    throwOnRequestTimeout: true,
  },
  ...(endpoint === undefined
    ? {}
    : {
        endpoint,
        region: process.env.AWS_REGION ?? "local",
        credentials: LOCAL_CREDENTIALS,
      }),
});
