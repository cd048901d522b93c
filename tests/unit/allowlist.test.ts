/** Push endpoints that may be called, and the keys that a browser may have. */
import { randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowedHosts, authError, checkEndpoint, p256dhError } from "../../lib/push/allowlist.ts";
import { makeBrowser } from "../support/webPush.ts";

const USUAL = allowedHosts("");
const EXTENDED = allowedHosts(
  "push.example.org, *.push.example.net, localhost:8443,127.0.0.1:8444 , [::1]:8445, *.test:8446, example.com:443",
);

const urlsOf = (hosts: string): string[] =>
  hosts
    .trim()
    .split(/\s+/)
    .map((host) => `https://${host}/x`);

const ALLOWED = [
  ...["fcm/send/abc:APA91", "wp/abc", "?token=a%40b&x=@", "a@b", "x".repeat(2_000), ""].map(
    (path) => `https://fcm.googleapis.com/${path}`,
  ),
  ...["https://fcm.googleapis.com", "HTTPS://fcm.googleapis.com/x", "https://fcm.googleapis.com:443/x"],
  ...["https://FCM.GoogleAPIs.com/x", "https://updates.push.services.mozilla.com/wpush/v2/gAAAAA"],
  ...["https://db5p.notify.windows.com/w/?token=BQY%2f", "https://wns2-par02p.notify.windows.com/w/?token=A"],
  ...urlsOf("web.push.apple.com a.b.push.apple.com"),
];

const NO_HTTPS_URL =
  `x fcm.googleapis.com //fcm.googleapis.com/x /fcm/send/x file:///etc/passwd data:text/plain,x
  http://fcm.googleapis.com/x ftp://fcm.googleapis.com/x wss://fcm.googleapis.com/x httpss://fcm.googleapis.com/x
  https:fcm.googleapis.com/x https:/fcm.googleapis.com/x https:// https://?x`.split(/\s+/);

const READ_DIFFERENTLY = [
  ...urlsOf(`ｆcm.googleapis.com fcm。googleapis。com fcm.googleapis.com/x#y fcm.googleapis.com#@evil.example
    evil.example#@fcm.googleapis.com evil.example\\@fcm.googleapis.com fcm.googleapis.com/é
    fcm.googleapis.com\\@evil.example fcm.googleapis.com\\.evil.example fcm.googleapis.com/\u0000`),
  ...["https:\\\\fcm.googleapis.com\\x", " https://fcm.googleapis.com/x", "https://fcm.googleapis.com/x "],
  ...["https://fcm.googleapis.com/x\n", "ht\ntps://fcm.googleapis.com/x", "https://fcm.\tgoogleapis.com/x"],
  ...["https://fcm.googleapis.com /x", "https://fcm.googleapis.com/x\r\nHost: evil.example"],
];

const REJECTED: Record<string, string[]> = {
  "no HTTPS URL": ["", " ", ...NO_HTTPS_URL],
  "another host, also one that looks like an allowed one":
    urlsOf(`example.com storage.googleapis.com a.fcm.googleapis.com evilfcm.googleapis.com fcm.googleapis.com.
      fcm.googleapis.comx push.apple.com .push.apple.com a..push.apple.com a_b.push.apple.com *.push.apple.com
      fcm%00.googleapis.com evil.example/?https://fcm.googleapis.com fcm.googleapis.com.evil.example
      web.push.apple.com.evil.example fcm.googleapis%2ecom.evil.example fcm.googleapis.com,evil.example
      fcm.googleapis.com;evil.example xn--fcm.googleapis-x.com -.evil.example/.notify.windows.com`),
  // connector.test.ts tests addresses of every kind.
  "an IP address, or a name of this machine or its network":
    urlsOf(`localhost localhost:8443 127.1 2130706433 0x7f000001 0177.0.0.1 169.254.169.254/latest [::1]
      [::ffff:127.0.0.1] [fe80::1%25eth0] metadata.google.internal 127.0.0.1.nip.io ①②⑦.⓪.⓪.① 8.8.8.8`),
  "another port": urlsOf(
    "fcm.googleapis.com:80 fcm.googleapis.com:0 fcm.googleapis.com:99999 web.push.apple.com:22",
  ),
  "user info":
    urlsOf(`user@fcm.googleapis.com user:password@fcm.googleapis.com :@fcm.googleapis.com @fcm.googleapis.com
      fcm.googleapis.com@evil.example fcm.googleapis.com:443@evil.example evil.example@fcm.googleapis.com`),
  "a text that URL parsers may read differently": READ_DIFFERENTLY,
  "more than 2,048 characters": [`https://fcm.googleapis.com/${"x".repeat(2_048)}`],
};

