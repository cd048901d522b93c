/** The settings of the environment: their defaults, how each is validated, and unknown names in a file. */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterEach, expect, it, vi } from "vitest";
import { parseEnv } from "../../lib/runtime/env.ts";
import { parseMailUrl } from "../../lib/runtime/mailUrl.ts";
import { readDotEnv, unknownNames } from "../../scripts/local/dotEnv.ts";
import { checkSettings } from "../../scripts/local/settings.ts";
import { ROOT } from "../../scripts/project/root.ts";
import { VAPID } from "../support/constants.ts";
import { tempDirOfTest } from "../support/tempDir.ts";

afterEach(() => vi.unstubAllEnvs());

it("settings have defaults, which also apply to empty values", () => {
  const defaults = parseEnv({});
  expect(defaults).toMatchObject({
    FEEDING_PERIOD_SECONDS: 172_800,
    JOIN_CODE_REQUIRED: false,
    LOG_LEVEL: "INFO",
  });
  expect(parseEnv({ FEEDING_PERIOD_SECONDS: "", JOIN_CODE_REQUIRED: "", DYNAMODB_ENDPOINT: "" })).toEqual(
    defaults,
  );
  expect(parseEnv({ PATH: "/bin", SOMETHING: "else" })).toEqual(defaults);
  for (const text of ["1", "3155760000"])
    expect(parseEnv({ FEEDING_PERIOD_SECONDS: text }).FEEDING_PERIOD_SECONDS).toBe(Number(text));
});

const each = (name: string, texts: readonly string[], message: RegExp) =>
  texts.map((text) => [{ [name]: text }, message] as const);
const HOSTS = "https://push.example|*|a b|push.example:99999|999.1.1.1|ok.example, u@push.example".split("|");

it.each<readonly [Record<string, string>, RegExp]>([
  ...each(
    "MAIL_FROM",
    ["game", "Game <game@hvz.example>", "a@b, c@d", "a b@c"],
    /^Bad setting: MAIL_FROM must/,
  ),
  ...each("PUBLIC_URL", ["game.example", "https://hvz.example/app", "ftp://hvz.example"], /PUBLIC_URL must/),
  ...each("MAIL_PER_MINUTE", ["0", "-1", "100000", "fast"], /MAIL_PER_MINUTE must/),
  ...each("FEEDING_PERIOD_SECONDS", ["0", "-1", "1.5", "1e3", "48h", " 60", "0x10", "3155760001"], /FEEDING/),
  ...each("PARAMETERS", ["zombie", "/", "/a/", "/a b", "/ä"], /PARAMETERS must be the path/),
  ...each("PUSH_ALLOWED_HOSTS", HOSTS, /PUSH_ALLOWED_HOSTS must be entries/),
  [{ VAPID_PUBLIC_KEY: VAPID.VAPID_PUBLIC_KEY }, /VAPID_PUBLIC_KEY goes together with VAPID_PRIVATE_KEY/],
  [{ VAPID_PRIVATE_KEY: VAPID.VAPID_PRIVATE_KEY }, /give both or neither/],
  [{ ...VAPID, VAPID_PRIVATE_KEY: "short" }, /VAPID_PRIVATE_KEY must be 32 bytes/],
  [{ VAPID_SUBJECT: "game master" }, /VAPID_SUBJECT must be a mailto/],
  [{ LOG_LEVEL: "LOUD" }, /LOG_LEVEL must be one of DEBUG, INFO, WARN, ERROR, SILENT$/],
  [{ TABLE_NAME: "ab" }, /TABLE_NAME must have at least 3 characters/],
  [{ TABLE_NAME: "ab", DYNAMODB_ENDPOINT: "nowhere" }, /(?=.*TABLE_NAME).*DYNAMODB_ENDPOINT/s],
  [{ CURSOR_KEY: "short" }, /CURSOR_KEY/],
])("settings reject %j", (settings, message) => {
  expect(() => parseEnv(settings)).toThrow(message);
});

const EXAMPLE = readFileSync(join(ROOT, ".env.example"), "utf8");
const KNOWN = [...EXAMPLE.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name = ""]) => name);

it("reports unknown names with the nearest setting, and ignores names of other programs", () => {
  const others = ["AWS_PROFILE", "NODE_OPTIONS", "https_proxy", "npm_config_x"];
  expect(unknownNames(".env", ["PROT", "HUNGRY", "Port", "X", ...KNOWN, ...others], KNOWN)).toEqual([
    "PROT in .env is not a setting and is ignored; the closest setting is PORT",
    ...["HUNGRY", "Port", "X"].map(
      (name) => `${name} in .env is not a setting and is ignored; .env.example lists all settings`,
    ),
  ]);
});

