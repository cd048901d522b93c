/** Checks a stage's own domain: its certificate, its DNS record, and whether the service responds there. */
import { lookup, resolveCname } from "node:dns/promises";
import { type CertificateDetail, DescribeCertificateCommand } from "@aws-sdk/client-acm";
import { sendPatiently } from "../../client/src/retry.ts";
import { messageOf } from "../cli/userError.ts";
import { errorName, explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import type { Stage } from "../cloud/stage.ts";
import type { DeploymentSettings } from "../plugins/deploymentSettings.cjs";
import { type Check, ok, type Result, wrong } from "./findings.ts";

const TIMEOUT_MS = 30_000;

type DomainSettings = Pick<DeploymentSettings, "domain" | "certificateArn" | "proxySecret">;

/** Whether a certificate name covers a host: the same name, or `*` instead of its first label. */
const covers = (name: string, host: string): boolean =>
  name.toLowerCase() === host ||
  (name.startsWith("*.") && host.slice(host.indexOf(".")) === name.slice(1).toLowerCase());

/** The DNS records that prove to AWS who owns the domain. */
const recordsOf = ({ DomainValidationOptions = [] }: CertificateDetail): string[] =>
  DomainValidationOptions.flatMap(({ ResourceRecord, ValidationStatus }) =>
    ResourceRecord === undefined || ValidationStatus === "SUCCESS"
      ? []
      : [`${ResourceRecord.Name} ${ResourceRecord.Type} ${ResourceRecord.Value}`],
  );

const certificateFindings = async (
  { acm, region }: Clients,
  { domain, certificateArn }: DomainSettings,
): Promise<Result[]> => {
  const another = `Request one: aws acm request-certificate --domain-name ${domain} --validation-method DNS --region ${region}`;
  const certificate = await explainingErrors(region, "describe the certificate", async () => {
    try {
      return (await acm.send(new DescribeCertificateCommand({ CertificateArn: certificateArn }))).Certificate;
    } catch (error) {
      if (errorName(error) === "ResourceNotFoundException") return undefined;
      throw error;
    }
  });
  if (certificate === undefined) {
    return [wrong(`There is no certificate ${certificateArn}.`, another)];
  }
  const { Status = "unknown", DomainName = "", SubjectAlternativeNames = [] } = certificate;
  const names = [...new Set([DomainName, ...SubjectAlternativeNames])];
  if (!names.some((name) => covers(name, domain))) {
    const text = `The certificate is for ${names.join(", ")}, not for ${domain}.`;
    return [wrong(text, another)];
  }
  if (Status === "ISSUED") {
    return [ok(`The certificate is issued for ${domain}, in ${region}.`)];
  }
  const records = recordsOf(certificate);
  return [
    wrong(
      `The certificate of ${domain} is ${Status}, so it cannot be deployed.`,
      Status !== "PENDING_VALIDATION"
        ? another
        : records.length > 0
          ? `Set the DNS record and wait a few minutes: ${records.join("; ")}`
          : "Follow the link in the e-mail that AWS sent to the owner of the domain.",
    ),
  ];
};

/** Name resolution and HTTP requests, which tests replace. */
export interface Network {
  resolveCname: (host: string) => Promise<string[]>;
  lookup: (host: string, options: { all: true }) => Promise<{ address: string }[]>;
  fetch: (url: string, options: { signal: AbortSignal }) => Promise<Response>;
}

const withoutDot = (host: string): string => host.replace(/\.$/, "").toLowerCase();

const addressesOf = async (host: string, network: Network): Promise<string[]> => {
  try {
    return (await network.lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
};

/**
 * Checks that the domain leads to API Gateway, by a CNAME record or by the same addresses (an alias record of Route
 * 53).
 * @param target the target that the stack names; undefined if the domain is not deployed
 */
export const dnsFindings = async (
  { options }: Pick<Stage, "options">,
  domain: string,
  target: string | undefined,
  network: Network,
): Promise<Result[]> => {
  if (target === undefined) {
    const fix = `Deploy again: npm run deploy -- ${options}`;
    return [wrong(`DOMAIN is ${domain}, but the deployment has no domain yet.`, fix)];
  }
  const leads = ok(`${domain} leads to ${target}.`);
  const names = await network.resolveCname(domain).catch((): string[] => []);
  if (names.map(withoutDot).includes(withoutDot(target))) return [leads];
  const [own, theirs] = [await addressesOf(domain, network), await addressesOf(target, network)];
  if (own.some((address) => theirs.includes(address))) return [leads];
  const instead = names[0] ?? own[0];
  return [
    wrong(
      `${domain} ${instead === undefined ? "cannot be resolved" : `leads to ${instead} instead of ${target}`}.`,
      `Set the DNS record and wait until it is published: ${domain} CNAME ${target}`,
    ),
  ];
};

/** Checks that the service responds at its domain. */
export const responseFindings = async (domain: string, network: Network): Promise<Result[]> => {
  const url = `https://${domain}/health`;
  try {
    const response = await sendPatiently(() =>
      network.fetch(url, { signal: AbortSignal.timeout(TIMEOUT_MS) }),
    );
    await response.arrayBuffer();
    if (response.status === 200 && response.headers.has("x-request-id")) {
      return [ok(`The service responds at https://${domain}.`)];
    }
    if (response.status === 404 && response.headers.has("x-request-id")) {
      const fix = "Let the distribution send x-proxy-secret with the value of PROXY_SECRET: docs/deploy.md.";
      return [wrong(`${url} is reached without the secret of its proxy.`, fix)];
    }
    const text = `${url} responds with ${response.status}, but not from this service.`;
    return [wrong(text, "Check the target of the domain's DNS record.")];
  } catch (error) {
    const text = `${url} does not respond: ${messageOf(error instanceof Error ? (error.cause ?? error) : error)}.`;
    return [wrong(text, "A new DNS record takes a while. Check again in a few minutes.")];
  }
};

const NETWORK: Network = { resolveCname, lookup, fetch };

/** The check of the certificate; none without a domain. */
export const certificateChecks = (clients: Clients, settings: DomainSettings | null): Check[] =>
  settings === null || settings.domain === ""
    ? []
    : [{ what: "certificate", run: () => certificateFindings(clients, settings) }];

/** The checks of a deployed domain; none without a domain. With a proxy, the domain leads to the proxy. */
export const domainChecks = (
  stage: Pick<Stage, "options">,
  { domain, proxySecret }: Pick<DomainSettings, "domain" | "proxySecret">,
  target: string | undefined,
  withRequests: boolean,
  network: Network = NETWORK,
): Check[] =>
  domain === ""
    ? []
    : [
        ...(proxySecret === "" || target === undefined
          ? [{ what: "domain", run: () => dnsFindings(stage, domain, target, network) }]
          : []),
        ...(withRequests && target !== undefined
          ? [{ what: "domain", run: () => responseFindings(domain, network) }]
          : []),
      ];
