/** The references of a CloudFormation template, and which of them lead nowhere. No name is ignored. */
import type { Resource, Template } from "./template.ts";

/** A reference: the name, and the attribute of `Fn::GetAtt` and of `Fn::Sub`. */
export interface Reference {
  name: string;
  attribute?: string;
  /** The function that refers: `Ref`, `Fn::GetAtt`, `Fn::Sub`, `Condition` or `Fn::If`. */
  by: string;
}

/** References in `Fn::Sub`; `${!Literal}` is not one. */
const SUBSTITUTED = /\$\{([^!}][^}]*)\}/g;

/** `Resource` or `Resource.Attribute`; the attribute may have further dots. */
const split = (text: string, by: string): Reference => {
  const [name = "", ...attribute] = text.split(".");
  return attribute.length === 0 ? { name, by } : { name, attribute: attribute.join("."), by };
};

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === "string");

/**
 * Returns all references in a part of a template, in order, with duplicates.
 * https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/intrinsic-function-reference.html
 */
export const referencesIn = (value: unknown): Reference[] => {
  if (Array.isArray(value)) return value.flatMap(referencesIn);
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]): Reference[] => {
    if (key === "Ref" && typeof inner === "string") return [{ name: inner, by: key }];
    if (key === "Condition" && typeof inner === "string") return [{ name: inner, by: key }];
    if (key === "Fn::GetAtt") return [split(textsOf(inner).join("."), key)];
    if (key === "Fn::Sub") {
      const [text, given = {}] = Array.isArray(inner) ? inner : [inner];
      const names = [...String(text).matchAll(SUBSTITUTED)].map(([, name = ""]) => split(name, key));
      return [...names.filter(({ name }) => !Object.hasOwn(given, name)), ...referencesIn(given)];
    }
    if (key === "Fn::If" && Array.isArray(inner)) {
      const [name, ...rest] = inner;
      return [{ name: String(name), by: key }, ...referencesIn(rest)];
    }
    return referencesIn(inner);
  });
};

const PSEUDO = new Set(
  [
    "AccountId",
    "NoValue",
    "NotificationARNs",
    "Partition",
    "Region",
    "StackId",
    "StackName",
    "URLSuffix",
  ].map((name) => `AWS::${name}`),
);

/** A resource or an output: what it refers to, and the condition under which it exists. */
interface Owner {
  label: string;
  references: Reference[];
  condition: string | undefined;
}

/** `DependsOn` refers to a resource like the properties do. An IAM policy has a `Condition` too, which is no text. */
const ownerOf = (label: string, { Properties, DependsOn = [], Condition }: Resource): Owner => {
  const waits = [DependsOn].flat().map((name) => ({ name, by: "DependsOn" }));
  return { label, references: [...referencesIn(Properties), ...waits], condition: Condition };
};

const faultsOf = ({ Resources, Parameters = {}, Conditions = {} }: Template, owner: Owner): string[] => {
  const { label, references, condition } = owner;
  const own = condition === undefined ? [] : [{ name: condition, by: "Condition" }];
  const faults = [...references, ...own].flatMap(({ name, attribute, by }: Reference): string[] => {
    const isCondition = by === "Condition" || by === "Fn::If";
    const isText = by !== "DependsOn" && attribute === undefined;
    const exists = isCondition ? name in Conditions : name in Resources;
    if (!exists && !(!isCondition && isText && (PSEUDO.has(name) || name in Parameters)))
      return [`${by} names ${attribute === undefined ? name : `${name}.${attribute}`}, which does not exist`];
    // A resource whose condition is false does not exist, and CloudFormation then rejects references to it:
    // https://docs.aws.amazon.com/AWSCloudFormation/latest/TemplateReference/aws-attribute-condition.html
    const needed = isCondition ? undefined : Resources[name]?.Condition;
    return needed === undefined || needed === condition
      ? []
      : [`${by} names ${name}, which exists only if ${needed}`];
  });
  return [...new Set(faults)].map((fault) => `${label}: ${fault}`);
};

/**
 * Returns the names of the resources that a resource waits for.
 * @throws Error naming a reference that leads nowhere
 */
export const dependenciesOf = (template: Template, name: string): string[] => {
  const resource = template.Resources[name];
  if (resource === undefined) throw new Error(`the template has no resource ${name}`);
  const owner = ownerOf(name, resource);
  const [fault] = faultsOf(template, owner);
  if (fault !== undefined) throw new Error(fault);
  const names = new Set(owner.references.map((one) => one.name));
  return [...names].filter((one) => one in template.Resources);
};

/** A cycle of resources that wait for each other, as a sentence; `null` if there is none. */
const cycleIn = ({ Resources }: Template): string | null => {
  const done = new Set<string>();
  // A loop with its own stack, because chains can be long.
  for (const start of Object.keys(Resources)) {
    const path: { name: string; left: string[] }[] = [];
    const enter = (name: string): void => {
      const resource = Resources[name];
      if (resource === undefined || done.has(name)) return;
      path.push({ name, left: ownerOf(name, resource).references.map((one) => one.name) });
    };
    enter(start);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const next = top.left.pop();
      const names = path.map(({ name }) => name);
      if (next === undefined) {
        done.add(top.name);
        path.pop();
      } else if (names.includes(next)) {
        return `${[...names.slice(names.indexOf(next)), next].join(" waits for ")}: a cycle`;
      } else enter(next);
    }
  }
  return null;
};

/**
 * Returns a sentence for each reference of a template that leads nowhere: `Ref`, `Fn::GetAtt`, `Fn::Sub`, `DependsOn`,
 * conditions, references to a resource that may not exist, and cycles.
 */
export const referenceFaults = (template: Template): string[] => {
  const owners = [
    ...Object.entries(template.Resources).map(([name, resource]) => ownerOf(name, resource)),
    ...Object.entries(template.Outputs ?? {}).map(
      ([name, { Value, Condition }]): Owner => ({
        ...{ label: `Output ${name}`, references: referencesIn(Value), condition: Condition },
      }),
    ),
  ];
  const cycle = cycleIn(template);
  return [...owners.flatMap((owner) => faultsOf(template, owner)), ...(cycle === null ? [] : [cycle])];
};

const parametersOf = ({ Properties = {} }: Resource): string[] => {
  const { Parameters } = Properties;
  return typeof Parameters === "object" && Parameters !== null ? Object.keys(Parameters) : [];
};

/**
 * Returns a sentence for each difference between what a template gives to a nested stack and takes from it, and what
 * the nested template declares.
 * @param stack the logical id of the nested stack
 */
export const nestedFaults = (template: Template, stack: string, nested: Template): string[] => {
  const resource = template.Resources[stack];
  if (resource === undefined) return [`there is no nested stack ${stack}`];
  const given = parametersOf(resource);
  const { Parameters = {}, Outputs = {} } = nested;
  const taken = referencesIn([template.Resources, template.Outputs]).flatMap(({ name, attribute }) =>
    name === stack && attribute !== undefined ? [attribute] : [],
  );
  const required = Object.keys(Parameters).filter((name) => Parameters[name]?.Default === undefined);
  return [
    ...given
      .filter((name) => !(name in Parameters))
      .map((name) => `${stack}: the parameter ${name} is given, but not declared`),
    ...required
      .filter((name) => !given.includes(name))
      .map((name) => `${stack}: the parameter ${name} is declared, but not given`),
    ...[...new Set(taken)]
      .filter((attribute) => !(attribute.replace(/^Outputs\./, "") in Outputs))
      .map((attribute) => `${stack} has no ${attribute}`),
  ];
};
