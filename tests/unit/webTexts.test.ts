/** Texts of the web app: where they are, those that depend on numbers, and the order and length of lists. */
import { globSync, readFileSync } from "node:fs";
import { parseSync } from "@swc/core";
import { expect, it } from "vitest";
import { actionNames } from "../../lib/domain/actions.ts";
import { keptEntries } from "../../web/src/staff/live/desk/deskEntries.ts";
import { sortPlayers } from "../../web/src/staff/staffPlayers.ts";
import { enforceEffects } from "../../web/src/staff/ui/previews.ts";
import { periodText } from "../../web/src/text/en.ts";
import { gm } from "../../web/src/text/staff.ts";

const PAGES = globSync("web/src/**/*.{ts,tsx}").filter((file) => !file.startsWith("web/src/text/"));

/** Calls a function with each node of a syntax tree until it returns false, and returns what else it does. */
const visit = (node: unknown, see: (node: Record<string, unknown>) => boolean): void => {
  if (typeof node !== "object" || node === null) return;
  if (!Array.isArray(node) && !see({ ...node })) return;
  for (const child of Object.values(node)) visit(child, see);
};

const parse = (file: string) =>
  parseSync(readFileSync(file, "utf8"), { syntax: "typescript", tsx: file.endsWith("x") }).body;

it("are read when a page is drawn, and never when a module is loaded", () => {
  const early = PAGES.flatMap((file) => {
    const names = new Set<unknown>();
    const found: string[] = [];
    visit(parse(file), (node) => {
      const { type, source, specifiers, object } = node;
      if (type === "ImportDeclaration" && /\/text\/(?!week|zoned)/.test(Object(source).value))
        for (const { local } of Object(specifiers)) names.add(local.value);
      if (type === "MemberExpression" && names.has(Object(object).value)) found.push(file);
      return !/^(ArrowFunction|Function|ClassMethod|MethodProperty|GetterProperty|ImportD|TsType)/.test(
        `${type}`,
      );
    });
    return found;
  });
  expect(early).toEqual([]);
});

it("are in no file of a page", () => {
  const sentences = PAGES.flatMap((file) => {
    const found: string[] = [];
    visit(parse(file), ({ type, value, raw }) => {
      const text = String(value ?? raw);
      if (type === "JSXText" && /\p{L}/u.test(text)) found.push(`${file}: ${text}`);
      if (/^(StringLiteral|TemplateElement)$/.test(`${type}`) && /^\p{Lu}\p{Ll}.* (\p{Ll}|$)/u.test(text))
        found.push(`${file}: ${text}`);
      // The message of an error is for developers.
      return type !== "NewExpression";
    });
    return found;
  });
  expect(sentences).toEqual([]);
});

it("name periods that are not whole hours", () => {
  const texts = ["30 seconds", "1 minute", "25 minutes", "1 hour", "1 hour 30 min"];
  expect([30, 60, 1_500, 3_600, 5_400].map(periodText)).toEqual(texts);
});

it("say how many rows of an import are left", () => {
  const rows = (["created", "pending"] as const).map((status, row) => ({ row, alias: null, status }));
  expect(gm.import.summary({ rows, dry_run: false })).toContain(
    "1 new player, 1 row is not created yet. Time ran out",
  );
});

it("end once where the words of a file end with a full stop", () => {
  expect(gm.import.ignored(["Year", "I agree."])).toBe("Not stored: Year, I agree.");
  expect(gm.import.ignored(["I agree.", "Year"])).toBe("Not stored: I agree., Year.");
});

it("say that hidden zombies count as humans at a checkpoint for humans", () => {
  const effects = (...states: ("human" | "zombie")[]): string => {
    const players = states.map((state) => ({ player_id: "", alias: "Ada", state, becomes: "corpse" }));
    const enforcement = { killed: states.length, spared: 0, players };
    return enforceEffects(enforcement as never, { applies_to: "humans", closes_at: null }, null).join("\n");
  };
  expect(effects("human")).toContain("\nZombies, corpses and spectators are not counted");
  expect(effects("human", "zombie")).toContain("\nHidden zombies count as humans");
  expect(effects("human", "zombie")).not.toContain("\nZombies, corpses");
});

it("sort zombies by their deadline, before players without one", () => {
  const dates = [null, "2026-11-22T00:00:00Z", "2026-11-21T00:00:00Z"];
  const players = dates.map((starves_at) => ({ player: { starves_at } }));
  expect(sortPlayers(players as never, "starves")).toEqual(players.toReversed());
});

it("keep check-ins that wait, and the newest 300 of all", () => {
  const waiting = Array.from({ length: 302 }, (_, n) => ({ status: n === 301 ? "waiting" : "done" }));
  expect(keptEntries(waiting as never)).toEqual([...waiting.slice(0, 300), waiting[301]]);
});

it("make a sentence with subject and object of every entry of the log", () => {
  const rest = { log_id: "", at: "", request_id: "", outcome: "done", details: { any: true } };
  const textOf = (action: string, actor: string | null, target: string | null): string =>
    gm.actions({ ...rest, action, actor, target } as never);
  const all = actionNames().flatMap((action) =>
    (["Dan", null] as const).flatMap((actor) =>
      (["Dan", "Eve", null] as const).map((target) => textOf(action, actor, target)),
    ),
  );
  for (const text of all) {
    expect(text).toMatch(/^(Dan|Eve|Somebody|The service) \w/);
    expect(text).not.toMatch(/ (of|for|by|as)$|…|_/);
  }
  expect(textOf("change_password", "Dan", "Dan")).toBe("Dan changed their password");
  expect(textOf("change_password", null, "Eve")).toBe("Eve changed their password");
  expect(textOf("login", null, "Eve")).toBe("Eve logged in");
  expect(textOf("corpsify", "Dan", null)).toBe("Dan killed a player");
  expect(textOf("revive_z", "Dan", "Eve")).toBe("Dan revived Eve as a zombie");
  expect(textOf("feed_player", "Dan", "Dan")).toBe("Dan fed themselves");
  const named = {
    ...rest,
    action: "set_mission",
    actor: "Dan",
    target: null,
    details: { title: "The drop" },
  };
  expect(gm.actions(named as never)).toBe("Dan set a mission: The drop");
  const settings = (outcome: string): string =>
    gm.actions({ ...rest, action: "settings", actor: "Dan", target: null, outcome, details: {} } as never);
  expect(settings("done")).toBe("Dan read the settings");
  expect(settings("changed_meanwhile")).toBe("Dan changed settings");
});
