/** Checks whether mails arrive: what DNS says of their sender, the sandbox of Amazon SES, and a test on request. */
import { Resolver } from "node:dns/promises";
import { makeMailSender } from "../../lib/mail/sender.ts";
import { newEventId } from "../../lib/runtime/eventId.ts";
import { type MailServer, parseMailUrl } from "../../lib/runtime/mailUrl.ts";
import { errorName } from "../cloud/awsErrors.ts";
import { type Check, note, ok, type Result, resultOf, wrong } from "./findings.ts";

/** The part of node's resolver that is used. */
export type TxtResolver = Pick<Resolver, "resolveTxt">;

export interface MailToCheck {
  /** `MAIL_URL` and `MAIL_FROM`; empty if the service sends no mail. */
  url: string;
  from: string;
  /** Where to send a test; undefined for none. */
  to?: string | undefined;
  /** The selectors of DKIM keys that the user names. */
  selectors?: readonly string[];
}

const ANSWER_MS = 3_000;

/** The resolver of this machine, which gives up after some seconds. */
export const patientResolver = (): Resolver => new Resolver({ timeout: ANSWER_MS, tries: 2 });

/** DNS servers that do not answer, as opposed to those that say that there is nothing. */
class NoAnswer extends Error {}

const NOTHING = ["ENOTFOUND", "ENODATA"];

/** The texts of a name, each in one piece; none if there are none. @throws NoAnswer */
const textsOf = async (resolver: TxtResolver, name: string): Promise<string[]> => {
  try {
    return (await resolver.resolveTxt(name)).map((parts) => parts.join(""));
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : errorName(error);
    if (NOTHING.includes(code)) return [];
    throw new NoAnswer(`DNS does not answer for ${name} (${code}).`);
  }
};

/** The value of a tag in a record such as `v=DMARC1; p=none`; undefined without it. */
const tagOf = (record: string, tag: string): string | undefined =>
  record
    .split(";")
    .map((part) => part.split("="))
    .find(([name = ""]) => name.trim().toLowerCase() === tag)
    ?.slice(1)
    .join("=")
    .trim();

const SES_HOST = /^email-smtp(?:-fips)?\.([\w-]+)\.amazonaws\.com$/i;

/** RFC 7208: one record, which says who may send for the domain. */
const spf = async (resolver: TxtResolver, domain: string, isSes: boolean): Promise<Result[]> => {
  const found = (await textsOf(resolver, domain)).filter((text) => /^v=spf1( |$)/i.test(text));
  const [record] = found;
  if (record === undefined)
    return isSes
      ? [
          note(
            `${domain} has no SPF record. Mails of SES pass by Amazon's own domain, so DMARC relies on DKIM alone.`,
            "Set a custom MAIL FROM domain: https://docs.aws.amazon.com/ses/latest/dg/mail-from.html",
          ),
        ]
      : [
          wrong(
            `${domain} has no SPF record, so nobody knows which servers may send for it.`,
            `Add the record that your provider names: ${domain} TXT "v=spf1 include:… -all"`,
          ),
        ];
  if (found.length > 1)
    return [wrong(`${domain} has ${found.length} SPF records, so none counts.`, "Join them to one.")];
  if (/\s\+?all(\s|$)/i.test(record))
    return [wrong(`The SPF record of ${domain} lets everybody send: ${record}`, "End it with -all or ~all.")];
  return [ok(`SPF of ${domain}: ${record}`)];
};

/** Selectors that providers use for all their customers. Those of Amazon SES differ for each domain. */
const USUAL_SELECTORS =
  "default dkim mail google selector1 selector2 s1 s2 k1 k2 k3 mandrill mailjet fm1 fm2 fm3 protonmail zoho krs smtp".split(
    " ",
  );

/** RFC 6376: a key at each selector. An empty one is revoked. DNS lists no selectors, so only known ones can be asked for. */
const dkim = async (
  resolver: TxtResolver,
  domain: string,
  named: readonly string[],
  isSes: boolean,
): Promise<Result[]> => {
  const selectors = named.length > 0 ? named : USUAL_SELECTORS;
  const keys = await Promise.all(
    selectors.map(async (selector) => {
      const texts = await textsOf(resolver, `${selector}._domainkey.${domain}`);
      const key = texts.map((text) => tagOf(text, "p")).find((one) => one !== undefined);
      return { selector, key };
    }),
  );
  const present = keys.filter(({ key }) => key !== undefined && key !== "").map(({ selector }) => selector);
  const found = present.length > 0 ? [ok(`DKIM of ${domain}: there is a key at ${present.join(", ")}.`)] : [];
  if (named.length === 0)
    return found.length > 0
      ? found
      : [
          note(
            `${domain} has no DKIM key at the usual selectors. DNS cannot list others.`,
            `Name the one of your provider: --dkim-selector NAME${isSes ? " (SES shows three, under Verified identities)" : ""}`,
          ),
        ];
  const missing = keys
    .filter(({ key }) => key === undefined || key === "")
    .map(({ selector, key }) =>
      wrong(
        `${selector}._domainkey.${domain} has ${key === undefined ? "no DKIM key" : "a revoked DKIM key"}.`,
        "Set the record that your provider names.",
      ),
    );
  return [...found, ...missing];
};

