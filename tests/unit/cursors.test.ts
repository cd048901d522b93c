/**
 * Cursors: encrypted, bound to their list, and readable with every valid key. That lists reject every other cursor is
 * tested in tests/contract/input.test.ts.
 */
import { expect, it } from "vitest";
import { DomainError } from "../../lib/domain/domainError.ts";
import { makeCursor, readCursor } from "../../lib/http/cursors.ts";
import { present } from "./support.ts";

const keyOf = (byte: number, since = 0) => ({ key: Buffer.alloc(32, byte).toString("base64url"), since });
const withKeys = (...keys: { key: string; since: number }[]) => ({
  ...{ cursorKeys: { given: keys }, clock: () => 1_000 },
});
const services = withKeys(keyOf(1));
const place: Parameters<typeof makeCursor>[1] = { list: "users", filters: { state: "zombie" } };

const make = async (position: string, keys = services): Promise<string> =>
  present(await makeCursor(keys, place, position));

const expectRejected = async (cursor: string, where = place, keys = services): Promise<void> => {
  const error = await readCursor(keys, where, cursor).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(DomainError);
  expect(error).toMatchObject({ code: "invalid_request", issues: [{ path: "cursor" }] });
};

it("a cursor returns the position without showing it", async () => {
  for (const position of ["ada", "", "李小龍 👻", "x".repeat(500)]) {
    const cursor = await make(position);
    expect(await readCursor(services, place, cursor)).toBe(position);
    expect(cursor).toMatch(/^[\w-]+$/);
    if (position !== "") expect(Buffer.from(cursor, "base64url").includes(position)).toBe(false);
  }
});

it("a cursor is the same for the same place; no other place, list, filter or key has its nonce", async () => {
  const cursor = await make("ada");
  expect(await make("ada")).toBe(cursor);
  await expectRejected(cursor, { ...place, filters: { state: "human" } });
  const others = [
    ...[make("adb"), make("ada", withKeys(keyOf(2))), makeCursor(services, { list: "users" }, "ada")],
    makeCursor(services, { ...place, list: "get_players" }, "ada"),
  ];
  const nonces = [cursor, ...(await Promise.all(others))].map((one) => present(one).slice(0, 16));
  expect(new Set(nonces).size).toBe(nonces.length);
});

it("a cursor is read also with the random nonce of earlier versions", async () => {
  const cursor = "AAECAwQFBgcICQoL2sL0lr8dWz6KLboPCovE_OVMKw";
  expect(await readCursor(services, place, cursor)).toBe("ada");
});

it("a cursor is made with the current key, and read with every valid one", async () => {
  // The next key is known in advance: another machine may use it a moment earlier.
  const [old, current, next] = [keyOf(1), keyOf(2, 500), keyOf(3, 2_000)];
  const all = withKeys(next, current, old);
  const cursor = await make("ada", all);
  expect(await readCursor(withKeys(current), place, cursor)).toBe("ada");
  await expectRejected(cursor, place, withKeys(next, old));
  for (const key of [old, current]) {
    expect(await readCursor(all, place, await make("ada", withKeys(key)))).toBe("ada");
  }
  const newest = await make("ada", { ...all, clock: () => 2_000 });
  expect(await readCursor(all, place, newest)).toBe("ada");
  await expectRejected(newest, place, withKeys(current, old));
});

it("a cursor is rejected when any byte is changed or removed, or another character is added", async () => {
  const cursor = await make("ada");
  const bytes = Buffer.from(cursor, "base64url");
  for (const [at, byte] of bytes.entries()) {
    await expectRejected(Buffer.from(bytes.with(at, byte ^ 1)).toString("base64url"));
    await expectRejected(bytes.subarray(0, at).toString("base64url"));
  }
  for (const more of ["=", "!", " ", "\n", "#"])
    for (const at of [9, cursor.length]) await expectRejected(cursor.slice(0, at) + more + cursor.slice(at));
});
