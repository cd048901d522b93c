/** Push endpoints that may be called, and the keys that a browser may have. */
import { createHash, randomBytes } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { allowedHosts, authError, checkEndpoint, p256dhError } from "../../lib/push/allowlist.ts";
import { p256dhOf } from "./support.ts";

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

const NO_HTTPS_URL = [
  ...["", " ", "x", "fcm.googleapis.com", "//fcm.googleapis.com/x", "/fcm/send/x", "file:///etc/passwd"],
  ...["http", "ftp", "wss", "httpss"].map((scheme) => `${scheme}://fcm.googleapis.com/x`),
  ...[
    "data:text/plain,x",
    "https:fcm.googleapis.com/x",
    "https:/fcm.googleapis.com/x",
    "https://",
    "https://?x",
  ],
];

const READ_DIFFERENTLY = [
  ...urlsOf(`ｆcm.googleapis.com fcm。googleapis。com fcm.googleapis.com/x#y fcm.googleapis.com#@evil.example
    evil.example#@fcm.googleapis.com evil.example\\@fcm.googleapis.com fcm.googleapis.com/é
    fcm.googleapis.com\\@evil.example fcm.googleapis.com\\.evil.example`),
  ...["https:\\\\fcm.googleapis.com\\x", " https://fcm.googleapis.com/x", "https://fcm.googleapis.com/x "],
  ...["https://fcm.googleapis.com/x\n", "ht\ntps://fcm.googleapis.com/x", "https://fcm.\tgoogleapis.com/x"],
  ...["https://fcm.googleapis.com /x", "https://fcm.googleapis.com/x\r\nHost: evil.example"],
  ...["https://fcm.googleapis.com/\u0000", `https://fcm.googleapis.com/${"x".repeat(2_048)}`],
];

const REJECTED: Record<string, string[]> = {
  "no HTTPS URL": NO_HTTPS_URL,
  "another host":
    urlsOf(`example.com googleapis.com storage.googleapis.com a.fcm.googleapis.com evilfcm.googleapis.com
      fcm.googleapis.com. fcm.googleapis.comx push.apple.com .push.apple.com a..push.apple.com a_b.push.apple.com
      notify.windows.com push.services.mozilla.com fcm%00.googleapis.com evil.example/?https://fcm.googleapis.com`),
  "a host that looks like an allowed one":
    urlsOf(`fcm.googleapis.com.evil.example web.push.apple.com.evil.example fcm.googleapis%2ecom.evil.example
      fcm.googleapis.com,evil.example fcm.googleapis.com;evil.example fcm-googleapis.com fcm.g00gleapis.com
      xn--fcm.googleapis-x.com *.push.apple.com a_.notify.windows.com -.evil.example/.notify.windows.com`),
  // Addresses of every kind: connector.test.ts.
  "this machine or its network":
    urlsOf(`localhost localhost:8443 127.1 2130706433 0x7f000001 0177.0.0.1 0 10.0.0.1 169.254.169.254/latest
      [::1] [::ffff:127.0.0.1] [fe80::1%25eth0] metadata.google.internal 127.0.0.1. 127.0.0.1.nip.io
      127.0.0.1:443 ①②⑦.⓪.⓪.① metadata 8.8.8.8 [2606:4700::1111]`),
  "another port": urlsOf(
    "fcm.googleapis.com:80 fcm.googleapis.com:0 fcm.googleapis.com:99999 web.push.apple.com:22",
  ),
  "user info":
    urlsOf(`user@fcm.googleapis.com user:password@fcm.googleapis.com :@fcm.googleapis.com @fcm.googleapis.com
      fcm.googleapis.com@evil.example fcm.googleapis.com:443@evil.example evil.example@fcm.googleapis.com`),
  "what parsers read differently": READ_DIFFERENTLY,
};

describe("an endpoint", () => {
  it.each(ALLOWED)("may be %j", (endpoint) => {
    const checked = checkEndpoint(endpoint, USUAL);
    expect(checked).toMatchObject({ exempt: false, url: { protocol: "https:" } });
    expect(checkEndpoint(endpoint, EXTENDED)).toMatchObject({ exempt: false });
  });

  it.each(Object.entries(REJECTED))("must not be %s", (_, endpoints) => {
    for (const endpoint of endpoints) {
      const checked = checkEndpoint(endpoint, USUAL);
      expect(checked, endpoint).toHaveProperty("error");
      // The message does not repeat the endpoint.
      if ("error" in checked) expect(checked.error).not.toMatch(/googleapis|evil|127/);
    }
  });

  // An entry with a port is for development: its addresses are not checked.
  it.each([
    ...urlsOf("push.example.org a.push.example.net").map((url) => [url, false] as const),
    ...urlsOf("localhost:8443 127.0.0.1:8444 [::1]:8445 [0:0:0:0:0:0:0:1]:8445").map(
      (url) => [url, true] as const,
    ),
    ...urlsOf("a.test:8446 example.com example.com:443").map((url) => [url, true] as const),
  ])("may be %s when the deployment allows it; exempt: %s", (endpoint, exempt) => {
    expect(checkEndpoint(endpoint, USUAL)).toHaveProperty("error");
    expect(checkEndpoint(endpoint, EXTENDED)).toMatchObject({ exempt });
  });

  it("must not be similar to one that the deployment allows", () => {
    for (const endpoint of [
      ...urlsOf(`push.example.org:8443 a.push.example.org push.example.net localhost localhost:8444 127.0.0.2:8444
        test:8446 a.test a.example.com`),
      "http://localhost:8443/x",
    ]) {
      expect(checkEndpoint(endpoint, EXTENDED), endpoint).toHaveProperty("error");
    }
  });

  it("never throws, and is only ever an allowed host", () => {
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
  it("are a point on P-256 and sixteen bytes", () => {
    for (let n = 0; n < 10; n += 1) {
      expect(p256dhError(p256dhOf())).toBeNull();
      expect(authError(randomBytes(16).toString("base64url"))).toBeNull();
    }
  });

  it.each([
    ["empty", ""],
    ["in another alphabet", "+".repeat(87)],
    ["padded", `${p256dhOf()}=`],
    ["a letter short", p256dhOf().slice(0, -1)],
    ["all zeros", Buffer.alloc(65).toString("base64url")],
    ["zeros marked as a point", Buffer.concat([Buffer.from([4]), Buffer.alloc(64)]).toString("base64url")],
    ["off the curve", p256dhOf((bytes) => void bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, 64))],
    ["beyond the field", p256dhOf((bytes) => void bytes.fill(0xff, 1))],
    ["compressed", p256dhOf((bytes) => Buffer.concat([Buffer.from([2]), bytes.subarray(1, 33)]))],
    ["compressed and filled up", p256dhOf((bytes) => void bytes.writeUInt8(3, 0))],
    ["hybrid", p256dhOf((bytes) => void bytes.writeUInt8(6 + ((bytes.at(-1) ?? 0) & 1), 0))],
    ["of another curve", createHash("sha512").update("x").digest("base64url")],
  ])("are rejected when the point is %s", (_, key) => {
    expect(p256dhError(key)).toMatch(/\w/);
  });

  it.each(["", "AAAA", randomBytes(15).toString("base64url"), randomBytes(17).toString("base64url")])(
    "are rejected when the secret is %j",
    (key) => expect(authError(key)).toMatch(/16 bytes/),
  );

  it("are rejected when the last letter encodes more bits than the bytes have", () => {
    expect(authError("AAAAAAAAAAAAAAAAAAAAAA")).toBeNull();
    expect(authError("AAAAAAAAAAAAAAAAAAAAAB")).not.toBeNull();
  });
});
