/** What to do about failures that CloudFormation reports. Its reasons name the fault, but seldom the remedy. */
import { isRateLimited } from "../cloud/stack.ts";

/** Remedies by the reason of a failure, for those that are not throttled; the first match is used. */
const REMEDIES: readonly (readonly [reason: RegExp, remedy: string])[] = [
  [
    /exceeded the 4KB limit/,
    "The settings of a function may have 4 KB together: shorten the longest one, such as PUSH_ALLOWED_HOSTS, and deploy again.",
  ],
  [
    /Unzipped size must be smaller/,
    "A function may have 250 MB unzipped. npm run sizes lists what each function loads: remove what it does not need.",
  ],
  [
    /non-empty zip|Could not unzip|GetObject\. S3 Error/,
    "The uploaded file of the function is missing or damaged. Deploy again, which packages and uploads all of them.",
  ],
  [
    /more than one GSI creation or deletion/,
    "DynamoDB creates or deletes one index at a time: change one index in resources/table.yml, deploy, and go on with the next one.",
  ],
  [
    /custom-named resource requires replacing/,
    "A property was changed that AWS cannot change, and a resource with this name exists. Undo that change in serverless.yml or resources/.",
  ],
  [
    /is already exported by stack/,
    "Another stack of the account has this export. Remove that stack, or deploy under another stage.",
  ],
  [
    /DeletionProtectionEnabled/,
    "The table is protected, and holds a game. Keep it in resources/table.yml; npm run teardown with --delete-game removes it on purpose.",
  ],
  [
    /BucketNotEmpty|bucket you tried to delete is not empty/,
    "The bucket still holds files that are not of a deployment. Empty it in the console of S3 or by aws s3 rm --recursive, and run the command again.",
  ],
  [
    /already exists/,
    "Something else has this name: in the account, or for a bucket anywhere on AWS. Remove it, or deploy under another stage.",
  ],
  [
    /cannot be assumed by Lambda/,
    "The trust policy of the role in scripts/plugins/roles.cjs must name lambda.amazonaws.com.",
  ],
  [
    /execution role does not have permissions|Cannot access stream/,
    "The role of the function lacks the right to read its event source or to write to its queue of failures: see eventStatements in scripts/plugins/roles.cjs.",
  ],
  [
    /Unable to find Route by key/,
    "The stage has a limit for a route that does not exist yet: add the route to the DependsOn of HttpApiStage, or correct its key.",
  ],
  [
    /Requires capabilities/,
    "The request did not allow IAM roles to be created. Deploy by npm run deploy, which allows it.",
  ],
  [
    /not authorized to perform|Access ?Denied/i,
    "The credentials lack a right. Deploy as a user or role that may create IAM roles and everything else (AdministratorAccess may).",
  ],
  [
    /limit exceeded|quota|maximum allowed|may not exceed/i,
    "A limit of AWS is reached. See Service Quotas in the console for the service that is named, or remove what is not needed.",
  ],
];

const THROTTLED =
  "AWS throttled requests. Wait a few minutes and deploy again. If it happens each time, lower MAX_IN_PROGRESS in scripts/plugins/creationOrder.cjs.";

const remedyFor = (failure: string): string | undefined =>
  isRateLimited(failure) ? THROTTLED : REMEDIES.find(([reason]) => reason.test(failure))?.[1];

/** Returns the remedies for failures, each once; none for a failure that explains itself. */
export const remediesFor = (failures: readonly string[]): string[] => [
  ...new Set(failures.map(remedyFor).filter((remedy) => remedy !== undefined)),
];

/** Failures and what to do about them, each in its line. */
export const withRemedies = (failures: readonly string[]): string =>
  [...failures.map((failure) => `  ${failure}`), ...remediesFor(failures)].join("\n");
