/** Push: which endpoints may be called, which keys a browser may have, and encryption held against the standard. */
import { createECDH, createHash, type ECDH, randomBytes } from "node:crypto";
import { createRequire } from "node:module";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { givingWay, MOST_SUBSCRIPTIONS, type Subscription } from "../../lib/domain/push.ts";
import { allowedHosts, authFault, checkEndpoint, p256dhFault } from "../../lib/push/allowlist.ts";
import { encrypted } from "../../lib/push/encrypt.ts";
import { MOST_MESSAGE_BYTES, messageOf } from "../../lib/push/message.ts";
import { pushSettings } from "../../lib/push/settings.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { keySources } from "../../lib/secrets/secrets.ts";
import { VAPID } from "../support/constants.ts";
import { decryptMessage, makeBrowser } from "../support/webPush.ts";

const USUAL = allowedHosts("");
const EXTENDED = allowedHosts(
  "push.example.org, *.push.example.net, localhost:8443,127.0.0.1:8444 , [::1]:8445, *.test:8446, example.com:443",
);

const GOOD = [
  "https://fcm.googleapis.com/fcm/send/abc:APA91",
  "https://fcm.googleapis.com/wp/abc",
  "https://fcm.googleapis.com:443/fcm/send/abc",
  "https://FCM.GoogleAPIs.com/fcm/send/abc",
  "HTTPS://fcm.googleapis.com/fcm/send/abc",
  "https://fcm.googleapis.com",
  "https://fcm.googleapis.com/?token=a%40b&x=@",
  "https://fcm.googleapis.com/a@b",
  "https://updates.push.services.mozilla.com/wpush/v2/gAAAAA",
  "https://web.push.apple.com/QGlu",
  "https://a.b.push.apple.com/QGlu",
  "https://db5p.notify.windows.com/w/?token=BQY%2f",
  "https://wns2-par02p.notify.windows.com/w/?token=AwYAAAC%2f",
  `https://fcm.googleapis.com/${"x".repeat(2_000)}`,
];

const GOOD_EXTENDED = [
  "https://push.example.org/x",
  "https://a.push.example.net/x",
  "https://localhost:8443/x",
  "https://127.0.0.1:8444/x",
  "https://[::1]:8445/x",
  "https://[0:0:0:0:0:0:0:1]:8445/x",
  "https://a.test:8446/x",
  "https://example.com/x",
  "https://example.com:443/x",
];

