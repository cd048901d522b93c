/** Recovery codes: their form, how long they are valid, and that each is used once. */
import { expect, it } from "vitest";
import { isValidRecoveryCode, newRecovery } from "../../lib/auth/recovery.ts";
import { HOUR, SECOND, T0 } from "./times.ts";

const issued = newRecovery("ada", null, T0);
const { put, expect: condition } = issued.write;
const recovery = { rev: Number(put.rev), hash: String(put.hash), expires: Number(put.expires) };

it("has seven groups of four unmistakable letters, which differ each time", () => {
  expect(issued.code).toMatch(/^([2-9A-HJKMNP-Z]{4}-){6}[2-9A-HJKMNP-Z]{4}$/);
  expect(newRecovery("ada", null, T0).code).not.toBe(issued.code);
});

it("is stored as a hash, on condition of what was read", () => {
  expect(put).toMatchObject({ pk: "SECRET#ada", sk: "RECOVERY", rev: 1 });
  expect(condition).toBe("absent");
  expect(recovery.hash).toMatch(/^[\w-]{43}$/);
  expect(JSON.stringify(put)).not.toContain(issued.code.slice(0, 4));
  const next = newRecovery("ada", { ...recovery, rev: 4 }, T0).write;
  expect(next).toMatchObject({ put: { rev: 5 }, expect: { rev: 4 } });
});

it("is valid for an hour, in whole seconds", () => {
  expect(issued.expiresAt).toBe(T0 + HOUR);
  expect(recovery.expires * SECOND).toBe(issued.expiresAt);
  expect(newRecovery("ada", null, T0 + 999).expiresAt).toBe(T0 + HOUR);
  const valid = [0, HOUR - 1, HOUR].map((age) => isValidRecoveryCode(issued.code, recovery, T0 + age));
  expect(valid).toEqual([true, true, false]);
});

it("is read as people type it, and no other code is right", () => {
  expect(isValidRecoveryCode(issued.code.toLowerCase().replaceAll("-", " "), recovery, T0)).toBe(true);
  for (const other of [newRecovery("ada", null, T0).code, ""]) {
    expect(isValidRecoveryCode(other, recovery, T0)).toBe(false);
  }
  expect(isValidRecoveryCode(issued.code, null, T0)).toBe(false);
});
