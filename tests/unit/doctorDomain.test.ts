/** The doctor's check of a stage's domain: its DNS record, and what responds there. */
import { describe, expect, it } from "vitest";
import { dnsFindings, type Network, responseFindings } from "../../scripts/doctor/domain.ts";
import { pageFindings } from "../../scripts/doctor/pages.ts";

const STAGE = { options: "--stage spring --region eu-central-1" };
const DOMAIN = "api.hvz.example";
const TARGET = "d-1.execute-api.eu-central-1.amazonaws.com";

const notFound = (): Promise<never> =>
  Promise.reject(Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" }));

const networkOf = (
  cnames: Record<string, string[]>,
  addresses: Record<string, string[]> = {},
  respond: () => Promise<Response> = notFound,
): Network => ({
  resolveCname: async (host) => cnames[host] ?? notFound(),
  lookup: async (host) => addresses[host]?.map((address) => ({ address })) ?? notFound(),
  fetch: respond,
});

const TARGETS = { [TARGET]: ["192.0.2.1"] };

describe("the DNS record", () => {
  const SAME_ADDRESSES = { [DOMAIN]: ["192.0.2.2", "192.0.2.1"], ...TARGETS };

  it.each([
    ["a CNAME", networkOf({ [DOMAIN]: [TARGET] })],
    ["a CNAME in another spelling", networkOf({ [DOMAIN]: [`${TARGET.toUpperCase()}.`] })],
    ["an alias record with the same addresses", networkOf({}, SAME_ADDRESSES)],
  ])("is right when it is %s", async (_, network) => {
    expect(await dnsFindings(STAGE, DOMAIN, TARGET, network)).toEqual([
      { state: "ok", what: "domain", says: `${DOMAIN} leads to ${TARGET}.` },
    ]);
  });

  const ANOTHER = { [DOMAIN]: ["192.0.2.9"], ...TARGETS };
  const OLD = { [DOMAIN]: ["old.example"] };

  it.each([
    ["missing", networkOf({}, TARGETS), /cannot be resolved/],
    ["another name", networkOf(OLD, ANOTHER), /leads to old\.example instead of d-1/],
    ["another address", networkOf({}, ANOTHER), /leads to 192\.0\.2\.9 instead of d-1/],
  ])("is wrong when it is %s, with the right one as the remedy", async (_, network, says) => {
    const finding = { state: "wrong", what: "domain", says: expect.stringMatching(says) };
    const mend = expect.stringContaining(`${DOMAIN} CNAME ${TARGET}`);
    expect(await dnsFindings(STAGE, DOMAIN, TARGET, network)).toEqual([{ ...finding, mend }]);
  });

  it("cannot be checked before the domain is deployed", async () => {
    const [finding] = await dnsFindings(STAGE, DOMAIN, undefined, networkOf({}));
    expect(finding).toMatchObject({ state: "wrong", mend: expect.stringContaining("npm run deploy") });
  });
});

const service = () => new Response("{}", { headers: { "x-request-id": "1" } });
const unmapped = () => new Response('{"message":"Forbidden"}', { status: 403 });

it.each<[string, (() => Response) | null, string, RegExp]>([
  ["the service", service, "ok", /The service responds/],
  ["another site", () => new Response("Hello"), "wrong", /responds with 200, but not from this service/],
  ["an unmapped gateway", unmapped, "wrong", /responds with 403/],
  ["nobody", null, "wrong", /does not respond: ENOTFOUND/],
])("reports %s at the domain", async (_, respond, state, says) => {
  const network = networkOf({}, {}, respond === null ? notFound : async () => respond());
  expect(await responseFindings(DOMAIN, network)).toEqual([
    expect.objectContaining({ state, what: "domain", says: expect.stringMatching(says) }),
  ]);
});

describe("the web app", () => {
  const SECURE = {
    "content-security-policy": "default-src 'none'; script-src 'self'",
    "strict-transport-security": "max-age=31536000",
    ...{ "x-content-type-options": "nosniff", "x-request-id": "1" },
  };
  const page = { ...SECURE, "content-type": "text/html", "cache-control": "no-cache" };
  const script = { ...SECURE, "content-type": "text/javascript", "cache-control": "max-age=1, immutable" };
  const HTML = '<script type="module" src="/app/assets/index-1.js"></script>';

  const found = (ofPage: Record<string, string>, ofScript: Record<string, string> | null, html = HTML) =>
    pageFindings(STAGE, `https://${DOMAIN}`, async (url) => {
      if (url === `https://${DOMAIN}/`) return new Response(html, { headers: ofPage });
      expect(url).toBe(`https://${DOMAIN}/app/assets/index-1.js`);
      return new Response("", ofScript === null ? { status: 404, headers: script } : { headers: ofScript });
    });

  it("is right with its page and a script, whose headers are right", async () => {
    expect(await found(page, script)).toMatchObject([{ state: "ok", what: "pages" }]);
  });

  it.each([
    [
      "the page is cached",
      { ...page, "cache-control": "max-age=60" },
      script,
      HTML,
      /\/: cache-control is max-age=60/,
    ],
    [
      "scripts are not",
      page,
      { ...script, "cache-control": "no-store" },
      HTML,
      /index-1\.js: cache-control is no-st/,
    ],
    ["there is no policy", { ...page, "content-security-policy": "" }, script, HTML, /security-policy is \./],
    ["the script is missing", page, null, HTML, /index-1\.js: the status is 404/],
    ["it is another page", page, script, "<p>Parked</p>", /\/: it names no script/],
  ])("is wrong when %s", async (_, ofPage, ofScript, html, says) => {
    expect(await found(ofPage, ofScript, html)).toMatchObject([
      {
        state: "wrong",
        what: "pages",
        says: expect.stringMatching(says),
        mend: expect.stringContaining("logs"),
      },
    ]);
  });
});
