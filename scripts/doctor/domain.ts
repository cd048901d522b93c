/** Checks of a stage's own domain: its certificate, its DNS record, and whether the service answers there. */
import { lookup, resolveCname } from "node:dns/promises";
import { type CertificateDetail, DescribeCertificateCommand } from "@aws-sdk/client-acm";
import { messageOf } from "../cli/userError.ts";
import { errorName, explainingErrors } from "../cloud/awsErrors.ts";
import type { Clients } from "../cloud/clients.ts";
import type { Stage } from "../cloud/stage.ts";
import type { DeploymentSettings } from "../plugins/deploymentSettings.cjs";
import type { Check, Finding } from "./findings.ts";

const PATIENCE_MS = 30_000;

type DomainSettings = Pick<DeploymentSettings, "domain" | "certificateArn">;

/** Whether a name of a certificate holds for a host: itself, or `*` in the place of its first label. */
const covers = (name: string, host: string): boolean =>
  name.toLowerCase() === host ||
  (name.startsWith("*.") && host.slice(host.indexOf(".")) === name.slice(1).toLowerCase());

/** The DNS records by which AWS sees that a domain is the account's. */
const recordsOf = ({ DomainValidationOptions = [] }: CertificateDetail): string[] =>
  DomainValidationOptions.flatMap(({ ResourceRecord, ValidationStatus }) =>
    ResourceRecord === undefined || ValidationStatus === "SUCCESS"
      ? []
      : [`${ResourceRecord.Name} ${ResourceRecord.Type} ${ResourceRecord.Value}`],
  );

const certificateFindings = async (
  { acm, region }: Clients,
  { domain, certificateArn }: DomainSettings,
): Promise<Finding[]> => {
  const what = "certificate";
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
    return [{ state: "wrong", what, says: `There is no certificate ${certificateArn}.`, mend: another }];
  }
  const { Status = "unknown", DomainName = "", SubjectAlternativeNames = [] } = certificate;
  const names = [...new Set([DomainName, ...SubjectAlternativeNames])];
  if (!names.some((name) => covers(name, domain))) {
    const says = `The certificate is for ${names.join(", ")}, and not for ${domain}.`;
    return [{ state: "wrong", what, says, mend: another }];
  }
  if (Status === "ISSUED") {
    return [{ state: "ok", what, says: `It is issued for ${domain}, in ${region}.` }];
  }
  const records = recordsOf(certificate);
  return [
    {
      state: "wrong",
      what,
      says: `The certificate of ${domain} is ${Status}: no deploy can use it.`,
      mend:
        Status !== "PENDING_VALIDATION"
          ? another
          : records.length > 0
            ? `Set the DNS record, and wait some minutes: ${records.join("; ")}`
            : "Follow the link in the e-mail that AWS has sent to the owner of the domain.",
    },
  ];
};

/** How names are resolved and addresses called: by tests in another way. */
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
 * Whether the domain leads to API Gateway: by a CNAME record, or by the same addresses, as an alias record of Route 53
 * does.
 * @param target what the stack says that DNS must point to; absent when the domain has not been deployed
 */
export const dnsFindings = async (
  { options }: Pick<Stage, "options">,
  domain: string,
  target: string | undefined,
  network: Network,
): Promise<Finding[]> => {
  const what = "domain";
  if (target === undefined) {
    const mend = `Deploy again: npm run deploy -- ${options}`;
    return [
      { state: "wrong", what, says: `DOMAIN is ${domain}, and the deployment has no domain yet.`, mend },
    ];
  }
  const ok: Finding = { state: "ok", what, says: `${domain} leads to ${target}.` };
  const names = await network.resolveCname(domain).catch((): string[] => []);
  if (names.map(withoutDot).includes(withoutDot(target))) return [ok];
  const [own, theirs] = [await addressesOf(domain, network), await addressesOf(target, network)];
  if (own.some((address) => theirs.includes(address))) return [ok];
  const instead = names[0] ?? own[0];
  return [
    {
      state: "wrong",
      what,
      says: `${domain} ${instead === undefined ? "cannot be resolved" : `leads to ${instead}, and not to ${target}`}.`,
      mend: `Set the DNS record, and wait until it is known: ${domain} CNAME ${target}`,
    },
  ];
};

/** Whether the service itself answers under its domain. */
export const responseFindings = async (domain: string, network: Network): Promise<Finding[]> => {
  const what = "domain";
  const url = `https://${domain}/health`;
  try {
    const response = await network.fetch(url, { signal: AbortSignal.timeout(PATIENCE_MS) });
    await response.arrayBuffer();
    if (response.status === 200 && response.headers.has("x-request-id")) {
      return [{ state: "ok", what, says: `The service answers at https://${domain}.` }];
    }
    const says = `${url} answers ${response.status}, and it is not the service that does.`;
    return [{ state: "wrong", what, says, mend: "See what the DNS record of the domain leads to." }];
  } catch (error) {
    const says = `${url} does not answer: ${messageOf(error instanceof Error ? (error.cause ?? error) : error)}.`;
    return [
      { state: "wrong", what, says, mend: "A new DNS record takes a while; look again in some minutes." },
    ];
  }
};

const NETWORK: Network = { resolveCname, lookup, fetch };

/** The certificate, which a deploy needs; none where no domain is set. */
export const certificateChecks = (clients: Clients, settings: DomainSettings | null): Check[] =>
  settings === null || settings.domain === ""
    ? []
    : [{ what: "certificate", run: () => certificateFindings(clients, settings) }];

/** What a deployed domain needs; nothing where none is set. */
export const domainChecks = (
  stage: Stage,
  { domain }: DomainSettings,
  target: string | undefined,
  withRequests: boolean,
): Check[] =>
  domain === ""
    ? []
    : [
        { what: "domain", run: () => dnsFindings(stage, domain, target, NETWORK) },
        ...(withRequests && target !== undefined
          ? [{ what: "domain", run: () => responseFindings(domain, NETWORK) }]
          : []),
      ];
