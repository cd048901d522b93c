/** Names in a file of settings that no setting has. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { nearest } from "../../scripts/cli/closestMatch.ts";
import { unknownNames } from "../../scripts/local/dotEnv.ts";
import { ROOT } from "../support/endpoints.ts";

const EXAMPLE = readFileSync(join(ROOT, ".env.example"), "utf8");
const KNOWN = [...EXAMPLE.matchAll(/^# ([A-Z_]+)=/gm)].map(([, name = ""]) => name);

it.each([
  ["PROT", "PORT"],
  ["Port", null],
  ["PORTS", "PORT"],
  ["FEEDING_PERIOD", "FEEDING_PERIOD_SECONDS"],
  ["JOINCODE", "JOIN_CODE"],
  ["GAME_FLIE", "GAME_FILE"],
  ["ALLOWED_ORIGIN", "ALLOWED_ORIGINS"],
  ["VAPID_PRIVAT_KEY", "VAPID_PRIVATE_KEY"],
  ["DATABASE_URL", null],
  ["X", null],
])("takes %s for a misspelt %s", (word, meant) => {
  expect(nearest(word, KNOWN)).toBe(meant);
});

it("names what is not a setting with the nearest one, and leaves the names of others alone", () => {
  const names = ["PROT", "HUNGRY", ...KNOWN, "AWS_PROFILE", "NODE_OPTIONS", "https_proxy", "npm_config_x"];
  expect(unknownNames(".env", names, KNOWN)).toEqual([
    "PROT in .env is not a setting, and nothing reads it; the nearest is PORT",
    "HUNGRY in .env is not a setting, and nothing reads it; .env.example has those that there are",
  ]);
});

it("knows the settings that docs/configuration.md lists, as .env.example does", () => {
  const [, table = ""] =
    /## Settings([\s\S]*)/.exec(readFileSync(join(ROOT, "docs/configuration.md"), "utf8")) ?? [];
  const rows = [...table.matchAll(/^\| ((?:`[A-Z_]+` ?)+)\|/gm)].map(([, names = ""]) => names);
  const listed = [...rows.join().matchAll(/`([A-Z_]+)`/g)].map(([, name = ""]) => name);
  expect(listed.toSorted()).toEqual(KNOWN.toSorted());
});
