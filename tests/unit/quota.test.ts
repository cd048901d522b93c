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
const SPRING = { stage: "spring", region: REGION, options: "--stage spring" };

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

/** Runs the offer of a deploy. @returns what it printed and what it asked */
const offer = async (options: Partial<Options>, stage = SPRING) => {
  const printed: string[] = [];
  const spy = vi.spyOn(console, "log").mockImplementation((line) => void printed.push(line));
  try {
    await withClients(REGION, (clients) =>
      offerConcurrency(clients, stage, limit, { ...NOTHING, ...options }),
    );
  } finally {
    spy.mockRestore();
  }
  return printed.join("\n");
};

const answering = (reply: boolean) => vi.fn(async (_question: string) => reply);

describe("a deploy with ten concurrent executions", () => {
  it("requests more if that is asked for, also without a terminal and with --yes", async () => {
    const printed = await offer({ isRequested: true, isSure: true });
    expect(requested()).toEqual([WANTED]);
    expect(printed).toBe(
      "Note: The request of 2026-11-26 for a limit of 1000 (case 26) is PENDING. AWS may take days. Deploy again after it has approved it.",
    );
  });

  it("offers it at a terminal, and requests it only after a yes", async () => {
    const [no, yes] = [answering(false), answering(true)];
    expect(await offer({ ask: no })).toContain(
      "npm run deploy -- --stage spring --request-concurrency, or aws",
    );
    expect(no).toHaveBeenCalledWith(
      "A limit of 10 is too low for a mission. Request a limit of 1,000 from AWS, which is free?",
    );
    expect(requested()).toEqual([]);
    expect(await offer({ ask: yes })).toContain("is PENDING");
    expect(requested()).toEqual([WANTED]);
  });

  it("only says how without a terminal, and with --yes or --dry-run", async () => {
    const ask = answering(true);
    for (const options of [{ isSure: true, ask }, {}, { dryRun: true, ask }])
      expect(await offer(options)).toMatch(/^Note: A limit of 10 is too low .*--quota-code L-B99A9384/);
    const would = "Note: A limit of 10 is too low for a mission. A limit of 1,000 would be requested.";
    expect(await offer({ dryRun: true, isRequested: true, ask })).toBe(would);
    expect(ask).not.toHaveBeenCalled();
    expect(requested()).toEqual([]);
  });

  it("says that a request is open, and does not send another", async () => {
    for (const status of ["PENDING", "CASE_OPENED"]) {
      history = [requestOf("DENIED", 24), requestOf(status, 20), requestOf("CASE_CLOSED", 2)];
      const ask = answering(true);
      expect(await offer({ isRequested: true, ask })).toBe(
        `Note: A limit of 10 is too low for a mission. The request of 2026-11-20 for a limit of 1000 (case 20) is ${status}. Deploy again after AWS has approved it.`,
      );
      expect(ask).not.toHaveBeenCalled();
    }
    expect(requested()).toEqual([]);
  });

  it("says that AWS has refused the last request and what to do, and offers another", async () => {
    history = [requestOf("CASE_CLOSED", 2), requestOf("NOT_APPROVED", 20)];
    const ask = answering(true);
    const advice = /^Note: The request of 2026-11-20 .* is NOT_APPROVED\. Ask AWS's support .*support\/home/;
    expect(await offer({ ask })).toMatch(advice);
    expect(ask).toHaveBeenCalledOnce();
    expect(requested()).toEqual([WANTED]);
  });

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

  it("says nothing for a stage for tests or with enough, and requests nothing", async () => {
    const ask = answering(true);
    const test = { ...SPRING, stage: "test-1" };
    expect(await offer({ ask }, test)).toBe("");
    limit = 100;
    expect(await offer({ ask })).toBe("");
    expect(await offer({ isRequested: true })).toBe(
      "Note: A limit of 100 is enough, so no other is requested.",
    );
    expect(aws.requests).toEqual([]);
    limit = 99;
    await offer({ isRequested: true }, test);
    expect(requested()).toEqual([WANTED]);
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