describe("an endpoint", () => {
  it("may be at a push service of a browser", () => {
    const checked = { exempt: false, url: { protocol: "https:" } };
    for (const hosts of [USUAL, EXTENDED])
      for (const endpoint of ALLOWED) expect(checkEndpoint(endpoint, hosts), endpoint).toMatchObject(checked);
  });

  it.each(Object.entries(REJECTED))("is rejected: %s", (_, endpoints) => {
    for (const endpoint of endpoints) {
      const checked = checkEndpoint(endpoint, USUAL);
      expect(checked, endpoint).toHaveProperty("error");
      // The message does not repeat the endpoint.
      if ("error" in checked) expect(checked.error).not.toMatch(/googleapis|evil|127/);
    }
  });

  it("may be on a host that the deployment allows, but on no similar one; a host listed with its port is exempt from address checks", () => {
    const allowed = "push.example.org a.push.example.net";
    const exempt = `localhost:8443 127.0.0.1:8444 [::1]:8445 [0:0:0:0:0:0:0:1]:8445 a.test:8446 example.com
      example.com:443`;
    for (const endpoint of urlsOf(`${allowed} ${exempt}`)) {
      expect(checkEndpoint(endpoint, USUAL), endpoint).toHaveProperty("error");
      const isExempt = urlsOf(exempt).includes(endpoint);
      expect(checkEndpoint(endpoint, EXTENDED), endpoint).toMatchObject({ exempt: isExempt });
    }
    const similar = urlsOf(`push.example.org:8443 a.push.example.org push.example.net localhost localhost:8444
      127.0.0.2:8444 test:8446 a.test a.example.com`);
    for (const endpoint of [...similar, "http://localhost:8443/x"])
      expect(checkEndpoint(endpoint, EXTENDED), endpoint).toHaveProperty("error");
  });

  it("made of random pieces causes no exception, and is accepted only on an allowed host", () => {
    const piece = fc.constantFrom(
      ...["https://", "fcm.googleapis.com", "evil.example", "@", ":", "443", "/", "\\", "#", "?", ".", "%40"],
      ...["[::1]", "\t", "\n", " ", "é", "%00", "127.0.0.1", "*.push.apple.com", "web.push.apple.com"],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        const checked = checkEndpoint(pieces.join(""), USUAL);
        if ("error" in checked) return;
        const { protocol, port, username, password, hostname } = checked.url;
        expect([protocol, port, username, password]).toEqual(["https:", "", "", ""]);
        expect(hostname).toMatch(/^fcm\.googleapis\.com$|\.push\.apple\.com$/);
      }),
      { numRuns: 5_000 },
    );
  });
});

describe("a browser's keys", () => {
  const { p256dh, auth } = makeBrowser();
  const changed = (change: (bytes: Buffer) => Buffer | undefined): string => {
    const bytes = Buffer.from(p256dh, "base64url");
    return (change(bytes) ?? bytes).toString("base64url");
  };

  it("are a point on P-256 and sixteen bytes", () => {
    expect([p256dhError(p256dh), authError(auth)]).toEqual([null, null]);
  });

  it.each([
    ["empty", ""],
    ["padded", `${p256dh}=`],
    ["off the curve", changed((bytes) => void bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, 64))],
    ["compressed", changed((bytes) => Buffer.concat([Buffer.from([2]), bytes.subarray(1, 33)]))],
    ["hybrid", changed((bytes) => void bytes.writeUInt8(6 + ((bytes.at(-1) ?? 0) & 1), 0))],
    ["one byte too short", changed((bytes) => bytes.subarray(0, 64))],
  ])("are rejected when the point is %s", (_, key) => {
    expect(p256dhError(key)).toMatch(/\w/);
  });

  it("are rejected unless the secret is sixteen bytes in canonical base64url: its unused last bits are zero", () => {
    for (const key of ["", "AAAA", ...[15, 17].map((size) => randomBytes(size).toString("base64url"))]) {
      expect(authError(key), key).toMatch(/16 bytes/);
    }
    expect(authError(`${"A".repeat(21)}A`)).toBeNull();
    expect(authError(`${"A".repeat(21)}B`)).not.toBeNull();
  });
});
