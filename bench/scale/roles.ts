/**
 * What stands in the keys of recorded accesses: whose id, which shard, what is new. Found out by comparing recordings
 * with one another, and not known beforehand, so that another shape of the table comes out as it is.
 */
import { COUNTER_SLOTS } from "../../lib/store/keys.ts";
import type { Access, Touch } from "./recorder.ts";

/** Somebody who takes part in an operation, by what keys may tell of them. */
export interface Person {
  /** What they are in it: everybody who is the same comes from the same part of the players. */
  as: string;
  shard: number;
  /** Id, folded alias, tag code, the present infection. */
  names: readonly string[];
}

/** One run of an operation. */
export interface Recording {
  operation: string;
  people: readonly Person[];
  accesses: readonly Access[];
}

/** A piece of a key: a word as it is, a person's name, a number by its place among the key's numbers, or what is new. */
type Piece = { word: string } | { person: number; name: number } | { number: number } | "new";

/** A number: always this, the shard of the person whose item it is, the same as one before, or drawn at random. */
export type NumberRole = { is: number } | "own" | { sameAs: number } | { below: number };

/** A key whose pieces are known. */
export interface KeyForm {
  /** Of what kind it is, as `ROSTER#%`. */
  kind: string;
  pieces: readonly Piece[];
}

/** One item, or range, by the roles in its keys. */
export interface Role {
  partition: KeyForm;
  /** None for a range. */
  item: KeyForm | null;
  units: number;
  entries: readonly { partition: KeyForm; units: number }[];
  numbers: readonly NumberRole[];
  /** The person whose item it is. */
  owner: number | null;
  /** Whether nobody else can know of the item. */
  isNew: boolean;
}

/** One call of the database, by roles. */
export interface Step {
  kind: Access["kind"];
  roles: readonly Role[];
}

/** One recorded run of an operation: any people could have done the same. */
export interface Template {
  operation: string;
  as: readonly string[];
  steps: readonly Step[];
}

const NUMBER = /^\d{1,4}$/;
const SEPARATOR = "#";

const textsOf = ({ pk, sk, entries }: Touch): string[] => [
  pk,
  ...(sk === null ? [] : [sk]),
  ...entries.map((entry) => entry.pk),
];

const wordsOf = ({ accesses, people }: Recording): Set<string> => {
  const names = new Set(people.flatMap((person) => person.names));
  const pieces = accesses.flatMap(({ touches }) =>
    touches.flatMap(textsOf).flatMap((text) => text.split(SEPARATOR)),
  );
  return new Set(pieces.filter((piece) => !names.has(piece) && !NUMBER.test(piece)));
};

/**
 * The words that all recordings of an operation have; every other piece must be of one recording alone.
 * @throws Error for a piece that is neither
 */
const commonWords = (recordings: readonly Recording[]): Set<string> => {
  const found = new Map<string, number>();
  for (const recording of recordings) {
    for (const word of wordsOf(recording)) found.set(word, (found.get(word) ?? 0) + 1);
  }
  for (const [word, times] of found) {
    if (times === 1 || times === recordings.length) continue;
    const [{ operation } = { operation: "" }] = recordings;
    throw new Error(`${operation}: nobody knows what "${word}" is, in ${times} of ${recordings.length} keys`);
  }
  return new Set([...found].filter(([, times]) => times === recordings.length).map(([word]) => word));
};

/** A touch whose pieces are known, and whose numbers are not yet. */
interface Raw {
  role: Omit<Role, "numbers">;
  /** Of which shape: touches of one shape have numbers of the same roles. */
  shape: string;
  values: readonly number[];
  ownShard: number | null;
}

