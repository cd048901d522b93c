/** The settings of the environment: their defaults, and how each is validated. */
import { expect, it } from "vitest";
import { allowedHosts } from "../../lib/push/allowlist.ts";
import { pushSettings } from "../../lib/push/settings.ts";
import { parseEnv } from "../../lib/runtime/env.ts";
import { keySources } from "../../lib/secrets/secrets.ts";
import { VAPID } from "../support/constants.ts";

it("have a default each, which an empty value stands for too", () => {
  const defaults = parseEnv({});
  expect(defaults).toMatchObject({ FEEDING_PERIOD_SECONDS: 172_800, JOIN_CODE: "", LOG_LEVEL: "INFO" });
  expect(parseEnv({ FEEDING_PERIOD_SECONDS: "", JOIN_CODE: "", DYNAMODB_ENDPOINT: "" })).toEqual(defaults);
  expect(parseEnv({ PATH: "/bin", SOMETHING: "else" })).toEqual(defaults);
});

it.each(["1", "3600", "172800", "3155760000"])("accept a feeding period of %s seconds", (text) => {
  expect(parseEnv({ FEEDING_PERIOD_SECONDS: text }).FEEDING_PERIOD_SECONDS).toBe(Number(text));
});

it.each([
  ...["0", "-1", "1.5", "1e3", "two days", "48h", " 60", "0x10", "99999999999", "3155760001", "NaN"].map(
    (text) => [{ FEEDING_PERIOD_SECONDS: text }, /FEEDING_PERIOD_SECONDS/] as const,
  ),
  ...["zombie", "/", "/a/", "/a b", "/ä"].map(
    (text) => [{ PARAMETERS: text }, /PARAMETERS must be the path/] as const,
  ),
  ...[
    "https://push.example",
    "*",
    "a b",
    "push.example:99999",
    "999.1.1.1",
    "ok.example, user@push.example",
  ].map((text) => [{ PUSH_ALLOWED_HOSTS: text }, /PUSH_ALLOWED_HOSTS must be entries/] as const),
  [{ VAPID_PUBLIC_KEY: VAPID.VAPID_PUBLIC_KEY }, /VAPID_PUBLIC_KEY goes together with VAPID_PRIVATE_KEY/],
  [{ VAPID_PRIVATE_KEY: VAPID.VAPID_PRIVATE_KEY }, /give both or neither/],
  [{ ...VAPID, VAPID_PRIVATE_KEY: "short" }, /VAPID_PRIVATE_KEY must be 32 bytes/],
  [{ VAPID_SUBJECT: "game master" }, /VAPID_SUBJECT must be a mailto/],
  [{ LOG_LEVEL: "LOUD" }, /LOG_LEVEL must be one of DEBUG, INFO, WARN, ERROR, SILENT$/],
  [{ TABLE_NAME: "ab" }, /TABLE_NAME must have at least 3 characters/],
] as const)("reject %j", (settings, message) => {
  expect(() => parseEnv(settings)).toThrow(message);
});

it("name every invalid one", () => {
  const invalid = {
    ...{ FEEDING_PERIOD_SECONDS: "0", DYNAMODB_ENDPOINT: "nowhere", CURSOR_KEY: "short" },
    ...{ LOG_LEVEL: "LOUD", TABLE_NAME: "ab" },
  };
  for (const name of Object.keys(invalid)) expect(() => parseEnv(invalid)).toThrow(name);
});

it("give push its keys, its subject and its hosts", () => {
  const env = parseEnv(VAPID);
  const pair = { publicKey: VAPID.VAPID_PUBLIC_KEY, privateKey: VAPID.VAPID_PRIVATE_KEY, since: 0 };
  const { subject, vapid } = pushSettings(env, keySources(env).vapid);
  expect({ subject, vapid }).toEqual({ subject: VAPID.VAPID_SUBJECT, vapid: { given: [pair] } });
  expect(pushSettings(parseEnv({ VAPID_PUBLIC_KEY: "", PUSH_ALLOWED_HOSTS: "" }), null)).toEqual({
    ...{ vapid: null, subject: "mailto:game-master@localhost", allowed: allowedHosts("") },
    sender: expect.anything(),
  });
});