const BAD = [
  // no https URL
  "",
  " ",
  "x",
  "fcm.googleapis.com",
  "//fcm.googleapis.com/x",
  "/fcm/send/x",
  "http://fcm.googleapis.com/x",
  "ftp://fcm.googleapis.com/x",
  "wss://fcm.googleapis.com/x",
  "file:///etc/passwd",
  "javascript:alert(1)",
  "data:text/plain,x",
  "gopher://fcm.googleapis.com/",
  "https:fcm.googleapis.com/x",
  "https:/fcm.googleapis.com/x",
  "https:///fcm.googleapis.com/x",
  "https://",
  "https:///",
  "https://?x",
  "https://#x",
  "https://:443/",
  "httpss://fcm.googleapis.com/x",
  // another host
  "https://example.com/x",
  "https://googleapis.com/x",
  "https://storage.googleapis.com/x",
  "https://a.fcm.googleapis.com/x",
  "https://fcm.googleapis.com.evil.example/x",
  "https://evilfcm.googleapis.com/x",
  "https://fcm.googleapis.com./x",
  "https://fcm.googleapis.comx/x",
  "https://push.apple.com/x",
  "https://evilpush.apple.com/x",
  "https://web.push.apple.com.evil.example/x",
  "https://.push.apple.com/x",
  "https://a..push.apple.com/x",
  "https://a_b.push.apple.com/x",
  "https://notify.windows.com/x",
  "https://push.services.mozilla.com/x",
  "https://evil.example/fcm.googleapis.com",
  "https://evil.example/?https://fcm.googleapis.com",
  "https://xn--fcm-googleapis-com/x",
  "https://fcm.googleapis%2ecom.evil.example/x",
  "https://fcm%00.googleapis.com/x",
  "https://fcm_googleapis.com/x",
  // this machine and its neighbours, however they are written
  "https://localhost/x",
  "https://localhost:8443/x",
  "https://127.0.0.1/x",
  "https://127.1/x",
  "https://2130706433/x",
  "https://0x7f000001/x",
  "https://0177.0.0.1/x",
  "https://0/x",
  "https://0.0.0.0/x",
  "https://10.0.0.1/x",
  "https://192.168.1.1/x",
  "https://172.16.0.1/x",
  "https://169.254.169.254/latest/meta-data/",
  "https://100.64.0.1/x",
  "https://224.0.0.1/x",
  "https://[::1]/x",
  "https://[::]/x",
  "https://[::ffff:127.0.0.1]/x",
  "https://[::127.0.0.1]/x",
  "https://[64:ff9b::7f00:1]/x",
  "https://[2002:7f00:1::]/x",
  "https://[fe80::1%25eth0]/x",
  "https://[fd00::1]/x",
  "https://metadata.google.internal/x",
  // another port
  "https://fcm.googleapis.com:80/x",
  "https://fcm.googleapis.com:8443/x",
  "https://fcm.googleapis.com:0/x",
  "https://fcm.googleapis.com:4433/x",
  "https://fcm.googleapis.com:99999/x",
  "https://fcm.googleapis.com:-443/x",
  "https://web.push.apple.com:22/x",
  // user info
  "https://user@fcm.googleapis.com/x",
  "https://user:password@fcm.googleapis.com/x",
  "https://:@fcm.googleapis.com/x",
  "https://@fcm.googleapis.com/x",
  "https://fcm.googleapis.com@evil.example/x",
  "https://fcm.googleapis.com:443@evil.example/x",
  "https://evil.example@fcm.googleapis.com/x",
  "https://fcm.googleapis.com%40evil.example/x",
  // a fragment, and what parsers read in more than one way
  "https://fcm.googleapis.com/x#y",
  "https://fcm.googleapis.com#@evil.example/",
  "https://evil.example#@fcm.googleapis.com/",
  "https://evil.example\\@fcm.googleapis.com/x",
  "https://fcm.googleapis.com\\@evil.example/x",
  "https:\\\\fcm.googleapis.com\\x",
  "https://fcm.googleapis.com\\.evil.example/x",
  " https://fcm.googleapis.com/x",
  "https://fcm.googleapis.com/x ",
  "https://fcm.googleapis.com/x\n",
  "ht\ntps://fcm.googleapis.com/x",
  "https://fcm.\tgoogleapis.com/x",
  "https://fcm.googleapis.com /x",
  "https://fcm.googleapis.com/x\r\nHost: evil.example",
  "https://fcm.googleapis.com/\u0000",
  "https://ｆcm.googleapis.com/x",
  "https://fcm。googleapis。com/x",
  "https://fcm.googleapis.com/é",
  `https://fcm.googleapis.com/${"x".repeat(2_048)}`,
  // this machine and its neighbours, in the forms that only some readers know
  "https://127.0.0.1./x",
  "https://127.0.0.1.nip.io/x",
  "https://127.000.000.001/x",
  "https://0177.1/x",
  "https://017700000001/x",
  "https://0x7f.1/x",
  "https://0x7f.0x0.0x0.0x1/x",
  "https://127.0.0.1:443/x",
  "https://①②⑦.⓪.⓪.①/x",
  "https://[0:0:0:0:0:0:0:1]/x",
  "https://[0000:0000:0000:0000:0000:0000:0000:0001]/x",
  "https://[::ffff:7f00:1]/x",
  "https://[::ffff:a9fe:a9fe]/x",
  "https://[64:ff9b:1::7f00:1]/x",
  "https://[2001:0:7f00:1::]/x",
  "https://[fe80::1]/x",
  "https://[fec0::1]/x",
  "https://[ff02::1]/x",
  "https://2852039166/x",
  "https://0xa9fea9fe/x",
  "https://0xa9.0xfe.0xa9.0xfe/x",
  "https://169.254.43518/x",
  "https://169.254.170.2/v2/credentials",
  "https://[fd00:ec2::254]/latest/meta-data/",
  "https://metadata/x",
  "https://instance-data/x",
  "https://localhost.localdomain/x",
  "https://localtest.me/x",
  "https://255.255.255.255/x",
  "https://8.8.8.8/x",
  "https://[2606:4700::1111]/x",
  // hosts that only look like one of ours
  "https://fcm.googleapis.com,evil.example/x",
  "https://fcm.googleapis.com;evil.example/x",
  "https://fcm.googleapis.com&evil.example/x",
  "https://fcm-googleapis.com/x",
  "https://fcm.googleapis.com-evil.example/x",
  "https://fcm.googleapis.co/x",
  "https://fcm.g00gleapis.com/x",
  "https://updates.push.services.mozilla.com.evil.example/x",
  "https://updates.push.services.mozi11a.com/x",
  "https://xn--fcm.googleapis-x.com/x",
  "https://*.push.apple.com/x",
  "https://a_.notify.windows.com/x",
  "https://notify.windows.com.evil.example/x",
  "https://evilnotify.windows.com/x",
  "https://-.evil.example/.notify.windows.com",
];