const readFile = (content: string | Buffer) => {
  const file = join(tempDirOfTest(), ".env");
  writeFileSync(file, content);
  return readDotEnv(relative(ROOT, file));
};

it.each<BufferEncoding>(["utf8", "utf16le"])(
  "reads a file that Windows has saved as %s with a byte order mark",
  (encoding) => {
    const content = Buffer.from("\uFEFFJOIN_CODE='zömbies 1'\r\nPORT=3005\r\n", encoding);
    const settings = { JOIN_CODE: "zömbies 1", PORT: "3005" };
    expect(readFile(content)).toEqual({ settings, warnings: [] });
  },
);

it("reports a value that a # has cut off", () => {
  const cut = "JOIN_CODE=brains#1\nexport MAIL_URL=#1\n";
  const whole = "MAIL_FROM='a#b@c.example' # sender\nPORT=3005 # a#b\nPUBLIC_URL= # later\n# LOG_LEVEL=a#b";
  expect(readFile(`${whole}\n${cut}`)?.warnings).toEqual(
    ["JOIN_CODE", "MAIL_URL"].map((name) =>
      expect.stringMatching(`^${name} in .*env ends before a #, .*: put the value into quotes$`),
    ),
  );
});

it("reports a value that was not saved as UTF-8", () => {
  const latin = Buffer.from("GAME_FILE=Köln.db\nPORT=3005 # für alle\n", "latin1");
  expect(readFile(latin)?.warnings).toEqual([
    expect.stringMatching(/^GAME_FILE in .*env has characters that are not UTF-8: save the file as UTF-8$/),
  ]);
});

it("reports a quote that does not end in its line", () => {
  const open = "JOIN_CODE=\"brains\r\nexport MAIL_FROM = 'a@b.example\nPUBLIC_URL=`x";
  const closed = "PORT='3005' # it's\nLOG_LEVEL=it's\nGAME_FILE=\"it's\"";
  expect(readFile(`${closed}\n${open}`)?.warnings).toEqual(
    ["JOIN_CODE", "MAIL_FROM", "PUBLIC_URL"].map((name) =>
      expect.stringMatching(`^${name} in .*env begins with a quote that does not end in its line$`),
    ),
  );
});

it("docs/configuration.md and .env.example list the same settings", () => {
  const [, table = ""] =
    /## Settings([\s\S]*)/.exec(readFileSync(join(ROOT, "docs/configuration.md"), "utf8")) ?? [];
  const rows = [...table.matchAll(/^\| ((?:`[A-Z_]+` ?)+)\|/gm)].map(([, names = ""]) => names);
  const listed = [...rows.join().matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name);
  expect(listed.toSorted()).toEqual(KNOWN.toSorted());
});

it("GAME_FILE has nothing that only a shell replaces", () => {
  for (const [text, isValid] of Object.entries({ "~/a.db": false, "$HOME/a.db": false, "./~/a$.db": true })) {
    vi.stubEnv("GAME_FILE", text);
    const check = () => checkSettings({ where: "a file", warnings: [] });
    if (isValid) check();
    else expect(check, text).toThrow(/^Bad setting: GAME_FILE must be .* Fix it in a file\.$/);
  }
});

it("MAIL_URL names the server, its encryption and the decoded password", () => {
  const invalid =
    "https://h|smtps://|smtps://h/x|smtps://h?x=1|smtps://u@h|smtps://:p@h|smtps://%zz:p@h|mail";
  for (const text of invalid.split("|")) {
    vi.stubEnv("MAIL_URL", text);
    expect(() => checkSettings({ where: "a file", warnings: [] }), text).toThrow(
      /^Bad setting: MAIL_URL must be an address such as smtps:\/\/user:secret@host, or outbox:\. Fix it in a file\.$/,
    );
  }
  expect(parseMailUrl("smtps://user:s3cret%2F%2B%40@smtp.example")).toEqual({
    ...{ kind: "smtp", host: "smtp.example", port: 465, isSecure: true, isLoopback: false },
    auth: { user: "user", pass: "s3cret/+@" },
  });
  expect(parseMailUrl("smtp://[::1]:1025")).toEqual({
    ...{ kind: "smtp", host: "::1", port: 1025, isSecure: false, isLoopback: true },
  });
  expect(parseMailUrl("smtp://smtp.example")).toMatchObject({ port: 587, isLoopback: false });
  expect(parseMailUrl("smtp://127.0.0.1.example.org")).toMatchObject({ isLoopback: false });
  expect(parseMailUrl("outbox:/a/mail")).toEqual({ kind: "outbox", folder: "/a/mail" });
});
