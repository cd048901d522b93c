/** Whether a stage's domain leads to it, by what DNS and the address behind it answer. */
import { describe, expect, it } from "vitest";
import { dnsFindings, type Network, responseFindings } from "../../scripts/doctor/domain.ts";

const STAGE = { options: "--stage spring --region eu-central-1" };
const DOMAIN = "api.hvz.example";
const TARGET = "d-1.execute-api.eu-central-1.amazonaws.com";

const noName = (): Promise<never> =>
  Promise.reject(Object.assign(new Error("ENOTFOUND"), { code: "ENOTFOUND" }));

/** DNS with these records; whatever has none is unknown. */
const networkOf = (
  cnames: Record<string, string[]>,
  addresses: Record<string, string[]>,
  answer: () => Promise<Response> = noName,
): Network => ({
  resolveCname: async (host) => cnames[host] ?? noName(),
  lookup: async (host) => addresses[host]?.map((address) => ({ address })) ?? noName(),
  fetch: answer,
});

describe("the DNS record of a domain", () => {
  it.each([
    ["is a CNAME", networkOf({ [DOMAIN]: [TARGET] }, {})],
    ["is a CNAME, written in another way", networkOf({ [DOMAIN]: [`${TARGET.toUpperCase()}.`] }, {})],
    [
      "is an alias record of Route 53, with the same addresses",
      networkOf({}, { [DOMAIN]: ["192.0.2.2", "192.0.2.1"], [TARGET]: ["192.0.2.1"] }),
    ],
  ])("is right when it %s", async (_, network) => {
    expect(await dnsFindings(STAGE, DOMAIN, TARGET, network)).toEqual([
      { state: "ok", what: "domain", says: `${DOMAIN} leads to ${TARGET}.` },
    ]);
  });

  it.each([
    ["nothing", networkOf({}, { [TARGET]: ["192.0.2.1"] }), /cannot be resolved/],
    [
      "another name",
      networkOf({ [DOMAIN]: ["old.example"] }, { [DOMAIN]: ["192.0.2.9"], [TARGET]: ["192.0.2.1"] }),
      /leads to old\.example instead of d-1/,
    ],
    [
      "another address",
      networkOf({}, { [DOMAIN]: ["192.0.2.9"], [TARGET]: ["192.0.2.1"] }),
      /leads to 192\.0\.2\.9 instead of d-1/,
    ],
  ])("is wrong when it is %s, and the right one is named", async (_, network, says) => {
    expect(await dnsFindings(STAGE, DOMAIN, TARGET, network)).toEqual([
      {
        ...{ state: "wrong", what: "domain", says: expect.stringMatching(says) },
        mend: expect.stringContaining(`${DOMAIN} CNAME ${TARGET}`),
      },
    ]);
  });

  it("is looked for when the domain has been deployed", async () => {
    const [finding] = await dnsFindings(STAGE, DOMAIN, undefined, networkOf({}, {}));
    expect(finding).toMatchObject({ state: "wrong", mend: expect.stringContaining("npm run deploy") });
  });
});

describe("what answers at a domain", () => {
  const answered = (response: () => Response) => networkOf({}, {}, async () => response());

  it.each([
    [
      "the service",
      answered(() => new Response("{}", { headers: { "x-request-id": "1" } })),
      "ok",
      /The service responds/,
    ],
    [
      "another site",
      answered(() => new Response("Hello")),
      "wrong",
      /responds with 200, but not from this service/,
    ],
    [
      "the gateway without a mapping",
      answered(() => new Response('{"message":"Forbidden"}', { status: 403 })),
      "wrong",
      /responds with 403/,
    ],
    ["nobody", networkOf({}, {}), "wrong", /does not respond: ENOTFOUND/],
  ])("is told: %s", async (_, network, state, says) => {
    expect(await responseFindings(DOMAIN, network)).toEqual([
      expect.objectContaining({ state, what: "domain", says: expect.stringMatching(says) }),
    ]);
  });
});