const BAD_EXTENDED = [
  "https://push.example.org:8443/x",
  "https://a.push.example.org/x",
  "https://push.example.net/x",
  "https://localhost/x",
  "https://localhost:8444/x",
  "https://127.0.0.1:8443/x",
  "https://127.0.0.2:8444/x",
  "https://test:8446/x",
  "https://a.test/x",
  "https://a.example.com/x",
  "http://localhost:8443/x",
];

describe("the endpoint guard", () => {
  it("is asked about enough", () => {
    expect(new Set([...GOOD, ...GOOD_EXTENDED, ...BAD, ...BAD_EXTENDED]).size).toBeGreaterThanOrEqual(165);
  });

  it.each(GOOD)("allows %j", (text) => {
    const judged = checkEndpoint(text, USUAL);
    expect(judged).toMatchObject({ exempt: false });
    if ("url" in judged) expect(judged.url.protocol).toBe("https:");
    expect(checkEndpoint(text, EXTENDED)).toMatchObject({ exempt: false });
  });

  it.each(GOOD_EXTENDED)("allows %j where the deployment does", (text) => {
    expect(checkEndpoint(text, USUAL)).toHaveProperty("fault");
    const judged = checkEndpoint(text, EXTENDED);
    // An entry with a port is for development: no address of it is judged.
    const port = /8443|8444|8445|8446|example\.com/.test(text);
    expect(judged).toMatchObject({ exempt: port });
  });

  it.each(BAD)("refuses %j", (text) => {
    const judged = checkEndpoint(text, USUAL);
    expect(judged).toHaveProperty("fault");
    // The fault says what is wrong, and not of what.
    if ("fault" in judged) expect(judged.fault).not.toMatch(/googleapis|evil|127/);
  });

  it.each(BAD_EXTENDED)("refuses %j also where it is extended", (text) => {
    expect(checkEndpoint(text, EXTENDED)).toHaveProperty("fault");
  });

  it("never throws, and calls nothing but what is allowed", () => {
    let cases = 0;
    const piece = fc.constantFrom(
      ...["https://", "fcm.googleapis.com", "evil.example", "@", ":", "443", "/", "\\", "#", "?", ".", "%40"],
      ...["[::1]", "\t", "\n", " ", "é", "%00", "127.0.0.1", "*.push.apple.com", "web.push.apple.com"],
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 9 }), (pieces) => {
        cases += 1;
        const judged = checkEndpoint(pieces.join(""), USUAL);
        if ("fault" in judged) return;
        const { url } = judged;
        expect(url.protocol).toBe("https:");
        expect(url.port).toBe("");
        expect(url.username + url.password).toBe("");
        expect(url.hostname).toMatch(/^fcm\.googleapis\.com$|\.push\.apple\.com$/);
      }),
      { numRuns: 20_000 },
    );
    expect(cases).toBe(20_000);
  });
});

const point = (change: (bytes: Buffer) => Buffer | undefined = (bytes) => bytes): string => {
  const curve = createECDH("prime256v1");
  curve.generateKeys();
  const bytes = curve.getPublicKey();
  return (change(bytes) ?? bytes).toString("base64url");
};

describe("a browser's keys", () => {
  it("are a point on P-256 and sixteen bytes", () => {
    for (let n = 0; n < 50; n += 1) {
      expect(p256dhFault(point())).toBeNull();
      expect(authFault(randomBytes(16).toString("base64url"))).toBeNull();
    }
  });

  it.each([
    ["empty", ""],
    ["of another alphabet", `${"+".repeat(87)}`],
    ["padded", `${point()}=`],
    ["with white space", ` ${point()}`],
    ["a letter short", point().slice(0, -1)],
    ["a letter long", `${point()}A`],
    ["of zeros", Buffer.alloc(65).toString("base64url")],
    ["zeros marked as a point", Buffer.concat([Buffer.from([4]), Buffer.alloc(64)]).toString("base64url")],
    ["off the curve", point((bytes) => void bytes.writeUInt8((bytes.at(-1) ?? 0) ^ 1, 64))],
    ["beyond the field", point((bytes) => void bytes.fill(0xff, 1))],
    ["compressed", point((bytes) => Buffer.concat([Buffer.from([2]), bytes.subarray(1, 33)]))],
    ["compressed and filled up", point((bytes) => void bytes.writeUInt8(3, 0))],
    ["hybrid", point((bytes) => void bytes.writeUInt8(6 + ((bytes.at(-1) ?? 0) & 1), 0))],
    ["of another curve", createHash("sha512").update("x").digest("base64url")],
  ])("are refused when the point is %s", (_what, text) => {
    expect(p256dhFault(text)).toMatch(/\w/);
  });

  it.each(["", "AAAA", randomBytes(15).toString("base64url"), randomBytes(17).toString("base64url")])(
    "are refused when the secret is %j",
    (text) => {
      expect(authFault(text)).toMatch(/16 bytes/);
    },
  );

  it("are refused when the last letter says more than the bytes hold", () => {
    expect(authFault("AAAAAAAAAAAAAAAAAAAAAA")).toBeNull();
    expect(authFault("AAAAAAAAAAAAAAAAAAAAAB")).not.toBeNull();
  });
});

