/** Encryption of messages, compared with RFC 8291. The tests of notifications decrypt what is sent independently. */
import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { encrypt } from "../../lib/push/encrypt.ts";
import { MAX_MESSAGE_BYTES, notificationMessage } from "../../lib/push/message.ts";
import { makeBrowser } from "../support/webPush.ts";

const WATERMELON = "When I grow up, I want to be a watermelon";
/** The example of RFC 8291, section 5 and appendix A. */
const EXAMPLE = {
  sender: "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw",
  p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
  auth: "BTBZMqHH6r4Tts7J_aSIgg",
  salt: "DGv6ra1nlYgDCS1FRnbzlw",
  body: "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPTpK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN",
};

const bytes = (text: string): Buffer => Buffer.from(text, "base64url");

it("equals RFC 8291, appendix A, byte for byte, and has a new key and salt each time", () => {
  const given = { privateKey: bytes(EXAMPLE.sender), salt: bytes(EXAMPLE.salt) };
  const body = encrypt(Buffer.from(WATERMELON), EXAMPLE, given);
  expect(body.toString("base64url")).toBe(EXAMPLE.body);
  const next = encrypt(Buffer.from(WATERMELON), EXAMPLE);
  expect(next.subarray(0, 16)).not.toEqual(body.subarray(0, 16));
  expect(next.subarray(21, 86)).not.toEqual(body.subarray(21, 86));
});

it("rejects invalid keys, and messages longer than one record", () => {
  const { p256dh, auth } = makeBrowser();
  for (const key of ["", "AAAA", Buffer.alloc(65, 4).toString("base64url")])
    expect(() => encrypt(Buffer.from("x"), { p256dh: key, auth })).toThrow();
  for (const secret of ["", "wrong", randomBytes(17).toString("base64url")])
    expect(() => encrypt(Buffer.from("x"), { p256dh, auth: secret })).toThrow(RangeError);
  const most = 4_096 - 17;
  expect(encrypt(Buffer.alloc(most), { p256dh, auth })).toHaveLength(86 + 4_096);
  expect(() => encrypt(Buffer.alloc(most + 1), { p256dh, auth })).toThrow(RangeError);
});

it("keeps the longest message within the 4,096 bytes that every push service accepts", () => {
  expect(encrypt(Buffer.alloc(MAX_MESSAGE_BYTES), makeBrowser()).length).toBeLessThanOrEqual(4_096);
  const [notification_id, player_id] = [crypto.randomUUID(), crypto.randomUUID()];
  const texts = { title: "t".repeat(120), content: "c".repeat(2_000), created_at: new Date(0).toISOString() };
  const TO_ALL = { player_group: "All", audience: "all" } as const;
  const message = notificationMessage({ notification_id, player_id, ...texts, ...TO_ALL });
  expect(message.length).toBeLessThanOrEqual(MAX_MESSAGE_BYTES);
});
