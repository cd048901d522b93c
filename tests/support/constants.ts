/** Values that the tests share with the services that they start. */
import { createECDH } from "node:crypto";
import { THROTTLES, type Throttles } from "../../lib/domain/backoff.ts";
import { HOUR, rfc3339 } from "../../lib/domain/time.ts";

/** 32 bytes in base64url: encrypts cursors. */
export const CURSOR_KEY = Buffer.alloc(32, 7).toString("base64url");

/** The key of tokens in mails. */
export const MAIL_KEY = Buffer.alloc(32, 5).toString("base64url");

const vapid = createECDH("prime256v1");
vapid.setPrivateKey(Buffer.alloc(32, 9));

/** A key pair of another deployment. One private key in 256 is a byte shorter, unless it is padded. */
export const otherVapid = () => {
  const pair = createECDH("prime256v1");
  const publicKey = pair.generateKeys("base64url");
  const key = pair.getPrivateKey();
  const privateKey = Buffer.concat([Buffer.alloc(32 - key.length), key]).toString("base64url");
  return { since: 0, publicKey, privateKey, subject: "mailto:game-master@example.org" };
};

/** The key pair of the deployment under test, for push services. */
export const VAPID = {
  VAPID_PUBLIC_KEY: vapid.getPublicKey("base64url"),
  VAPID_PRIVATE_KEY: vapid.getPrivateKey("base64url"),
  VAPID_SUBJECT: "mailto:game-master@example.org",
};

/** The usual rate limits, for tests in which one player sets any number of pictures. */
export const MANY_PICTURES: Throttles = { ...THROTTLES, pictures: { burst: 1_000_000, intervalMs: 1 } };

/** A batch of one code, which gives a point to whoever redeems it. */
export const CRATES = {
  label: "Crates",
  n: 1,
  effect: { points: 1 },
  audience: "all",
  uses: 1,
  uses_per_player: 1,
};

/** A mission that began an hour ago, with a desk, of which everybody learns now. @param more other fields */
export const missionAt = (now: number, more: object = {}) => ({
  ...{ title: "The drop", starts_at: rfc3339(now - HOUR), ends_at: rfc3339(now + HOUR), attendance: "desk" },
  briefings: [{ audience: "all", text: "Run.", reveal_at: rfc3339(now) }],
  ...more,
});
