/** The keys of a deployment: from the environment, or from parameters that are read seldom and may be away. */
import { createECDH } from "node:crypto";
import { describe, expect, it } from "vitest";
import { DomainError } from "../../lib/domain/domainError.ts";
import { MINUTE } from "../../lib/domain/time.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { cursorKeys } from "../../lib/secrets/cursorKeys.ts";
import { PARAMETER_KEPT } from "../../lib/secrets/parameters.ts";
import { keysFor } from "../../lib/secrets/rotation.ts";
import { keySources, type Parameter } from "../../lib/secrets/secrets.ts";
import { vapidPairs } from "../../lib/secrets/vapidPairs.ts";
import { CURSOR_KEY, VAPID } from "../support/constants.ts";

const OTHER = Buffer.alloc(32, 3).toString("base64url");
const SINCE = "2026-11-21T07:24:00.000Z";

const curve = createECDH("prime256v1");
curve.setPrivateKey(Buffer.alloc(32, 4));
const PAIR = { public_key: curve.getPublicKey("base64url"), private_key: curve.getPrivateKey("base64url") };

const called = (name: string): Error => Object.assign(new Error(`${name} happened`), { name });

/** Parameters that a test writes, and that may be away; and how often they were read. */
const parameters = (held: Record<string, string>) => {
  const state = { held, fault: null as Error | null, reads: [] as string[], now: 0 };
  const read = async (name: string): Promise<string> => {
    state.reads.push(name);
    if (state.fault !== null) throw state.fault;
    const value = state.held[name];
    if (value === undefined) throw called("ParameterNotFound");
    return value;
  };
  const { cursor, vapid } = keySources(parseEnv({ PARAMETERS: "/zombie-game/spring" }));
  const asParameter = (source: unknown): Parameter => {
    if (typeof source !== "object" || source === null || !("parameter" in source)) throw new Error("none");
    return { parameter: String(source.parameter), read, clock: () => state.now };
  };
  const [ofCursors, ofPush] = [asParameter(cursor), asParameter(vapid)];
  return {
    state,
    secrets: { cursorKeys: () => cursorKeys(ofCursors), vapidKeys: () => vapidPairs(ofPush) },
  };
};

const CURSOR_KEYS = "/zombie-game/spring/cursor-keys";
const VAPID_KEYS = "/zombie-game/spring/vapid-keys";
const stored = (...keys: string[]): string => JSON.stringify(keys.map((key) => ({ key, since: SINCE })));

describe("keys of the environment", () => {
  it("are the only ones, and good from ever", async () => {
    const { cursor, vapid } = keySources(parseEnv({ ...VAPID, CURSOR_KEY, PARAMETERS: "/x" }));
    expect(await cursorKeys(cursor)).toEqual([{ key: CURSOR_KEY, since: 0 }]);
    const pair = { publicKey: VAPID.VAPID_PUBLIC_KEY, privateKey: VAPID.VAPID_PRIVATE_KEY, since: 0 };
    expect(vapid === null ? null : await vapidPairs(vapid)).toEqual([pair]);
  });

  it("that nobody gave are missing: no list can be paged, and nothing pushed", async () => {
    const { cursor, vapid } = keySources(parseEnv({}));
    expect(vapid).toBeNull();
    await expect(cursorKeys(cursor)).rejects.toThrow("CURSOR_KEY is missing");
  });
});

