/** How AWS's services are called: how often a call is tried, how long each try may take, and where it goes. */

const ATTEMPTS = 3;
/** Of one try, in milliseconds: until it is connected, and until it is answered, both from its beginning. */
const CONNECTED_IN = 1_000;
const ANSWERED_IN = 2_000;
/** Of all the pauses between the tries of one call, in milliseconds; the SDK draws each at random below its own bound. */
const PAUSES = 500;

/**
 * How long one call may take at the very worst, in milliseconds. A request makes three, one after the other (who asks,
 * what it is about, the write; what is read again at once, for DynamoDB has left it, follows an answer), and its function's
 * time holds all of them: whoever asks always hears from us, and
 * not from a gateway that has given up.
 */
export const MAX_CALL_MS = ATTEMPTS * ANSWERED_IN + PAUSES;

const NONE: string[] = [];

/**
 * What the SDK would otherwise look for in the environment and then in files of a home folder, each by itself: two
 * milliseconds of a cold function. The account's own endpoints are left out because they need its number.
 */
const SETTLED = {
  defaultsMode: "standard",
  retryMode: "standard",
  useDualstackEndpoint: false,
  useFipsEndpoint: false,
  accountIdEndpointMode: "disabled",
  endpointDiscoveryEnabled: false,
  authSchemePreference: NONE,
  userAgentAppId: "",
} as const;

/**
 * The settings of a client of the SDK, which keeps its connections and is made once for a process.
 * @param endpoint another endpoint than the region's own, for which any credentials do
 */
export const clientSettings = (endpoint: string | undefined) => ({
  ...SETTLED,
  // A function is led nowhere else; on one's own machine AWS_ENDPOINT_URL does.
  ignoreConfiguredEndpointUrls: process.env.AWS_LAMBDA_FUNCTION_NAME !== undefined,
  maxAttempts: ATTEMPTS,
  requestHandler: {
    connectionTimeout: CONNECTED_IN,
    requestTimeout: ANSWERED_IN,
    throwOnRequestTimeout: true,
  },
  ...(endpoint === undefined
    ? {}
    : {
        endpoint,
        region: process.env.AWS_REGION ?? "local",
        credentials: { accessKeyId: "local", secretAccessKey: "local" },
      }),
});