const rawOf = (kind: string, touch: Touch, { people }: Recording, words: ReadonlySet<string>): Raw => {
  const values: number[] = [];
  let owner: number | null = null;
  const formOf = (place: string, text: string): KeyForm => {
    const pieces = text.split(SEPARATOR).map((piece): Piece => {
      const person = people.findIndex(({ names }) => names.includes(piece));
      if (person >= 0) {
        owner ??= person;
        return { person, name: people[person]?.names.indexOf(piece) ?? 0 };
      }
      if (NUMBER.test(piece)) return { number: values.push(Number(piece)) - 1 };
      return words.has(piece) ? { word: piece } : "new";
    });
    const told = pieces.map((piece) => {
      if (piece === "new") return "*";
      if ("word" in piece) return piece.word;
      return "person" in piece ? "<player>" : "%";
    });
    return { kind: `${place}${told.join(SEPARATOR)}`, pieces };
  };
  const placeOf = (index: string | null): string => (index === null ? "" : `${index} `);
  const partition = formOf(placeOf(touch.index), touch.pk);
  const item = touch.sk === null ? null : formOf("", touch.sk);
  const entries = touch.entries.map(({ index, pk, units }) => ({
    partition: formOf(placeOf(index), pk),
    units,
  }));
  const all = [partition, ...(item === null ? [] : [item])];
  return {
    role: {
      partition,
      item,
      units: touch.units,
      entries,
      owner,
      isNew: all.some(({ pieces }) => pieces.includes("new")),
    },
    shape: [kind, ...[...all, ...entries.map((entry) => entry.partition)].map((form) => form.kind)].join(
      "\n",
    ),
    values,
    ownShard: owner === null ? null : (people[owner]?.shard ?? null),
  };
};

/** What all touches of a shape have as the number at a place. @param runs those of each recording */
const numberRole = (runs: readonly (readonly Raw[])[], at: number, shards: number): NumberRole => {
  const valueAt = ({ values }: Raw, place: number): number => values[place] ?? Number.NaN;
  const all = runs.flat();
  const sets = runs.map((run) => [...new Set(run.map((raw) => valueAt(raw, at)))].toSorted().join());
  if (all.every((raw) => valueAt(raw, at) === raw.ownShard)) return "own";
  // A list whose every shard is read has the same numbers each time; each of them is what it is.
  if (sets.every((set) => set === sets[0])) return { is: Number.NaN };
  const sameAs = Array.from({ length: at }, (_, place) => place).find((place) =>
    all.every((raw) => valueAt(raw, at) === valueAt(raw, place)),
  );
  if (sameAs !== undefined) return { sameAs };
  const most = Math.max(...all.map((raw) => valueAt(raw, at)));
  const below = [shards, COUNTER_SLOTS].find((bound) => most < bound);
  if (below === undefined) throw new Error(`nobody knows the number ${most} in ${all[0]?.shape}`);
  return { below };
};

/** The recordings of all operations of a game with so many shards, by roles. */
export const templatesOf = (recordings: readonly Recording[], shards: number): Template[] => {
  const words = new Map(
    [...Map.groupBy(recordings, ({ operation }) => operation)].map(([operation, own]) => [
      operation,
      commonWords(own),
    ]),
  );
  const raws = recordings.map((recording) =>
    recording.accesses.map(({ kind, touches }) => ({
      kind,
      raws: touches.map((touch) =>
        rawOf(kind, touch, recording, words.get(recording.operation) ?? new Set()),
      ),
    })),
  );
  const byShape = new Map<string, Raw[][]>();
  for (const run of raws) {
    const own = Map.groupBy(
      run.flatMap((access) => access.raws),
      ({ shape }) => shape,
    );
    for (const [shape, found] of own) byShape.set(shape, [...(byShape.get(shape) ?? []), found]);
  }
  const roles = new Map(
    [...byShape].map(([shape, runs]) => {
      const count = runs[0]?.[0]?.values.length ?? 0;
      return [shape, Array.from({ length: count }, (_, at) => numberRole(runs, at, shards))];
    }),
  );
  const roleOf = ({ role, shape, values }: Raw): Role => ({
    ...role,
    numbers: (roles.get(shape) ?? []).map((number, at) =>
      typeof number === "object" && "is" in number ? { is: values[at] ?? 0 } : number,
    ),
  });
  return recordings.map(({ operation, people }, at) => ({
    operation,
    as: people.map((person) => person.as),
    steps: (raws[at] ?? []).map(({ kind, raws: touches }) => ({ kind, roles: touches.map(roleOf) })),
  }));
};
