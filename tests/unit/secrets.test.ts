/** The keys of a deployment: from the environment, or from cached parameters. */
import { v7 } from "uuid";
import { describe, expect, it } from "vitest";
import { mailedRecoveryCode, mailToken } from "../../lib/auth/mailToken.ts";
import { DomainError } from "../../lib/domain/domainError.ts";
import { MINUTE } from "../../lib/domain/time.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { cursorKeys } from "../../lib/secrets/cursorKeys.ts";
import { PARAMETER_TTL_MS } from "../../lib/secrets/parameters.ts";
import { keySources, type Parameter } from "../../lib/secrets/secrets.ts";
import { vapidPairs } from "../../lib/secrets/vapidPairs.ts";
import { CURSOR_KEY, VAPID } from "../support/constants.ts";

const OTHER = Buffer.alloc(32, 3).toString("base64url");
const SINCE = "2026-11-21T07:24:00.000Z";

const errorNamed = (name: string): Error => Object.assign(new Error(`${name} happened`), { name });

/** Parameters that a test changes or lets fail, and the names that were read. */
const parameters = (held: Record<string, string>) => {
  const state = { held, error: null as Error | null, reads: [] as string[], now: 0 };
  const read = async (name: string): Promise<string> => {
    state.reads.push(name);
    if (state.error !== null) throw state.error;
    const value = state.held[name];
    if (value === undefined) throw errorNamed("ParameterNotFound");
    return value;
  };
  const { cursor } = keySources(parseEnv({ PARAMETERS: "/zombie-game/spring" }));
  if (cursor === null || !("parameter" in cursor)) throw new Error("no parameter");
  const parameter: Parameter = { parameter: cursor.parameter, read, clock: () => state.now };
  return { state, secrets: { cursorKeys: () => cursorKeys(parameter) } };
};

const CURSOR_KEYS = "/zombie-game/spring/cursor-keys";
const stored = (...keys: string[]): string => JSON.stringify(keys.map((key) => ({ key, since: SINCE })));

it("keys of the environment take precedence over parameters, and are always valid; those of push are optional", async () => {
  const { cursor, vapid } = keySources(parseEnv({ ...VAPID, CURSOR_KEY, PARAMETERS: "/x" }));
  expect(await cursorKeys(cursor)).toEqual([{ key: CURSOR_KEY, since: 0 }]);
  const pair = { publicKey: VAPID.VAPID_PUBLIC_KEY, privateKey: VAPID.VAPID_PRIVATE_KEY, since: 0 };
  expect(vapid === null ? null : await vapidPairs(vapid)).toEqual([pair]);
  const none = keySources(parseEnv({}));
  expect(none.vapid).toBeNull();
  await expect(cursorKeys(none.cursor)).rejects.toThrow("CURSOR_KEY is missing");
});

it("a mail keeps the token and the code of the key that was in use when it was made", () => {
  const id = v7({ msecs: 1_000 });
  const old = { key: OTHER, since: 0 };
  const both = [{ key: CURSOR_KEY, since: 2_000 }, old];
  expect(mailToken(both, "confirm", id)).toBe(mailToken([old], "confirm", id));
  expect(mailedRecoveryCode(both, id)).toBe(mailedRecoveryCode([old], id));
});

describe("keys of parameters", () => {
  it("are read on first use, once for concurrent calls, and again after five minutes", async () => {
    const { state, secrets } = parameters({ [CURSOR_KEYS]: stored(CURSOR_KEY) });
    expect(state.reads).toEqual([]);
    const expected = [{ key: CURSOR_KEY, since: Date.parse(SINCE) }];
    const all = await Promise.all([secrets.cursorKeys(), secrets.cursorKeys(), secrets.cursorKeys()]);
    expect(all).toEqual([expected, expected, expected]);
    expect(state.reads).toEqual([CURSOR_KEYS]);
    state.held = { [CURSOR_KEYS]: stored(OTHER, CURSOR_KEY) };
    state.now = PARAMETER_TTL_MS - 1;
    expect(await secrets.cursorKeys()).toHaveLength(1);
    expect(state.reads).toHaveLength(1);
    state.now = PARAMETER_TTL_MS;
    expect((await secrets.cursorKeys()).map(({ key }) => key)).toEqual([OTHER, CURSOR_KEY]);
    expect(state.reads).toHaveLength(2);
    expect(PARAMETER_TTL_MS).toBeLessThanOrEqual(5 * MINUTE);
  });

  it("stay valid while they cannot be read, which is tried again after 30 seconds", async () => {
    const { state, secrets } = parameters({ [CURSOR_KEYS]: stored(CURSOR_KEY) });
    const count = async () => (await secrets.cursorKeys()).length;
    expect(await count()).toBe(1);
    state.error = errorNamed("TimeoutError");
    state.now = 10 * PARAMETER_TTL_MS;
    expect(await count()).toBe(1);
    state.error = null;
    state.held = { [CURSOR_KEYS]: stored(OTHER, CURSOR_KEY) };
    state.now += 29_999;
    expect(await count()).toBe(1);
    state.now += 1;
    expect(await count()).toBe(2);
  });

  it.each([
    undefined,
    ...[CURSOR_KEY, JSON.stringify({ key: CURSOR_KEY, since: SINCE }), "[]", stored(CURSOR_KEY.slice(1))],
    JSON.stringify([{ key: CURSOR_KEY }]),
  ])(
    "that are no keys with their dates are an error that names the parameter, without its value: %#",
    async (value) => {
      const { secrets } = parameters(value === undefined ? {} : { [CURSOR_KEYS]: value });
      const error = await secrets.cursorKeys().catch((thrown: unknown) => thrown);
      expect(error).not.toBeInstanceOf(DomainError);
      const cause = error instanceof Error ? String(error.cause) : "";
      expect(String(error)).toContain(CURSOR_KEYS);
      expect(`${String(error)} ${cause}`).not.toContain(CURSOR_KEY.slice(0, 20));
    },
  );
});
