/** The doctor's checks of mail: what DNS says of the sender, the sandbox of Amazon SES, and a test on request. */
import { expect, it } from "vitest";
import { runChecks } from "../../scripts/doctor/findings.ts";
import { type MailToCheck, mailChecks, type TxtResolver } from "../../scripts/doctor/mail.ts";
import { smtpServer } from "../support/smtpServer.ts";

const smtp = smtpServer();

/** The texts of each name, or the code of what the resolver throws; a name that is missing does not exist. */
type Zone = Record<string, string[] | "ETIMEOUT" | "ESERVFAIL">;

/** The resolver of a zone, which gives a text in strings of 255 bytes, as the protocol limits them. */
const resolverOf = (zone: Zone): TxtResolver => ({
  resolveTxt: async (name) => {
    const known = zone[name] ?? "ENOTFOUND";
    if (typeof known === "string") throw Object.assign(new Error(known), { code: known });
    return known.map((text) => text.match(/.{1,255}/g) ?? []);
  },
});

const MAIL = { url: "smtps://user:secret@mail.example", from: "game@play.hvz.example" };
const SES = { ...MAIL, url: "smtps://user:secret@email-smtp.eu-central-1.amazonaws.com" };

/** The findings for a zone, each in a line. */
const check = async (mail: MailToCheck, zone: Zone = {}): Promise<string[]> => {
  const found = await runChecks(mailChecks(mail, resolverOf(zone)), () => {});
  return found.map(({ state, what, text, fix = "" }) => `${state} ${what}: ${text} ${fix}`.trim());
};

/** Longer than a string, before its key begins. */
const KEY = `v=DKIM1; n=${"a note ".repeat(40)}; k=rsa; p=${"A".repeat(400)}`;
const GOOD: Zone = {
  "play.hvz.example": ["google-site-verification=1", "v=spf1 include:mail.example -all"],
  "s1._domainkey.play.hvz.example": [KEY],
  "_dmarc.hvz.example": ["v=DMARC1; p=none; rua=mailto:gm@hvz.example"],
};

it("finds a sender whose records are right, with a long key, and the policy of the domain above", async () => {
  expect(await check(MAIL, GOOD)).toEqual([
    "ok SPF: SPF of play.hvz.example: v=spf1 include:mail.example -all",
    "ok DKIM: DKIM of play.hvz.example: there is a key at s1.",
    "ok DMARC: DMARC at _dmarc.hvz.example: v=DMARC1; p=none; rua=mailto:gm@hvz.example",
  ]);
});

it("finds keys at the selectors that are named, and those that are missing or revoked", async () => {
  const tokens: Zone = {
    ...GOOD,
    "one._domainkey.play.hvz.example": [KEY],
    "two._domainkey.play.hvz.example": ["v=DKIM1; p="],
  };
  const found = await check({ ...SES, selectors: ["one", "two", "three"] }, tokens);
  expect(found.filter((line) => line.includes("DKIM"))).toEqual([
    "ok DKIM: DKIM of play.hvz.example: there is a key at one.",
    expect.stringMatching(/^wrong DKIM: two\._domainkey\.play\.hvz\.example has a revoked DKIM key/),
    expect.stringMatching(/^wrong DKIM: three\._domainkey\.play\.hvz\.example has no DKIM key/),
  ]);
});

it("finds records that are missing, and says that DNS cannot list the selectors of keys", async () => {
  expect(await check(MAIL)).toEqual([
    expect.stringMatching(/^wrong SPF: play\.hvz\.example has no SPF record.*v=spf1 include/),
    expect.stringMatching(/^note DKIM: .*no DKIM key at the usual selectors.*--dkim-selector NAME$/),
    expect.stringMatching(/^note DMARC: .*has no DMARC record.*_dmarc\.play\.hvz\.example TXT/),
  ]);
});

it.each<[name: string, zone: Zone, finding: RegExp]>([
  ["two SPF records", { "play.hvz.example": ["v=spf1 -all", "v=spf1 ~all"] }, /^wrong SPF: .*2 SPF records/],
  ["everybody in SPF", { "play.hvz.example": ["v=spf1 +all"] }, /^wrong SPF: .*lets everybody send/],
  [
    "two policies",
    { "_dmarc.play.hvz.example": ["v=DMARC1; p=none", "v=DMARC1; p=reject"] },
    /^wrong DMARC: .*2 DMARC records/,
  ],
  [
    "no policy",
    { "_dmarc.play.hvz.example": ["v=DMARC1; rua=mailto:a@b.example"] },
    /^wrong DMARC: .*no valid policy/,
  ],
])("finds %s", async (_, damage, finding) => {
  expect(await check(MAIL, { ...GOOD, ...damage })).toContainEqual(expect.stringMatching(finding));
});

it("says that it does not know what a server says that fails or keeps silent", async () => {
  const silent: Zone = { ...GOOD, "play.hvz.example": "ETIMEOUT", "_dmarc.play.hvz.example": "ESERVFAIL" };
  const found = await check(MAIL, silent);
  expect(found).toEqual([
    expect.stringMatching(/^unknown SPF: DNS does not answer for play\.hvz\.example \(ETIMEOUT\)/),
    expect.stringMatching(/^ok DKIM/),
    expect.stringMatching(/^unknown DMARC: DNS does not answer for _dmarc\.play\.hvz\.example \(ESERVFAIL\)/),
  ]);
});

it("describes the sandbox of Amazon SES and how to leave it, in the region of the server", async () => {
  const found = await check(SES);
  expect(found).toContainEqual(
    expect.stringMatching(/^note SES: .*sandbox.*put-account-details.*--region eu-central-1$/),
  );
  expect(found).toContainEqual(expect.stringMatching(/^note SPF: .*DMARC relies on DKIM alone/));
});

it("sends a test only on request, and says what the server has refused", async () => {
  const local = { from: "game@hvz.example", url: `smtp://127.0.0.1:${smtp().port}` };
  expect(await check(local)).toEqual([]);
  expect(smtp().received).toEqual([]);
  const to = "gm@hvz.example";
  expect(await check({ ...local, to })).toEqual([
    expect.stringMatching(/^ok mail: .*accepted a test to gm@hvz/),
  ]);
  expect(smtp().received).toMatchObject([{ recipient: to, subject: "Test of mail" }]);
  smtp().behave(() => ({ at: "rcpt", code: 550 }));
  expect(await check({ ...local, to })).toEqual([
    expect.stringMatching(/^wrong mail: The test to gm@hvz\.example was not accepted: EENVELOPE RCPT TO 550/),
  ]);
  for (const url of ["", "outbox:/tmp/mail"]) {
    expect(await check({ ...local, url })).toEqual([]);
    expect(await check({ ...local, url, to })).toEqual([
      expect.stringMatching(/^wrong mail: There is no mail server/),
    ]);
  }
});
