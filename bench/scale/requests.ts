/** Requests as they come in the simulation: recorded ones, with other people and other random numbers in their keys. */
import { shardOf, someone } from "./crowds.ts";
import type { Random } from "./random.ts";
import type { KeyForm, Role, Step, Template } from "./roles.ts";

/** Units of one partition; `key` is none where it is all new, and so nobody else's. */
export interface Part {
  kind: string;
  key: string | null;
  units: number;
}

/** One item that is read or written, or one range. */
export interface Use {
  parts: readonly Part[];
  /** Its key, where somebody else may want it too. */
  item: string | null;
}

export interface Move {
  kind: Step["kind"];
  uses: readonly Use[];
}

/** A template made ready: reads that nothing stands between go out together. */
export interface Recipe {
  operation: string;
  as: readonly string[];
  steps: readonly Step[];
}

export const recipeOf = ({ operation, as, steps }: Template): Recipe => {
  const joined: Step[] = [];
  for (const step of steps) {
    const last = joined.at(-1);
    if (step.kind === "read" && last?.kind === "read") {
      joined[joined.length - 1] = { kind: "read", roles: [...last.roles, ...step.roles] };
    } else joined.push(step);
  }
  return { operation, as, steps: joined };
};

const useOf = (role: Role, people: readonly number[], shards: number, random: Random): Use => {
  const owner = role.owner === null ? undefined : people[role.owner];
  const numbers: number[] = [];
  for (const number of role.numbers) {
    if (number === "own") numbers.push(owner === undefined ? 0 : shardOf(owner, shards));
    else if ("is" in number) numbers.push(number.is);
    else if ("sameAs" in number) numbers.push(numbers[number.sameAs] ?? 0);
    else numbers.push(random.below(number.below));
  }
  const keyOf = ({ kind, pieces }: KeyForm): string | null => {
    let key = kind;
    for (const piece of pieces) {
      if (piece === "new") return null;
      if ("person" in piece) key += `#${people[piece.person]}.${piece.name}`;
      else if ("number" in piece) key += `#${numbers[piece.number]}`;
    }
    return key;
  };
  const partition = keyOf(role.partition);
  const item = role.item === null ? null : keyOf(role.item);
  return {
    parts: [
      { kind: role.partition.kind, key: partition, units: role.units },
      ...role.entries.map((entry) => ({
        kind: entry.partition.kind,
        key: keyOf(entry.partition),
        units: entry.units,
      })),
    ],
    item: role.isNew || partition === null || item === null ? null : `${partition}/${item}`,
  };
};

/** A request by other people. */
export const movesOf = ({ as, steps }: Recipe, shards: number, random: Random): Move[] => {
  const people = as.map((one) => someone(one, random));
  return steps.map(({ kind, roles }) => ({
    kind,
    uses: roles.map((role) => useOf(role, people, shards, random)),
  }));
};
