/** The deployed filter of the stream (docs/decisions/0074-announced-events.md): what it selects, and what it may not say. */
import { describe, expect, it } from "vitest";
import type { Key } from "../../lib/dynamodb/key.ts";
import { rawKey } from "../../lib/dynamodb/rawItem.ts";
import { keys } from "../../lib/store/keys.ts";
import { isSelected } from "../../scripts/local/patterns.ts";
import { readEventSources } from "../../scripts/local/sources.ts";
import { functionFiles } from "../../scripts/project/functions.ts";

it("the deployed filter selects the items whose changes are announced, and no other kind", () => {
  const { patterns = [] } = readEventSources().stream ?? {};
  const selected = Object.entries(keys).filter(([, key]) => {
    // Most take an id or a shard and further texts; the partition key begins in the same way with any of them.
    const made: Key = typeof key === "function" ? Reflect.apply(key, undefined, ["1", "1", "1"]) : key;
    return isSelected(patterns, rawKey(made));
  });
  expect(selected.map(([name]) => name).toSorted()).toEqual(["event", "interaction", "mail"]);
});

describe("a filter is refused", () => {
  const deployed = functionFiles();

  /** Reads the event sources with this filter in the place of the deployed one. */
  const readWith = (filterPatterns: unknown) => {
    const files = deployed.map(({ file, functions }) => {
      const text = JSON.stringify(functions, (name, value) =>
        name === "filterPatterns" ? filterPatterns : value,
      );
      return { file, functions: JSON.parse(text) };
    });
    return readEventSources(files);
  };

  const ofKeys = (Keys: object, more: object = {}) => ({ dynamodb: { Keys, ...more } });
  const ofRule = (rule: unknown) => ofKeys({ pk: { S: [rule] } });
  const [five, six] = ["ABCDE", "ABCDEF"].map((all) => [...all].map((prefix) => ofRule({ prefix })));

  it("unless it has at most five patterns of keys", () => {
    expect(readWith(five).stream?.patterns).toEqual(five);
  });

  it.each<[rule: string, ...patterns: unknown[]]>([
    ["can be filtered by the field dynamodb alone", { eventName: ["INSERT"], ...ofRule("A") }],
    ["is filtered by Keys alone", ofKeys({ pk: { S: ["A"] } }, { NewImage: { a: { S: ["A"] } } })],
    ["must be { pk }", { dynamodb: {} }],
    ["must be { pk }", ofKeys({ gsi1pk: { S: ["A"] } })],
    ["must be { S: a list of rules }", ofKeys({ pk: { N: ["1"] } })],
    ["must be a list that is not empty", ofKeys({ pk: { S: "A" } })],
    ["must be a text or { prefix: a text }", ofRule({ prefix: "A", suffix: "B" })],
    ["must be one to five patterns", ...(six ?? [])],
    ["must be one to five patterns"],
  ])("if it breaks the rule that it %s: %j", (rule, ...patterns) => {
    const refused = "functions/notifications/functions.yml cannot be run on this machine: ✖";
    expect(() => readWith(patterns)).toThrow(`${refused} ${rule}`);
  });
});