const WATERMELON = "When I grow up, I want to be a watermelon";
/** The example of RFC 8291, section 5 and appendix A. */
const EXAMPLE = {
  browser: "q1dXpw3UpT5VOmu_cf_v6ih07Aems3njxI-JWgLcM94",
  sender: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};
const require = createRequire(import.meta.url);
/** The decryption that web-push itself builds upon; it brings no types. */
const ece: {
  decrypt: (body: Buffer, keys: { version: "aes128gcm"; privateKey: ECDH; authSecret: Buffer }) => Buffer;
} = require("http_ece");

const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

describe("encryption", () => {
  it("is read by these tests as RFC 8291, appendix A has it", () => {
    const browser = createECDH("prime256v1");
    browser.setPrivateKey(EXAMPLE.browser, "base64url");
    const plain = decryptMessage(bytes(EXAMPLE.body), browser, bytes(EXAMPLE.auth));
    expect(plain.toString()).toBe(WATERMELON);
  });

  it("is what RFC 8291, appendix A has, byte for byte, and fresh again afterwards", () => {
    const given = { privateKey: bytes(EXAMPLE.sender), salt: bytes(EXAMPLE.salt) };
    const body = encrypted(Buffer.from(WATERMELON), EXAMPLE, given);
    expect(body.toString("base64url")).toBe(EXAMPLE.body);
    const next = encrypted(Buffer.from(WATERMELON), EXAMPLE);
    expect(next.subarray(0, 16)).not.toEqual(body.subarray(0, 16));
    expect(next.subarray(21, 86)).not.toEqual(body.subarray(21, 86));
  });

  it("is read by the browser that it is for alone, and not when a bit is turned", () => {
    const [browser, other] = [makeBrowser(), makeBrowser()];
    const body = encrypted(Buffer.from("Curfew 🧟"), browser);
    expect(browser.decrypt(body)).toBe("Curfew 🧟");
    expect(() => other.decrypt(body)).toThrow();
    for (const at of [0, 30, 86, body.length - 1]) {
      const turned = Buffer.from(body);
      turned.writeUInt8((turned.at(at) ?? 0) ^ 1, at);
      expect(() => browser.decrypt(turned)).toThrow();
    }
    expect(encrypted(Buffer.from("Curfew 🧟"), browser)).not.toEqual(body);
  });

  it("is read alike by two decryptions that know nothing of it, a thousand times, with fresh keys and salts", () => {
    const seen = new Set<string>();
    let cases = 0;
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: MOST_MESSAGE_BYTES, size: "max" }), (array) => {
        cases += 1;
        const message = Buffer.from(array);
        const browser = createECDH("prime256v1");
        browser.generateKeys();
        const auth = randomBytes(16);
        const body = encrypted(message, {
          p256dh: browser.getPublicKey("base64url"),
          auth: auth.toString("base64url"),
        });
        seen.add(body.subarray(0, 16).toString("hex"));
        seen.add(body.subarray(21, 86).toString("hex"));
        expect(decryptMessage(body, browser, auth).equals(message)).toBe(true);
        const theirs = ece.decrypt(body, { version: "aes128gcm", privateKey: browser, authSecret: auth });
        expect(message.equals(theirs)).toBe(true);
      }),
      { numRuns: 1_000 },
    );
    expect(cases).toBe(1_000);
    expect(seen.size).toBe(2 * cases);
  });

  it("refuses keys that are none, and what no single record holds", () => {
    const { p256dh, auth } = makeBrowser();
    const compressed = point((all) => Buffer.concat([Buffer.from([2]), all.subarray(1, 33)]));
    for (const none of ["", "AAAA", Buffer.alloc(65, 4).toString("base64url"), compressed]) {
      expect(() => encrypted(Buffer.from("x"), { p256dh: none, auth })).toThrow();
    }
    for (const none of ["", "wrong", randomBytes(17).toString("base64url")]) {
      expect(() => encrypted(Buffer.from("x"), { p256dh, auth: none })).toThrow(RangeError);
    }
    const most = 4_096 - 17;
    expect(encrypted(Buffer.alloc(most), { p256dh, auth })).toHaveLength(86 + 4_096);
    expect(() => encrypted(Buffer.alloc(most + 1), { p256dh, auth })).toThrow(RangeError);
  });

  it("adds so little that the largest message fits into what every push service takes", () => {
    expect(encrypted(Buffer.alloc(MOST_MESSAGE_BYTES), makeBrowser()).length).toBeLessThanOrEqual(4_096);
    const notification = {
      notification_id: crypto.randomUUID(),
      player_id: crypto.randomUUID(),
      title: "t".repeat(120),
      content: "c".repeat(2_000),
      player_group: "All" as const,
      created_at: new Date(0).toISOString(),
    };
    expect(messageOf(notification).length).toBeLessThanOrEqual(MOST_MESSAGE_BYTES);
  });
});

