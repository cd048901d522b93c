/** Recovery codes: how they look, how long they are good, and that one is used up. */
import { describe, expect, it } from "vitest";
import { isValidRecoveryCode, newRecovery, redeemRecoveryCode } from "../../lib/auth/recovery.ts";
import type { Recovery } from "../../lib/store/items.ts";
import { HOUR, SECOND, T0 } from "./support.ts";

const stored = ({ write }: ReturnType<typeof newRecovery>): Recovery => {
  const { rev, hash, expires } = write.put;
  return { rev: Number(rev), hash: String(hash), expires: Number(expires) };
};

describe("a recovery code", () => {
  const issued = newRecovery("ada", null, T0);
  const recovery = stored(issued);

  it("is seven groups of four letters that nobody mistakes, another each time", () => {
    expect(issued.code).toMatch(/^([2-9A-HJKMNP-Z]{4}-){6}[2-9A-HJKMNP-Z]{4}$/);
    expect(newRecovery("ada", null, T0).code).not.toBe(issued.code);
  });

  it("is stored as a hash, over what was read", () => {
    const { put, expect: expected } = issued.write;
    expect(put).toMatchObject({ pk: "SECRET#ada", sk: "RECOVERY", rev: 1 });
    expect(expected).toBe("absent");
    expect(recovery.hash).toMatch(/^[\w-]{43}$/);
    expect(JSON.stringify(put)).not.toContain(issued.code.slice(0, 4));
    expect(newRecovery("ada", { ...recovery, rev: 4 }, T0).write).toMatchObject({
      put: { rev: 5 },
      expect: { rev: 4 },
    });
  });

  it("is good for an hour, in whole seconds, and not for a moment more", () => {
    expect(issued.expiresAt).toBe(T0 + HOUR);
    expect(recovery.expires * SECOND).toBe(issued.expiresAt);
    expect(newRecovery("ada", null, T0 + 999).expiresAt).toBe(T0 + HOUR);
    expect(isValidRecoveryCode(issued.code, recovery, T0)).toBe(true);
    expect(isValidRecoveryCode(issued.code, recovery, T0 + HOUR - 1)).toBe(true);
    expect(isValidRecoveryCode(issued.code, recovery, T0 + HOUR)).toBe(false);
  });

  it("is read as people write it, and no other is right", () => {
    expect(isValidRecoveryCode(issued.code.toLowerCase().replaceAll("-", " "), recovery, T0)).toBe(true);
    expect(isValidRecoveryCode(newRecovery("ada", null, T0).code, recovery, T0)).toBe(false);
    expect(isValidRecoveryCode("", recovery, T0)).toBe(false);
    expect(isValidRecoveryCode(issued.code, null, T0)).toBe(false);
  });

  it("is used up only as it was read", () => {
    expect(redeemRecoveryCode("ada", { ...recovery, rev: 4 })).toEqual({
      remove: { pk: "SECRET#ada", sk: "RECOVERY" },
      expect: { rev: 4 },
    });
  });
});
