/** More concurrent executions: what `npm run deploy` and `npm run doctor` say, offer and request, against a fake AWS. */
import { beforeEach, describe, expect, it, vi } from "vitest";
import { withClients } from "../../scripts/cloud/clients.ts";
import { findQuotaRequest } from "../../scripts/cloud/concurrency.ts";
import { offerConcurrency } from "../../scripts/deploy/quota.ts";
import { quotaCheck } from "../../scripts/doctor/quota.ts";
import { AwsError, byAction } from "../support/fakeAws.ts";
import { stackResponses, useFakeDeployment } from "../support/fakeStack.ts";

const REGION = "eu-central-1";
const HISTORY = "servicequotas ListRequestedServiceQuotaChangeHistoryByQuota";
const REQUEST = "servicequotas RequestServiceQuotaIncrease";

const { aws, deployment } = useFakeDeployment();
/** The requests that AWS knows, and why it refuses a new one. */
let history: object[] | AwsError;
let refusal: AwsError | null;
let limit: number;

const requestOf = (Status: string, day: number, more: object = {}) => ({
  ...{ DesiredValue: 1_000, Status, Created: Date.UTC(2026, 10, day) / 1_000, CaseId: `${day}` },
  ...more,
});

beforeEach(() => {
  [history, refusal, limit] = [[], null, 10];
  aws.respond([
    ...byAction({
      [HISTORY]: ({ NextToken }) => {
        if (history instanceof AwsError) throw history;
        // One request a page, so that a reader who stops early misses what follows.
        const at = Number(NextToken ?? 0);
        const next = at + 1 < history.length ? { NextToken: `${at + 1}` } : {};
        return { RequestedQuotas: history.slice(at, at + 1), ...next };
      },
      [REQUEST]: ({ DesiredValue }) => {
        if (refusal !== null) throw refusal;
        return { RequestedQuota: { ...requestOf("PENDING", 26), DesiredValue } };
      },
      "lambda GET /2016-08-19/account-settings": () => ({ AccountLimit: { ConcurrentExecutions: limit } }),
    }),
    ...stackResponses(deployment),
  ]);
  for (const [name, value] of Object.entries(aws.settings)) vi.stubEnv(name, value);
  return () => vi.unstubAllEnvs();
});

const requested = () => aws.requests.filter(({ action }) => action === REQUEST).map(({ input }) => input);
const WANTED = { ServiceCode: "lambda", QuotaCode: "L-B99A9384", DesiredValue: 1_000 };

type Options = Parameters<typeof offerConcurrency>[3];
const NOTHING: Options = { isSure: false, dryRun: false, isRequested: false, ask: null };

/** Runs the offer of a deploy. @returns what it printed */
const offer = async (options: Partial<Options>, stage = "spring") => {
  const printed: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((line) => void printed.push(line));
  const of = { stage, region: REGION, options: `--stage ${stage}` };
  await withClients(REGION, (clients) => offerConcurrency(clients, of, limit, { ...NOTHING, ...options }));
  spy.mockRestore();
  return printed.join("\n");
};

const [isRequested, isSure, dryRun] = [true, true, true];
/** What is answered at a terminal, what AWS knows and allows, and the name of the stage, besides the options. */
type Given = Partial<Options> & { reply?: boolean; known?: object[]; allowed?: number; stage?: string };
const OPEN = ["PENDING", "CASE_OPENED"].map((status): [string, Given, RegExp, string] => [
  `if a request is ${status}`,
  { isRequested, known: [requestOf("DENIED", 24), requestOf(status, 20), requestOf("CASE_CLOSED", 2)] },
  new RegExp(`too low .*2026-11-20 for a limit of 1000 \\(case 20\\) is ${status}\\. Deploy again after AWS`),
  "",
]);
const HOW =
  /^Note: A limit of 10 is too low for a mission\. .*--stage spring --request-concurrency, or aws .*L-B99A9384/;