describe("the subscriptions that give way", () => {
  const made = (n: number, created_at = new Date(n * 1_000).toISOString()): Subscription => ({
    subscription_id: `s${n}`,
    player_id: "p",
    endpoint: `https://push.example/${n}`,
    p256dh: "",
    auth: "",
    created_at,
  });

  it("are the oldest, in whatever order they come", () => {
    const own = Array.from({ length: 12 }, (_, n) => made(n));
    expect(givingWay(own.slice(0, MOST_SUBSCRIPTIONS - 1))).toEqual([]);
    expect(givingWay(own.slice(0, MOST_SUBSCRIPTIONS).toReversed())).toEqual([made(0)]);
    expect(givingWay(own.toReversed())).toEqual([made(0), made(1), made(2)]);
    expect(givingWay([])).toEqual([]);
  });
});

describe("the settings of push", () => {
  it("are the deployment's", () => {
    const env = parseEnv(VAPID);
    const pair = { publicKey: VAPID.VAPID_PUBLIC_KEY, privateKey: VAPID.VAPID_PRIVATE_KEY, since: 0 };
    const { subject, vapid } = pushSettings(env, keySources(env).vapid);
    expect({ subject, vapid }).toEqual({ subject: VAPID.VAPID_SUBJECT, vapid: { given: [pair] } });
    const without = pushSettings(parseEnv({ VAPID_PUBLIC_KEY: "", PUSH_ALLOWED_HOSTS: "" }), null);
    expect(without).toEqual({
      vapid: null,
      subject: "mailto:game-master@localhost",
      allowed: USUAL,
      sender: expect.anything(),
    });
  });

  it.each([
    [{ VAPID_PUBLIC_KEY: VAPID.VAPID_PUBLIC_KEY }, /VAPID_PUBLIC_KEY goes together with VAPID_PRIVATE_KEY/],
    [{ VAPID_PRIVATE_KEY: VAPID.VAPID_PRIVATE_KEY }, /give both or neither/],
    [{ ...VAPID, VAPID_PRIVATE_KEY: "short" }, /VAPID_PRIVATE_KEY must be 32 bytes/],
    [{ VAPID_SUBJECT: "game master" }, /VAPID_SUBJECT must be a mailto/],
    [{ PUSH_ALLOWED_HOSTS: "https://push.example" }, /PUSH_ALLOWED_HOSTS must be entries/],
    [{ PUSH_ALLOWED_HOSTS: "*" }, /PUSH_ALLOWED_HOSTS/],
    [{ PUSH_ALLOWED_HOSTS: "a b" }, /PUSH_ALLOWED_HOSTS/],
    [{ PUSH_ALLOWED_HOSTS: "push.example:99999" }, /PUSH_ALLOWED_HOSTS/],
    [{ PUSH_ALLOWED_HOSTS: "999.1.1.1" }, /PUSH_ALLOWED_HOSTS/],
    [{ PUSH_ALLOWED_HOSTS: "ok.example, user@push.example" }, /PUSH_ALLOWED_HOSTS/],
  ])("are refused when they cannot be: %j", (settings, why) => {
    expect(() => parseEnv(settings)).toThrow(why);
  });
});
