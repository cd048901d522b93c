/** Finds the dependencies between resources of a template, independent of the plugin that adds them. */
import type { Compiled } from "./template.ts";

/** Returns the resources that each resource depends on, also indirectly. @throws Error for a cycle */
export const dependenciesOf = ({ resources }: Compiled): ReadonlyMap<string, ReadonlySet<string>> => {
  const found = new Map<string, ReadonlySet<string>>();
  const visit = (name: string, path: readonly string[]): ReadonlySet<string> => {
    const known = found.get(name);
    if (known !== undefined) return known;
    if (path.includes(name)) throw new Error(`${[...path, name].join(" waits for ")}`);
    const { Properties, DependsOn = [] } = resources[name] ?? { Properties: {} };
    const text = JSON.stringify(Properties);
    const referred = [...text.matchAll(/"Ref":"(\w+)"|"Fn::GetAtt":\["(\w+)"|\$\{(\w+)[.}]/g)].flatMap(
      (match) => match.slice(1).filter((one) => one !== undefined),
    );
    const direct = [...referred, ...DependsOn].filter((one) => one in resources);
    const all = new Set(direct.flatMap((one) => [one, ...visit(one, [...path, name])]));
    found.set(name, all);
    return all;
  };
  for (const name of Object.keys(resources)) visit(name, []);
  return found;
};

/**
 * Returns how many of these resources CloudFormation may process concurrently: the size of the largest set without
 * dependencies. By Dilworth's theorem that is the number of chains that cover all resources: their number minus the
 * size of a maximum matching of each with one that depends on it.
 */
export const maxConcurrent = (
  names: readonly string[],
  waits: ReadonlyMap<string, ReadonlySet<string>>,
): number => {
  const followedBy = new Map<string, string>();
  const match = (name: string, tried: Set<string>): boolean =>
    names.some((before) => {
      if (tried.has(before) || waits.get(name)?.has(before) !== true) return false;
      tried.add(before);
      const other = followedBy.get(before);
      if (other !== undefined && !match(other, tried)) return false;
      followedBy.set(before, name);
      return true;
    });
  const matched = names.filter((name) => match(name, new Set())).length;
  return names.length - matched;
};