describe("keys of parameters", () => {
  it("are read when they are first asked for, once for many, and again after five minutes", async () => {
    const { state, secrets } = parameters({ [CURSOR_KEYS]: stored(CURSOR_KEY) });
    expect(state.reads).toEqual([]);
    const wanted = [{ key: CURSOR_KEY, since: Date.parse(SINCE) }];
    const all = await Promise.all([secrets.cursorKeys(), secrets.cursorKeys(), secrets.cursorKeys()]);
    expect(all).toEqual([wanted, wanted, wanted]);
    expect(state.reads).toEqual([CURSOR_KEYS]);
    state.held = { [CURSOR_KEYS]: stored(OTHER, CURSOR_KEY) };
    state.now = PARAMETER_KEPT - 1;
    expect(await secrets.cursorKeys()).toHaveLength(1);
    expect(state.reads).toHaveLength(1);
    state.now = PARAMETER_KEPT;
    expect((await secrets.cursorKeys()).map(({ key }) => key)).toEqual([OTHER, CURSOR_KEY]);
    expect(state.reads).toHaveLength(2);
    expect(PARAMETER_KEPT).toBeLessThanOrEqual(5 * MINUTE);
  });

  it("hold pairs for push as well", async () => {
    const { secrets } = parameters({ [VAPID_KEYS]: JSON.stringify([{ ...PAIR, since: SINCE }]) });
    expect(await secrets.vapidKeys()).toEqual([
      { publicKey: PAIR.public_key, privateKey: PAIR.private_key, since: Date.parse(SINCE) },
    ]);
  });

  it("serve on while they cannot be read, and are refused where they never could", async () => {
    const { state, secrets } = parameters({ [CURSOR_KEYS]: stored(CURSOR_KEY) });
    state.fault = called("ThrottlingException");
    const refusal = await secrets.cursorKeys().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DomainError);
    expect(refusal).toMatchObject({ code: "unavailable", retryAfter: 1 });
    state.fault = null;
    expect(await secrets.cursorKeys()).toHaveLength(1);
    state.fault = called("TimeoutError");
    state.now = 10 * PARAMETER_KEPT;
    expect(await secrets.cursorKeys()).toHaveLength(1);
    // Nobody waits for another try at once; and what lasts is borne as well, once there are keys.
    const reads = state.reads.length;
    state.now += 29_999;
    expect(await secrets.cursorKeys()).toHaveLength(1);
    expect(state.reads).toHaveLength(reads);
    state.fault = called("AccessDeniedException");
    state.now += 1;
    expect(await secrets.cursorKeys()).toHaveLength(1);
    expect(state.reads).toHaveLength(reads + 1);
    state.fault = null;
    state.held = { [CURSOR_KEYS]: stored(OTHER, CURSOR_KEY) };
    state.now += 30_000;
    expect(await secrets.cursorKeys()).toHaveLength(2);
  });

  it.each([
    ["not there", undefined],
    ["no JSON", CURSOR_KEY],
    ["no list", JSON.stringify({ key: CURSOR_KEY, since: SINCE })],
    ["an empty list", "[]"],
    ["a key too short", stored(CURSOR_KEY.slice(1))],
    ["no date", JSON.stringify([{ key: CURSOR_KEY }])],
  ])(
    "that are %s are a fault of the deployment, which names the parameter and tells nothing of it",
    async (_, value) => {
      const { secrets } = parameters(value === undefined ? {} : { [CURSOR_KEYS]: value });
      const fault = await secrets.cursorKeys().catch((error: unknown) => error);
      expect(fault).not.toBeInstanceOf(DomainError);
      expect(String(fault)).toContain(CURSOR_KEYS);
      expect(`${String(fault)} ${fault instanceof Error ? String(fault.cause) : ""}`).not.toContain(
        CURSOR_KEY.slice(0, 20),
      );
    },
  );

  it("have a path, or the setting is wrong", () => {
    for (const PARAMETERS of ["zombie", "/", "/a/", "/a b", "/ä"]) {
      expect(() => parseEnv({ PARAMETERS }), PARAMETERS).toThrow(/PARAMETERS must be the path/);
    }
  });
});

describe("keys that follow one another", () => {
  const [first, second, third] = [{ since: 100 }, { since: 200 }, { since: 300 }] as const;
  const keys = [second, third, first];

  it.each([
    [0, [first, third, second]],
    [100, [first, third, second]],
    [199, [first, third, second]],
    [200, [second, third, first]],
    [299, [second, third, first]],
    [300, [third, second, first]],
    [Number.MAX_SAFE_INTEGER, [third, second, first]],
  ])("at %i are tried in this order", (at, order) => {
    expect(keysFor(keys, at)).toEqual(order);
    expect(keysFor(keys, at)[0]).toBe(order[0]);
  });

  it("may be one or none", () => {
    expect(keysFor([first], 0)).toEqual([first]);
    expect(keysFor([], 0)).toEqual([]);
  });
});