describe("a deploy with few concurrent executions", () => {
  it.each<[string, Given, RegExp, string]>([
    ["as asked for, also with --yes", { isRequested, isSure }, /\(case 26\) is PENDING\./, "requests"],
    ["after a yes at a terminal", { reply: true }, /is PENDING/, "asks, requests"],
    ["after a no", { reply: false }, HOW, "asks"],
    ["with --yes alone", { reply: true, isSure }, HOW, ""],
    ["without a terminal", {}, HOW, ""],
    ["with --dry-run", { reply: true, dryRun }, HOW, ""],
    ["as asked for with --dry-run", { dryRun, isRequested }, /1,000 would be requested\.$/, ""],
    ...OPEN,
    [
      "after AWS has refused",
      { reply: true, known: [requestOf("CASE_CLOSED", 2), requestOf("NOT_APPROVED", 20)] },
      /^Note: The request of 2026-11-20 .* is NOT_APPROVED\. Ask AWS's support .*support\/home/,
      "asks, requests",
    ],
    ["of a stage for tests", { reply: true, stage: "test-1" }, /^$/, ""],
    ["as asked for of a stage for tests", { isRequested, stage: "test-1" }, /is PENDING/, "requests"],
    ["with enough", { reply: true, allowed: 100 }, /^$/, ""],
    ["as asked for with enough", { isRequested, allowed: 100 }, /A limit of 100 is enough, so no other/, ""],
  ])(
    "asks for more only as it may: %s",
    async (_, { reply, known = [], allowed = 10, stage, ...options }, text, does) => {
      [history, limit] = [known, allowed];
      const asked: string[] = [];
      const ask = async (question: string) => asked.push(question) > 0 && reply === true;
      expect(await offer({ ...options, ask: reply === undefined ? null : ask }, stage)).toMatch(text);
      for (const question of asked)
        expect(question).toMatch(/^A limit of 10 is too low .* AWS, which is free\?$/);
      expect(asked).toHaveLength(does.startsWith("asks") ? 1 : 0);
      expect(requested()).toEqual(does.endsWith("requests") ? [WANTED] : []);
    },
  );

  it.each([
    ["AccessDeniedException", "not authorized", "Sign in as somebody who may use servicequotas:Request"],
    ["DependencyAccessDeniedException", "not on this plan", "An account on the free plan may have to change"],
    ["IllegalArgumentException", "the value is not allowed", "Ask AWS's support for it"],
    ["ResourceAlreadyExistsException", "one is open", "A request is open already. Deploy again after AWS"],
    ["QuotaExceededException", "too many", "Wait until AWS has decided one of them"],
  ])("says what to do if AWS refuses the request with %s, and goes on", async (code, message, advice) => {
    // Who may not request a limit may not see requests either.
    history = new AwsError("AccessDeniedException", "not authorized");
    refusal = new AwsError(code, message);
    const printed = await offer({ isRequested: true });
    expect(printed).toContain(
      `AWS has not accepted the request for a limit of 1000 in ${REGION}: ${message}. `,
    );
    expect(printed).toContain(advice);
  });
});

it("doctor names an open request instead of how to send one", async () => {
  const fixes = async () => {
    const findings = await withClients(REGION, (clients) => quotaCheck(clients, null).run());
    return findings.map(({ state, fix }) => `${state} ${fix}`);
  };
  expect(await fixes()).toEqual([
    expect.stringMatching(/^note Request a limit of 1,000, which is free .*: aws /),
  ]);
  history = [requestOf("CASE_OPENED", 20)];
  expect(await fixes()).toEqual([
    "note The request of 2026-11-20 for a limit of 1000 (case 20) is CASE_OPENED. Deploy again after AWS has approved it",
  ]);
  history = new AwsError("AccessDeniedException", "not authorized");
  expect(await withClients(REGION, findQuotaRequest)).toBeNull();
});
