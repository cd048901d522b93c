/** Unknown names in a settings file. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { closestMatch } from "../../scripts/cli/closestMatch.ts";
import { unknownNames } from "../../scripts/local/dotEnv.ts";
import { ROOT } from "../../scripts/project/root.ts";

const EXAMPLE = readFileSync(join(ROOT, ".env.example"), "utf8");
const KNOWN = [...EXAMPLE.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name = ""]) => name);

it.each([
  ["PROT", "PORT"],
  ["Port", null],
  ["FEEDING_PERIOD", "FEEDING_PERIOD_SECONDS"],
  ["GAME_FLIE", "GAME_FILE"],
  ["VAPID_PRIVAT_KEY", "VAPID_PRIVATE_KEY"],
  ["DATABASE_URL", null],
  ["X", null],
])("suggests for %s the setting %s", (name, suggestion) => {
  expect(closestMatch(name, KNOWN)).toBe(suggestion);
});

it("reports unknown names with the nearest setting, and ignores names of other programs", () => {
  const names = ["PROT", "HUNGRY", ...KNOWN, "AWS_PROFILE", "NODE_OPTIONS", "https_proxy", "npm_config_x"];
  expect(unknownNames(".env", names, KNOWN)).toEqual([
    "PROT in .env is not a setting and is ignored; the closest setting is PORT",
    "HUNGRY in .env is not a setting and is ignored; .env.example lists all settings",
  ]);
});

it("docs/configuration.md and .env.example list the same settings", () => {
  const [, table = ""] =
    /## Settings([\s\S]*)/.exec(readFileSync(join(ROOT, "docs/configuration.md"), "utf8")) ?? [];
  const rows = [...table.matchAll(/^\| ((?:`[A-Z_]+` ?)+)\|/gm)].map(([, names = ""]) => names);
  const listed = [...rows.join().matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name);
  expect(listed.toSorted()).toEqual(KNOWN.toSorted());
});