/** The names at which a policy may stand: that of the domain, and of the domains above it (RFC 7489, section 6.6.3). */
const policyNames = (domain: string): string[] => {
  const labels = domain.split(".");
  return labels
    .slice(0, Math.max(1, labels.length - 1))
    .map((_, at) => `_dmarc.${labels.slice(at).join(".")}`);
};

const POLICIES = ["none", "quarantine", "reject"];

/** RFC 7489: what a recipient does with mails that fail both. */
const dmarc = async (resolver: TxtResolver, domain: string): Promise<Result[]> => {
  for (const name of policyNames(domain)) {
    const found = (await textsOf(resolver, name)).filter((text) => /^v=DMARC1\s*(;|$)/i.test(text));
    const [record] = found;
    if (record === undefined) continue;
    if (found.length > 1)
      return [wrong(`${name} has ${found.length} DMARC records, so none counts.`, "Keep one.")];
    const policy = tagOf(record, "p")?.toLowerCase() ?? "";
    return POLICIES.includes(policy)
      ? [ok(`DMARC at ${name}: ${record}`)]
      : [wrong(`${name} has no valid policy: ${record}`, `Begin it with "v=DMARC1; p=none".`)];
  }
  return [
    note(
      `${domain} has no DMARC record. Providers such as Gmail require one of those who send many mails.`,
      `Add one: _dmarc.${domain} TXT "v=DMARC1; p=none"`,
    ),
  ];
};

/** The result of a check that asks DNS; unknown if that does not answer. */
const asked = async (check: Promise<Result[]>): Promise<Result[]> => {
  try {
    return await check;
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    return [resultOf("unknown", error.message, "Check the network of this machine, and try again.")];
  }
};

/** https://docs.aws.amazon.com/ses/latest/dg/request-production-access.html */
const sandbox = (region: string): Result =>
  note(
    `A new account of Amazon SES is in the sandbox: it sends 200 mails a day, one a second, and to verified addresses alone. To see it: aws sesv2 get-account --query ProductionAccessEnabled --region ${region}`,
    `Ask for production access, which takes about a day: aws sesv2 put-account-details --production-access-enabled --mail-type TRANSACTIONAL --website-url URL --region ${region}`,
  );

const adviceOf = (why: string, isSes: boolean): string => {
  if (why.startsWith("EAUTH")) return "Check the user and the password in MAIL_URL, percent-encoded.";
  if (/\d/.test(why))
    return isSes
      ? "Verify the domain of MAIL_FROM in SES and, in the sandbox, the recipient too."
      : "The server refuses this sender or recipient. Its status is the number.";
  return "Check the host and the port of MAIL_URL, and that this network lets mail out.";
};

/** Sends a test to an address. */
const sendTest = async (server: MailServer, from: string, to: string, isSes: boolean): Promise<Result[]> => {
  const sender = makeMailSender(server);
  try {
    const { result, why } = await sender.send({
      id: newEventId(),
      from: { name: "Humans vs Zombies", address: from },
      to,
      date: Date.now(),
      content: {
        subject: "Test of mail",
        parts: [
          { text: "This is a test. The mail server has accepted it." },
          { small: "Sent by npm run doctor." },
        ],
      },
    });
    return result === "sent"
      ? [ok(`The mail server has accepted a test to ${to}. See whether it arrives, and not as spam.`)]
      : [wrong(`The test to ${to} was not accepted: ${why}.`, adviceOf(why, isSes))];
  } finally {
    sender.close();
  }
};

/** The checks of mail: none without a mail server, and none of DNS for one on this machine. */
export const mailChecks = (
  { url, from, to, selectors = [] }: MailToCheck,
  resolver: TxtResolver = patientResolver(),
): Check[] => {
  const server = url === "" ? null : parseMailUrl(url);
  if (server === null || server.kind === "outbox") {
    const text = "There is no mail server to which a test can be sent.";
    return to === undefined
      ? []
      : [{ what: "mail", run: async () => [wrong(text, "Set MAIL_URL and MAIL_FROM.")] }];
  }
  const domain = from.slice(from.lastIndexOf("@") + 1).toLowerCase();
  const [, region] = SES_HOST.exec(server.host) ?? [];
  const isSes = region !== undefined;
  return [
    ...(server.isLoopback
      ? []
      : [
          { what: "SPF", run: () => asked(spf(resolver, domain, isSes)) },
          { what: "DKIM", run: () => asked(dkim(resolver, domain, selectors, isSes)) },
          { what: "DMARC", run: () => asked(dmarc(resolver, domain)) },
        ]),
    ...(region === undefined ? [] : [{ what: "SES", run: async () => [sandbox(region)] }]),
    ...(to === undefined ? [] : [{ what: "mail", run: () => sendTest(server, from, to, isSes) }]),
  ];
};
