/** The doctor's check of a stage's domain: its DNS record, and what responds there. */
import { expect, it } from "vitest";
import { decideApiAddress } from "../../scripts/deploy/apiAddress.ts";
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
const ANOTHER = { [DOMAIN]: ["192.0.2.9"], ...TARGETS };

it.each([
  ["a CNAME in any spelling", networkOf({ [DOMAIN]: [`${TARGET.toUpperCase()}.`] }), /hvz.example leads to/],
  ["the same addresses", networkOf({}, { [DOMAIN]: ["192.0.2.2", "192.0.2.1"], ...TARGETS }), /leads to d-1/],
  ["missing", networkOf({}, TARGETS), /cannot be resolved/],
  ["another name", networkOf({ [DOMAIN]: ["old.example"] }, ANOTHER), /to old\.example instead of d-1/],
  ["another address", networkOf({}, ANOTHER), /leads to 192\.0\.2\.9 instead of d-1/],
])(
  "a DNS record that is %s is right, or wrong with the right one as the remedy",
  async (what, network, text) => {
    const remedy = { state: "wrong", fix: expect.stringContaining(`${DOMAIN} CNAME ${TARGET}`) };
    const result = /^(a CNAME|the same)/.test(what) ? { state: "ok" } : remedy;
    const findings = await dnsFindings(STAGE, DOMAIN, TARGET, network);
    expect(findings).toMatchObject([{ ...result, text: expect.stringMatching(text) }]);
  },
);

const service = () => new Response("{}", { headers: { "x-request-id": "1" } });
const withoutSecret = () => new Response("{}", { status: 404, headers: { "x-request-id": "1" } });
const unmapped = () => new Response('{"message":"Forbidden"}', { status: 403 });

it.each<[string, (() => Response) | null, string, RegExp]>([
  ["the service", service, "ok", /The service responds/],
  ["another site", () => new Response("Hello"), "wrong", /responds with 200, but not from this service/],
  ["a proxy without the secret", withoutSecret, "wrong", /is reached without the secret of its proxy/],
  ["an unmapped gateway", unmapped, "wrong", /responds with 403/],
  ["nobody", null, "wrong", /does not respond: ENOTFOUND/],
])("reports %s at the domain", async (_, respond, state, text) => {
  const network = networkOf({}, {}, respond === null ? notFound : async () => respond());
  const [finding] = await responseFindings(DOMAIN, network);
  expect(finding).toMatchObject({ state, text: expect.stringMatching(text) });
});

const SECURE = {
  "content-security-policy": "default-src 'none'; script-src 'self'",
  "strict-transport-security": "max-age=31536000",
  ...{ "x-content-type-options": "nosniff", "x-request-id": "1" },
};
/** The page's and the script's headers, the script's status, and the page, in which a test changes something. */
const found = ({ page = {}, script = {}, status = 200, html = "" }) =>
  pageFindings(STAGE, `https://${DOMAIN}`, async (url) => {
    const ofPage = { ...SECURE, "content-type": "text/html", "cache-control": "no-cache", ...page };
    if (url === `https://${DOMAIN}/`) return new Response(html || HTML, { headers: ofPage });
    expect(url).toBe(`https://${DOMAIN}/app/assets/index-1.js`);
    const own = { "content-type": "text/javascript", "cache-control": "max-age=1, immutable" };
    return new Response("", { status, headers: { ...SECURE, ...own, ...script } });
  });
const HTML = '<script>load(["/app/assets/index-1.js"])</script>';

it.each([
  ["page and script are cached as they should be", {}, /index-1|The web app/],
  ["the page is cached", { page: { "cache-control": "max-age=60" } }, /\/: cache-control is max-age=60/],
  ["scripts are not", { script: { "cache-control": "no-store" } }, /index-1.js: cache-control is no-store/],
  ["there is no policy", { page: { "content-security-policy": "" } }, /security-policy is \./],
  ["the script is missing", { status: 404 }, /index-1.js: the status is 404/],
  ["it is another page", { html: "<p>Parked</p>" }, /\/: it names no script/],
])("the web app is checked where %s", async (_, changed, text) => {
  const isRight = Object.keys(changed).length === 0;
  const result = isRight ? { state: "ok" } : { state: "wrong", fix: expect.stringContaining("logs") };
  expect(await found(changed)).toMatchObject([{ ...result, text: expect.stringMatching(text) }]);
});

const PROXIED = { domain: DOMAIN, proxySecret: "0".repeat(32) };
const ELSEWHERE = networkOf({ [DOMAIN]: ["d1.cloudfront.example"] }, ANOTHER, async () => service());

it.each([
  ["without a domain", { settings: { domain: "", proxySecret: "" } }, true, null],
  ["with --keep-api-address", { keeps: true }, true, /^API Gateway's address stays on, as --keep-api/],
  ["before the domain is deployed", { stack: null }, true, /does not lead to this deployment yet, so API/],
  ["while the record is missing", { network: networkOf({}, TARGETS) }, true, /cannot be resolved, so API/],
  ["while another site responds", { respond: () => new Response("Hello") }, true, /responds with 200, but/],
  ["once the service responds there", {}, false, /^https:\S+ responds, so API.* switched off/],
  ["once it responds through a proxy", { settings: PROXIED, network: ELSEWHERE }, false, /switched off/],
])("API Gateway's own address is on or off %s", async (_, changed, isOn, reason) => {
  const { respond, ...rest } = { respond: service, ...changed };
  const stack = { status: "UPDATE_COMPLETE", since: undefined, url: "", domainTarget: TARGET };
  const network = networkOf({ [DOMAIN]: [TARGET] }, TARGETS, async () => respond());
  const settings = { domain: DOMAIN, proxySecret: "" };
  const given = { settings, stack, keeps: false, network, ...rest };
  const decided = await decideApiAddress(STAGE, given, given.network);
  expect(decided).toEqual({ isOn, reason: reason === null ? null : expect.stringMatching(reason) });
});
