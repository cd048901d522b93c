/** A template as CloudFormation reads it: what it refuses before anything is created, and the values of its functions. */
import { dependenciesOf, referenceFaults } from "../../scripts/deploy/references.ts";
import { Template } from "../../scripts/deploy/template.ts";
import { AwsError, type Input } from "./fakeAws.ts";
import { KINDS } from "./fakeResources.ts";

/**
 * The quotas of a template, which cannot be raised. A body in a request, one in a bucket in bytes, and numbers.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/cloudformation-limits.html
 */
export const QUOTAS = { body: 51_200, stored: 1_000_000, resources: 500, outputs: 200, parameters: 200 };

const invalid = (message: string): AwsError => new AwsError("ValidationError", message);

/** Parses a template and checks its size. @param source where it comes from @throws AwsError */
export const parseTemplate = (text: string, source: "body" | "stored"): Template => {
  const bytes = Buffer.byteLength(text);
  if (bytes > QUOTAS[source]) {
    throw invalid(
      source === "stored"
        ? `Template may not exceed ${QUOTAS.stored} bytes in size.`
        : `1 validation error detected: Value at 'templateBody' failed to satisfy constraint: Member must have length less than or equal to ${QUOTAS.body}`,
    );
  }
  return Template.parse(JSON.parse(text));
};

/** Refuses what ValidateTemplate refuses: references that lead nowhere, and too many of something. @throws AwsError */
export const requireValid = (template: Template): void => {
  const { Resources, Outputs = {}, Parameters = {} } = template;
  const counts = [
    ["resources", Resources],
    ["outputs", Outputs],
    ["parameters", Parameters],
  ] as const;
  for (const [name, part] of counts) {
    const [count, most] = [Object.keys(part).length, QUOTAS[name]];
    if (count > most)
      throw invalid(
        `Template format error: Number of ${name}, ${count}, is greater than maximum allowed, ${most}`,
      );
  }
  const faults = referenceFaults(template);
  if (faults.length > 0)
    throw invalid(`Template format error: Unresolved resource dependencies [${faults.join("; ")}]`);
};

/** Refuses types that do not exist. @throws AwsError */
export const requireKnownTypes = ({ Resources }: Template): void => {
  const unknown = Object.values(Resources).flatMap(({ Type }) => (Type in KINDS ? [] : [Type]));
  if (unknown.length > 0)
    throw invalid(
      `Template format error: Unrecognized resource types: [${[...new Set(unknown)].join(", ")}]`,
    );
};

/**
 * The capability that a template needs and a request does not name; `null` if there is none.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/APIReference/API_CreateChangeSet.html
 */
export const missingCapability = ({ Resources }: Template, given: readonly string[]): string | null => {
  const roles = Object.values(Resources).filter(({ Type }) => Type.startsWith("AWS::IAM::"));
  if (roles.length === 0 || given.includes("CAPABILITY_NAMED_IAM")) return null;
  if (roles.some(({ Properties }) => Properties?.RoleName !== undefined)) return "CAPABILITY_NAMED_IAM";
  return given.includes("CAPABILITY_IAM") ? null : "CAPABILITY_IAM";
};

/** The resources in an order in which each follows those that it waits for, with all that each waits for. */
export const creationOrder = (template: Template): Map<string, ReadonlySet<string>> => {
  const order = new Map<string, Set<string>>();
  const add = (name: string): Set<string> => {
    const known = order.get(name);
    if (known !== undefined) return known;
    const before = dependenciesOf(template, name).flatMap((one) => [one, ...add(one)]);
    const all = new Set(before);
    order.set(name, all);
    return all;
  };
  for (const name of Object.keys(template.Resources)) add(name);
  return order;
};

/** What references mean in a stack. */
export interface Scope {
  template: Template;
  /** The value of `Ref`. */
  refer: (name: string) => unknown;
  /** The value of `Fn::GetAtt`. */
  attributeOf: (name: string, attribute: string) => unknown;
}

const NO_VALUE = Symbol("AWS::NoValue");

const PSEUDO: Record<string, unknown> = {
  "AWS::AccountId": "123456789012",
  "AWS::NoValue": NO_VALUE,
  "AWS::Partition": "aws",
  "AWS::Region": "eu-central-1",
  "AWS::StackName": "stack",
  "AWS::URLSuffix": "amazonaws.com",
};

/** The value of a part of a template. @throws Error for a function that is not known here */
export const resolved = (value: Input, scope: Scope): unknown => {
  const { template, attributeOf } = scope;
  const get = (inner: Input) => resolved(inner, scope);
  const refer = (name: string): unknown => (name in PSEUDO ? PSEUDO[name] : scope.refer(name));
  const dotted = (name: string): unknown => {
    const [resource = "", ...attribute] = name.split(".");
    return attribute.length === 0 ? refer(name) : attributeOf(resource, attribute.join("."));
  };
  if (Array.isArray(value)) return value.map(get).filter((one) => one !== NO_VALUE);
  if (typeof value !== "object" || value === null) return value;
  const [[key, inner] = ["", undefined], ...others] = Object.entries<Input>(value);
  const functions: Record<string, () => unknown> = {
    Ref: () => refer(inner),
    Condition: () => get(template.Conditions?.[inner]),
    "Fn::GetAtt": () => dotted([inner].flat().join(".")),
    "Fn::Join": () => [get(inner[1])].flat().join(inner[0]),
    "Fn::Sub": () => {
      const [text, given = {}] = [inner].flat();
      return text.replaceAll(/\$\{([^!}][^}]*)\}/g, (_: string, name: string) =>
        String(name in given ? get(given[name]) : dotted(name)),
      );
    },
    "Fn::If": () => get(get({ Condition: inner[0] }) === true ? inner[1] : inner[2]),
    "Fn::Equals": () => JSON.stringify(get(inner[0])) === JSON.stringify(get(inner[1])),
    "Fn::Not": () => get(inner[0]) !== true,
    "Fn::And": () => inner.every((one: Input) => get(one) === true),
    "Fn::Or": () => inner.some((one: Input) => get(one) === true),
  };
  // A policy has a `Condition` too, which is no text.
  const known = key === "Condition" && typeof inner !== "string" ? undefined : functions[key];
  if (others.length === 0 && known !== undefined) return known();
  if (key.startsWith("Fn::")) throw new Error(`the fake does not know ${key}`);
  const entries = Object.entries<Input>(value).map(([name, one]) => [name, get(one)] as const);
  return Object.fromEntries(entries.filter(([, one]) => one !== NO_VALUE));
};
